"""A loop of observation and action, as in reinforcement learning: an arm that reaches for an angle."""
import abut

SCENE = {
    "abut": 1,
    "time": {"step": 0.01, "end": 10},
    "bodies": [{"name": "arm", "type": "rigid", "density": 1000, "translate": [0.5, 0, 0],
                "mesh": {"box": {"size": [1, 0.1, 0.1], "cells": [1, 1, 1]}}}],
    "joints": [{"name": "shoulder", "type": "hinge", "body": "arm", "axis": [0, 0, 1],
                "turn": {"drive": {"effort": 0}}}],
}


def act(angle, rate, goal):
    """Torque of a controller with the weight of the arm compensated; a policy would stand here."""
    return 50 + 200 * (goal - angle) - 60 * rate


sim = abut.Simulation(SCENE)
for step in range(200):
    (angle, _), (rate, _) = sim.joint_positions[0], sim.joint_velocities[0]
    sim.joint_targets[0, 0] = act(angle, rate, goal=0.5)
    sim.step()
print(f"{sim.joint_names[0]} is at {sim.joint_positions[0, 0]:.3f} rad")
