"""A tower of blocks."""
TITLE = "A tower of blocks: forces between them"
PROBLEM = """Five elastic cubes (0.1 m, 1000 kg/m^3, E = 1 MPa) stand on each other on a half-space, at rest, quasi-statically, without friction but with
their vertical axes guided."""
REFERENCE = """The force under the k-th cube from the top is k m g."""


def scene(count=5, dhat=1e-4):
    block = lambda k: {"name": "b%d" % k, "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}},
                       "translate": [0, 0.05 + 0.1 * k + (k + 1) * 0.5 * dhat, 0], "material": {"young": 1e6, "poisson": 0.3, "density": 1000},
                       "fix": [{"nodes": {"box": [[-1e-9, -1, -1e-9], [1e-9, 9, 1e-9]]}, "axes": "xz"},
                               {"nodes": {"box": [[0.05 - 1e-9, -1, -1e-9], [0.06, 9, 1e-9]]}, "axes": "z"}]}
    return {"abut": 1, "name": "tower", "ground": 0, "time": {"step": 1, "steps": 1, "integrator": "quasi-static"},
            "contact": {"dhat": dhat}, "solver": {"tolerance": 1e-8}, "bodies": [block(k) for k in range(count)],
            "output": {"reactions": True, "probes": [{"name": "p%d" % k, "body": "b%d" % k, "cut": {"point": [0, 0.03 + 0.1 * k, 0], "normal": [0, 1, 0]}} for k in range(count)]}}


def run(lab):
    r = lab.run(scene())
    last, count, weight = r.csv("reactions.csv")[-1], 5, 9.81
    net = [last["b%d.contact.fy" % k] for k in range(count)]
    for k in range(count):
        lab.check("force under cube %d" % (count - k), sum(net[k:]), (count - k) * weight, 1e-5, "N")
