"""Lame's thick-walled cylinder."""
import math

from verification import grid

TITLE = "Thick-walled cylinder under pressure (Lame), and locking near nu = 0.5"
PROBLEM = """A quarter of a tube (inner radius 0.1 m, outer 0.2 m, E = 200 GPa, linear, plane strain) with 60 MPa inside, cut into 8 x 12
cells of two triangles with straight sides."""
REFERENCE = """u_r(r) = (1 + nu) p a^2 / (E (b^2 - a^2)) ((1 - 2 nu) r + b^2 / r); sigma_theta(a) = 100 MPa, sigma_theta(b) = 40 MPa,
sigma_r(a) = -60 MPa."""
A, B, P, E = 0.1, 0.2, 60e6, 2e11


def expected(nu, r):
    return (1 + nu) * P * A * A / (E * (B * B - A * A)) * ((1 - 2 * nu) * r + B * B / r)


def scene(nu=0.3, order=2, nr=8, nt=12):
    corner = lambda s, t: ((A + (B - A) * s) * math.cos(math.pi / 2 * t), (A + (B - A) * s) * math.sin(math.pi / 2 * t))
    mesh = grid(nr, nt, corner)
    for v in mesh["given"]["vertices"]:
        v[0], v[1] = (0.0 if abs(v[0]) < 1e-12 else v[0]), (0.0 if abs(v[1]) < 1e-12 else v[1])
    body = {"name": "tube", "mesh": mesh, "material": {"model": "linear", "young": E, "poisson": nu},
            "fix": [{"nodes": {"box": [[-1e-9, -1, -1], [1e-9, 1, 1]]}, "axes": "x"}, {"nodes": {"box": [[-1, -1e-9, -1], [1, 1e-9, 1]]}, "axes": "y"}],
            "boundary": [{"number": 1, "sphere": {"center": [0, 0, 0], "radius": A * 1.001}}],
            "surface_loads": [{"boundary": 1, "pressure": P}]}
    if order > 1:
        body["order"] = order
    return {"abut": 1, "name": "thick-walled cylinder", "planar": True, "gravity": [0, 0, 0], "contact": {"enabled": False},
            "time": {"step": 1, "steps": 1, "integrator": "quasi-static"}, "solver": {"tolerance": 1e-12}, "bodies": [body],
            "output": {"probes": [{"name": "in", "body": "tube", "at": [A, 0, 0], "field": "displacement"},
                                  {"name": "out", "body": "tube", "at": [B, 0, 0], "field": "displacement"},
                                  {"name": "stress-in", "body": "tube", "at": [A, 0, 0], "field": "cauchy_stress"},
                                  {"name": "stress-out", "body": "tube", "at": [B, 0, 0], "field": "cauchy_stress"}]}}


def run(lab):
    rows = []
    for nu in (0.3, 0.49, 0.499, 0.4999):
        row = ["%g" % nu]
        for order in (1, 2, 3, 4):
            last = lab.run(scene(nu, order), "%g-%d" % (nu, order)).csv("probes.csv")[-1]
            row.append("%.4f" % (last["in.x"] / expected(nu, A)))
            if nu == 0.3 and order == 2:
                lab.check("u_r(a), nu = 0.3, order 2", last["in.x"], expected(nu, A), 0.005, "m")
                lab.check("u_r(b), nu = 0.3, order 2", last["out.x"], expected(nu, B), 0.005, "m")
            if nu == 0.3 and order == 2:
                lab.check("hoop stress inside, order 2", last["stress-in.yy"], 100e6, 0.03, "Pa")
                lab.check("hoop stress outside, order 2", last["stress-out.yy"], 40e6, 0.03, "Pa")
            if nu == 0.4999 and order >= 2:
                lab.check("u_r(a), nu = 0.4999, order %d" % order, last["in.x"], expected(nu, A), 0.05 if order == 2 else 0.01, "m")
        rows.append(row)
    fine = [lab.run(scene(0.3, 1, 8 * k, 12 * k), "fine%d" % k).csv("probes.csv")[-1]["in.x"] / expected(0.3, A) - 1 for k in (1, 2, 4)]
    lab.check("u_r(a), order 1, 32 x 48 cells", 1 + fine[2], 1, 0.005)
    lab.text("Order 1, nu = 0.3: errors of u_r(a) of %s on 8 x 12, 16 x 24 and 32 x 48 cells. They fall faster than of second order: that of the polygon and that of the elements differ in sign." % ", ".join("%.3f %%" % (100 * e) for e in fine))
    lab.text("u_r(a) by the closed form. Linear triangles lock as nu goes to 0.5; use order 2 and more there:")
    lab.table(["nu", "order 1", "order 2", "order 3", "order 4"], rows)
NOTES = """Straight sides limit every order to the error of the polygon, about (pi / 24)^2 / 6 = 0.3 % of the radius."""
