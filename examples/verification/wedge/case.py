"""NAFEMS CGS-4: a wedge."""
import math

TITLE = "NAFEMS CGS-4: a block pushed up a wedge"
PROBLEM = """A rigid block is pushed by a horizontal force F up a plane of slope tan = 0.1 with friction; at the force that just keeps it sliding it moves
at constant speed. It starts at 0.2 m/s (200 eps_v), and its deceleration or acceleration tells how far F is off."""
REFERENCE = """F / G = (tan a + mu) / (1 - mu tan a): 0.1, 0.2020202, 0.3061224, 0.4123711 for mu = 0, 0.1, 0.2, 0.3 (Feng and Prinja, NAFEMS R0081;
FrontISTR prints 0.41217 for the last)."""
G, H = 9.81, 0.005


def scene(mu=0.3, dhat=1e-4, push=None):
    a = math.atan(0.1)
    if push is None:
        push = (0.1 + mu) / (1 - 0.1 * mu)
    # Axes along and across the slope: gravity and push are turned.
    gravity = [-G * math.sin(a) + push * G * math.cos(a), -G * math.cos(a) - push * G * math.sin(a), 0]
    return {"abut": 1, "name": "wedge", "gravity": gravity, "ground": 0, "time": {"step": H, "end": 0.5},
            "contact": {"dhat": dhat, "friction": mu, "eps_v": 1e-3, "friction_iterations": 0}, "solver": {"tolerance": 1e-6},
            "bodies": [{"name": "block", "type": "rigid", "density": 1000, "mesh": {"box": {"size": [0.2, 0.1, 0.2], "cells": [1, 1, 1]}},
                        "translate": [0, 0.05 + 0.6 * dhat, 0], "velocity": [0.2, 0, 0]}],
            "output": {"every": 0, "probes": [{"name": "v", "body": "block", "all": True, "field": "velocity"}]}}


def run(lab):
    a = math.atan(0.1)
    for mu in (0.0, 0.1, 0.2, 0.3):
        push = (0.1 + mu) / (1 - 0.1 * mu)
        rows = lab.run(scene(mu), "mu%g" % mu).csv("probes.csv")
        half = len(rows) // 2
        slope = (rows[-1]["v.x"] - rows[half]["v.x"]) / (rows[-1]["time"] - rows[half]["time"])
        # m a = F (cos a - mu sin a) - G (sin a + mu cos a)
        lab.check("F / G, mu = %g" % mu, push - slope / (G * (math.cos(a) - mu * math.sin(a))), push, 0.002)
