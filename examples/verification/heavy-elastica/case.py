"""A clamped rod under its own weight."""
import math

TITLE = "Heavy elastica: a clamped rod under its own weight"
PROBLEM = """A rod of length 1 m is clamped horizontally and hangs under its own weight; G = rho g A L^3 / (E I) says how soft it is. The
first segment is fixed; the tangent of a discrete rod is that of the middle of a segment, so that the length counts from there."""
REFERENCE = """theta'' = -G (1 - s) cos theta, solved to ten digits: drop of the tip by length 0.12347 (G = 1), 0.49591 (5), 0.70020 (10), 0.90792 (50), and its
distance from the clamp."""
VALUES = {1: (0.99125, 0.12347), 5: (0.84666, 0.49591), 10: (0.65635, 0.70020), 50: (0.24501, 0.90792)}
DIAMETER, RHO, G = 0.01, 1000.0, 9.81


def scene(g=10, segments=40):
    h = 1.0 / (segments - 0.5)
    area, inertia = math.pi * DIAMETER ** 2 / 4, math.pi * DIAMETER ** 4 / 64
    young = RHO * G * area / (g * inertia)
    return {"abut": 1, "name": "heavy elastica", "gravity": [0, -G, 0], "contact": {"enabled": False},
            "time": {"step": 0.125, "steps": 8, "integrator": "quasi-static"}, "solver": {"tolerance": 1e-8},
            "bodies": [{"name": "rod", "type": "rod", "material": {"young": young, "poisson": 0.3, "density": RHO},
                        "rod": {"diameter": DIAMETER, "stretch_scale": 10},
                        "mesh": {"polyline": {"from": [-h / 2, 0, 0], "to": [1, 0, 0], "segments": segments}},
                        "fix": [{"nodes": {"box": [[-1, -1, -1], [h / 2 + 1e-9, 1, 1]]}}]}],
            "output": {"every": 8, "probes": [{"name": "tip", "body": "rod", "at": [1, 0, 0]}]}}


def run(lab):
    rows, shapes = [], []
    for g, (x, y) in VALUES.items():
        for n in (40,) if lab.quick else (10, 20, 40, 80):
            r = lab.run(scene(g, n), "%d-%d" % (g, n))
            last = r.csv("probes.csv")[-1]
            rows.append([str(g), str(n), last["tip.x"], -last["tip.y"], "%.2e" % abs(-last["tip.y"] - y)])
            if n == 40:
                lab.check("drop by length, G = %d, 40 segments" % g, -last["tip.y"], y, 0.01)
                lab.check("distance by length, G = %d, 40 segments" % g, last["tip.x"], x, 0.02)
                shapes.append(("G = %d" % g, sorted((p[0], p[1]) for p in r.frame().points()), "points"))
    lab.table(["G", "segments", "distance", "drop", "error of the drop"], rows)
    lab.plot("heavy-elastica", shapes, "x (m)", "y (m)")
