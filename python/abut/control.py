"""Control of a simulation while it runs: what it is told between steps, what it feels, copies and pictures of it."""

import json
import os
import shutil
import subprocess
import tempfile

import numpy

from . import _abut
from .scene import plain


def find_command():
    """Path of the command `abut`: beside the package, $ABUT_COMMAND, or in PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.path.join(here, "bin", "abut"), os.environ.get("ABUT_COMMAND", "")):
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("abut")
    if not found:
        raise _abut.UnsupportedError("the command abut is not there: install it, or set ABUT_COMMAND")
    return found


def _rebuild(cls, text, path, state, settings):
    """Makes a simulation again from what pickle kept of it."""
    folder = os.path.dirname(path) if path else None
    sim = cls(json.loads(text), folder=folder)
    _abut.sim_restore_bytes(sim, state)
    forces, targets = settings
    sim.forces = forces
    if targets is not None:
        sim.targets[:] = targets
    return sim


class Control:
    """Methods of Simulation for control while it runs.

    >>> import abut
    >>> scene = abut.Scene(ground=0, end=1)
    >>> _ = scene.add_rigid("box", mesh={"box": {"size": [1, 1, 1]}}, density=1000, translate=[0, 0.51, 0])
    >>> sim = abut.Simulation(scene)
    >>> _ = sim.step(40)
    >>> [pair] = sim.pair_forces()
    >>> pair["first"], pair["second"], round(float(pair["normal"][1]), -2)
    ('box', 'half-space 0', 9800.0)
    """

    # ---- What the next steps do

    @property
    def targets(self):
        """Where coordinates are to be at the end of the next step, (n, 3), to be written; nan: as the scene says."""
        return _abut.sim_targets(self)

    @property
    def gravity(self):
        """Acceleration of gravity; can be set."""
        return numpy.array(self.scene["gravity"], dtype=float)

    @gravity.setter
    def gravity(self, value):
        _abut.sim_set_gravity(self, numpy.asarray(value, dtype=float))

    def set_friction(self, friction, first=None, second=None):
        """Coefficient of friction of the scene, of a body, or of a pair of bodies (by their names)."""
        if second is not None and first is None:
            raise TypeError("second is for pairs: first is needed, too")
        _abut.sim_set_friction(self, friction, first, second)

    def change(self, scene):
        """Another scene takes the place of the present one; the state is carried over by the names of bodies.

        Arrays are others afterwards: take sim.positions and the like again.
        """
        _abut.sim_change(self, json.dumps(plain(scene)))

    def set_material(self, name, **values):
        """Changes values of a material of the scene from now on.

        >>> import abut
        >>> scene = abut.Scene(gravity=[0, 0, 0])
        >>> scene.add_material("jelly", young=1e5, poisson=0.4)
        >>> _ = scene.add_soft("box", mesh={"box": {"size": [1, 1, 1]}}, material="jelly")
        >>> sim = abut.Simulation(scene)
        >>> sim.set_material("jelly", young=2e5)
        >>> sim.scene["materials"]["jelly"]["young"]
        200000.0
        """
        scene = self.scene
        if name not in scene["materials"]:
            raise _abut.InputError(f"name: there is no material of the name \"{name}\"")
        scene["materials"][name].update(plain(values))
        self.change(scene)

    def add_body(self, body):
        """Adds a body (a dict as in scenes, or what a Scene has), which starts as it says."""
        scene = self.scene
        body = plain(body)
        if not isinstance(body, dict) or not body.get("name"):
            raise _abut.InputError("body: a dict with a name is needed")
        if any(other["name"] == body["name"] for other in scene["bodies"]):
            raise _abut.InputError(f"body: there is a body of the name \"{body['name']}\" already")
        scene["bodies"].append(body)
        self.change(scene)

    def remove_body(self, name):
        """Removes a body."""
        scene = self.scene
        kept = [body for body in scene["bodies"] if body["name"] != name]
        if len(kept) == len(scene["bodies"]):
            raise _abut.InputError(f"name: there is no body of the name \"{name}\"")
        scene["bodies"] = kept
        self.change(scene)

    def add_energy(self, nodes, energy, *, name="energy", convex=False):
        """Adds an energy of your own to all later steps: a sum over stencils of nodes.

        nodes: (count, width), the nodes of every stencil.
        energy(x, which, order): x has the positions (n, width, 3) of the stencils in the slice `which`. Returns the
            energies (n,) for order 0, (energies, gradients) for 1, (energies, gradients, hessians) for 2, with
            gradients (n, width, 3) and hessians (n, 3 width, 3 width).
        convex: the Hessians are positive semi-definite as they are; others are projected.

        >>> import abut, numpy
        >>> scene = abut.Scene(gravity=[0, 0, 0])
        >>> _ = scene.add_particles("dot", [[1.0, 0, 0]], radius=0.1, density=1000)
        >>> sim = abut.Simulation(scene)
        >>> def pull(x, which, order):  # to the origin, 50 N/m
        ...     results = 25 * (x ** 2).sum((1, 2)), 50 * x, numpy.tile(50 * numpy.eye(3), (len(x), 1, 1))
        ...     return results[:order + 1]
        >>> sim.add_energy([[0]], pull, convex=True)
        >>> _ = sim.step(10)
        >>> bool(sim.velocities[0, 0] < -0.5)
        True
        """
        nodes = numpy.ascontiguousarray(nodes)
        if nodes.ndim != 2:
            raise _abut.InputError("nodes: must have a row of nodes per stencil")
        _abut.sim_add_energy(self, nodes, energy, name, convex)

    # ---- What it feels

    def _names(self):
        return [body["name"] for body in self.bodies]

    @staticmethod
    def _name(names, number):
        return names[number] if number >= 0 else f"half-space {-1 - number}"

    def contacts(self):
        """All pairs closer than dhat after the last step, as arrays.

        bodies (n, 2), -1 - k being half-space k; points (n, 3) on the first body; normals (n, 3) from the second to the
        first; distances; gaps beyond the thickness, m; forces along the normal, N; pressures, Pa.
        """
        return _abut.sim_contacts(self)

    def pair_forces(self):
        """Who touches whom: dicts with first, second (names), contacts, normal and friction on the first (N), gap."""
        names, found = self._names(), _abut.sim_pair_forces(self)
        return [dict(first=self._name(names, a), second=self._name(names, b), contacts=int(found["contacts"][i]),
                     normal=found["normal"][i], friction=found["friction"][i], gap=float(found["gaps"][i]))
                for i, (a, b) in enumerate(found["bodies"])]

    def body_forces(self):
        """Sum of all contact forces on every body: {name: {"normal": (3,), "friction": (3,)}}, N."""
        names, found = self._names(), _abut.sim_pair_forces(self)
        out = {name: dict(normal=numpy.zeros(3), friction=numpy.zeros(3)) for name in names}
        for i, (a, b) in enumerate(found["bodies"]):
            for kind in ("normal", "friction"):
                out[names[a]][kind] += found[kind][i]
                if b >= 0:
                    out[names[b]][kind] -= found[kind][i]
        return out

    def events(self):
        """Pairs of bodies whose contact began or ended in the last step: [(first, second, "begins" or "ends")]."""
        names = self._names()
        return [(self._name(names, a), self._name(names, b), "begins" if begins else "ends")
                for a, b, begins in _abut.sim_events(self)]

    # ---- Copies

    def copy(self):
        """A simulation of its own in the same state, which goes on with the same bits."""
        other = _abut.sim_copy(self)
        other.__dict__.update(self.__dict__)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def reset(self):
        """Back to the start of the scene as it is now."""
        _abut.sim_reset(self)

    def save_bytes(self):
        """The state as bytes; restore_bytes brings it back."""
        return _abut.sim_save_bytes(self)

    def restore_bytes(self, state):
        """Back to a state of this scene that save_bytes gave."""
        _abut.sim_restore_bytes(self, state)

    def __reduce__(self):
        try:
            targets = numpy.array(self.targets)
        except _abut.InputError:
            targets = None
        settings = numpy.array(self.forces), targets
        return _rebuild, (type(self), self.scene_text, self._path, self.save_bytes(), settings)

    # ---- Pictures

    def _snapshot(self, folder):
        self.copy().run(folder, steps=0)

    def render(self, path=None, *, size=(640, 360), samples=8, **options):
        """A picture of the present state by `abut render`: to a file, or, without a path, as the bytes of a PNG.

        options: those of the command, without dashes: render(up="0,0,1").
        """
        with tempfile.TemporaryDirectory() as folder:
            self._snapshot(folder)
            target = os.fspath(path) if path is not None else os.path.join(folder, "picture.png")
            command = [find_command(), "render", folder, "-o", target, "--size", f"{size[0]}x{size[1]}",
                       "--samples", str(samples)]
            for key, value in options.items():
                command += [f"--{key.replace('_', '-')}", str(value)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise _abut.FileError(f"render: {done.stderr.strip() or done.stdout.strip()}")
            if path is not None:
                return None
            with open(target, "rb") as picture:
                return picture.read()

    def to_html(self, path=None, *, folder=None):
        """The present state, or the run in a folder, as one page of HTML that any browser shows, by `abut convert`.

        Written to a file, or, without a path, returned as a string. It needs the page of the viewer (make viewer).
        """
        with tempfile.TemporaryDirectory() as temporary:
            if folder is None:
                folder = os.path.join(temporary, "run")
                self._snapshot(folder)
            target = os.fspath(path) if path is not None else os.path.join(temporary, "page.html")
            done = subprocess.run([find_command(), "convert", os.fspath(folder), target], capture_output=True, text=True)
            if done.returncode != 0:
                raise _abut.FileError(f"to_html: {done.stderr.strip() or done.stdout.strip()}")
            if path is not None:
                return None
            with open(target, encoding="utf-8") as page:
                return page.read()

    def view(self, folder=None, *, port=None):
        """Opens the present state, or the run in a folder, in the viewer; returns the process, to be ended by terminate().

        Its address is in the attribute `address`.
        """
        command = [find_command(), "view"]
        temporary = None
        if folder is None:
            temporary = tempfile.TemporaryDirectory()
            self._snapshot(temporary.name)
            folder = temporary.name
        command += [os.fspath(folder)] + ([] if port is None else ["--port", str(port)])
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        process.folder = temporary  # goes with the process
        process.address = next((word for line in process.stdout for word in line.split() if word.startswith("http")), None)
        if process.address is None:
            process.wait()
            raise _abut.UnsupportedError("view: the viewer did not start; see docs/viewer.md")
        return process

    def _repr_html_(self):
        """A picture, the scene to be turned around (where the viewer's page is built) and a table, for notebooks."""
        import base64
        import html

        rows = "".join(f"<tr><td>{html.escape(body['name'])}</td><td>{body['kind']}</td>"
                       f"<td>{body['nodes'].stop - body['nodes'].start}</td></tr>" for body in self.bodies)
        table = f"<table><tr><th>body</th><th>type</th><th>nodes</th></tr>{rows}</table>"
        try:
            picture = base64.b64encode(self.render(size=(480, 270), samples=4)).decode()
            image = f'<img alt="the scene at {self.time:g} s" src="data:image/png;base64,{picture}">'
        except (_abut.Error, OSError):
            image = ""
        try:
            page = html.escape(self.to_html())
            frame = ('<details><summary>in three dimensions</summary>'
                     f'<iframe srcdoc="{page}" width="640" height="420" style="border:0"></iframe></details>')
        except (_abut.Error, OSError):
            frame = ""
        return f"<div>{image}{frame}<p>abut.Simulation, {self.time:g} s</p>{table}</div>"
