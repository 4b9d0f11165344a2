"""Checks of what the comparison rests on; each prints its error and the bound."""
import tempfile

import abut
import elastic
import numpy as np
import scene
import scipy.sparse as sparse
import sqp

failed = []


def report(what, error, bound):
    print("%-62s %.1e (at most %.0e)%s" % (what, error, bound, "" if error <= bound else "  FAILED"))
    if not error <= bound:
        failed.append(what)


def slope(function, x, step=1e-6):
    """Central differences of a function of a vector."""
    return np.array([(function(x + step * d) - function(x - step * d)) / (2 * step) for d in np.eye(len(x))])


def elasticity(random):
    rest = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1.0]])
    mu, lam = elastic.lame(1e5, 0.4)
    mesh = elastic.TetMesh(rest, np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), np.full(2, mu), np.full(2, lam))
    for amount, name in ((0.2, "deformed"), (0.9, "partly inverted")):
        x = (rest + amount * random.normal(size=rest.shape)).ravel()
        gradient, hessian = mesh.gradient(x), mesh.hessian(x, project=False)
        report("elastic gradient against differences, " + name,
               abs(gradient - slope(mesh.energy, x)).max() / abs(gradient).max(), 1e-7)
        report("elastic Hessian against differences, " + name,
               abs(hessian - slope(mesh.gradient, x)).max() / abs(hessian).max(), 1e-7)
        values = np.linalg.eigvalsh(mesh.hessian(x))
        report("smallest eigenvalue of the projected one, " + name, max(0, -values[0] / values[-1]), 1e-12)
    limit, elastic.DENSE = elastic.DENSE, 0
    as_sparse = elastic.TetMesh(rest, mesh.tets, mesh.mu, mesh.lam)
    elastic.DENSE = limit
    report("sparse against dense Hessian", abs(as_sparse.hessian(x) - mesh.hessian(x)).max() / values[-1], 1e-14)


def constraints(random):
    for kind, name in enumerate(sqp.KINDS):
        pair = np.array([bool(kind)])
        while True:  # lines whose closest points lie on the edges: elsewhere weights are kept there on purpose
            p = random.normal(size=(1, 4, 3))
            if not kind or (abs(sqp.contact_weights(pair, p)) < 0.95).all():
                break
        _, gradient = sqp.gap_constraint(pair, p)
        by_differences = slope(lambda q: sqp.gap_constraint(pair, q.reshape(1, 4, 3))[0][0], p.ravel())
        report("gap, gradient against differences, " + name, abs(gradient.ravel() - by_differences).max(), 1e-7)
        area = sqp.base(pair, p)[1]
        _, gradient = sqp.volume_constraint(pair, p)
        by_differences = slope(lambda q: sqp.volume_constraint(pair, q.reshape(1, 4, 3), area)[0][0], p.ravel())
        report("volume, gradient against differences, " + name, abs(gradient.ravel() - by_differences).max(), 1e-7)
        if kind:
            distance = np.sqrt(abut.distance_squared(name, p[0]))
            report("gap of edges against the toolkit's distance", abs(abs(sqp.base(pair, p)[2][0]) - distance), 1e-12)


def quadratic_programs(random):
    worst, unnoticed = 0.0, 0
    for size, count in ((12, 5), (12, 30), (600, 40)):  # more constraints than unknowns; a sparse factor
        a = random.normal(size=(size, size)) if size < 100 else np.diag(random.uniform(1, 2, size))
        hessian = a @ a.T + np.eye(size)
        gradient, inside = random.normal(size=size), random.normal(size=size)
        jacobian = random.normal(size=(count, size))
        bound = jacobian @ inside - random.uniform(0, 1, count)  # so that a solution exists
        factor = sqp.Factor(hessian if size < 100 else sparse.csr_matrix(hessian))
        step = sqp.solve_qp(factor, gradient, jacobian, bound, 1e-8)
        slack = jacobian @ step - bound
        binding = slack < 1e-5
        force = np.linalg.lstsq(jacobian[binding].T, hessian @ step + gradient, rcond=None)[0]
        residual = hessian @ step + gradient - jacobian[binding].T @ force
        worst = max(worst, abs(residual).max() / abs(gradient).max(), -slack.min(), -force.min(initial=0))
        row = jacobian[:1]
        unnoticed += sqp.solve_qp(factor, gradient, np.vstack([row, -row]), np.array([1.0, 1.0]), 1e-8) is not None
    report("quadratic programs, optimality of the solution", worst, 1e-5)
    report("contradicting constraints that were not noticed", unnoticed, 0)


def against_abut(command, files, folder):
    """A wedge that hangs from two dragged nodes, and a cube that hits the ground, by both steppers. Contact is the same
    as far as dhat and the offset are small."""
    for name, steps, bound in (("24_ErlebenSlidingWedge", 20, 1e-9), ("07_cubePlaneCO", 50, 1e-4)):
        definition, _ = scene.read(command, files[name], folder)
        definition["contact"]["dhat"] = definition["solver"]["tolerance"] = 1e-5
        bodies = scene.Scene(definition)
        simulation = abut.Simulation(definition, threads=1, overrides=["time.step=0.01"])
        start = simulation.positions.copy(), simulation.velocities.copy()
        info = simulation.step(steps)
        report("elastic energy against abut, " + name,
               abs(bodies.tets.energy(simulation.positions.ravel()) / info["elastic"] - 1), 1e-9)
        stepper = sqp.Stepper(bodies, 0.01, 1e-5, "gap", "sqp", 60)
        stepper.run(*start, 0.0, steps)
        report("positions after %d steps against abut, %s" % (steps, name),
               abs(stepper.x - simulation.positions).max(), bound)
    definition, _ = scene.read(command, files["30_matTwist"], folder)
    bodies = scene.Scene(definition)
    simulation = abut.Simulation(definition, threads=1, overrides=["time.step=0.01"])
    simulation.step(10)
    x = simulation.positions.copy().ravel()
    bodies.prescribe(x, 0.1)
    report("scripted nodes against abut, 30_matTwist", abs(x - simulation.positions.ravel()).max(), 1e-9)


def run(command, files):
    random = np.random.default_rng(1)
    elasticity(random)
    constraints(random)
    quadratic_programs(random)
    with tempfile.TemporaryDirectory() as folder:
        against_abut(command, files, folder)
    return 1 if failed else 0
