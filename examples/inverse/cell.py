#!/usr/bin/env python3
"""usage: cell.py [PICTURE.png]

A cell of a soft microstructure between two plates: which hole gives the wanted force at four compressions? The hole is
r(a) = r0 + r2 cos 2a + r4 cos 4a: three numbers, which move all nodes of the mesh; abut.grad gives the derivative of the
forces of contact by all nodes. Needs the Python package abut and scipy; matplotlib for the picture.
"""
import sys

import abut
import numpy
import scipy.optimize

SIDE, DEEP, AROUND, ACROSS = 0.1, 0.02, 32, 3
TIMES, WANTED = [0.1, 0.2, 0.3, 0.4], [2.6, 5.2, 8.0, 11.0]  # s; N
START = numpy.array([0.030, 0.0, 0.0])


def mesh():
    """Rings of cubes between a round hole of radius 1 and the square; weights: how far nodes go along with the hole."""
    places, weights, tets = [], [], []
    for k in range(2):
        for a in range(AROUND):
            angle = 2 * numpy.pi * a / AROUND
            out = numpy.array([numpy.cos(angle), numpy.sin(angle)])
            edge = out / max(abs(out)) * SIDE / 2
            for i in range(ACROSS + 1):
                t = i / ACROSS
                places.append([*(t * edge), k * DEEP])
                weights.append([(1 - t) * numpy.cos(m * angle) * c for c in out for m in (0, 2, 4)])

    def node(k, a, i):
        return (k * AROUND + a % AROUND) * (ACROSS + 1) + i
    for a in range(AROUND):
        for i in range(ACROSS):
            for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
                at, path = [0, a, i], []
                path.append(node(*at))
                for axis in order:
                    at[axis] += 1
                    path.append(node(*at))
                tets.append(path)
    places, weights = numpy.array(places), numpy.array(weights)
    move = numpy.zeros((3 * len(places), 3))
    move[0::3], move[1::3] = weights[:, :3], weights[:, 3:]
    x = (places.ravel() + move @ START).reshape(-1, 3)[numpy.array(tets)]
    for t, sign in zip(tets, numpy.linalg.det(x[:, 1:] - x[:, :1])):
        if sign < 0:
            t[2], t[3] = t[3], t[2]
    return places, move, tets


def scene(places, tets):
    plate = {"type": "obstacle", "mesh": {"box": {"size": [0.16, 0.01, 0.06], "cells": [1, 1, 1]}}}
    return {
        "abut": 1, "time": {"step": 0.02, "steps": 20}, "gravity": [0, 0, 0],
        "contact": {"dhat": 0.001, "stiffness": 1e6, "friction": 0.4, "eps_v": 0.01},
        "bodies": [
            {"name": "cell", "mesh": {"given": {"vertices": places.tolist(), "tetrahedra": tets}},
             "material": {"young": 1e5, "poisson": 0.4, "density": 1000}},
            {**plate, "name": "below", "translate": [0, -0.0556, 0.01]},
            {**plate, "name": "above", "translate": [0, 0.0556, 0.01], "motion": {"velocity": [0, -0.04, 0]}}]}


def main():
    places, move, tets = mesh()
    base = places.ravel()
    goal = {"kind": "contact_force", "body": "above", "times": TIMES, "target": [[0, f, 0] for f in WANTED]}
    forces = []

    def shape(p):
        return base + move @ p
    miss = abut.grad(scene(shape(START).reshape(-1, 3), tets), goal, [("shape", "cell")], infeasible=1e3)

    def curve(p):
        """Forces at the four times, one run each: of |F|^2/2."""
        out = []
        for t in TIMES:
            one = abut.grad(scene(shape(START).reshape(-1, 3), tets), {"kind": "contact_force", "body": "above", "times": [t], "target": [[0, 0, 0]]},
                            [("shape", "cell")])
            out.append(float(numpy.sqrt(2 * one.value(shape(p)))))
        return out
    history = []

    def cost(z):
        p = START + 0.01 * z
        value, slope = miss(shape(p))
        history.append(value)
        return value, 0.01 * (move.T @ slope)
    found = scipy.optimize.minimize(cost, numpy.zeros(3), jac=True, method="L-BFGS-B",
                                    bounds=[(-1.5, 1.3), (-0.8, 0.8), (-0.6, 0.6)], options={"maxfun": 45})
    p = START + 0.01 * found.x
    forces = [curve(START), curve(p)]
    print(f"{len(history)} runs: {history[0]:.4g} -> {found.fun:.3g} N^2, r0 {p[0]:.4f}, r2 {p[1]:.4f}, r4 {p[2]:.4f} m")
    print("wanted", WANTED, "before", [round(f, 2) for f in forces[0]], "after", [round(f, 2) for f in forces[1]])
    if len(sys.argv) > 1:
        draw(sys.argv[1], shape(START), shape(p), tets, forces, history)
    return found.fun / history[0]


def draw(path, before, after, tets, forces, history):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    panels = plt.figure(figsize=(15, 3.4)).subplots(1, 4)
    for panel, flat, title in ((panels[0], before, "before"), (panels[1], after, "after")):
        x = flat.reshape(-1, 3)
        for t in tets:
            face = [n for n in t if n < len(x) // 2]
            if len(face) == 3:
                panel.fill(x[face, 0], x[face, 1], facecolor="#c8d6e5", edgecolor="#576574", linewidth=0.5)
        panel.set_aspect("equal")
        panel.set_title(title)
    depth = [40 * t for t in TIMES]
    panels[2].plot(depth, WANTED, "kx", label="wanted")
    panels[2].plot(depth, forces[0], "-", color="#8a8a8a", label="before")
    panels[2].plot(depth, forces[1], "-", color="#c0392b", label="after")
    panels[2].set_xlabel("compression, mm")
    panels[2].set_title("force, N")
    panels[2].legend()
    panels[3].semilogy(range(1, len(history) + 1), history, "o-", markersize=3, color="#1b6ca8")
    panels[3].set_xlabel("run")
    panels[3].set_title("objective, N$^2$")
    plt.tight_layout()
    plt.savefig(path, dpi=80)


if __name__ == "__main__":
    sys.exit(0 if main() < 0.01 else 1)
