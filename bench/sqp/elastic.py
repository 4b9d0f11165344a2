"""Fixed corotated linear tetrahedra in NumPy: energy, gradient and (projected) Hessian of a whole mesh.

    Psi(F) = mu |F - R|^2 + lambda/2 (det F - 1)^2

With F = U diag(s) V^T, det U = det V = 1 (s may have a negative entry, so that inverted tetrahedra are no special
case), the Hessian of an isotropic energy is block diagonal in the basis u_i v_j^T: a 3x3 block for i = j, and for each
pair i != j the modes u_i v_j^T + u_j v_i^T and u_i v_j^T - u_j v_i^T, whose eigenvalues have closed forms.
"""
import numpy as np
import scipy.sparse as sparse

DENSE = 400  # unknowns up to which the Hessian is a dense matrix
PAIRS = ((1, 2, 0), (0, 2, 1), (0, 1, 2))  # i, j and the third index k


def lame(young, poisson):
    return young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))


class TetMesh:
    """rest: (n, 3) positions of all nodes; tets: (m, 4); mu, lam: one number per tet."""

    def __init__(self, rest, tets, mu, lam):
        self.tets, self.mu, self.lam = tets, mu, lam
        edges = (rest[tets[:, 1:]] - rest[tets[:, :1]]).transpose(0, 2, 1)
        inverse = np.linalg.inv(edges)
        self.volume = abs(np.linalg.det(edges)) / 6
        self.weights = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)  # dF_ij = x_ai weights_aj
        rows = (3 * tets[:, :, None] + np.arange(3)).reshape(-1, 12)
        self.rows, self.size = rows, 3 * len(rest)
        cells = rows[:, :, None].astype(np.int64) * self.size + rows[:, None, :]
        if self.size <= DENSE:
            self.pattern, self.slot = None, cells.ravel()
        else:
            pattern, self.slot = np.unique(cells.ravel(), return_inverse=True)
            self.pattern = pattern // self.size, pattern % self.size
        self.known = None

    def _strain(self, x):
        """SVD with rotations; kept for the next call, because energy, gradient and Hessian are asked for in turn."""
        f = np.einsum("tai,taj->tij", x.reshape(-1, 3)[self.tets], self.weights)
        if self.known is not None and np.array_equal(f, self.known[0]):
            return self.known[1:]
        u, s, vt = np.linalg.svd(f)
        s = s.copy()
        for m, last in ((u, np.s_[:, :, 2]), (vt, np.s_[:, 2, :])):
            mirrored = np.linalg.det(m) < 0
            m[last][mirrored] *= -1
            s[mirrored, 2] *= -1
        self.known = f, u, s, vt
        return u, s, vt

    def energy(self, x):
        _, s, _ = self._strain(x)
        density = self.mu * ((s - 1) ** 2).sum(axis=1) + 0.5 * self.lam * (s.prod(axis=1) - 1) ** 2
        return float((self.volume * density).sum())

    def gradient(self, x):
        u, s, vt = self._strain(x)
        volume_change = (self.lam * (s.prod(axis=1) - 1))[:, None]
        cofactor = np.stack([s[:, 1] * s[:, 2], s[:, 0] * s[:, 2], s[:, 0] * s[:, 1]], axis=1)
        principal = 2 * self.mu[:, None] * (s - 1) + volume_change * cofactor
        stress = (u * principal[:, None, :]) @ vt
        force = self.volume[:, None, None] * (self.weights @ stress.transpose(0, 2, 1))
        return np.bincount(self.rows.ravel(), force.ravel(), minlength=self.size)

    def hessian(self, x, project=True):
        """As a dense or sparse matrix; project: every tet's part is made positive semi-definite."""
        u, s, vt = self._strain(x)
        mu, lam, j = self.mu, self.lam, s.prod(axis=1)
        cofactor = np.stack([s[:, 1] * s[:, 2], s[:, 0] * s[:, 2], s[:, 0] * s[:, 1]], axis=1)
        stretch = lam[:, None, None] * cofactor[:, :, None] * cofactor[:, None, :]
        stretch[:, range(3), range(3)] += 2 * mu[:, None]
        symmetric, twist = np.empty_like(s), np.empty_like(s)
        for i, k, other in PAIRS:
            cross = lam * (j - 1) * s[:, other]
            stretch[:, i, k] += cross
            stretch[:, k, i] += cross
            together = s[:, i] + s[:, k]
            together = np.where(abs(together) < 1e-9, 1e-9, together)
            symmetric[:, other] = 2 * mu - cross
            twist[:, other] = 2 * mu * (1 - 2 / together) + cross
        if project:
            values, vectors = np.linalg.eigh(stretch)
            stretch = (vectors * np.maximum(values, 0)[:, None, :]) @ vectors.transpose(0, 2, 1)
            symmetric, twist = np.maximum(symmetric, 0), np.maximum(twist, 0)
        inner = np.zeros((len(s), 9, 9))  # in the basis u_i v_j^T, number 3 i + j
        inner[:, ::4, ::4] = stretch
        for i, k, other in PAIRS:
            one, two = 3 * i + k, 3 * k + i
            inner[:, one, one] = inner[:, two, two] = (symmetric + twist)[:, other] / 2
            inner[:, one, two] = inner[:, two, one] = (symmetric - twist)[:, other] / 2
        # d(u_i v_j^T coefficient of F) / dx_ak = u_ki (weights_a . v_j)
        along = self.weights @ vt.transpose(0, 2, 1)
        basis = np.einsum("tki,taj->tijak", u, along).reshape(-1, 9, 12)
        blocks = self.volume[:, None, None] * (basis.transpose(0, 2, 1) @ inner @ basis)
        if self.pattern is None:
            return np.bincount(self.slot, blocks.ravel(), minlength=self.size ** 2).reshape(self.size, self.size)
        data = np.bincount(self.slot, blocks.ravel())
        return sparse.csr_matrix((data, self.pattern), shape=(self.size, self.size))
