#!/usr/bin/env python3
"""usage: fillet.py [PICTURE.png]

A bracket under a heavy pin: which fillet has the least peak stress, for the same mass? Nine numbers move its inner corner,
a smooth field each; abut.grad gives the derivative of the stress by all nodes, and the chain rule that by the numbers.
Needs the Python package abut and scipy; matplotlib for the picture.
"""
import sys

import abut
import numpy
import scipy.optimize

CELL, DEEP = 0.01, 0.02
CORNER = numpy.array([0.02, 0.02])


def mesh():
    """An L of cubes, each cut into six tetrahedra."""
    cells = [(i, j) for i in range(6) for j in range(6) if i < 2 or j < 2]
    number, places, tets = {}, [], []

    def node(i, j, k):
        if (i, j, k) not in number:
            number[i, j, k] = len(places)
            places.append([i * CELL, j * CELL, k * DEEP])
        return number[i, j, k]
    for i, j in cells:
        for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
            at, path = [i, j, 0], []
            path.append(node(*at))
            for axis in order:
                at[axis] += 1
                path.append(node(*at))
            x = numpy.array([places[n] for n in path])
            if numpy.linalg.det(x[1:] - x[0]) < 0:
                path[2], path[3] = path[3], path[2]
            tets.append(path)
    return numpy.array(places), numpy.array(tets)


def scene(places, tets):
    """The foot of the L lies across, its upper end is clamped; the pin slides down a guide onto its free end."""
    return {
        "abut": 1, "time": {"step": 0.02, "steps": 15}, "gravity": [0, -9.81, 0],
        "contact": {"dhat": 0.001, "stiffness": 1e7, "friction": 0.2, "eps_v": 0.01},
        "bodies": [
            {"name": "bracket", "mesh": {"given": {"vertices": places.tolist(), "tetrahedra": tets.tolist()}},
             "material": {"young": 2e6, "poisson": 0.35, "density": 1200},
             "fix": {"nodes": {"box": [[-1, 0.0599, -1], [1, 1, 1]]}}},
            {"name": "pin", "type": "rigid", "density": 30000, "translate": [0.052, 0.0281, 0.01],
             "mesh": {"box": {"size": [0.008, 0.016, 0.03], "cells": [1, 1, 1]}}}],
        "joints": [{"type": "slider", "body": "pin", "point": [0.052, 0.0281, 0.01], "axis": [0, 1, 0], "slide": {"damping": 1}}]}


def fields(places):
    """Columns: moves of all nodes by one number each. Places along the inner faces move across these; the corner itself
    along the diagonal; what is near goes along."""
    columns = []
    for along in (0, 0.006, 0.012, 0.018, 0.024):
        for face in (0, 1):
            if along == 0 and face == 1:
                continue
            at = CORNER + (along * numpy.eye(2)[face] if along else 0)
            across = numpy.eye(2)[1 - face] if along else numpy.array([1, 1]) / numpy.sqrt(2)
            near = numpy.exp(-((places[:, :2] - at) ** 2).sum(axis=1) / (2 * 0.006 ** 2))
            move = numpy.zeros_like(places)
            move[:, :2] = near[:, None] * across
            columns.append(move.ravel())
    return numpy.array(columns).T


def volume(places, tets):
    """Of the bracket, and its derivative by all nodes."""
    x = places[tets]
    a, b, c = (x[:, k] - x[:, 0] for k in (1, 2, 3))
    by = numpy.zeros_like(places)
    for k, part in ((1, numpy.cross(b, c)), (2, numpy.cross(c, a)), (3, numpy.cross(a, b))):
        numpy.add.at(by, tets[:, k], part / 6)
        numpy.add.at(by, tets[:, 0], -part / 6)
    return numpy.einsum("ij,ij->", a, numpy.cross(b, c)) / 6, by.ravel()


def main():
    places, tets = mesh()
    move = fields(places)
    stress = abut.grad(scene(places, tets), {"kind": "stress", "body": "bracket"}, [("shape", "bracket")], infeasible=1e9)
    first = stress.value(places.ravel())
    full = volume(places, tets)[0]
    history = []

    def cost(p):
        """Peak stress, of that at the start; a change of the mass by one percent costs five of stress."""
        at = places.ravel() + move @ p
        value, slope = stress(at)
        mass, by = volume(at.reshape(-1, 3), tets)
        change = mass / full - 1
        history.append(value / first)
        return value / first + 500 * change ** 2, move.T @ (slope / first + 1000 * change * by / full)
    found = scipy.optimize.minimize(cost, numpy.zeros(move.shape[1]), jac=True, method="L-BFGS-B",
                                    bounds=[(-0.004, 0.006)] * move.shape[1], options={"maxfun": 45})
    at = (places.ravel() + move @ found.x).reshape(-1, 3)
    after = stress.value(at.ravel())
    mass = volume(at, tets)[0] / full
    print(f"{len(history)} runs: peak stress {first:.0f} -> {after:.0f} Pa ({after / first:.3f}), mass {mass:.4f} of that at the start")
    if len(sys.argv) > 1:
        draw(sys.argv[1], places, at, tets, history)
    return after / first


def draw(path, before, after, tets, history):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    panels = plt.figure(figsize=(12, 3.4)).subplots(1, 3)
    front = [t for t in tets.tolist() if sum(before[n, 2] == 0 for n in t) == 3]
    for panel, x, title in ((panels[0], before, "before"), (panels[1], after, "after")):
        for t in front:
            face = [n for n in t if before[n, 2] == 0]
            panel.fill(x[face, 0], x[face, 1], facecolor="#c8d6e5", edgecolor="#576574", linewidth=0.6)
        panel.add_patch(plt.Rectangle((0.048, 0.0205), 0.008, 0.016, color="#c0392b"))
        panel.plot([-0.005, 0.025], [0.0605, 0.0605], color="black", linewidth=4)
        panel.set_aspect("equal")
        panel.set_title(title)
    panels[2].plot(range(1, len(history) + 1), history, "o-", markersize=3, color="#1b6ca8")
    panels[2].set_ylim(0, 1.2)
    panels[2].set_xlabel("run")
    panels[2].set_title("peak stress, of that at the start")
    plt.tight_layout()
    plt.savefig(path, dpi=80)


if __name__ == "__main__":
    sys.exit(0 if main() < 0.95 else 1)
