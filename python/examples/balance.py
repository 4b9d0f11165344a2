"""A pole is kept upright while its cart goes half a metre: a loop of observation and action."""
import sys

from gym_loop import CartPole

bar = lambda name, at, size: {"name": name, "type": "rigid", "density": 500, "translate": at,
                              "mesh": {"box": {"size": size, "cells": [1, 1, 1]}}}
ROBOT = {"abut": 1, "time": {"step": 0.01, "end": 10},
         "bodies": [bar("cart", [0, 0, 0], [0.3, 0.1, 0.2]), bar("pole", [0, 0.45, 0], [0.04, 0.7, 0.04])],
         "joints": [{"name": "rail", "type": "slider", "body": "cart", "axis": [1, 0, 0], "slide": {"drive": {"effort": 0}}},
                    {"name": "pivot", "type": "hinge", "body": "pole", "to": "cart", "point": [0, 0.1, 0],
                     "axis": [0, 0, -1], "collide": "never"}]}

env = CartPole(ROBOT)
(x, angle, v, rate), _ = env.reset()
fell = over = False
while not (fell or over):
    (x, angle, v, rate), reward, fell, over, _ = env.step(120 * angle + 25 * rate + 10 * (x - 0.5) + 18 * v)
print(f"{'fell' if fell else 'stood'}: the pole is at {angle:.3f} rad, the cart at {x:.2f} m")
sys.exit(int(fell or abs(x - 0.5) > 0.1))
