"""What the cases of the verification manual share: running scenes, reading results, checks, tables, plots.

A case is a folder with `case.py`, which defines TITLE, PROBLEM, REFERENCE (text of its page), `scene(...)` (the scene as a dict; without
arguments the one kept as scene.json) and `run(lab)`. `scripts/verify-cases` runs them. Only Python's own library is used.
"""
import csv
import json
import math
import os
import re
import struct
import subprocess
import zlib


class Frame:
    """A frame that abut wrote: points, cells and fields as lists."""

    def __init__(self, path):
        data = open(path, "rb").read()
        head, raw = data.split(b'<AppendedData encoding="raw">', 1)
        raw = raw[raw.index(b"_") + 1:]
        self.arrays = {}
        section = ""
        for tag in re.finditer(rb"<(/?)(Points|Cells|PointData|CellData|FieldData|DataArray)([^>]*)>", head):
            name = tag.group(2).decode()
            if tag.group(1):
                continue
            if name != "DataArray":
                section = name
                continue
            at = dict(re.findall(r'(\w+)="([^"]*)"', tag.group(3).decode()))
            if "offset" in at:
                key = (section, at.get("Name", ""))
                self.arrays[key] = (at["type"], int(at.get("NumberOfComponents", "1") or 1), int(at["offset"]))
        self.raw, self.head = raw, head.decode("latin-1")

    def read(self, section, name):
        kind, components, offset = self.arrays[(section, name)]
        wide = 'header_type="UInt64"' in self.head
        form, width = ("Q", 8) if wide else ("I", 4)
        blocks, size, last = struct.unpack_from("<3" + form, self.raw, offset)
        sizes = struct.unpack_from("<%d%s" % (blocks, form), self.raw, offset + 3 * width)
        at, out = offset + (3 + blocks) * width, b""
        for length in sizes:
            out += zlib.decompress(self.raw[at:at + length])
            at += length
        code = {"Float64": "d", "Int32": "i", "UInt8": "B", "Int64": "q"}[kind]
        values = struct.unpack("<%d%s" % (len(out) // struct.calcsize(code), code), out)
        if components == 1:
            return list(values)
        return [values[i:i + components] for i in range(0, len(values), components)]

    def points(self):
        return self.read("Points", [k[1] for k in self.arrays if k[0] == "Points"][0])

    def field(self, name):
        return self.read("PointData", name)


class Run:
    def __init__(self, folder, seconds):
        self.folder, self.seconds = folder, seconds

    def csv(self, name):
        with open(os.path.join(self.folder, name), newline="") as table:
            rows = list(csv.DictReader(table))
        return [{key: float(value) for key, value in row.items()} for row in rows]

    def summary(self):
        return json.load(open(os.path.join(self.folder, "run.json")))

    def unknowns(self):
        return int(max(row["unknowns"] for row in self.csv("steps.csv")))

    def iterations(self):
        return int(sum(row["newton_iterations"] for row in self.csv("steps.csv")))

    def frame(self, step=None):
        folder = os.path.join(self.folder, "frames")
        names = sorted(n for n in os.listdir(folder) if n.endswith(".vtu"))
        return Frame(os.path.join(folder, names[-1] if step is None else "frame_%06d.vtu" % step))


class Lab:
    """Runs the scenes of one case and keeps what its page shows."""

    def __init__(self, abut, folder, quick):
        self.abut, self.folder, self.quick = abut, folder, quick
        self.parts, self.checks, self.figures, self.cpu = [], [], {}, 0.0

    def run(self, scene, name="run", steps=None, fails=False):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "scene.json")
        json.dump(scene, open(path, "w"))
        out = os.path.join(folder, "out")
        command = [self.abut, "run", path, "-o", out, "--quiet", "--threads", "1"]
        before = os.times()
        done = subprocess.run(command, capture_output=True, text=True)
        after = os.times()
        if done.returncode and not fails:
            raise RuntimeError("%s: exit %d: %s" % (name, done.returncode, done.stderr.strip()[-400:]))
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        self.cpu += seconds
        return Run(out, seconds)

    def check(self, what, measured, reference, bound, unit="", relative=True):
        """|measured - reference| <= bound (of the reference, where relative)."""
        error = abs(measured - reference) / (abs(reference) if relative else 1)
        self.checks.append((what, measured, reference, error, bound, unit, relative))
        return error

    def text(self, text):
        self.parts.append(text.strip())

    def table(self, heads, rows):
        lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
        lines += ["| " + " | ".join(cell if isinstance(cell, str) else "%.5g" % cell for cell in row) + " |" for row in rows]
        self.parts.append("\n".join(lines))

    def plot(self, name, series, xlabel, ylabel, log=False):
        """series: (label, [(x, y)], "line" or "points")."""
        self.figures[name] = svg(series, xlabel, ylabel, log)
        self.parts.append("![%s over %s](%s.svg)" % (ylabel, xlabel, name))

    def failures(self):
        return [c for c in self.checks if not c[3] <= c[4]]


def orders(sizes, errors):
    """Observed order of convergence between neighbours."""
    out = [float("nan")]
    for i in range(1, len(sizes)):
        out.append(math.log(errors[i - 1] / errors[i]) / math.log(sizes[i - 1] / sizes[i]) if errors[i] > 0 else float("inf"))
    return out


def fit_line(points):
    """a, b of y = a + b x by least squares."""
    n = len(points)
    sx = sum(p[0] for p in points)
    sy = sum(p[1] for p in points)
    sxx = sum(p[0] * p[0] for p in points)
    sxy = sum(p[0] * p[1] for p in points)
    b = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return (sy - b * sx) / n, b


COLORS = ["#1b6ca8", "#c8553d", "#3d8b57", "#7a5195", "#b8860b"]


def ticks(low, high):
    if high <= low:
        return [low]
    step = 10 ** math.floor(math.log10((high - low) / 4))
    for factor in (1, 2, 5, 10):
        if (high - low) / (factor * step) <= 5:
            step *= factor
            break
    first = math.ceil(low / step - 1e-9)
    return [step * k for k in range(int(first), int(math.floor(high / step + 1e-9)) + 1)]


def svg(series, xlabel, ylabel, log=False):
    width, height, left, right, top, bottom = 560, 340, 70, 150, 16, 48
    f = (lambda v: math.log10(v)) if log else (lambda v: v)
    points = [(f(x), f(y)) for _, data, _ in series for x, y in data if not log or (x > 0 and y > 0)]
    x0, x1 = min(p[0] for p in points), max(p[0] for p in points)
    y0, y1 = min(p[1] for p in points), max(p[1] for p in points)
    if not log:
        y0, y1 = min(y0, 0), max(y1, 0)
    x1, y1 = (x1 if x1 > x0 else x0 + 1), (y1 if y1 > y0 else y0 + 1)
    px = lambda v: left + (v - x0) / (x1 - x0) * (width - left - right)
    py = lambda v: height - bottom - (v - y0) / (y1 - y0) * (height - top - bottom)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">' % (width, height),
           '<rect width="%d" height="%d" fill="white"/>' % (width, height)]
    name = lambda v: "%.3g" % (10 ** v if log else v)
    for v in ticks(x0, x1):
        out.append('<path d="M%.1f %.1fV%.1f" stroke="#ddd"/><text x="%.1f" y="%.1f" text-anchor="middle">%s</text>'
                   % (px(v), top, height - bottom, px(v), height - bottom + 15, name(v)))
    for v in ticks(y0, y1):
        out.append('<path d="M%.1f %.1fH%.1f" stroke="#ddd"/><text x="%.1f" y="%.1f" text-anchor="end">%s</text>'
                   % (left, py(v), width - right, left - 5, py(v) + 4, name(v)))
    out.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>' % ((left + width - right) / 2, height - 10, xlabel))
    out.append('<text transform="translate(14 %.1f) rotate(-90)" text-anchor="middle">%s</text>' % ((top + height - bottom) / 2, ylabel))
    for i, (label, data, style) in enumerate(series):
        color = COLORS[i % len(COLORS)]
        shown = [(px(f(x)), py(f(y))) for x, y in data if not log or (x > 0 and y > 0)]
        if style == "line":
            out.append('<polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/>'
                       % (color, " ".join("%.1f,%.1f" % p for p in shown)))
        else:
            out += ['<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>' % (p[0], p[1], color) for p in shown]
        y = top + 12 + 16 * i
        out.append('<rect x="%d" y="%d" width="10" height="3" fill="%s"/><text x="%d" y="%d">%s</text>'
                   % (width - right + 10, y - 5, color, width - right + 26, y, label))
    return "\n".join(out + ["</svg>"]) + "\n"


# ---- meshes ----

def quads(path, nx, ny, corner):
    """Writes quads of a mapped square as a Gmsh file."""
    with open(path, "w") as out:
        out.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % ((nx + 1) * (ny + 1)))
        for j in range(ny + 1):
            for i in range(nx + 1):
                out.write("%d %r %r 0\n" % ((j * (nx + 1) + i + 1,) + tuple(corner(i / nx, j / ny))))
        out.write("$EndNodes\n$Elements\n%d\n" % (nx * ny))
        for j in range(ny):
            for i in range(nx):
                a = j * (nx + 1) + i + 1
                out.write("%d 3 2 0 1 %d %d %d %d\n" % (j * nx + i + 1, a, a + 1, a + nx + 2, a + nx + 1))
        out.write("$EndElements\n")


def grid(nx, ny, corner):
    """Triangles of a mapped square: corner(s, t) for s, t in 0..1; diagonals alternate."""
    vertices = [list(corner(i / nx, j / ny)) + [0.0] for j in range(ny + 1) for i in range(nx + 1)]
    triangles = []
    for j in range(ny):
        for i in range(nx):
            a, b = j * (nx + 1) + i, j * (nx + 1) + i + 1
            c, d = a + nx + 1, b + nx + 1
            triangles += [[a, b, d], [a, d, c]] if (i + j) % 2 == 0 else [[a, b, c], [b, d, c]]
    return {"given": {"vertices": vertices, "triangles": triangles}}
