"""blender -b --python blender_gltf.py -- FILE.glb SECONDS NAME,... STEP=FRAME.obj...: the film as Blender shows it is the one that was
simulated: the vertices of all bodies, one after the other, are where those of the frames are, to 1e-6."""
import sys

import bpy
import numpy

# Debian's add-on is older than Debian's NumPy, which no longer has these.
for name, kind in (("bool", bool), ("int", int), ("float", float), ("object", object)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)


def vertices(path):
    with open(path, encoding="utf-8") as lines:
        return [tuple(float(x) for x in line.split()[1:4]) for line in lines if line.startswith("v ")]


def main():
    words = sys.argv[sys.argv.index("--") + 1:]
    path, step, names = words[0], float(words[1]), words[2].split(",")
    frames = dict(word.split("=") for word in words[3:])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    scene = bpy.context.scene
    worst = 0
    for number, file in frames.items():
        at = int(number) * step * scene.render.fps / scene.render.fps_base
        scene.frame_set(int(at), subframe=at - int(at))
        graph = bpy.context.evaluated_depsgraph_get()
        expected, places = vertices(file), []
        for name in names:
            body = bpy.data.objects[name].evaluated_get(graph)
            places += [tuple(body.matrix_world @ v.co) for v in body.to_mesh().vertices]
        if len(places) != len(expected):
            sys.exit(f"{len(places)} vertices instead of {len(expected)}")
        # Blender's z is up, glTF's y.
        for p, q in zip(places, expected):
            worst = max(worst, abs(p[0] - q[0]), abs(p[2] - q[1]), abs(-p[1] - q[2]))
    print(f"BLENDER {len(frames)} frames, largest difference {worst:.3g}")
    sys.exit(0 if worst <= 1e-6 else 1)


main()
