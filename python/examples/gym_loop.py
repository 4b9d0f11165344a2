"""An environment in the style of Gymnasium: reset, step, observation, reward, the end of an episode."""
import abut
import numpy as np


class CartPole:
    """A pole on a cart that is pushed; the observation is position and angle with their rates."""

    def __init__(self, robot):
        self.robot = robot

    def reset(self):
        self.sim = abut.Simulation(self.robot)
        return self.observe(), {}

    def observe(self):
        y, v = self.sim.joint_positions, self.sim.joint_velocities
        return np.array([y[0, 1], y[1, 0], v[0, 1], v[1, 0]])

    def step(self, action):
        self.sim.joint_targets[0, 1] = action
        self.sim.step()
        seen = self.observe()
        return seen, float(np.cos(seen[1])), abs(seen[1]) > 1.0, self.sim.time > 6.0, {}
