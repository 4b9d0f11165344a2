"""Uniaxial stretch of a neo-Hookean bar."""
TITLE = "Uniaxial stretch and compression of a neo-Hookean cube"
PROBLEM = """A cube (1 m, neo-Hookean with mu = 1 Pa, lambda = 2 Pa) is stretched between frictionless faces to 0.5, 1.5 and 2 times its
length, quasi-statically, with elements of order 1 to 4."""
REFERENCE = """mu (l_t^2 - 1) + lambda ln(l l_t^2) = 0 for the lateral stretch: 1.237940716, 0.868299512, 0.779873077; nominal stress
-2.564994433, 0.997370639, 1.695898992 Pa. The deformation is uniform: every order must be exact."""
VALUES = {0.5: (1.237940716, -2.564994433), 1.5: (0.868299512, 0.997370639), 2.0: (0.779873077, 1.695898992)}


def scene(stretch=2.0, order=1):
    mu, lam = 1.0, 2.0
    young, poisson = mu * (3 * lam + 2 * mu) / (lam + mu), lam / (2 * (lam + mu))
    face = lambda low, high, axes, **more: {"nodes": {"relative_box": [low, high]}, "axes": axes, **more}
    body = {"name": "cube", "mesh": {"box": {"size": [1, 1, 1], "cells": [2, 2, 2]}}, "translate": [0.5, 0.5, 0.5],
            "material": {"young": young, "poisson": poisson},
            "fix": [face([0, 0, 0], [0, 1, 1], "x"), face([0, 0, 0], [1, 0, 1], "y"), face([0, 0, 0], [1, 1, 0], "z"),
                    face([1, 0, 0], [1, 1, 1], "x", displacement=["%r*t" % (stretch - 1), "0", "0"])]}
    if order > 1:
        body["order"] = order
    return {"abut": 1, "name": "uniaxial stretch", "gravity": [0, 0, 0], "contact": {"enabled": False},
            "time": {"step": 0.25, "steps": 4, "integrator": "quasi-static"}, "solver": {"tolerance": 1e-11}, "bodies": [body],
            "output": {"probes": [{"name": "corner", "body": "cube", "at": [1, 1, 1]},
                                  {"name": "cut", "body": "cube", "cut": {"point": [0.3, 0, 0], "normal": [-1, 0, 0]}},
                                  {"name": "least", "body": "cube", "all": True, "field": "cauchy_stress", "take": "min"},
                                  {"name": "most", "body": "cube", "all": True, "field": "cauchy_stress", "take": "max"}]}}


def run(lab):
    for stretch, (lateral, nominal) in VALUES.items():
        for order in (1, 2) if lab.quick else (1, 2, 3, 4):
            last = lab.run(scene(stretch, order), "%g-%d" % (stretch, order)).csv("probes.csv")[-1]
            lab.check("lateral stretch at %g, order %d" % (stretch, order), last["corner.y"], lateral, 1e-7)
            lab.check("force through a cut at %g, order %d" % (stretch, order), last["cut.fx"], nominal, 1e-7, "N")
            lab.check("Cauchy stress, largest and least, at %g, order %d" % (stretch, order), last["most.xx"] - last["least.xx"], 0, 1e-6, "Pa", False)
