"""Hydrostatics."""
import math

TITLE = "Floating: draught, heave and roll of a box"
PROBLEM = """A rigid box, 0.4 m wide, 0.1 m high, 0.3 m deep, of 400 kg/m^3, floats in water at rest. It starts at rest 1 cm below its equilibrium (heave), or rolled by 1 degree (roll); the trapezoid
rule keeps the motion."""
REFERENCE = """The draught is 0.4 of the height. Heave: omega^2 = g / draught = 245.25 / s^2. Roll about the long axis of the water plane: the metacentric height is B^2 / (12 T) - (H - T) / 2 with the width
B = 0.4 m and the draught T = 0.04 m; omega^2 = m g GM / I, I = m (B^2 + H^2) / 12. Water has no inertia in abut, so no added mass is in either. The motion is timed by its first
zero."""
WIDTH, HEIGHT, DEPTH, DRAUGHT = 0.4, 0.1, 0.3, 0.04


def scene(lift=-0.01, roll=0.0, h=0.0005, end=0.3):
    return {"abut": 1, "name": "floating", "contact": {"enabled": False}, "time": {"step": h, "end": end, "integrator": "newmark"}, "solver": {"tolerance": 1e-9},
            "bodies": [{"name": "box", "type": "rigid", "density": 400, "mesh": {"box": {"size": [WIDTH, HEIGHT, DEPTH], "cells": [1, 1, 1]}},
                        "translate": [0, HEIGHT / 2 - DRAUGHT + lift, 0], "rotate": [0, 0, roll]}],
            "waters": [{"body": "box"}],
            "output": {"every": 0, "probes": [{"name": "left", "body": "box", "at": [-0.2, 0.06, 0.15]}, {"name": "right", "body": "box", "at": [0.2, 0.06, 0.15]}]}}


def first_zero(values):
    for (t0, a), (t1, b) in zip(values, values[1:]):
        if a * b <= 0:
            return t0 + (t1 - t0) * a / (a - b)
    return float("nan")


def run(lab):
    top = HEIGHT - DRAUGHT  # of the upper corners, which the probes are, in equilibrium
    probes = lab.run(scene(), "heave").csv("probes.csv")
    rest = [(p["time"], 0.5 * (p["left.y"] + p["right.y"]) - top) for p in probes]
    lab.check("heave: quarter of a period", first_zero(rest), math.pi / 2 / math.sqrt(9.81 / DRAUGHT), 0.002, "s")
    probes = lab.run(scene(0.0, 1.0), "roll").csv("probes.csv")
    metacentre = WIDTH ** 2 / (12 * DRAUGHT) - (HEIGHT - DRAUGHT) / 2
    omega = math.sqrt(9.81 * metacentre * 12 / (WIDTH ** 2 + HEIGHT ** 2))
    lab.check("roll: quarter of a period", first_zero([(p["time"], p["left.y"] - p["right.y"]) for p in probes]), math.pi / 2 / omega, 0.005, "s")
