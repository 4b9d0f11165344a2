"""Derivatives of whole simulations, contact and friction included: abut.grad."""

import json
import math
import os

import numpy

from ._abut import Gradient as _Gradient
from ._abut import InfeasibleError, InputError, NotConvergedError
from .scene import Scene, plain

_OBJECTIVE_KEYS = {"kind", "body", "weight", "target", "from", "until", "times", "function"}


def _add_objective(gradient, objective):
    if callable(objective):
        objective = {"kind": "function", "function": objective}
    unknown = set(objective) - _OBJECTIVE_KEYS
    if unknown:
        raise InputError(f"objective: unknown key \"{sorted(unknown)[0]}\"; there are {', '.join(sorted(_OBJECTIVE_KEYS))}")
    options = dict(objective)
    kind = options.pop("kind", "function" if "function" in options else "positions")
    options["last"] = "from" not in options and "until" not in options
    options.setdefault("until", math.inf)
    gradient.add_objective(kind, **options)


def _add_parameter(gradient, parameter):
    """The name of a parameter and the end of its scalars."""
    if isinstance(parameter, str):
        parameter = ("key", parameter)
    kind, name = parameter
    return (name if kind == "key" else f"{kind} of {name}"), gradient.add_parameter(kind, name)


class Grad:
    """A function of parameters: (objective, its derivatives) of a run of a scene. Made by abut.grad."""

    def __init__(self, scene, objective, parameters, *, folder=None, overrides=(), steps=0, tolerance=0.0, snapshots=0,
                 infeasible=None):
        options = dict(overrides=overrides, steps=steps, tolerance=tolerance, snapshots=snapshots)
        if isinstance(scene, (dict, Scene)):
            path = os.path.join(os.fspath(folder), "scene.json") if folder is not None else None
            self._gradient = _Gradient(path, json.dumps(plain(scene)), **options)
        elif folder is not None:
            raise TypeError("folder is for scenes given as a dict or Scene")
        else:
            self._gradient = _Gradient(os.fspath(scene), **options)
        self.infeasible = infeasible
        self.evaluations = 0
        self.slices = {}
        for one in objective if isinstance(objective, (list, tuple)) else [objective]:
            _add_objective(self._gradient, one)
        begin = 0
        single = isinstance(parameters, str) or (
            isinstance(parameters, tuple) and len(parameters) == 2 and parameters[0] in
            ("key", "initial_positions", "initial_velocities", "rest_positions", "shape", "young", "poisson", "forces"))
        for one in [parameters] if single else parameters:
            name, end = _add_parameter(self._gradient, one)
            self.slices[name] = slice(begin, end)
            begin = end
        if begin == 0:
            raise InputError("parameters: there are none")

    def _run(self, values, derivative):
        self.evaluations += 1
        values = None if values is None else numpy.asarray(values, dtype=float).ravel()
        try:
            return self._gradient.evaluate(values, derivative)
        except (InfeasibleError, NotConvergedError):
            if self.infeasible is None:
                raise
            return self.infeasible, numpy.zeros(len(self)) if derivative else None

    def __call__(self, values=None):
        """(objective, derivative) of a run with these values of the parameters; None: those of the scene."""
        return self._run(values, True)

    def value(self, values=None):
        """The objective only: cheaper."""
        return self._run(values, False)[0]

    def squares(self, values=None):
        """(objective, derivative, J^T J) for methods of least squares: J are the derivatives of the distances of which the
        objective is half the sum of squares. Computed forwards, for at most 200 parameters."""
        self.evaluations += 1
        values = None if values is None else numpy.asarray(values, dtype=float).ravel()
        return self._gradient.evaluate_squares(values)

    def __len__(self):
        return len(self._gradient.values())

    @property
    def values(self):
        """Values of all parameters in the scene, in the order of `slices`."""
        return self._gradient.values()

    @property
    def info(self):
        """What the last evaluation was like: steps, solves, saddles, worst_residual, least_curvature, ..."""
        return self._gradient.info()

    def scene(self, values):
        """The scene with these values; parameters that are no keys (fields of bodies) keep those of the scene."""
        return json.loads(self._gradient.scene_text(numpy.asarray(values, dtype=float).ravel()))


def grad(scene, objective, parameters, *, folder=None, overrides=(), steps=0, tolerance=0.0, snapshots=0, infeasible=None):
    """A function that runs a scene and differentiates it: values of the parameters -> (objective, derivative).

    scene: as for Simulation. objective: a dict with kind ("positions", "velocities", "center", "kinetic", "elastic",
        "contact_force", "stress", "cloud": distance to the nearest of the targets), body, target, weight, and from, until (s; without
        them the end of the run counts) or times, with one target for each (a trajectory), or a function
        (time, positions, velocities) -> (value, derivative by positions, derivative by velocities) with None for
        derivatives of 0, or a list of these, which are added.
    parameters: paths of numbers in the scene ("gravity[1]"), or pairs (kind, body) with "initial_positions",
        "initial_velocities", "rest_positions", "shape", "young", "poisson", "forces".
    folder, overrides: as for Simulation. steps: of the run (0: to its end). tolerance: of Newton's method. snapshots:
        states that are kept (0: all). infeasible: the value of runs that cannot be made (else an exception).

    Where a box that is thrown at 2 m/s lies after a tenth of a second, and how that changes with its velocity:

    >>> import abut
    >>> scene = abut.Scene(step=0.01, end=0.1, gravity=[0, -9.81, 0])
    >>> _ = scene.add_rigid("box", mesh={"box": {"size": [1, 1, 1]}}, density=1000, velocity=[2, 0, 0])
    >>> goal = {"kind": "center", "body": "box", "target": [0.3, 0, 0], "weight": 2}
    >>> f = abut.grad(scene, goal, ["bodies[box].velocity[0]"])
    >>> value, slope = f()
    >>> f.values, round(float(slope[0]), 9)
    (array([2.]), -0.02)
    >>> round(f.value([3]) - f.value([2]), 9)
    -0.01
    >>> f.scene([3])["bodies"][0]["velocity"]
    [3.0, 0, 0]

    With scipy: scipy.optimize.minimize(f, f.values, jac=True).
    """
    return Grad(scene, objective, parameters, folder=folder, overrides=overrides, steps=steps, tolerance=tolerance,
                snapshots=snapshots, infeasible=infeasible)
