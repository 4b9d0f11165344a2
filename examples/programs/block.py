"""A soft block falls on a table: the scene of scene.json, from arrays."""
import abut
import numpy as np

box = 0.2 * np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)])
tets = np.array([[0, 5, 3, 6], [1, 5, 3, 0], [2, 0, 3, 6], [4, 6, 5, 0], [7, 3, 5, 6]])
table = np.array([[-0.5, 0, -0.5], [0.5, 0, -0.5], [0.5, 0, 0.5], [-0.5, 0, 0.5]])
sides = np.array([[0, 2, 1], [0, 3, 2]])

scene = abut.Scene(step=0.01, end=0.5, friction=0.3)
scene.add_material("jelly", young=1e5, poisson=0.4)
scene.add_soft("block", box, tets, material="jelly", translate=[0, 0.1, 0], rotate=[15, 0, 0])
scene.add_obstacle("table", table, sides)
sim = scene.simulate()
sim.step(50)
force = sim.body_forces()["block"]
print(f"force on the block: {force['normal'][1]:.17g} {force['friction'][2]:.17g} N")
print(*(f"{x:.17g}" for x in sim.positions[:8].ravel()), sep="\n")
