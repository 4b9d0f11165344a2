"""A cantilever with an end load."""
import math

TITLE = "Elastica: a cantilever with an end load"
PROBLEM = """A rod of length 1 m, clamped at one end (its first segment is fixed; the tangent of a discrete rod is that of the middle of a segment, so that the length counts from there), with a dead force P across at the other, without weight."""
REFERENCE = """Inextensible elastica by elliptic integrals: for P L^2 / (E I) = 1, 2, 4, 5, 10 the end moves back by 0.05643, 0.16064,
0.32894, 0.38763, 0.55500 of the length and down by 0.30172, 0.49346, 0.66996, 0.71379, 0.81061 (also Sze, Liu and Lo 2004, 3.1)."""
VALUES = {1: (0.05643, 0.30172), 2: (0.16064, 0.49346), 4: (0.32894, 0.66996), 10: (0.55500, 0.81061)}
DIAMETER, YOUNG = 0.01, 1e9


def scene(load=4, segments=40):
    h, inertia = 1.0 / (segments - 0.5), math.pi * DIAMETER ** 4 / 64
    return {"abut": 1, "name": "cantilever", "gravity": [0, 0, 0], "contact": {"enabled": False},
            "time": {"step": 0.125, "steps": 8, "integrator": "quasi-static"}, "solver": {"tolerance": 1e-8},
            "bodies": [{"name": "rod", "type": "rod", "material": {"young": YOUNG, "poisson": 0.3, "density": 1000},
                        "rod": {"diameter": DIAMETER, "stretch_scale": 10},
                        "mesh": {"polyline": {"from": [-h / 2, 0, 0], "to": [1, 0, 0], "segments": segments}},
                        "fix": [{"nodes": {"box": [[-1, -1, -1], [h / 2 + 1e-9, 1, 1]]}}],
                        "force": [{"nodes": {"box": [[1 - 1e-9, -1, -1], [2, 1, 1]]}, "force": [0, -load * YOUNG * inertia, 0]}]}],
            "output": {"every": 8, "probes": [{"name": "tip", "body": "rod", "at": [1, 0, 0], "field": "displacement"}]}}


def run(lab):
    rows = []
    for load, (back, down) in VALUES.items():
        for n in (40,) if lab.quick else (10, 20, 40, 80):
            last = lab.run(scene(load, n), "%d-%d" % (load, n)).csv("probes.csv")[-1]
            rows.append([str(load), str(n), -last["tip.x"], -last["tip.y"], "%.2e" % abs(-last["tip.y"] - down)])
            if n == 40:
                lab.check("back, P L^2 / EI = %d, 40 segments" % load, -last["tip.x"], back, 0.02)
                lab.check("down, P L^2 / EI = %d, 40 segments" % load, -last["tip.y"], down, 0.01)
    lab.table(["P L^2 / EI", "segments", "back", "down", "error of down"], rows)
