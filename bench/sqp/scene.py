"""Scenes of the benchmark for both methods: the simulation with IPC, and what a stepper without it needs to know."""
import json
import os
import subprocess

import abut
import elastic
import numpy as np

LEAD = 0.02    # s before the first contact, where the other methods begin
AFTER = 0.25   # s from the first contact to the end
LONGER = {"04_pointTriangle": 0.4, "06_tetTet": 0.4, "11_cubes": 0.4, "15_cubesCornerCO": 0.4}  # two bodies meet later
MOST_STEPS = {"": 100, "29_cowHeadPlaneCO": 15, "30_matTwist": 25}  # after the first contact; large ones take long
SEARCH = 1.0   # s, how long an IPC run waits for the first contact; without one it ends then
SEARCH_LARGE = 2.5


def read(command, path, folder):
    """The scene file as native JSON, without friction; a message when it cannot be read."""
    out = os.path.join(folder, "scene.json")
    done = subprocess.run([command, "convert", path, out], capture_output=True, text=True)
    if done.returncode:
        return None, [line for line in done.stderr.splitlines() if "warning" not in line][-1]
    with open(out) as f:
        scene = json.load(f)
    scene["contact"]["friction"] = 0
    for body in scene["bodies"]:
        body.pop("friction", None)
    return scene, None


def rotation(vector):
    angle = np.linalg.norm(vector)
    if angle == 0:
        return np.eye(3)
    x, y, z = vector / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


class Scene:
    """Masses, tetrahedra, collision surface and prescribed nodes of a scene."""

    def __init__(self, definition):
        simulation = abut.Simulation(definition, threads=1)
        self.definition = definition
        self.rest = simulation.positions.copy()
        self.masses = simulation.masses.copy()
        self.gravity = np.array(definition["gravity"])
        self.tolerance = definition["solver"]["tolerance"]
        self.collision_mesh = simulation.collision_mesh()
        self.surface_triangles, self.surface_edges = simulation.triangles, self.collision_mesh.edges
        # the surface's vertices are nodes, in bodies with the same bits
        number = {}
        for body in simulation.bodies:
            nodes = range(*body["nodes"].indices(len(self.rest)))
            number.update({(body["name"], self.rest[n].tobytes()): n for n in nodes})
        self.node_of_vertex = np.array([number[body["name"], simulation.rest_vertices[v].tobytes()]
                                        for body in simulation.bodies
                                        for v in range(*body["vertices"].indices(len(simulation.rest_vertices)))])
        self.obstacle_vertices = np.zeros(len(self.node_of_vertex), dtype=bool)
        self.free_nodes = np.ones(len(self.rest), dtype=bool)
        self.motions = []
        tets = simulation.tetrahedra
        mu, lam = np.zeros(len(tets)), np.zeros(len(tets))
        for body, written in zip(simulation.bodies, definition["bodies"]):
            nodes = body["nodes"]
            if body["kind"] == "obstacle":
                self.obstacle_vertices[body["vertices"]] = True
                self._hold(np.arange(nodes.start, nodes.stop), written.get("motion", []))
                continue
            material = written["material"]
            if body["kind"] != "deformable" or material["model"] != "fixed-corotated":
                raise ValueError("only deformable bodies of fixed-corotated material: " + body["name"])
            inside = (tets[:, 0] >= nodes.start) & (tets[:, 0] < nodes.stop)
            mu[inside], lam[inside] = elastic.lame(material["young"], material["poisson"])
            for condition in written.get("fix", []):
                self._hold(nodes.start + np.array(condition["nodes"]["list"]), condition.get("motion", []))
        self.tets = elastic.TetMesh(self.rest, tets, mu, lam)
        moving = self.rest[np.unique(tets)]
        self.extent = float((moving.max(axis=0) - moving.min(axis=0)).max())

    def _hold(self, nodes, motions):
        self.free_nodes[nodes] = False
        for motion in motions:
            if set(motion) - {"velocity", "angular_velocity", "center"}:
                raise ValueError("motion with " + ", ".join(motion))
            self.motions.append((nodes, np.array(motion.get("velocity", [0, 0, 0.])),
                                 np.radians(motion.get("angular_velocity", [0, 0, 0.])),
                                 np.array(motion.get("center", [0, 0, 0.]))))

    def intersections(self, surface):
        """Pairs that intersect, exactly; obstacles may intersect each other."""
        parts = {"point": np.arange(len(surface))[:, None], "edge": self.surface_edges,
                 "triangle": self.surface_triangles}
        found = []
        for kind, first, second in self.collision_mesh.intersections(surface):
            one, two = kind.split("_")
            if not self.obstacle_vertices[np.concatenate([parts[one][first], parts[two][second]])].all():
                found.append((kind, first, second))
        return found

    def prescribe(self, x, when):
        """Puts the nodes that follow a script where they are at that time."""
        positions = x.reshape(-1, 3)
        positions[~self.free_nodes] = self.rest[~self.free_nodes]
        for nodes, velocity, spin, center in self.motions:
            positions[nodes] = (self.rest[nodes] - center) @ rotation(spin * when).T + center + velocity * when


class Trajectory:
    """The run with IPC: shows where contact begins, and gives the other methods the state shortly before."""

    def __init__(self, name, definition, h, folder, steps_after_contact=None):
        self.h, self.steps, self.contact_step, self.most_contacts, self.newton = h, 0, None, 0, 0
        self.max_speed, self.min_distance, self.steps_asked = 0.0, np.inf, 0
        ahead, after = round(LEAD / h), round(LONGER.get(name, AFTER) / h)
        after = steps_after_contact or min(after, MOST_STEPS.get(name, MOST_STEPS[""]))
        longest = round((SEARCH_LARGE if name in MOST_STEPS else SEARCH) / h)
        simulation = abut.Simulation(definition, threads=1, overrides=[
            "time.step=%r" % h, "time.steps=%d" % (2 * longest), "output.every=1"])
        states = [(simulation.positions.copy(), simulation.velocities.copy())]

        def progress(info, total):
            self.steps = info["step"]
            self.newton += info["newton_iterations"]
            self.most_contacts = max(self.most_contacts, info["contact_count"])
            self.min_distance = min(self.min_distance, info["min_distance"])
            self.max_speed = max(self.max_speed, np.linalg.norm(simulation.velocities, axis=1).max())
            if self.contact_step is None:
                states.append((simulation.positions.copy(), simulation.velocities.copy()))
                if info["contact_count"]:
                    self.contact_step = self.steps
            self.steps_asked = longest if self.contact_step is None else self.contact_step + after
            return self.steps < self.steps_asked

        self.error = ""
        try:
            simulation.run(folder, progress=progress)
        except abut.Interrupted:
            pass
        except abut.Error as problem:
            self.error = str(problem)
        begin = self.contact_step if self.contact_step is not None else ahead + 1  # without contact: from the start
        self.start_step = max(0, begin - ahead - 1)
        self.position, self.velocity = states[self.start_step]
        self.asked = self.steps_asked - self.start_step
        self.end_position = simulation.positions.copy()
