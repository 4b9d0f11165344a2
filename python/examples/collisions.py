"""Continuous collision detection: when do moving pairs meet, and how far may a whole mesh go?"""

# %% Many pairs at once: points fall through triangles at random speeds.
import abut
import numpy as np

random = np.random.default_rng(0)
count = 10000
start = np.zeros((count, 4, 3))
start[:, 0] = np.column_stack([random.uniform(0, 0.6, count), np.ones(count), random.uniform(0, 0.6, count)])
start[:, 1:] = [[0, 0, 0], [0, 0, 1], [1, 0, 0]]
end = start.copy()
end[:, 0, 1] = random.uniform(-1, 1, count)
hit, time = abut.ccd("point_triangle", start, end)
inside = start[:, 0, [0, 2]].sum(axis=1) < 1
crosses = inside & (end[:, 0, 1] < 0)
exact = 1 / (1 - end[crosses, 0, 1])
print(f"{hit.sum()} of {count} points hit; at most {np.max(exact - time[crosses]):.1e} before the exact time")
assert (hit[crosses]).all() and (time[crosses] <= exact).all(), "nothing is ever missed"

# %% A mesh: a tetrahedron that moves towards another one.
corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
rest = np.vstack([corners, corners + [0.2, 2, 0.2]])
mesh = abut.CollisionMesh(rest, np.vstack([faces, faces + 4]))
wanted = rest.copy()
wanted[4:, 1] -= 3
report = mesh.collision_free_step(rest, wanted, report=True)
print(f"it may go {100 * report['step']:.1f} % of the path; {report['limiting']} would meet there")
there = rest + report["step"] * (wanted - rest)
assert mesh.intersections(there) == [] and mesh.intersections(wanted) != []
