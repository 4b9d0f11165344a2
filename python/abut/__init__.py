"""abut: bodies that touch and never intersect.

Simulator: build or load a scene, step it, read and write its state.

    import abut
    sim = abut.Simulation("scene.json")
    for _ in range(100):
        sim.step()
    print(sim.positions.mean(axis=0))

Toolkit: contact for your own simulator (CollisionMesh, ActiveSet, Friction, ccd, ...).
Arrays are NumPy arrays; those of the right type and layout are used without a copy.
"""

import json as _json
import os as _os

from ._abut import (
    PAIR_KINDS,
    ActiveSet,
    Candidates,
    CheckError,
    CollisionMesh,
    Error,
    FileError,
    Friction,
    InfeasibleError,
    InputError,
    InternalError,
    Interrupted,
    NotConvergedError,
    OutOfMemoryError,
    OverlapError,
    UnsupportedError,
    ccd,
    distance_squared,
    initial_stiffness,
    version,
)
from ._abut import Simulation as _Simulation
from .control import Control as _Control
from .gradient import grad
from .scene import Scene, SceneBody, plain, sweep

__version__ = version()

__all__ = [
    "PAIR_KINDS", "ActiveSet", "Candidates", "CheckError", "CollisionMesh", "Error", "FileError", "Friction",
    "InfeasibleError", "InputError", "InternalError", "Interrupted", "NotConvergedError", "OutOfMemoryError", "OverlapError",
    "Scene", "SceneBody", "Simulation", "UnsupportedError", "ccd", "distance_squared", "grad", "initial_stiffness", "plain",
    "sweep", "version",
]


class Simulation(_Control, _Simulation):
    """A scene that can be stepped.

    scene: the path of a scene file, a Scene, or a dict (what a native scene file holds, with NumPy
        arrays wherever there are lists).
    folder: of a dict, where its mesh files are looked for (default: the working folder).
    overrides: "path=value" settings, as the command's --set.
    threads: 0 leaves the number to OpenMP.
    log: a callable log(level, message); log_level: "error", "warning", "info" or "debug".
    problem_folder: where start_problems.vtu is written when the start intersects.
    """

    def __new__(cls, scene, *, folder=None, overrides=(), threads=0, log=None, log_level="warning",
                problem_folder=None):
        options = dict(overrides=overrides, threads=threads, log=log, log_level=log_level)
        if problem_folder is not None:
            options["problem_folder"] = _os.fspath(problem_folder)
        if isinstance(scene, (dict, Scene)):
            path = _os.path.join(_os.fspath(folder), "scene.json") if folder is not None else None
            text = _json.dumps(plain(scene))
            self = super().__new__(cls, path, text, **options)
        elif folder is not None:
            raise TypeError("folder is for scenes given as a dict or Scene")
        else:
            path = _os.fspath(scene)
            self = super().__new__(cls, path, **options)
        self._path = path
        return self

    @property
    def scene(self):
        """The scene as it is run, with all defaults."""
        return _json.loads(self.scene_text)

    def collision_mesh(self):
        """The collision surface as a CollisionMesh of the toolkit; one group per body."""
        import numpy

        bodies = self.bodies
        group = numpy.zeros(len(self.rest_vertices), dtype=numpy.int32)
        for number, body in enumerate(bodies):
            group[body["vertices"]] = number
        kinematic = numpy.array([body["kinematic"] for body in bodies], dtype=bool)[group]
        return CollisionMesh(self.rest_vertices, self.triangles, self.edges, group=group,
                             kinematic=kinematic)

    def __repr__(self):
        names = ", ".join(body["name"] for body in self.bodies)
        return f"<abut.Simulation of {names}; time {self.time:g}>"
