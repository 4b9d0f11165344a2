"""Drag in still air."""
import math

TITLE = "Wind: a plate that falls through air"
PROBLEM = """A horizontal plate of 0.2 m x 0.1 m, 1 mm thick, density 500 kg/m^3, falls from rest through air of 1.2 kg/m^3 with a drag coefficient of 1.2. A second run has the same plate
in a wind that blows upwards at its terminal speed."""
REFERENCE = """Terminal speed V = sqrt(2 m g / (rho C A)), approach v = V tanh(g t / V). Implicit Euler makes an error of first order in the step before, none at the end. In the wind it
stays where it is."""
SPEED = math.sqrt(2 * 500 * 1e-3 * 9.81 / (1.2 * 1.2))


def scene(h=0.01, wind=0.0, end=3.0):
    return {"abut": 1, "name": "wind", "contact": {"enabled": False}, "time": {"step": h, "end": end},
            "bodies": [{"name": "plate", "type": "shell", "material": {"young": 1e7, "poisson": 0.3, "density": 500}, "shell": {"thickness": 0.001},
                        "mesh": {"grid": {"size": [0.2, 0.1], "cells": [4, 2]}}}],
            "winds": [{"density": 1.2, "drag": 1.2, "velocity": [0, wind, 0]}], "output": {"every": 0}}


def run(lab):
    mass, rows = 0.2 * 0.1 * 1e-3 * 500, []
    for h in (0.02, 0.01) if lab.quick else (0.02, 0.01, 0.005):
        steps = lab.run(scene(h), "h%g" % h).csv("steps.csv")
        worst = max(abs(-s["linear_momentum_y"] / mass - SPEED * math.tanh(9.81 * s["time"] / SPEED)) for s in steps)
        rows.append([h, worst, worst / SPEED])
    lab.check("speed after 3 s", -steps[-1]["linear_momentum_y"] / mass, SPEED, 1e-4, "m/s")
    lab.check("errors of two steps: ratio, first order", rows[-2][1] / rows[-1][1], 2, 0.1)
    still = lab.run(scene(0.02, SPEED, 1.0), "held").csv("steps.csv")
    lab.check("speed in a wind of the terminal speed", still[-1]["linear_momentum_y"] / mass, 0, 1e-6, "m/s", relative=False)
    lab.table(["h (s)", "largest error of the speed (m/s)", "by V"], rows)
