"""abut.grad: values and derivatives of runs, functions of the caller, scipy, torch and jax where they are."""
import doctest
import importlib.util
import math
import unittest

import abut
import abut.gradient
import numpy


def scene(**keys):
    """A soft cube thrown onto a floor with friction."""
    made = {
        "abut": 1, "time": {"step": 0.01, "steps": 6}, "gravity": [0, -9.8, 0],
        "contact": {"dhat": 0.03, "stiffness": 1e5, "friction": 0.3, "eps_v": 0.02, "friction_iterations": 2},
        "bodies": [
            {"name": "cube", "velocity": [0.6, -0.4, 0.2], "translate": [0.013, 0.13, 0.017], "rotate": [7, 11, 5],
             "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}},
             "material": {"model": "neo-hookean", "young": 3e4, "poisson": 0.35, "density": 800}},
            {"name": "floor", "type": "obstacle", "mesh": {"box": {"size": [2, 0.2, 2], "cells": [2, 1, 2]}},
             "translate": [0.05, -0.1, 0.03]}]}
    made.update(keys)
    return made


GOAL = {"kind": "center", "body": "cube", "target": [0.1, 0.1, 0.05]}
TRAJECTORY = dict(GOAL, target=[[0.02, 0.1, 0], [0.03, 0.1, 0.01]], times=[0.03, 0.0501])
CLOUD = {"kind": "cloud", "body": "cube", "target": [[0.2, 0.1, 0], [0, 0, 0.1], [-0.1, 0.2, 0]]}
STRESS = {"kind": "stress", "body": "cube", "weight": 1e-3}
VELOCITY = ["bodies[cube].velocity[0]", "bodies[cube].velocity[2]"]


def squares(time, x, v):
    """1/2 |x|^2 + v of the first node along y, of all nodes at the end."""
    by_v = numpy.zeros_like(v)
    by_v[0, 1] = 1
    return 0.5 * (x ** 2).sum() + v[0, 1], x, by_v


class Gradients(unittest.TestCase):
    def differences(self, f, at, step=1e-5):
        out = numpy.zeros(len(at))
        for i in range(len(at)):
            sides = [f.value(at + sign * step * numpy.eye(len(at))[i]) for sign in (-1, 1)]
            out[i] = (sides[1] - sides[0]) / (2 * step)
        return out

    def test_against_differences(self):
        for objective in (GOAL, squares, [GOAL, squares, dict(GOAL, weight=3, **{"from": 0.02, "until": 0.04})],
                          TRAJECTORY, CLOUD, STRESS, {"kind": "contact_force", "body": "cube", "weight": 1e-3},
                          {"kind": "elastic", "weight": 0.1}, {"kind": "kinetic"}):
            f = abut.grad(scene(), objective, VELOCITY + ["contact.friction", "bodies[cube].material.poisson"])
            self.assertNotEqual(f()[0], 0)
            value, slope = f()
            self.assertEqual(value, f.value(f.values))
            numpy.testing.assert_allclose(slope, self.differences(f, f.values), rtol=2e-5)

    def test_trajectories_count_at_their_times(self):
        one = abut.grad(scene(), TRAJECTORY, VELOCITY).value()
        parts = [abut.grad(scene(), dict(GOAL, target=target, **{"from": time - 1e-6, "until": time + 1e-6}), VELOCITY).value()
                 for target, time in zip(TRAJECTORY["target"], (0.03, 0.05))]
        self.assertAlmostEqual(one, sum(parts), 15)

    def test_squares(self):
        f = abut.grad(scene(), [GOAL, TRAJECTORY], VELOCITY)
        value, slope, square = f.squares()
        own, adjoint = f()
        self.assertAlmostEqual(value, own, delta=1e-12)
        numpy.testing.assert_allclose(slope, adjoint, rtol=1e-6)
        numpy.testing.assert_allclose(square, square.T)
        step = numpy.linalg.solve(square, -slope)
        self.assertLess(f.value(f.values + step), value)
        with self.assertRaisesRegex(abut.UnsupportedError, "elastic"):
            abut.grad(scene(), {"kind": "elastic"}, VELOCITY).squares()

    def test_fields(self):
        f = abut.grad(scene(), GOAL, [("forces", "cube"), "gravity[1]"])
        self.assertEqual(f.slices, {"forces of cube": slice(0, 24), "gravity[1]": slice(24, 25)})
        slope = f()[1]
        at = f.values
        more, less = at.copy(), at.copy()
        more[4] += 1e-3
        less[4] -= 1e-3
        self.assertAlmostEqual(slope[4] / ((f.value(more) - f.value(less)) / 2e-3), 1, 5)
        self.assertEqual(f.info["steps"], 6)
        self.assertLess(f.info["worst_residual"], 1e-10)
        self.assertEqual(len(abut.grad(scene(), GOAL, ("initial_velocities", "cube"))), 24)

    def test_what_functions_raise(self):
        def broken(time, x, v):
            raise KeyError("mine")
        with self.assertRaises(KeyError):
            abut.grad(scene(), broken, VELOCITY)()
        with self.assertRaises(TypeError):
            abut.grad(scene(), lambda time, x, v: 1.0, VELOCITY)()
        with self.assertRaisesRegex(abut.InputError, "no number"):
            abut.grad(scene(), lambda time, x, v: (math.nan, None, None), VELOCITY)()
        with self.assertRaises(abut.InputError):
            abut.grad(scene(), lambda time, x, v: (0.0, x[:2], None), VELOCITY)()

    def test_bad_input(self):
        with self.assertRaisesRegex(abut.InputError, "colour"):
            abut.grad(scene(), dict(GOAL, colour=1), VELOCITY)
        with self.assertRaisesRegex(abut.InputError, "absent"):
            abut.grad(scene(), dict(GOAL, body="absent"), VELOCITY)
        for wrong in (dict(target=[[0, 0, 0]]), dict(times=[0.05, 0.03]), dict(times=[0.03, 0.1]), dict(times=[0.03, 0.035])):
            with self.assertRaisesRegex(abut.InputError, "times"):
                abut.grad(scene(), dict(TRAJECTORY, **wrong), VELOCITY)
        with self.assertRaisesRegex(abut.InputError, "nothing"):
            abut.grad(scene(), GOAL, ["bodies[cube].nothing"])
        with self.assertRaises(abut.InputError):
            abut.grad(scene(), GOAL, [])
        with self.assertRaisesRegex(abut.UnsupportedError, "mlcp"):
            abut.grad(scene(stepper="mlcp", contact={"dhat": 0.03}), GOAL, VELOCITY)
        with self.assertRaisesRegex(abut.InputError, "linear tetrahedra"):
            abut.grad(scene(), dict(STRESS, body="floor"), VELOCITY)
        for kind, field in (("stress", "young"), ("elastic", "shape"), ("center", "rest_positions")):
            with self.assertRaisesRegex(abut.UnsupportedError, f"{kind}.*{field}"):
                abut.grad(scene(), {"kind": kind, "body": "cube"}, [(field, "cube")])()
        f = abut.grad(scene(), {"kind": "positions", "body": "cube"}, [("shape", "cube")])
        with self.assertRaises(abut.InfeasibleError):
            f(-f.values)
        f.infeasible = math.inf
        self.assertEqual(f(-f.values)[0], math.inf)

    def test_scipy(self):
        if not importlib.util.find_spec("scipy"):
            self.skipTest("scipy is not installed")
        import scipy.optimize
        f = abut.grad(scene(), GOAL, VELOCITY)
        found = scipy.optimize.minimize(f, f.values, jac=True, method="L-BFGS-B", options={"maxiter": 15})
        self.assertLess(found.fun, 0.5 * f.value())
        self.assertLess(f.evaluations, 50)
        numpy.testing.assert_allclose(abut.grad(f.scene(found.x), GOAL, VELOCITY).value(), found.fun, rtol=1e-9)

    def test_torch(self):
        if not importlib.util.find_spec("torch"):
            self.skipTest("torch is not installed")
        import torch
        from abut.torch import wrap
        f = abut.grad(scene(), GOAL, VELOCITY)
        values = torch.tensor(f.values, requires_grad=True)
        (3 * wrap(f)(values) ** 2).backward()
        value, slope = f()
        numpy.testing.assert_allclose(values.grad.numpy(), 6 * value * slope, rtol=1e-12)

    def test_jax(self):
        if not importlib.util.find_spec("jax"):
            self.skipTest("jax is not installed")
        import jax
        from abut.jax import wrap
        jax.config.update("jax_enable_x64", True)
        f = abut.grad(scene(), GOAL, VELOCITY)
        run = wrap(f)
        slope = jax.grad(lambda x: 3 * run(x))(jax.numpy.array(f.values))
        numpy.testing.assert_allclose(slope, 3 * f()[1], rtol=1e-12)

    def test_docstrings(self):
        found = doctest.testmod(abut.gradient)
        self.assertEqual(found.failed, 0)
        self.assertGreater(found.attempted, 5)


if __name__ == "__main__":
    unittest.main()
