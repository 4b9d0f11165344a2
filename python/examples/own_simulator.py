"""Contact for a simulator of one's own, in NumPy: a sheet of springs falls on a fixed one and slides on it.

The simulator below knows springs and masses only. Contact and friction are two more potentials, and a bound on
steps; see docs/toolkit.md. Dense matrices keep it short; with SciPy, csr_matrix((data, indices, indptr)) takes the
Hessians as they are.
"""

# %%
import os

import abut
import numpy as np

H, MASS, SPRING, DHAT, FRICTION, EPS_V = 0.02, 0.02, 60.0, 0.02, 0.3, 1e-3
STEPS = 12 if os.environ.get("ABUT_EXAMPLE_FAST") else 40


def sheet(side, size, height, first):
    grid = np.linspace(-size / 2, size / 2, side)
    points = np.array([[a, height, b] for a in grid for b in grid])
    cells = [(i * side + j) for i in range(side - 1) for j in range(side - 1)]
    triangles = [t for v in cells for t in ((v, v + 1, v + side + 1), (v, v + side + 1, v + side))]
    return points, np.array(triangles) + first


moving, triangles = sheet(5, 0.5, 0.05, 0)
fixed, fixed_triangles = sheet(4, 2.0, 0.0, len(moving))
count = len(moving)
x = np.vstack([moving, fixed])
edges = np.unique(np.sort(np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1), axis=0)
length = np.linalg.norm(moving[edges[:, 0]] - moving[edges[:, 1]], axis=1)

# %% The simulator: energy of an implicit time step, gradient and semi-definite Hessian.


def springs(p, order):
    a, b = edges.T
    d = p[a] - p[b]
    now = np.linalg.norm(d, axis=1)
    if order == 0:
        return 0.5 * SPRING * ((now - length) ** 2).sum()
    u = d / now[:, None]
    if order == 1:
        g = np.zeros_like(p)
        force = SPRING * (now - length)[:, None] * u
        np.add.at(g, a, force)
        np.add.at(g, b, -force)
        return g.ravel()
    across = np.maximum(0, 1 - length / now)[:, None, None]
    outer = u[:, :, None] * u[:, None, :]
    blocks = SPRING * (outer + across * (np.eye(3) - outer))
    m = np.zeros((len(p), 3, len(p), 3))
    for i, j, k in zip(a, b, blocks):
        m[i, :, i] += k
        m[j, :, j] += k
        m[i, :, j] -= k
        m[j, :, i] -= k
    return m.reshape(3 * len(p), 3 * len(p))


# %% Contact.
mesh = abut.CollisionMesh(x, np.vstack([triangles, fixed_triangles]), kinematic=np.arange(len(x)) >= count)
contacts, friction = abut.ActiveSet(mesh), abut.Friction()
stiffness = abut.initial_stiffness(DHAT, 1.0, MASS)[2]


def dense(csr, n):
    data, indices, indptr = csr
    out = np.zeros((mesh.dofs, mesh.dofs))
    out[np.repeat(np.arange(mesh.dofs), np.diff(indptr)), indices] = data
    return out[:n, :n]


def energy(p, predicted, start):
    contacts.build(p, DHAT)
    return (0.5 * MASS * ((p[:count] - predicted) ** 2).sum() + H * H * springs(p[:count], 0)
            + contacts.barrier_value(stiffness) + friction.value(start, p, EPS_V * H))


def step(x, v):
    n, start = 3 * count, x.copy()
    predicted = x[:count] + H * v + H * H * np.array([0, -9.81, 0])
    friction.lag(contacts.build(x, DHAT), FRICTION, stiffness)
    for iteration in range(50):
        contacts.build(x, DHAT)
        g = MASS * (x[:count] - predicted).ravel() + H * H * springs(x[:count], 1)
        g += contacts.barrier_gradient(stiffness)[:n] + friction.gradient(start, x, EPS_V * H)[:n]
        a = MASS * np.eye(n) + H * H * springs(x[:count], 2)
        a += dense(contacts.barrier_hessian(stiffness), n) + dense(friction.hessian(start, x, EPS_V * H), n)
        direction = np.zeros_like(x)
        direction[:count] = -np.linalg.solve(a, g).reshape(-1, 3)
        if abs(direction).max() < 1e-3 * H:
            break
        before, alpha = energy(x, predicted, start), mesh.collision_free_step(x, x + direction)
        while energy(x + alpha * direction, predicted, start) > before:
            alpha /= 2
        x = x + alpha * direction
    return x, (x[:count] - start[:count]) / H, iteration


# %%
v = np.tile([0.3, 0.0, 0.0], (count, 1))
for k in range(STEPS):
    x, v, iterations = step(x, v)
    assert mesh.intersections(x) == []
    if k % 4 == 0:
        print(f"{H * (k + 1):.2f} s: {iterations} iterations, {len(contacts)} contacts, "
              f"lowest point {x[:count, 1].min():.5f} m, speed {np.linalg.norm(v.mean(axis=0)):.3f} m/s")
assert 0 < x[:count, 1].min() < 0.05
