"""The contact toolkit from Python: derivatives against differences, sparse Hessians, friction, maps, CCD,
arrays without copies, and type hints that are complete."""

import ast
import pathlib
import unittest

import abut
import numpy as np

DHAT = 0.05


def sheets(seed=0):
    """Two rough 4 x 4 sheets close to each other, as (rest, triangles, group)."""
    random = np.random.default_rng(seed)
    side, points, triangles = 4, [], []
    for k, turn in enumerate((0.0, 0.3)):
        for i in range(side):
            for j in range(side):
                a, b = i / (side - 1) - 0.5, j / (side - 1) - 0.5
                points.append([a * np.cos(turn) - b * np.sin(turn), 0.035 * k + random.uniform(-0.012, 0.012),
                               a * np.sin(turn) + b * np.cos(turn)])
                if i + 1 < side and j + 1 < side:
                    v = k * side * side + i * side + j
                    triangles += [[v, v + 1, v + side + 1], [v, v + side + 1, v + side]]
    return np.array(points), np.array(triangles), np.repeat([0, 1], side * side)


class Csr:
    """A sparse matrix as SciPy lays it out."""

    def __init__(self, data, indices, indptr, shape):
        self.data, self.indices, self.indptr, self.shape = data, indices, indptr, shape


def dense(csr, n):
    data, indices, indptr = csr
    out = np.zeros((n, n))
    for row in range(n):
        for k in range(indptr[row], indptr[row + 1]):
            out[row, indices[k]] += data[k]
    return out


def differences(function, x, h):
    """Central differences of a function of a flat array."""
    columns = []
    for i in range(x.size):
        step = np.zeros(x.size)
        step[i] = h
        columns.append((np.asarray(function(x + step)) - np.asarray(function(x - step))) / (2 * h))
    return np.array(columns)


class Barrier(unittest.TestCase):
    def setUp(self):
        self.x, self.triangles, self.group = sheets()
        self.mesh = abut.CollisionMesh(self.x, self.triangles, group=self.group)
        self.set = abut.ActiveSet(self.mesh)

    def test_derivatives(self):
        x, n = self.x.ravel(), self.x.size
        gradient = self.set.build(self.x, DHAT).barrier_gradient(1e4)
        hessian = dense(self.set.barrier_hessian(1e4, exact=True), n)
        expected = differences(lambda y: self.set.build(y, DHAT).barrier_value(1e4), x, 1e-7)
        np.testing.assert_allclose(gradient, expected, atol=1e-5 * abs(gradient).max())
        expected = differences(lambda y: self.set.build(y, DHAT).barrier_gradient(1e4), x, 1e-7)
        np.testing.assert_allclose(hessian, expected, atol=2e-5 * abs(hessian).max())

    def test_hessian_is_semi_definite_and_comes_in_two_forms(self):
        n = self.x.size
        self.set.build(self.x, DHAT)
        full = dense(self.set.barrier_hessian(), n)
        values = np.linalg.eigvalsh(full)
        self.assertGreater(values[-1], 0)
        self.assertGreater(values[0], -1e-10 * values[-1])
        self.assertLess(np.linalg.eigvalsh(dense(self.set.barrier_hessian(exact=True), n))[0], 0)
        upper = dense(self.set.barrier_hessian(upper=True), n)
        self.assertTrue((np.triu(full) == upper).all())

    def test_arrays_are_not_copied(self):
        self.set.build(self.x, DHAT)
        for array in self.set.barrier_hessian():
            self.assertFalse(array.flags.owndata)
        data, indices, indptr = self.set.barrier_hessian()
        self.assertEqual(indices.dtype, np.int32)
        self.assertEqual(indptr[-1], len(data))
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            return
        n = self.x.size
        matrix = csr_matrix((data, indices, indptr), shape=(n, n))
        self.assertTrue(np.shares_memory(matrix.data, data))
        np.testing.assert_array_equal(matrix.toarray(), dense((data, indices, indptr), n))

    def test_contacts(self):
        contacts = self.set.build(self.x, DHAT).contacts()
        self.assertEqual(len(contacts["distance"]), len(self.set))
        self.assertEqual(self.set.min_distance, contacts["distance"].min())
        for kind, vertices, distance in zip(contacts["kind"], contacts["vertices"], contacts["distance"]):
            corners = self.x[vertices[vertices >= 0]]
            self.assertAlmostEqual(abut.distance_squared(abut.PAIR_KINDS[kind], corners), distance ** 2, 12)
        candidates = self.mesh.candidates(self.x, 2 * DHAT)
        self.assertGreaterEqual(len(candidates), len(candidates.point_triangle))
        count = len(self.set)
        self.assertEqual(len(self.set.build(self.x, DHAT, candidates)), count)

    def test_stiffness(self):
        self.set.build(self.x, DHAT)
        gradient = self.set.barrier_gradient()
        value, lowest, highest = abut.initial_stiffness(1e-3, 1, 0.1)
        self.assertEqual(value, lowest)
        value, lowest, highest = abut.initial_stiffness(1e-3, 1, 0.1, gradient, -7 * lowest * gradient)
        self.assertAlmostEqual(value / lowest, 7)
        self.assertEqual(self.set.adapt_stiffness(1, 3, 10), 3)

    def test_physical_scaling(self):
        self.set.build(self.x, DHAT, area_weighted=True)
        self.assertAlmostEqual(self.set.barrier_value(physical=True), self.set.barrier_value() / DHAT ** 3)
        weighted = self.set.contacts()["weight"].sum()
        self.assertLess(weighted, self.set.build(self.x, DHAT).contacts()["weight"].sum())

    def test_maps(self):
        random = np.random.default_rng(1)
        rows, dofs = self.x.size, 40
        jacobian = np.zeros((rows, dofs))
        columns = random.integers(0, dofs, (rows, 2))
        columns[:, 1] = (columns[:, 0] + 1) % dofs
        values = random.uniform(-1, 1, (rows, 2))
        for k in range(2):
            jacobian[np.arange(rows), columns[:, k]] += values[:, k]
        q = random.uniform(-1, 1, dofs)
        offset = self.x - (jacobian @ q).reshape(-1, 3)
        matrix = Csr(values.ravel(), columns.ravel(), np.arange(0, 2 * rows + 1, 2), (rows, dofs))
        mapped = abut.CollisionMesh(self.x, self.triangles, map=matrix, map_offset=offset)
        self.assertEqual(mapped.dofs, dofs)
        with self.assertWarns(DeprecationWarning):
            self.assertEqual(mapped.freedoms, dofs)
        y = mapped.positions(q)
        np.testing.assert_allclose(y, self.x, atol=1e-14)
        other = abut.ActiveSet(mapped).build(y, DHAT)
        self.set.build(y, DHAT)
        gradient = self.set.barrier_gradient()
        np.testing.assert_allclose(other.barrier_gradient(), jacobian.T @ gradient, atol=1e-12 * abs(gradient).max())
        hessian = dense(self.set.barrier_hessian(), rows)
        np.testing.assert_allclose(dense(other.barrier_hessian(), dofs), jacobian.T @ hessian @ jacobian,
                                   atol=1e-11 * abs(hessian).max())


class Rubbing(unittest.TestCase):
    def test_cone_and_derivatives(self):
        x, triangles, group = sheets()
        mesh = abut.CollisionMesh(x, triangles, group=group)
        contacts = abut.ActiveSet(mesh).build(x, DHAT)
        friction = abut.Friction().lag(contacts, 0.5, 1e3)
        self.assertGreater(len(friction), 0)
        limit = friction.contacts()["force"].sum()
        moved = x.copy()
        moved[group == 1] += [0.01, 0, 0]
        gradient = friction.gradient(x, moved, 1e-4).reshape(-1, 3)
        force = np.linalg.norm(gradient[group == 1].sum(axis=0))
        self.assertLessEqual(force, limit * (1 + 1e-12))
        self.assertGreater(force, 0.9 * limit)  # the sheets are nearly flat
        np.testing.assert_allclose(gradient.sum(axis=0), 0, atol=1e-12 * limit)
        small = x + np.random.default_rng(2).uniform(-1e-3, 1e-3, x.shape)
        hessian = dense(friction.hessian(x, small, 1e-3), x.size)
        expected = differences(lambda y: friction.gradient(x, y, 1e-3), small.ravel(), 1e-9)
        np.testing.assert_allclose(hessian, expected, atol=1e-4 * abs(hessian).max())
        expected = differences(lambda y: friction.value(x, y, 1e-3), small.ravel(), 1e-9)
        np.testing.assert_allclose(friction.gradient(x, small, 1e-3), expected, atol=1e-4 * limit)

    def test_coefficients_of_groups(self):
        x, triangles, group = sheets()
        contacts = abut.ActiveSet(abut.CollisionMesh(x, triangles, group=group)).build(x, DHAT)
        everywhere = abut.Friction().lag(contacts, 0.3)
        between = abut.Friction().lag(contacts, [[0, 0.3], [0.3, 0]])
        nowhere = abut.Friction().lag(contacts, np.zeros((2, 2)))
        self.assertEqual(len(nowhere), 0)
        self.assertLessEqual(len(between), len(everywhere))
        with self.assertRaisesRegex(abut.InputError, "two different values"):
            abut.Friction().lag(contacts, [[0, 0.3], [0.4, 0]])
        with self.assertRaisesRegex(abut.InputError, "2 rows and columns"):
            abut.Friction().lag(contacts, np.zeros((3, 3)))
        with self.assertRaisesRegex(abut.InputError, "lag"):
            abut.Friction().value(x, x, 1e-3)


class Collisions(unittest.TestCase):
    TRIANGLE = np.array([[0.2, 1, 0.2], [0, 0, 0], [0, 0, 1], [1, 0, 0.0]])

    def test_pairs(self):
        end = self.TRIANGLE.copy()
        end[0, 1] = -1
        for method in ("tight-inclusion", "tight_inclusion", "additive"):
            hit, when = abut.ccd("point_triangle", self.TRIANGLE, end, method=method)
            self.assertTrue(hit)
            self.assertTrue(0.4999 < when <= 0.5)
        many = np.stack([self.TRIANGLE] * 3)
        ends = many.copy()
        ends[1, 0, 1] = -1
        hits, times = abut.ccd("point_triangle", many, ends)
        self.assertEqual(hits.tolist(), [False, True, False])
        self.assertEqual(times[0], np.inf)
        hit, when = abut.ccd("point_triangle", self.TRIANGLE, end, separation=0.5)
        self.assertTrue(0.2499 < when <= 0.25)

    def test_distances(self):
        value, weights, gradient, hessian = abut.distance_squared("point_triangle", self.TRIANGLE, derivatives=True)
        self.assertAlmostEqual(value, 1)
        np.testing.assert_allclose(weights @ self.TRIANGLE, [0, 1, 0], atol=1e-15)
        expected = differences(lambda y: abut.distance_squared("point_triangle", y), self.TRIANGLE.ravel(), 1e-6)
        np.testing.assert_allclose(gradient, expected, atol=1e-8)
        self.assertEqual(hessian.shape, (12, 12))

    def test_meshes(self):
        mesh = abut.CollisionMesh(self.TRIANGLE, [[1, 2, 3]])
        end = self.TRIANGLE.copy()
        end[0, 1] = -1
        step = mesh.collision_free_step(self.TRIANGLE, end)
        self.assertTrue(0.49 < step < 0.5)
        report = mesh.collision_free_step(self.TRIANGLE, end, report=True)
        self.assertEqual(report["limiting"], ("point_triangle", 0, 0))
        self.assertEqual(report["step"], step)
        self.assertEqual(mesh.pair_vertices(*report["limiting"]).tolist(), [0, 1, 2, 3])
        self.assertEqual(mesh.smallest_distance(self.TRIANGLE, 2), (1.0, ("point_triangle", 0, 0)))
        self.assertEqual(mesh.smallest_distance(self.TRIANGLE, 0.5), (np.inf, None))
        self.assertEqual(mesh.intersections(self.TRIANGLE), [])
        touching = self.TRIANGLE.copy()
        touching[0, 1] = 0
        self.assertEqual(mesh.intersections(touching), [("point_triangle", 0, 0)])
        with self.assertRaises(abut.InfeasibleError):
            abut.ActiveSet(mesh).build(touching, DHAT)
        self.assertEqual(mesh.candidates(self.TRIANGLE, 0.1).point_triangle.shape, (0, 2))
        self.assertEqual(mesh.candidates(self.TRIANGLE, 0.1, end).point_triangle.tolist(), [[0, 0]])

    def test_vertices_of_intersections(self):
        pierced = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, -1], [0.2, 0.2, 1], [3, 3, 1.0]])
        mesh = abut.CollisionMesh(pierced, [[0, 1, 2], [3, 4, 5]])
        found = mesh.intersections(pierced)
        vertices = [tuple(mesh.pair_vertices(*pair)) for pair in found]
        self.assertEqual({kind for kind, _, _ in found}, {"edge_triangle"})
        self.assertIn((3, 4, 0, 1, 2), vertices)
        for pair in (("edge_triangle", 0, 2), ("edge_triangle", 99, 0), ("triangle", 0, 0)):
            with self.assertRaises(abut.InputError):
                mesh.pair_vertices(*pair)


ATTRIBUTES = {"Scene": ("document",)}  # that only objects have, not their class


class Arguments(unittest.TestCase):
    def test_wrong_ones_are_refused(self):
        x, triangles, group = sheets()
        mesh = abut.CollisionMesh(x, triangles)
        cases = [
            ("an array of shape \\(32, 3\\) is needed, not \\(3, 32\\)", lambda: mesh.intersections(x.T)),
            ("triangles: number 0 has vertex 99", lambda: abut.CollisionMesh(x, [[0, 1, 99]])),
            ("triangles: integers are needed", lambda: abut.CollisionMesh(x, [[0, 1, 2.5]])),
            ("triangles: number 2 is 8589934592", lambda: abut.CollisionMesh(x, [[0, 1, 2 ** 33]])),
            ("kinematic: an array of shape", lambda: abut.CollisionMesh(x, triangles, kinematic=[True])),
            ("no_self: there is no group 5", lambda: abut.CollisionMesh(x, triangles, no_self=[5])),
            ("map: a sparse matrix in CSR form", lambda: abut.CollisionMesh(x, triangles, map=np.eye(96))),
            ("dhat: -1 is not allowed", lambda: abut.ActiveSet(mesh).build(x, -1)),
            ("set: the active set has not been built", lambda: abut.ActiveSet(mesh).barrier_value()),
            ('kind: "c7" is not allowed, only "c2", "c1", "c0"',
             lambda: abut.ActiveSet(mesh).build(x, DHAT).barrier_value(kind="c7")),
            ('kind: "line_line" is not allowed', lambda: abut.ccd("line_line", x[:4], x[:4])),
            ("they are of another collision mesh",
             lambda: abut.ActiveSet(mesh).build(x, DHAT, abut.CollisionMesh(x).candidates(x, 1))),
        ]
        for message, call in cases:
            with self.subTest(message), self.assertRaisesRegex(abut.InputError, message):
                call()
        with self.assertRaises(TypeError):
            abut.Candidates()

    def test_other_layouts_are_taken(self):
        x, triangles, group = sheets()
        mesh = abut.CollisionMesh(np.asfortranarray(x), triangles.astype(np.int64), kinematic=group == 0)
        expected = abut.ActiveSet(mesh).build(x, DHAT).barrier_value()
        for other in (np.asfortranarray(x), x.tolist(), x.ravel(), np.repeat(x, 2, axis=0)[::2]):
            self.assertEqual(abut.ActiveSet(mesh).build(other, DHAT).barrier_value(), expected)

    def test_type_hints_are_complete(self):
        names = {}
        for stub in pathlib.Path(abut.__file__).parent.glob("*.pyi"):
            tree = ast.parse(stub.read_text())
            names |= {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}

        def hints(node):  # of a class and of those it is derived from
            found = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            found |= {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
            return found.union(*(hints(names[base.id]) for base in node.bases if getattr(base, "id", "") in names))

        for name in abut.__all__:
            if name == "PAIR_KINDS":
                continue
            self.assertIn(name, names)
            self.assertTrue(getattr(abut, name).__doc__, name)
            node = names[name]
            if not isinstance(node, ast.ClassDef) or issubclass(getattr(abut, name), Exception):
                continue
            public = {item for item in dir(getattr(abut, name)) if not item.startswith("_")}
            if issubclass(getattr(abut, name), dict):
                public -= set(dir(dict))
            public |= {item for item in hints(node) if item in ATTRIBUTES.get(name, ())}
            self.assertEqual(public, {item for item in hints(node) if not item.startswith("_")}, name)


if __name__ == "__main__":
    unittest.main()
