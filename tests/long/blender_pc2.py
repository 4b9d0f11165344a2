"""Run by Blender: shapes (OBJ) with their point caches (PC2), compared with the positions of frames.

blender -b --python blender_pc2.py -- STEM BODY=NUMBER,... FRAME=POSITIONS.obj ...
"""
import sys

import bpy

stem, bodies, *frames = sys.argv[sys.argv.index("--") + 1:]


def positions(path):
    with open(path) as text:
        return [tuple(float(x) for x in line.split()[1:4]) for line in text if line.startswith("v ")]


bpy.ops.wm.read_factory_settings(use_empty=True)
objects = []
for part in bodies.split(","):
    name, number = part.split("=")
    bpy.ops.wm.obj_import(filepath=f"{stem}_{number}_{name}.obj", forward_axis="Y", up_axis="Z")
    found = bpy.context.selected_objects[0]
    assert found.name == name, found.name
    cache = found.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format, cache.filepath = "PC2", f"{stem}_{number}_{name}.pc2"
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"
    cache.frame_start, cache.interpolation = 0, "NONE"
    objects.append(found)
worst, moved = 0.0, 0.0
first = None
for part in frames:
    number, path = part.split("=")
    bpy.context.scene.frame_set(int(number))
    graph = bpy.context.evaluated_depsgraph_get()
    shown = [tuple(v.co) for o in objects for v in o.evaluated_get(graph).to_mesh().vertices]
    wanted = positions(path)
    assert len(shown) == len(wanted), (len(shown), len(wanted))
    worst = max(worst, max(abs(a - b) for p, q in zip(shown, wanted) for a, b in zip(p, q)))
    first = first or wanted
    moved = max(moved, max(abs(a - b) for p, q in zip(first, wanted) for a, b in zip(p, q)))
assert moved > 1e-3, moved
assert worst < 1e-6, worst
print(f"BLENDER {len(frames)} frames of {len(objects)} bodies within {worst:.2g} m")
