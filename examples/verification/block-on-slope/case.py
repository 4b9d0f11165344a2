"""A block on a slope with friction."""
import math

TITLE = "A block on a slope: threshold, acceleration, creep"
PROBLEM = """A rigid cube (0.1 m, 1000 kg/m^3) lies on a plane; gravity (9.81 m/s^2) is turned instead of the plane. Implicit Euler, steps of
5 ms, dhat = 1e-4 m, eps_v = 1 mm/s. It starts at the height of rest."""
REFERENCE = """It slides for tan(slope) > mu with a = g (sin - mu cos); x(t) = a t^2 / 2 + a h t / 2 with implicit Euler, exactly. Below the
threshold smoothed friction lets it creep at the constant speed eps_v (1 - sqrt(1 - r)), r = tan(slope) / mu: this is the expected
answer of the method and vanishes with eps_v."""
G, H, EPS = 9.81, 0.005, 1e-3


def scene(slope=20.0, mu=0.3, end=1.0, dhat=1e-4):
    a = math.radians(slope)
    return {"abut": 1, "name": "a block on a slope", "gravity": [G * math.sin(a), -G * math.cos(a), 0], "ground": 0,
            "time": {"step": H, "end": end}, "contact": {"dhat": dhat, "friction": mu, "eps_v": EPS, "friction_iterations": 0},
            "solver": {"tolerance": 1e-6},
            "bodies": [{"name": "block", "type": "rigid", "density": 1000, "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}},
                        "translate": [0, 0.05 + 0.6 * dhat, 0]}],
            "output": {"every": 0, "probes": [{"name": "x", "body": "block", "all": True}, {"name": "v", "body": "block", "all": True, "field": "velocity"}]}}


def final(lab, slope, mu, name, end=1.0):
    rows = lab.run(scene(slope, mu, end), name).csv("probes.csv")
    return rows


def acceleration(rows):
    half = len(rows) // 2
    return (rows[-1]["v.x"] - rows[half]["v.x"]) / (rows[-1]["time"] - rows[half]["time"])


def run(lab):
    for slope, mu in ((20.0, 0.3), (30.0, 0.5)):
        a = math.radians(slope)
        expected = G * (math.sin(a) - mu * math.cos(a))
        rows = final(lab, slope, mu, "slide%g" % slope)
        lab.check("acceleration, %g degrees, mu = %g" % (slope, mu), acceleration(rows), expected, 0.005, "m/s^2")
        t = rows[-1]["time"]
        lab.check("distance after %g s, %g degrees" % (t, slope), rows[-1]["x.x"] - rows[0]["x.x"], expected * t * (t + H) / 2, 0.02, "m")
    for slope, mu in ((20.0, 0.5), (26.0, 0.5), (10.0, 0.2)):
        r = math.tan(math.radians(slope)) / mu
        rows = final(lab, slope, mu, "hold%g" % slope)
        lab.check("creep by eps_v, %g degrees, mu = %g" % (slope, mu), rows[-1]["v.x"] / EPS, 1 - math.sqrt(1 - r), 0.02)
    critical = math.degrees(math.atan(0.5))
    low, high = math.degrees(math.atan(0.5 * 0.995)), math.degrees(math.atan(0.5 * 1.005))
    below, above = final(lab, low, 0.5, "below"), final(lab, high, 0.5, "above", 2.0)
    lab.check("holds 0.5 % below the threshold: speed by eps_v", min(1.0, below[-1]["v.x"] / EPS), 1 - math.sqrt(1 - 0.995), 0.05)
    lab.check("slides 0.5 % above it: acceleration", acceleration(above), G * (math.sin(math.radians(high)) - 0.5 * math.cos(math.radians(high))), 0.05, "m/s^2")
    lab.text("The threshold of mu = 0.5 is at %.3f degrees; the runs beside it are at tan = mu -+ 0.5 %%." % critical)
    rows = final(lab, 20.0, 0.3, "slide20")
    lab.plot("block-on-slope", [("closed form", [(r["time"], 0.589702 * r["time"] * (r["time"] + H) / 2) for r in rows], "line"),
                                ("abut", [(r["time"], r["x.x"] - rows[0]["x.x"]) for r in rows[::10]], "points")], "time (s)", "distance (m)")
