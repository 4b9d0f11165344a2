"""Contact by constrained optimisation, for comparison with the barrier of IPC: time steps that minimise

    E(x) = 1/2 (x - x~)^T M (x - x~) + h^2 Psi(x),   x~ = x_t + h v + h^2 g,   subject to   c_i(x) >= offset

by a sequence of quadratic programs with linearised constraints (docs/theory/ipc.md has E). There are three kinds of c:

  gap      signed distance of a point to the plane of a triangle, or of the lines of two edges
  volume   signed volume of the pair's four vertices, over the area of its base at the iterate (a length, as the others)
  ccd      distance along the normal, and between the points, that the pair has when it first comes close on its path
           from x_t

and two modes: "sqp" has a new quadratic model of E in every iteration, "qp" keeps that of the start of the time step.
Constraints are linearised again in every iteration of both.

Pairs become active when continuous collision detection between x_t and the iterate finds them closer than twice the
offset. They stay until the end of the time step, or until a quadratic program has no solution: then the set is built
anew. There is no line search, because there is no merit function.
"""
import time

import abut
import cvxopt
import cvxopt.cholmod
import cvxopt.solvers
import numpy as np
import scipy.linalg
import scipy.sparse as sparse

KINDS = ("point_triangle", "edge_edge")
CONSTRAINTS = ("gap", "volume", "ccd")
MODES = ("sqp", "qp")
MAX_ITERATIONS = 50  # of a time step; then it goes on with what it has
MAX_QP_FAILURES = 4  # in a row, each with a set built anew
MAX_PAIRS = 100000   # that are looked at together: bounds memory when an iterate is far away
FAR = 100.0          # extents of the bodies in one iteration: a blow-up
CLOSE_ENOUGH = 0.01  # by how much of the offset an accepted step may violate a constraint

cvxopt.solvers.options.update(show_progress=False, abstol=1e-11, reltol=1e-9, feastol=1e-9, maxiters=100)


class Failure(Exception):
    """Why a run ended: intersection, qp-infeasible, diverged or time."""


def dot(a, b):
    return np.einsum("...i,...i->...", a, b)


def cross(a, b):  # faster than numpy.cross for few rows
    return np.stack([a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1], a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
                     a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]], axis=-1)


def sides(edge_pairs, p):
    """The three vectors whose determinant is the signed volume of four vertices (k, 4, 3): two span the base."""
    first = np.where(edge_pairs[:, None], p[:, 1] - p[:, 0], p[:, 2] - p[:, 1])
    second = np.where(edge_pairs[:, None], p[:, 3] - p[:, 2], p[:, 3] - p[:, 1])
    across = np.where(edge_pairs[:, None], p[:, 2] - p[:, 0], p[:, 0] - p[:, 1])
    return first, second, across


def base(edge_pairs, p):
    """Unit normal of the base, its area (of the parallelogram), and the signed distance."""
    first, second, across = sides(edge_pairs, p)
    normal = cross(first, second)
    area = np.sqrt(dot(normal, normal))
    normal = normal / np.maximum(area, 1e-300)[:, None]
    return normal, area, dot(normal, across)


def degenerate(edge_pairs, p):
    first, second, _ = sides(edge_pairs, p)
    normal = cross(first, second)
    return dot(normal, normal) <= 1e-12 * dot(first, first) * dot(second, second)


def contact_weights(edge_pairs, p):
    """Weights w of the vertices: sum w_i p_i joins the closest points of plane and point, or of two lines."""
    first, second, across = sides(edge_pairs, p)
    a, b, c = dot(first, first), dot(first, second), dot(second, second)
    d, e = dot(across, first), dot(across, second)
    determinant = np.maximum(a * c - b * b, 1e-300)
    s, t = (c * d - b * e) / determinant, (a * e - b * d) / determinant  # across ~ s first + t second
    point = np.stack([np.ones_like(s), s + t - 1, -s, -t], axis=1)
    s, t = np.clip(s, 0, 1), np.clip(-t, 0, 1)  # the lines' closest points, kept on the edges
    edge = np.stack([s - 1, -s, 1 - t, t], axis=1)
    return np.where(edge_pairs[:, None], edge, point)


def gap_constraint(edge_pairs, p):
    """Values (k,) and gradients (k, 4, 3)."""
    normal, _, value = base(edge_pairs, p)
    return value, contact_weights(edge_pairs, p)[:, :, None] * normal[:, None, :]


def volume_constraint(edge_pairs, p, area=None):
    first, second, across = sides(edge_pairs, p)
    if area is None:
        area = base(edge_pairs, p)[1]
    area = np.maximum(area, 1e-300)[:, None]
    by_first, by_second = cross(second, across) / area, cross(across, first) / area
    by_across = cross(first, second) / area
    edge = np.stack([-by_first - by_across, by_first, by_across - by_second, by_second], axis=1)
    point = np.stack([by_across, -by_first - by_second - by_across, by_first, by_second], axis=1)
    return dot(by_across, across), np.where(edge_pairs[:, None, None], edge, point)


class ActiveSet:
    """Pairs of a time step with the sides that they were on at its start."""

    def __init__(self):
        self.number = {}
        self.vertices = np.zeros((0, 4), dtype=np.int32)
        self.edge_pairs = np.zeros(0, dtype=bool)
        self.sign = np.zeros(0)
        self.first_contact = np.zeros((0, 4, 3))  # gradients when the pair first comes close

    def __len__(self):
        return len(self.sign)

    def put(self, key, vertices, edge_pair, sign, gradient):
        """True when the pair is new; a known one gets its new gradient."""
        known = self.number.get(key)
        if known is not None:
            self.first_contact[known] = gradient
            return False
        self.number[key] = len(self)
        self.vertices = np.vstack([self.vertices, vertices[None]])
        self.edge_pairs = np.append(self.edge_pairs, edge_pair)
        self.sign = np.append(self.sign, sign)
        self.first_contact = np.concatenate([self.first_contact, gradient[None]])
        return True

    def evaluate(self, constraint, y):
        p = y[self.vertices]
        if constraint == "ccd":
            return (self.first_contact * p).sum(axis=(1, 2)), self.first_contact
        function = gap_constraint if constraint == "gap" else volume_constraint
        value, gradient = function(self.edge_pairs, p)
        return self.sign * value, self.sign[:, None, None] * gradient


class Factor:
    """Cholesky factor of a positive definite matrix, dense or sparse."""

    def __init__(self, matrix):
        self.dense = isinstance(matrix, np.ndarray)
        if self.dense:
            self.factor = scipy.linalg.cho_factor(matrix, lower=True, check_finite=False)
            return
        lower = sparse.tril(matrix).tocoo()
        lower = cvxopt.spmatrix(lower.data, lower.row, lower.col, matrix.shape)
        self.factor = cvxopt.cholmod.symbolic(lower)
        cvxopt.cholmod.numeric(lower, self.factor)

    def solve(self, right):
        if self.dense:
            return scipy.linalg.cho_solve(self.factor, right, check_finite=False)
        solution = cvxopt.matrix(right)
        cvxopt.cholmod.solve(self.factor, solution)
        return np.array(solution).reshape(right.shape)


def solve_qp(factor, gradient, jacobian, bound, tolerance):
    """Minimises 1/2 d^T H d + gradient . d subject to jacobian d >= bound; None when that fails.

    The dual is solved: 1/2 l^T S l - r . l with l >= 0, S = jacobian H^-1 jacobian^T, which has one unknown per
    constraint. It is unbounded when the constraints contradict each other."""
    free = -factor.solve(gradient)
    if not len(bound):
        return free
    missing = bound - jacobian @ free
    if missing.max() <= 0:
        return free
    answers = factor.solve(np.ascontiguousarray(jacobian.T))
    dual = jacobian @ answers
    dual = (dual + dual.T) / 2
    # units that make all numbers near 1 for the solver
    size, length = max(np.diag(dual).max(), 1e-300), max(abs(missing).max(), 1e-300)
    count = len(bound)
    try:
        solution = cvxopt.solvers.qp(cvxopt.matrix(dual / size), cvxopt.matrix(-missing / length),
                                     cvxopt.spmatrix(-1.0, range(count), range(count)), cvxopt.matrix(0.0, (count, 1)))
    except (ArithmeticError, ValueError):
        return None
    if solution["x"] is None:
        return None
    force = np.maximum(np.array(solution["x"]).ravel(), 0) * length / size
    step = free + answers @ force
    slack = jacobian @ step - bound
    small = max(tolerance, 1e-7 * length)
    if not np.isfinite(step).all() or slack.min() < -small:
        return None
    # some good answers are called "unknown": there, forces must not hold what is apart
    moved = dual.diagonal() * force  # how far each force moves its own contact
    if solution["status"] != "optimal" and np.minimum(slack, moved).max() > 1e-3 * length:
        return None
    return step


class Stepper:
    """scene: a scene.Scene (masses, tets, prescribed positions, collision surface)."""

    def __init__(self, scene, h, offset, constraint, mode, seconds, every_pair=False):
        self.scene, self.h, self.offset, self.constraint, self.mode = scene, h, offset, constraint, mode
        self.every_pair = every_pair
        self.mesh, self.tets = scene.collision_mesh, scene.tets
        self.free = np.flatnonzero(np.repeat(scene.free_nodes, 3))
        self.column = np.full(3 * len(scene.masses), -1)
        self.column[self.free] = np.arange(len(self.free))
        self.mass = np.repeat(scene.masses, 3)[self.free]
        self.end = time.process_time() + seconds
        self.iterations = self.unconverged = self.qp_failures = self.most_constraints = 0

    def surface(self, x):
        return np.ascontiguousarray(x.reshape(-1, 3)[self.scene.node_of_vertex])

    def check_time(self):
        if time.process_time() > self.end:
            raise Failure("time")

    # Which pairs come close.

    def close_pairs(self, start, end):
        """Pairs that come closer than twice the offset on the path: kind, numbers, vertices, time."""
        distance = 2 * self.offset
        candidates = self.mesh.candidates(start, distance, end)
        surface = self.scene.surface_triangles, self.scene.surface_edges
        for kind, pairs in enumerate((candidates.point_triangle, candidates.edge_edge)):
            for first in range(0, len(pairs), MAX_PAIRS):
                part = pairs[first:first + MAX_PAIRS]
                if kind:
                    vertices = np.hstack([surface[1][part[:, 0]], surface[1][part[:, 1]]])
                else:
                    vertices = np.hstack([part[:, :1], surface[0][part[:, 1]]])
                movable = self.scene.free_nodes[self.scene.node_of_vertex[vertices]].any(axis=1)
                part, vertices = part[movable], vertices[movable]
                self.check_time()
                if not len(part):
                    continue
                hit, when = abut.ccd(KINDS[kind], start[vertices], end[vertices], separation=distance,
                                     max_iterations=20000)
                if hit.any():
                    yield kind, part[hit], vertices[hit], when[hit]

    def activate(self, active, start, end, all_collisions=False):
        """Adds the pairs that come close on the path from start to end; the number of new ones.

        Near corners, and for edges that are almost parallel, plane or lines may be much closer than the primitives,
        with a normal that has nothing to do with their contact. Such pairs are added only with all_collisions, when
        they collide although all others are resolved. With every_pair there is no such choice."""
        added = 0
        for kind, numbers, vertices, when in self.close_pairs(start, end):
            p0, p1 = start[vertices], end[vertices]
            edge_pairs = np.full(len(p0), bool(kind))
            there = p0 + when[:, None, None] * (p1 - p0)
            value, gradient = gap_constraint(edge_pairs, there)
            usable = ~degenerate(edge_pairs, there) & ~degenerate(edge_pairs, p0)
            before = base(edge_pairs, p0)[2]
            sign = np.where(before >= 0, 1.0, -1.0)
            if self.every_pair:
                poor = np.zeros(len(p0), dtype=bool)
            else:
                usable &= abs(before) > 1e-8 * self.scene.extent  # otherwise the side is not known
                near = np.sqrt([abut.distance_squared(KINDS[kind], p) for p in there])
                poor = abs(value) < 0.5 * near
            if all_collisions and (usable & poor).any():
                chosen = np.flatnonzero(usable & poor)
                hit, _ = abut.ccd(KINDS[kind], p0[chosen], p1[chosen], max_iterations=20000)
                poor[chosen[hit]] = False
            for i in np.flatnonzero(usable & ~poor):
                key = kind, int(numbers[i, 0]), int(numbers[i, 1])
                added += active.put(key, vertices[i], edge_pairs[i], sign[i], sign[i] * gradient[i])
        self.most_constraints = max(self.most_constraints, len(active))
        return added

    def jacobian(self, active, gradient):
        columns = self.column[(3 * self.scene.node_of_vertex[active.vertices][:, :, None] + np.arange(3))]
        rows = np.broadcast_to(np.arange(len(active))[:, None, None], columns.shape)
        matrix = np.zeros((len(active), len(self.free)))
        moves = columns >= 0
        np.add.at(matrix, (rows[moves], columns[moves]), gradient[moves])
        return matrix

    # One time step.

    def model(self, x, predicted):
        """Gradient and projected Hessian of E, unknowns only."""
        gradient = self.mass * (x - predicted)[self.free] + self.h ** 2 * self.tets.gradient(x)[self.free]
        hessian = self.tets.hessian(x)
        if isinstance(hessian, np.ndarray):
            return gradient, self.h ** 2 * hessian[np.ix_(self.free, self.free)] + np.diag(self.mass)
        hessian = self.h ** 2 * hessian[self.free][:, self.free] + sparse.diags(self.mass)
        return gradient, hessian.tocsr()

    def step(self, x_start, v, time_end):
        h, start = self.h, self.surface(x_start)
        predicted = (x_start.reshape(-1, 3) + h * v.reshape(-1, 3) + h * h * self.scene.gravity).ravel()
        x = x_start.copy()
        self.scene.prescribe(x, time_end)
        self.scene.prescribe(predicted, time_end)
        active = ActiveSet()
        self.activate(active, start, self.surface(predicted))
        x_first, failures, fixed_model = x.copy(), 0, None
        for _ in range(MAX_ITERATIONS):
            self.check_time()
            self.iterations += 1
            if self.mode == "sqp" or fixed_model is None:
                gradient_there, hessian = self.model(x, predicted)
                fixed_model = gradient_there, hessian, Factor(hessian)
            gradient, hessian, factor = fixed_model
            if self.mode == "qp":
                gradient = gradient + hessian @ (x - x_first)[self.free]
            value, slope = active.evaluate(self.constraint, self.surface(x))
            direction = solve_qp(factor, gradient, self.jacobian(active, slope), self.offset - value,
                                 CLOSE_ENOUGH * self.offset)
            if direction is None:
                self.qp_failures += 1
                failures += 1
                if failures == MAX_QP_FAILURES:
                    raise Failure("qp-infeasible")
                active = ActiveSet()
                if failures > 1:  # the iterate may be what is wrong
                    x = x_first.copy()
                self.activate(active, start, self.surface(x))
                continue
            failures = 0
            largest = abs(direction).max()
            if not np.isfinite(largest) or largest > FAR * self.scene.extent:
                raise Failure("diverged")
            x[self.free] += direction
            added = self.activate(active, start, self.surface(x))
            value, _ = active.evaluate(self.constraint, self.surface(x))
            violated = len(active) and (self.offset - value).max() > CLOSE_ENOUGH * self.offset
            if added or violated or largest > self.scene.tolerance * h:
                continue
            if not self.activate(active, start, self.surface(x), all_collisions=True):
                return x
        self.unconverged += 1
        return x

    def run(self, x, v, time_start, steps, speed_limit=np.inf):
        """Runs from a state; a dict of what happened. The state at the end is in .x."""
        result, done, smallest, fastest = "success", 0, np.inf, 0.0
        try:
            for k in range(steps):
                x_next = self.step(x.ravel(), v, time_start + (k + 1) * self.h).reshape(-1, 3)
                if not np.isfinite(x_next).all() or abs(x_next - x).max() > FAR * self.scene.extent:
                    raise Failure("diverged")
                x, v = x_next, (x_next - x) / self.h
                surface = self.surface(x)
                if self.scene.intersections(surface):
                    raise Failure("intersection")
                smallest = min(smallest, self.mesh.smallest_distance(surface, 0.01 * self.scene.extent)[0])
                fastest = max(fastest, np.sqrt(dot(v, v)).max())
                if fastest > speed_limit:
                    raise Failure("diverged")
                done = k + 1
        except Failure as failure:
            result = str(failure)
        self.x = x
        return {"result": result, "steps": done, "failed_step": "" if result == "success" else done + 1,
                "iterations": self.iterations, "unconverged": self.unconverged, "qp_failures": self.qp_failures,
                "max_constraints": self.most_constraints, "min_distance": smallest,
                "max_speed": fastest}
