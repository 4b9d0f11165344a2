"""A hanging chain."""
import math

TITLE = "Catenary: a rod so thin that it hangs like a chain"
PROBLEM = """A rod of length 1.5 m hangs between two points 1 m apart. It begins as two straight pieces and settles quasi-statically; bending length
(E I / w)^(1/3) far below the sag, stretch below 1e-4."""
REFERENCE = """y = a cosh(x / a) with 2 a sinh(1 / (2 a)) = 1.5: a = 0.308236 m, sag 0.502633 m, tension at the ends 0.810870 w."""
DIAMETER, RHO, G = 1e-3, 1000.0, 9.81


def scene(segments=60):
    depth = math.sqrt(0.75 ** 2 - 0.25)
    vertices = [[0.5 * abs(2 * k / segments - 1) * (1 if k > segments / 2 else -1), -depth * (1 - abs(2 * k / segments - 1)), 0.0] for k in range(segments + 1)]
    return {"abut": 1, "name": "catenary", "gravity": [0, -G, 0], "contact": {"enabled": False},
            "time": {"step": 1, "steps": 1, "integrator": "quasi-static"}, "solver": {"tolerance": 1e-8},
            "bodies": [{"name": "rod", "type": "rod", "material": {"young": 1e8, "poisson": 0.3, "density": RHO}, "rod": {"diameter": DIAMETER, "bending_scale": 1e-4},
                        "mesh": {"given": {"vertices": vertices, "edges": [[k, k + 1] for k in range(segments)]}},
                        "fix": [{"nodes": {"list": [0, segments]}}]}],
            "output": {"reactions": True, "probes": [{"name": "low", "body": "rod", "all": True, "take": "min"}]}}


def run(lab):
    rows = []
    for n in (60,) if lab.quick else (20, 40, 60, 120):
        r = lab.run(scene(n), "n%d" % n)
        sag, last = -r.csv("probes.csv")[-1]["low.y"], r.csv("reactions.csv")[-1]
        rows.append([str(n), sag, "%.2e" % abs(sag / 0.502633 - 1)])
        if n == 60:
            weight = RHO * math.pi * DIAMETER ** 2 / 4 * G
            lab.check("sag, 60 segments", sag, 0.502633, 0.002, "m")
            lab.check("vertical force of both ends", last["rod.fix0.fy"], 1.5 * weight, 1e-6 + 0.0001, "N")
            shape = sorted((p[0], p[1]) for p in r.frame().points())
            low = 0.308236
            curve = [(x / 50 - 0.5, low * (math.cosh((x / 50 - 0.5) / low) - math.cosh(0.5 / low))) for x in range(51)]
            lab.plot("catenary", [("closed form", curve, "line"), ("abut", shape, "points")], "x (m)", "y (m)")
    lab.table(["segments", "sag (m)", "error"], rows)
