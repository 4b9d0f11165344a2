"""Cook's membrane."""
import os

from verification import grid, quads

TITLE = "Cook's membrane, plane strain"
PROBLEM = """A tapered panel with the corners (0, 0), (48, 44), (48, 60), (0, 44), clamped on the left, a uniform upward traction on the
right edge. Linear: E = 1, nu = 0.3, total force 1; neo-Hookean: E = 250, nu = 0.3, total force 100 in eight steps."""
REFERENCE = """Deflection of the middle (48, 52) of the loaded edge: 21.944 (linear), 7.6380 (neo-Hookean), 18.51 (linear, nu = 0.4999), from p-elements graded towards
the clamped corners (Cook 1974 gave the problem). Convergence is limited by the corner at (0, 44)."""


def corner(s, t):
    return (48 * s, 44 * s + t * (44 + s * (16 - 44)))


def incompressible(n, order, mean, cells=None):
    """The linear case at nu = 0.4999."""
    made = scene(n, order)
    body = made["bodies"][0]
    body["material"].update({"poisson": 0.4999, "dilatation": "mean" if mean else "pointwise"})
    if cells:
        body["mesh"] = cells
    return made


def scene(n=8, order=2, nonlinear=False):
    force, young = (100.0, 250.0) if nonlinear else (1.0, 1.0)
    body = {"name": "panel", "mesh": grid(n, n, corner),
            "material": {"model": "neo-hookean" if nonlinear else "linear", "young": young, "poisson": 0.3},
            "fix": [{"nodes": {"box": [[-1, -1, -1], [1e-9, 100, 1]]}}],
            "boundary": [{"number": 1, "box": [[48 - 1e-6, 0, -1], [49, 100, 1]]}],
            "surface_loads": [{"boundary": 1, "traction": [0, "%r*t" % (force / 16), 0]}]}
    if order > 1:
        body["order"] = order
    steps = 8 if nonlinear else 1
    return {"abut": 1, "name": "Cook's membrane", "planar": True, "gravity": [0, 0, 0], "contact": {"enabled": False},
            "time": {"step": 1.0 / steps, "steps": steps, "integrator": "quasi-static"}, "solver": {"tolerance": 1e-8}, "bodies": [body],
            "output": {"every": steps, "fields": ["displacement", "von_mises"],
                       "probes": [{"name": "tip", "body": "panel", "at": [48, 52, 0], "field": "displacement"}]}}


def run(lab):
    rows = []
    for nonlinear, reference in ((False, 21.944), (True, 7.6380)):
        for order, n, bound in ((1, 16, None), (1, 32, 0.03), (2, 8, 0.01), (2, 16, 0.004), (3, 8, 0.004), (4, 8, 0.003)):
            if lab.quick and (order, n) not in ((1, 32), (2, 8), (4, 8)):
                continue
            r = lab.run(scene(n, order, nonlinear), "%d-%d-%d" % (nonlinear, order, n))
            tip = r.csv("probes.csv")[-1]["tip.y"]
            rows.append(["neo-Hookean" if nonlinear else "linear", str(order), "%d x %d" % (n, n), str(r.unknowns()), tip, "%.2f %%" % (100 * (tip / reference - 1)), "%.2f" % r.seconds])
            if bound:
                lab.check("%s, order %d, %d x %d" % (rows[-1][0], order, n, n), tip, reference, bound)
    lab.table(["material", "order", "cells", "unknowns", "deflection", "error", "CPU s"], rows)
    near_half(lab)


def near_half(lab):
    rows = []
    for n, order, mean, bound in ((16, 1, False, None), (16, 2, False, None), (8, 2, True, 0.02), (16, 2, True, 0.01), (16, 1, True, 0.03), (32, 1, True, 0.01)):
        if lab.quick and (n, order, mean) not in ((8, 2, True), (16, 1, True)):
            continue
        cells = None
        if order == 1 and mean:
            cells = os.path.join(lab.folder, "quads%d.msh" % n)
            quads(cells, n, n, corner)
        r = lab.run(incompressible(n, order, mean, cells), "half-%d-%d-%d" % (n, order, mean))
        tip = r.csv("probes.csv")[-1]["tip.y"]
        rows.append(["%s, order %d" % ("quads" if cells else "triangles", order), "mean" if mean else "pointwise", "%d x %d" % (n, n), tip, "%.2f %%" % (100 * (tip / 18.51 - 1)), str(r.unknowns())])
        if bound:
            lab.check("nu = 0.4999, %s, %d x %d" % (rows[-1][0], n, n), tip, 18.51, bound)
    lab.text("Linear, nu = 0.4999, where the deflection is 18.51 +- 0.01. `\"dilatation\": \"mean\"` takes the change of volume by its mean over an element:")
    lab.table(["cells", "dilatation", "grid", "deflection", "error", "unknowns"], rows)
