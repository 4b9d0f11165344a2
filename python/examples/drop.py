"""A scene made in Python: two soft balls fall on each other and on the ground; energies are kept as arrays.

Run with PYTHONPATH=build/python after `make python`. The cells (# %%) can be run one by one in an editor.
"""

# %% A scene is a dict, with the keys of docs/scene-reference.md.
import os

import abut
import numpy as np

jelly = {"model": "neo-hookean", "young": 5e4, "poisson": 0.4, "density": 1000}
scene = {
    "abut": 1,
    "time": {"step": 0.02, "end": 1.0},
    "ground": 0,
    "contact": {"friction": 0.3},
    "bodies": [
        {"name": "lower", "mesh": {"ball": {"radius": 0.1, "cells": 4}}, "material": jelly, "translate": [0, 0.12, 0]},
        {"name": "upper", "mesh": {"ball": {"radius": 0.1, "cells": 4}}, "material": jelly,
         "translate": [0.03, 0.38, 0.01]},
    ],
}
sim = abut.Simulation(scene, log=lambda level, message: print(f"{level}: {message}"))
print(sim)

# %% Stepping. The state is an array in the simulator's own memory: no copies, always current.
steps = 20 if os.environ.get("ABUT_EXAMPLE_FAST") else sim.steps_total
nodes = {body["name"]: body["nodes"] for body in sim.bodies}
history = []
for _ in range(steps):
    info = sim.step()
    history.append((info["time"], info["kinetic"], info["elastic"], info["gravity"], info["contact_count"],
                    sim.positions[nodes["upper"], 1].mean()))
history = np.array(history)

# %% What came out.
total = history[:, 1:4].sum(axis=1)
print("time    energy    contacts  height of the upper ball")
for row, energy in zip(history[::5], total[::5]):
    print(f"{row[0]:.2f} s  {energy:7.3f} J  {int(row[4]):5d}     {row[5]:.4f} m")
assert (np.diff(total) < 1e-6).all(), "implicit Euler never gains energy"
print(f"nothing intersects: smallest distance {sim.check():.2e} m")
