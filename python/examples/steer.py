"""Control: a force of one's own, set anew before every step, steers a body to a point and keeps it there."""

# %%
import os

import abut
import numpy as np

scene = {
    "abut": 1,
    "time": {"step": 0.01, "end": 2},
    "gravity": [0, -9.81, 0],
    "bodies": [{"name": "cube", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}},
                "material": {"model": "neo-hookean", "young": 1e5, "poisson": 0.3, "density": 500}}],
}
sim = abut.Simulation(scene)
goal = np.array([0.2, 0.1, 0.0])
masses = sim.masses[:, None]

# %% Critically damped force towards the goal, and a compensation for gravity.
stiffness, steps = 60.0, 60 if os.environ.get("ABUT_EXAMPLE_FAST") else sim.steps_total
for n in range(steps):
    centre = (masses * sim.positions).sum(axis=0) / masses.sum()
    speed = (masses * sim.velocities).sum(axis=0) / masses.sum()
    acceleration = stiffness * (goal - centre) - 2 * np.sqrt(stiffness) * speed + [0, 9.81, 0]
    sim.forces[:] = masses * acceleration
    sim.step()
    if n % 20 == 0:
        print(f"{sim.time:.2f} s: {np.linalg.norm(goal - centre):.4f} m from the goal")
error = np.linalg.norm((masses * sim.positions).sum(axis=0) / masses.sum() - goal)
print(f"in the end {error:.4f} m from the goal")
assert error < 0.05
