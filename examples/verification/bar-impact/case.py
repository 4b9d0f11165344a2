"""An elastic bar against a rigid wall."""
from verification import grid

TITLE = "An elastic bar hits a rigid wall"
PROBLEM = """A bar (10 m long, E = 900 Pa, rho = 1 kg/m^3, nu = 0, linear) flies at 0.1 m/s against a wall 0.05 m away: wave speed 30 m/s. A hundred cells along
it, in the plane, 1 m wide. Steps of L / (200 c)."""
REFERENCE = """Contact lasts 2 L / c = 0.666667 s with the constant stress rho c v = 3 Pa, then the bar leaves with -v. With implicit Euler and an exact unilateral node
100 linear elements give an exit speed of 0.920 v at this step: the scheme loses energy, of the order sqrt(h c / L)."""
L, C, V, GAP = 10.0, 30.0, 0.1, 0.05


def scene(h=L / (200 * C), cells=100, dhat=1e-5):
    mesh = grid(cells, 1, lambda s, t: (L * s, t - 0.5))
    return {"abut": 1, "name": "a bar hits a wall", "planar": True, "gravity": [0, 0, 0],
            "time": {"step": h, "end": 1.6}, "contact": {"dhat": dhat}, "solver": {"tolerance": 1e-7},
            "half_spaces": [{"origin": [-GAP, 0, 0], "normal": [1, 0, 0]}],
            "bodies": [{"name": "bar", "mesh": mesh, "velocity": [-V, 0, 0], "material": {"model": "linear", "young": 900, "poisson": 0, "density": 1},
                        "fix": [{"axes": "y"}]}],
            "output": {"every": 0, "reactions": True}}


def measure(r):
    force = [(row["time"], row["bar.contact.fx"]) for row in r.csv("reactions.csv")]
    steps = r.csv("steps.csv")
    on = [t for t, f in force if f > 0.3]
    plateau = [f for t, f in force if on[0] + 0.1 < t < on[0] + 0.55]
    energy = lambda s: s["kinetic"] + s["elastic"]
    return {"time": on[-1] - on[0], "stress": sum(plateau) / len(plateau), "speed": steps[-1]["linear_momentum_x"] / L,
            "energy": energy(steps[-1]) / energy(steps[0]), "force": force, "begin": on[0]}


def run(lab):
    rows = []
    for factor in (200,) if lab.quick else (100, 200, 400, 1000):
        m = measure(lab.run(scene(L / (factor * C)), "h%d" % factor))
        rows.append(["L / (%d c)" % factor, m["time"], m["stress"], m["speed"] / V, m["energy"]])
        if factor == 200:
            lab.check("stress during contact", m["stress"], 3.0, 0.01, "Pa")
            lab.check("duration of contact", m["time"], 2 * L / C, 0.02, "s")
            lab.check("exit speed by v, against implicit Euler with an exact node", m["speed"] / V, 0.9201, 0.02)
            shown = m
    lab.table(["h", "duration (s)", "stress (Pa)", "exit speed by v", "energy kept"], rows)
    lab.plot("bar-impact", [("closed form", [(0.4, 0), (0.5, 0), (0.5, 3), (0.5 + 2 / 3, 3), (0.5 + 2 / 3, 0), (1.3, 0)], "line"),
                            ("abut", [(t, f) for t, f in shown["force"] if 0.4 < t < 1.3], "points")], "time (s)", "contact force (N)")
