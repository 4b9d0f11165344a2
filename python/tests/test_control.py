"""Scenes built in Python, control while they run, copies, pickles, sweeps, pictures, docstrings."""
import copy
import doctest
import os
import pickle
import sys
import unittest
import urllib.request

import numpy as np

import abut
import abut.control
import abut.scene

JELLY = dict(young=2e5, poisson=0.4)


def stack(**keys):
    scene = abut.Scene(ground=-0.055, friction=0.2, solver={"tolerance": 1e-4}, **keys)
    scene.add_material("jelly", **JELLY)
    for name, height in (("lower", 0), ("upper", 0.102)):
        scene.add_soft(name, mesh={"box": {"size": np.full(3, 0.1), "cells": [2, 2, 2]}}, material="jelly",
                       translate=np.array([0.01, height, 0.02]))
    return scene


def height_after(young):
    """For the sweep: in a process of its own."""
    scene = stack()
    scene.document["materials"]["jelly"]["young"] = young
    sim = scene.simulate()
    sim.step(20)
    return float(sim.positions[:, 1].max())


class Scenes(unittest.TestCase):
    def test_errors_name_the_argument(self):
        scene = abut.Scene()
        tet = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        for arguments, text in (((tet, [[0, 1, 2]]), "tetrahedra: has the shape"), ((tet, [[0, 1, 2, 4]]), "row 0 names vertex 4"),
                                ((tet, [[0.0, 1, 2, 3]]), "integers are needed"), ((tet, None), "tetrahedra: needed"),
                                (([[0, 0]], [[0, 0, 0, 0]]), "vertices: has the shape"),
                                (([[0, 0, np.nan]], [[0, 0, 0, 0]]), "vertices: row 0 is not finite"),
                                (("abc", [[0, 0, 0, 0]]), "vertices: must be numbers")):
            with self.assertRaisesRegex(abut.InputError, text):
                scene.add_soft("a", *arguments)
        scene.add_soft("a", tet, [[0, 1, 2, 3]])
        with self.assertRaisesRegex(abut.InputError, "name: there is a body"):
            scene.add_rigid("a", mesh="x.obj")
        with self.assertRaisesRegex(abut.InputError, "either vertices or a mesh"):
            scene.add_rigid("b", tet, [[0, 1, 2]], mesh="x.obj")
        with self.assertRaisesRegex(abut.InputError, "bodies.0..*material"):
            scene.add_soft("b", tet, [[0, 1, 2, 3]], material="wood", translate=[2, 0, 0])
            scene.simulate()

    def test_all_kinds(self):
        scene = abut.Scene(gravity=[0, 0, 0], time={"step": 0.01, "end": 0.1})
        scene.add_material("m", young=1e6, poisson=0.3)
        line = np.array([[0, 0, 0.1 * i] for i in range(4)], dtype=float)
        scene.add_rod("rope", line, [[0, 1], [1, 2], [2, 3]], material="m", diameter=1e-2).fix([0])
        scene.add_shell("sheet", line[:3] + [[1, 0, 0], [1, 0.2, 0], [1, 0, 0]], [[0, 1, 2]], material="m", thickness=1e-3)
        scene.add_particles("sand", [[2, 0, 0], [2.5, 0, 0]], radius=0.1, density=1000).push(force=[1, 0, 0])
        scene.add_half_space([0, -3, 0])
        sim = abut.Simulation(scene)
        self.assertEqual([b["kind"] for b in sim.bodies], ["rod", "shell", "particles"])
        sim.step()
        self.assertGreater(sim.velocities[-1, 0], 0)
        np.testing.assert_array_equal(sim.positions[0], line[0])


    def test_joints_and_attachments(self):
        scene = abut.Scene(gravity=[0, 0, 0], end=0.2)
        scene.add_material("jelly", **JELLY)
        arm = scene.add_rigid("arm", mesh={"box": {"size": [1, 0.1, 0.1]}}, density=500)
        pad = scene.add_soft("pad", mesh={"box": {"size": np.full(3, 0.1), "cells": [2, 2, 2]}}, material="jelly",
                             translate=[0.5, 0.12, 0])
        scene.add_joint("hinge", arm, name="axle", point=[-0.5, 0, 0], axis=[0, 0, 1],
                        turn={"drive": {"position": "90 * t"}})
        scene.add_attachment(pad, "arm", {"relative_box": [[0, 0, 0], [1, 0, 1]]})
        sim = scene.simulate()
        self.assertEqual(list(sim.joint_names)[0], "axle")
        before = sim.positions.copy()
        sim.step(20)
        angle = float(sim.joint_positions[0, 0])
        self.assertAlmostEqual(angle, np.radians(18), delta=1e-6)
        nodes = sim.bodies[1]["nodes"]
        lower = np.flatnonzero(before[nodes, 1] < 0.071)
        c, s = np.cos(angle), np.sin(angle)
        there = (before[nodes][lower] + [0.5, 0, 0]) @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) - [0.5, 0, 0]
        np.testing.assert_allclose(sim.positions[nodes][lower], there, atol=1e-7)
        with self.assertRaisesRegex(abut.InputError, r"joints\[1\].body: there is no body \"leg\""):
            scene.add_joint("ball", "leg")
            scene.simulate()


class Control(unittest.TestCase):
    def test_forces_and_events(self):
        sim = stack().simulate()
        events = []
        for _ in range(60):
            sim.step()
            events += sim.events()
        self.assertIn(("lower", "half-space 0", "begins"), events)
        self.assertIn(("lower", "upper", "begins"), events)
        weight = 9.81 * sim.masses[sim.bodies[1]["nodes"]].sum()
        self.assertAlmostEqual(sim.body_forces()["upper"]["normal"][1] / weight, 1, delta=0.02)
        found = sim.contacts()
        ground = found["bodies"][:, 1] == -1
        self.assertAlmostEqual((found["forces"] * found["normals"][:, 1])[ground].sum() / (2 * weight), 1, delta=0.02)
        self.assertTrue((found["gaps"] > 0).all() and (found["pressures"] > 0).all())

    def test_targets_and_numbers(self):
        sim = stack().simulate()
        sim.targets[53] = sim.positions[53] + [0, 0.01, 0]
        goal = sim.targets[53].copy()
        sim.step()
        np.testing.assert_array_equal(sim.positions[53], goal)
        sim.gravity = [0, 0, 1]
        np.testing.assert_array_equal(sim.gravity, [0, 0, 1])
        sim.set_friction(0.5)
        sim.set_friction(0.6, "lower")
        sim.set_friction(0.7, "lower", "upper")
        self.assertEqual(sim.scene["contact"]["friction_pairs"][0]["coefficient"], 0.7)
        with self.assertRaisesRegex(abut.InputError, "friction"):
            sim.set_friction(-1)

    def test_bodies_come_and_go(self):
        sim = stack().simulate()
        sim.step(5)
        old = sim.positions
        sim.add_body({"name": "late", "type": "rigid", "mesh": {"box": {"size": [0.1, 0.1, 0.1]}}, "density": 1000,
                      "translate": np.array([0, 0.5, 0])})
        self.assertEqual(len(sim.bodies), 3)
        np.testing.assert_array_equal(old, sim.positions[:54])  # still there to be read
        sim.step(2)
        sim.remove_body("lower")
        sim.set_material("jelly", young=1e4)
        sim.step(2)
        self.assertEqual([b["name"] for b in sim.bodies], ["upper", "late"])
        with self.assertRaisesRegex(abut.InfeasibleError, "intersections"):
            sim.add_body({"name": "through", "type": "rigid", "mesh": {"box": {"size": [0.1, 0.1, 0.1]}},
                          "density": 1000, "translate": [0.03, 0.5, 0]})
        with self.assertRaisesRegex(abut.InputError, "no body"):
            sim.remove_body("lower")

    def test_energies_raise_their_own_errors(self):
        sim = stack().simulate()

        def wrong(x, which, order):
            raise KeyError("mine")

        sim.add_energy([[0, 27]], wrong)
        with self.assertRaisesRegex(KeyError, "mine"):
            sim.step()
        other = stack().simulate()
        other.add_energy(np.array([[0]]), lambda x, which, order: np.zeros(3))
        with self.assertRaises(abut.InputError):
            other.step()
        with self.assertRaisesRegex(abut.InputError, "node 99"):
            other.add_energy([[99]], wrong)


class Copies(unittest.TestCase):
    def test_copy_reset_pickle(self):
        sim = stack().simulate()
        start = sim.positions.copy()
        sim.forces[3] = [0, 0, 0.1]
        sim.targets[0, 0] = sim.positions[0, 0]
        sim.step(5)
        others = [sim.copy(), copy.copy(sim), pickle.loads(pickle.dumps(sim))]
        state = sim.save_bytes()
        sim.step(5)
        end = sim.positions.copy()
        for other in others:
            other.step(5)
            self.assertEqual(other.positions.tobytes(), end.tobytes())
        sim.restore_bytes(state)
        sim.step(5)
        self.assertEqual(sim.positions.tobytes(), end.tobytes())
        sim.reset()
        self.assertEqual(sim.positions.tobytes(), start.tobytes())
        with self.assertRaises(abut.InputError):
            sim.restore_bytes(state[:-1])

    def test_sweep(self):
        values = [1e5, 4e5]
        self.assertEqual(abut.sweep(height_after, values, processes=2), [height_after(v) for v in values])

    def test_pictures(self):
        sim = stack().simulate()
        sim.step(2)
        picture = sim.render(size=(64, 48), samples=1)
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        page = sim._repr_html_()
        self.assertIn("data:image/png;base64,", page)
        self.assertIn("upper", page)
        with self.assertRaises(abut.Error):
            sim.render("/nonexistent/x.png", size=(64, 48))

    def test_pages(self):
        sim = stack().simulate()
        sim.step(2)
        with self.assertRaisesRegex(abut.FileError, "to_html: "):
            sim.to_html(folder="/nonexistent")
        try:
            page = sim.to_html()
        except abut.FileError:
            self.assertNotIn("<iframe", sim._repr_html_())
            self.skipTest("the page of the viewer is not built (make viewer)")
        self.assertIn("<html", page[:200].lower())
        self.assertIn('<iframe srcdoc="', sim._repr_html_())

    def test_view(self):
        sim = stack().simulate()
        sim.step(2)
        with self.assertRaisesRegex(abut.UnsupportedError, "view: the viewer did not start"):
            sim.view("/nonexistent")
        try:
            server = sim.view()
        except abut.UnsupportedError:
            self.skipTest("the page of the viewer is not built (make viewer)")
        try:
            with urllib.request.urlopen(server.address, timeout=60) as answer:
                self.assertIn(b"<html", answer.read().lower())
            self.assertIsNone(server.poll())
        finally:
            server.terminate()
            server.wait(60)
            server.stdout.close()


class Docstrings(unittest.TestCase):
    def test_examples(self):
        for module in (abut, abut.scene, abut.control):
            found = doctest.testmod(module)
            self.assertEqual(found.failed, 0)
        self.assertGreater(doctest.testmod(abut.control).attempted, 15)


if __name__ == "__main__":
    unittest.main()
