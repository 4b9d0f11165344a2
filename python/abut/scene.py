"""Scenes built in Python, with NumPy arrays for meshes; what they say is what a scene file says."""

import json
import os

import numpy

from ._abut import InputError


def plain(value):
    """A scene, or a part of one, as JSON can hold it: arrays become lists, paths strings.

    >>> import abut, numpy
    >>> abut.plain({"gravity": numpy.zeros(3), "n": numpy.int32(2)})
    {'gravity': [0.0, 0.0, 0.0], 'n': 2}
    """
    if isinstance(value, Scene):
        return plain(value.document)
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


def _points(value, name):
    try:
        array = numpy.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name}: must be numbers, three per row") from None
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"{name}: has the shape {array.shape}; (n, 3) is needed")
    bad = numpy.flatnonzero(~numpy.isfinite(array).all(axis=1))
    if len(bad):
        raise InputError(f"{name}: row {bad[0]} is not finite")
    return array


def _cells(value, name, widths, points):
    array = numpy.asarray(value)
    allowed = " or ".join(str(width) for width in widths)
    if array.ndim != 2 or array.shape[1] not in widths:
        raise InputError(f"{name}: has the shape {array.shape}; (n, {allowed}) is needed")
    if not numpy.issubdtype(array.dtype, numpy.integer):
        raise InputError(f"{name}: has the type {array.dtype}; integers are needed")
    bad = numpy.argwhere((array < 0) | (array >= points))
    if len(bad):
        row, column = bad[0]
        raise InputError(f"{name}: row {row} names vertex {array[row, column]}; there are {points}, from 0 on")
    return array


def _selector(nodes, keys):
    """An entry with nodes: their numbers in the mesh, or a selector as in scenes; None: all."""
    if nodes is None:
        return dict(keys)
    return {"nodes": nodes if isinstance(nodes, (dict, str)) else {"list": numpy.asarray(nodes).tolist()}, **keys}


def _name(body):
    """The name of a body: given as that, or as the body itself."""
    return body.get("name") if isinstance(body, dict) else body


class SceneBody(dict):
    """A body of a scene: a dict with the keys of `bodies`, and a few methods."""

    def fix(self, nodes=None, **keys):
        """Fixes or moves nodes (their numbers in the mesh, or a selector as in scenes; None: all).

        >>> import abut
        >>> cloth = abut.Scene().add_shell("cloth", mesh={"grid": {"size": [1, 1]}}, thickness=1e-3)
        >>> cloth.fix([0, 3], motion={"velocity": [0, 1, 0]})["fix"]
        [{'nodes': {'list': [0, 3]}, 'motion': {'velocity': [0, 1, 0]}}]
        """
        self.setdefault("fix", []).append(_selector(nodes, keys))
        return self

    def push(self, nodes=None, **keys):
        """Adds a force: push(force=[0, 0, 5]) on all nodes, or on some (as for fix)."""
        self.setdefault("force", []).append(_selector(nodes, keys))
        return self


class Scene:
    """A scene that grows.

    >>> import abut
    >>> scene = abut.Scene(step=0.01, end=0.5, ground=0, friction=0.3)
    >>> scene.add_material("jelly", young=1e5, poisson=0.4)
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> _ = scene.add_soft("tet", corners, [[0, 1, 2, 3]], material="jelly", translate=[0, 0.2, 0])
    >>> sim = abut.Simulation(scene)
    >>> sim.bodies[0]["name"], len(sim.positions)
    ('tet', 4)

    step, end: s; or time={...} with all of it. gravity, ground, friction, dhat: as in scenes. Further keywords are keys of the scene:
    Scene(solver={"tolerance": 1e-3}). `document` is the scene as a dict, to be changed at will.
    """

    def __init__(self, *, name=None, step=0.01, end=1.0, gravity=None, ground=None, friction=None, dhat=None, **keys):
        self.document = {"abut": 1, **keys}
        if "time" in keys:
            step = end = None
        self._set("name", name)
        self._set("gravity", gravity)
        self._set("ground", ground)
        for part, key, value in (("time", "step", step), ("time", "end", end), ("contact", "friction", friction),
                                 ("contact", "dhat", dhat)):
            if value is not None:
                self.document.setdefault(part, {})[key] = value
        self.document.setdefault("materials", {})
        self.document.setdefault("bodies", [])

    def _set(self, key, value):
        if value is not None:
            self.document[key] = value

    def add_material(self, name, **values):
        """An entry of `materials`: add_material("jelly", model="neo-hookean", young=1e5, poisson=0.4)."""
        if name in self.document["materials"]:
            raise InputError(f"name: there is a material of the name \"{name}\" already")
        self.document["materials"][name] = values

    def _add(self, kind, name, mesh, keys):
        if any(body.get("name") == name for body in self.document["bodies"]):
            raise InputError(f"name: there is a body of the name \"{name}\" already")
        if isinstance(mesh, (str, os.PathLike)):
            mesh = {"file": os.fspath(mesh)}
        body = SceneBody(name=name, type=kind, mesh=mesh, **keys)
        self.document["bodies"].append(body)
        return body

    @staticmethod
    def _mesh(vertices, mesh, **cells):
        if mesh is not None:
            if vertices is not None:
                raise InputError("mesh: give either vertices or a mesh")
            return mesh
        if vertices is None:
            raise InputError("vertices: give them, or a mesh")
        given = {"vertices": _points(vertices, "vertices")}
        for name, (value, widths) in cells.items():
            if value is None:
                raise InputError(f"{name}: needed beside vertices")
            given[name] = _cells(value, name, widths, len(given["vertices"]))
        return {"given": given}

    def add_soft(self, name, vertices=None, tetrahedra=None, *, mesh=None, **keys):
        """A deformable body of tetrahedra: arrays (n, 3) and (m, 4, 10, 20 or 35); or a mesh: a file, or a dict as in scenes.

        A closed or torn surface becomes one with mesh={"file": "scan.stl", "fill": {}}.
        """
        return self._add("deformable", name, self._mesh(vertices, mesh, tetrahedra=(tetrahedra, (4, 10, 20, 35))), keys)

    def add_shell(self, name, vertices=None, triangles=None, *, mesh=None, thickness=None, **keys):
        """A sheet or cloth of triangles."""
        if thickness is not None:
            keys["shell"] = {**keys.get("shell", {}), "thickness": thickness}
        return self._add("shell", name, self._mesh(vertices, mesh, triangles=(triangles, (3,))), keys)

    def add_rod(self, name, vertices=None, edges=None, *, mesh=None, diameter=None, **keys):
        """Ropes or hairs along edges."""
        if diameter is not None:
            keys["rod"] = {**keys.get("rod", {}), "diameter": diameter}
        return self._add("rod", name, self._mesh(vertices, mesh, edges=(edges, (2,))), keys)

    def add_particles(self, name, vertices=None, *, mesh=None, radius=None, **keys):
        """Grains: balls of one radius around the vertices."""
        if radius is not None:
            keys["particles"] = {**keys.get("particles", {}), "radius": radius}
        return self._add("particles", name, self._mesh(vertices, mesh), keys)

    def add_rigid(self, name, vertices=None, triangles=None, *, mesh=None, **keys):
        """A rigid body of triangles."""
        return self._add("rigid", name, self._mesh(vertices, mesh, triangles=(triangles, (3,))), keys)

    def add_obstacle(self, name, vertices=None, triangles=None, *, mesh=None, **keys):
        """A body whose motion is given: add_obstacle(..., motion={"velocity": [0, 1, 0]})."""
        return self._add("obstacle", name, self._mesh(vertices, mesh, triangles=(triangles, (3,))), keys)

    def add_half_space(self, origin=(0, 0, 0), normal=(0, 1, 0), **keys):
        """What is behind a plane."""
        self.document.setdefault("half_spaces", []).append({"origin": origin, "normal": normal, **keys})

    def add_joint(self, type, body=None, to="world", **keys):
        """A joint of `body` (rigid or affine) and `to`; both are names or what add_rigid returned. Returns the joint, a dict.

        >>> import abut
        >>> scene = abut.Scene()
        >>> arm = scene.add_rigid("arm", mesh={"box": {"size": [1, 0.1, 0.1]}}, density=1000)
        >>> scene.add_joint("hinge", arm, point=[-0.5, 0, 0], axis=[0, 0, 1], turn={"drive": {"velocity": 90, "damping": 5}})["to"]
        'world'
        >>> sim = scene.simulate()
        >>> len(sim.joint_positions)
        1
        """
        sides = {} if body is None else {"body": _name(body), "to": _name(to)}  # gears have none
        joint = {"type": type, **sides, **keys}
        self.document.setdefault("joints", []).append(joint)
        return joint

    def add_attachment(self, body, to="world", nodes=None, **keys):
        """Attaches nodes of a body (as for fix) to another body, or to the world; exactly, or by springs with a `stiffness`.

        >>> import abut
        >>> scene = abut.Scene()
        >>> block = scene.add_soft("block", mesh={"box": {"size": [1, 1, 1]}}, material={"young": 1e5, "poisson": 0.4})
        >>> scene.add_attachment(block, nodes={"relative_box": [[0, 1, 0], [1, 1, 1]]})["to"]
        'world'
        """
        attachment = {"body": _name(body), "to": _name(to), **_selector(nodes, keys)}
        self.document.setdefault("attachments", []).append(attachment)
        return attachment

    def save(self, path):
        """Writes the scene as a file that the command runs."""
        with open(path, "w") as out:
            json.dump(plain(self), out, indent=1)
            out.write("\n")

    def simulate(self, **options):
        """A Simulation of it; options are those of Simulation."""
        from . import Simulation

        return Simulation(self, **options)

    def __repr__(self):
        names = ", ".join(body["name"] for body in self.document["bodies"])
        return f"<abut.Scene of {names or 'no bodies'}>"


def sweep(function, values, *, processes=None):
    """Results of function(value) for all values, each in a process of its own, in the order of the values.

    function must be importable (defined in a module): processes start fresh. One thread per process, so that results do not
    depend on how many run at a time.
    """
    import concurrent.futures
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(processes, context, _one_thread) as pool:
        return list(pool.map(function, values))


def _one_thread():
    os.environ["OMP_NUM_THREADS"] = "1"
