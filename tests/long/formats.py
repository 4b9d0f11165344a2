"""formats.py FOLDER: the frames of all runs in a folder as VTK and meshio read them, and sequences and USD films of the same runs as
others read them (meshio; tinyusdz by formats_usd.mjs), have the same bodies, frames and positions."""
import glob
import json
import os
import sys

import meshio
import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader


def read_vtk(path):
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    data = grid.GetPointData()
    names = [data.GetArrayName(i) for i in range(data.GetNumberOfArrays())]
    field = grid.GetFieldData()
    return (vtk_to_numpy(grid.GetPoints().GetData()), grid.GetNumberOfCells(), {n: vtk_to_numpy(data.GetArray(n)) for n in names},
            vtk_to_numpy(field.GetArray("TimeValue"))[0])


def near(points, others):
    """The largest distance of a point from the nearest of the others."""
    return max(numpy.abs(others - p).max(1).min() for p in points) if len(points) else 0.0


def check_frames(run):
    frames = []
    for path in sorted(glob.glob(os.path.join(run, "frames", "*.vtu"))):
        points, cells, data, time = read_vtk(path)
        other = meshio.read(path)
        assert numpy.array_equal(other.points, points), path
        assert sum(len(block.data) for block in other.cells) == cells, path
        assert {"body", "velocity", "displacement"} <= set(data), (path, sorted(data))
        assert all(numpy.array_equal(other.point_data[name].reshape(data[name].shape), data[name]) for name in data), path
        frames.append((time, points, data["body"], points - data["displacement"]))
    assert numpy.allclose(frames[-1][3], frames[0][3], atol=1e-9), run  # displacements have one origin
    return frames


def check_usd(short, frames):
    found = json.load(open(short + ".usd.json", encoding="utf-8"))
    assert len(found["bodies"]) == len(set(frames[0][2])), short
    assert len(found["meshes"]) == sum(body["kind"] == "Mesh" for body in found["bodies"]), short
    for body in found["bodies"]:
        number = int(body["name"].split("_")[1])
        assert len(body["samples"]) == len(frames), short
        for sample, (time, points, bodies, _) in zip(body["samples"], frames):
            own = points[bodies == number]
            assert abs(sample["time"] - 24 * time) < 1e-6, (short, sample["time"], time)
            assert near(numpy.array([sample["first"], sample["last"]]), own) < 1e-6, (short, body["name"])


def main(folder):
    count = {"frames": 0, "OBJ and PLY files": 0, "USD films": 0}
    for run in sorted(glob.glob(os.path.join(folder, "*.run"))):
        short = run[:-4]
        frames = check_frames(run)
        count["frames"] += len(frames)
        for number, (_, points, bodies, _) in enumerate(frames):
            for kind in ("obj", "ply"):
                path = f"{short}_{number:06d}.{kind}"
                other = meshio.read(path)
                assert near(other.points, points) < 1e-6, path
                assert kind == "obj" or set(other.point_data["body"].ravel()) == set(bodies), path
                count["OBJ and PLY files"] += 1
        if os.path.exists(short + ".usd.json"):
            check_usd(short, frames)
            count["USD films"] += 1
    assert count["frames"] >= 20, count
    print("FORMATS", ", ".join(f"{n} {what}" for what, n in count.items()))


main(sys.argv[1])
