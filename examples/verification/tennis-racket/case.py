"""The tennis racket theorem."""
TITLE = "Tennis racket: a free box about its middle axis"
PROBLEM = """A rigid box of 12 kg with principal moments 2, 3, 4 kg m^2 turns in free space about its middle axis at 1 rad/s, with 0.1 rad/s
about each of the others."""
REFERENCE = """Euler's equations by elliptic integrals: the middle component of the angular velocity is first zero after 12.437283 s. Implicit Euler on rotations loses
energy, of first order in the step; the angular momentum tells of the same. The bound is on the value that two steps extrapolate to."""
SIZE = [1.581139, 1.224745, 0.707107]


def scene(h=0.005, end=14.0):
    volume = SIZE[0] * SIZE[1] * SIZE[2]
    degree = 57.29577951308232
    return {"abut": 1, "name": "tennis racket", "gravity": [0, 0, 0], "contact": {"enabled": False},
            "time": {"step": h, "end": end}, "solver": {"tolerance": 1e-10},
            "bodies": [{"name": "box", "type": "rigid", "density": 12 / volume, "mesh": {"box": {"size": SIZE, "cells": [1, 1, 1]}},
                        "angular_velocity": [0.1 * degree, 1.0 * degree, 0.1 * degree]}],
            "output": {"every": 0, "probes": [{"name": "y", "body": "box", "at": [0, 1, 0]}, {"name": "a", "body": "box", "at": [0.7, 0.6, 0.3]},
                                              {"name": "b", "body": "box", "at": [0.7, -0.6, 0.3]}]}}


def flip(run):
    """When L . e2 changes sign, e2 the middle axis of the body: L is constant in space."""
    rows, steps = run.csv("probes.csv"), run.csv("steps.csv")
    before = None
    for p, s in zip(rows, steps):
        axis = [p["a." + k] - p["b." + k] for k in "xyz"]
        along = sum(axis[i] * s["angular_momentum_" + k] for i, k in enumerate("xyz"))
        if before and along <= 0:
            return before[0] + (p["time"] - before[0]) * before[1] / (before[1] - along)
        before = (p["time"], along)
    return float("nan")


def run(lab):
    rows, times = [], []
    for h in (0.01, 0.005) if lab.quick else (0.02, 0.01, 0.005, 0.0025):
        r = lab.run(scene(h), "h%g" % h)
        s = r.csv("steps.csv")
        length = lambda row: sum(row["angular_momentum_" + k] ** 2 for k in "xyz") ** 0.5
        times.append(flip(r))
        rows.append(["%g" % h, "%.5f" % times[-1], "%.2f %%" % (100 * (times[-1] / 12.437283 - 1)), "%.2e" % (length(s[-1]) / length(s[0]) - 1)])
    lab.check("first flip, extrapolated to h = 0", 2 * times[-1] - times[-2], 12.437283, 0.005, "s")
    lab.check("errors of two steps: ratio, first order", (times[-2] - 12.437283) / (times[-1] - 12.437283), 2, 0.1)
    lab.table(["h (s)", "first flip (s)", "error", "change of |L|"], rows)
