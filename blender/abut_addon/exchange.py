"""Scenes out of Blender and results back into it."""

import glob
import json
import os
import re
import subprocess

import bpy

ROLES = (("none", "Takes no part"), ("soft", "A body that deforms; its surface may have holes"), ("cloth", "A sheet"),
         ("rope", "Its edges are ropes"), ("rigid", "A body that does not deform"),
         ("obstacle", "Follows its animation, whatever it meets"))
SHOWN = {"soft": ("young", "density", "cells"), "cloth": ("young", "density", "thickness"),
         "rope": ("young", "density", "thickness"), "rigid": ("density",)}


class Problem(Exception):
    """What the user should read."""


def folder_of(context):
    return bpy.path.abspath(context.scene.abut_folder)


def frame_count(context):
    return context.scene.frame_end - context.scene.frame_start


def chosen(context):
    return [o for o in context.scene.objects if o.type == "MESH" and getattr(o, "abut_role", "none") != "none"]


def clean(name):
    return re.sub(r"[^A-Za-z0-9-]", "_", name)


def shape(item, graph):
    """Vertices in the world, triangles and edges of an object as it is shown."""
    shown = item.evaluated_get(graph)
    mesh = shown.to_mesh()
    mesh.calc_loop_triangles()
    points = [tuple(item.matrix_world @ v.co) for v in mesh.vertices]
    triangles = [tuple(t.vertices) for t in mesh.loop_triangles]
    edges = [tuple(e.vertices) for e in mesh.edges]
    shown.to_mesh_clear()
    return points, triangles, edges


def write_obj(path, points, triangles=(), edges=()):
    with open(path, "w") as out:
        out.writelines("v %.9g %.9g %.9g\n" % p for p in points)
        out.writelines("f %d %d %d\n" % tuple(i + 1 for i in t) for t in triangles)
        out.writelines("l %d %d\n" % tuple(i + 1 for i in e) for e in edges)


def write_animation(context, folder, items):
    """Positions of obstacles at the end of every step: one file per frame. Returns the names of those that move."""
    start, moving, before = context.scene.frame_start, set(), {}
    for step in range(frame_count(context) + 1):
        context.scene.frame_set(start + step)
        graph = context.evaluated_depsgraph_get()
        for item in items:
            points = shape(item, graph)[0]
            if len(points) != len(before.setdefault(item.name, points)):
                raise Problem(f"{item.name}: its number of vertices changes; an obstacle must keep it")
            if points != before[item.name]:
                moving.add(item.name)
            if step > 0:
                target = os.path.join(folder, "motion_" + clean(item.name))
                os.makedirs(target, exist_ok=True)
                write_obj(os.path.join(target, f"{step}.obj"), points)
    context.scene.frame_set(start)
    return moving


def body_of(context, item, moving):
    role, name = item.abut_role, clean(item.name)
    body = {"name": name, "mesh": {"file": name + ".obj"}}
    material = {"young": item.abut_young, "poisson": 0.35, "density": item.abut_density}
    if role == "soft":
        body.update(type="deformable", material=material)
        body["mesh"]["fill"] = {"cells": item.abut_cells}
    elif role == "cloth":
        body.update(type="shell", material=material, shell={"thickness": item.abut_thickness})
    elif role == "rope":
        body.update(type="rod", material=material, rod={"diameter": item.abut_thickness})
    elif role == "rigid":
        body.update(type="rigid", density=item.abut_density)
    else:
        body["type"] = "obstacle"
        if item.name in moving:
            body["sequence"] = {"folder": "motion_" + name, "extension": "obj", "first": 1}
    return body


def write_scene(context):
    """Writes scene.json with its meshes; returns the folder."""
    items, scene = chosen(context), context.scene
    if not items:
        raise Problem("no object has a role: choose one in the panel")
    if len({clean(item.name) for item in items}) < len(items):
        raise Problem("two objects have names that differ in special characters only: rename one")
    if frame_count(context) < 1:
        raise Problem("the animation has one frame only")
    folder = folder_of(context)
    os.makedirs(folder, exist_ok=True)
    fps = scene.render.fps / scene.render.fps_base
    moving = write_animation(context, folder, [item for item in items if item.abut_role == "obstacle"])
    graph = context.evaluated_depsgraph_get()
    for item in items:
        points, triangles, edges = shape(item, graph)
        rope = item.abut_role == "rope"
        if not (edges if rope else triangles):
            raise Problem(f"{item.name}: has no {'edges' if rope else 'faces'}")
        write_obj(os.path.join(folder, clean(item.name) + ".obj"), points, () if rope else triangles, edges if rope else ())
    gravity = list(scene.gravity) if scene.use_gravity else [0, 0, 0]
    document = {"abut": 1, "name": "blender", "time": {"step": 1 / fps, "end": frame_count(context) / fps}, "gravity": gravity,
                "contact": {"friction": scene.abut_friction}, "bodies": [body_of(context, item, moving) for item in items]}
    with open(os.path.join(folder, "scene.json"), "w") as out:
        json.dump(document, out, indent=1)
    return folder


def call(context, *words):
    try:
        return subprocess.Popen([bpy.path.abspath(context.scene.abut_command), *words], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise Problem(f"the command abut does not start: {error}") from None


def start(context, folder):
    return call(context, "run", os.path.join(folder, "scene.json"), "-o", os.path.join(folder, "run"), "--quiet")


def finish(process):
    said = process.communicate()[1]
    if process.returncode not in (0, 130, -15):
        raise Problem(said.strip() or f"abut ended with code {process.returncode}")


def frames_done(folder):
    return max(0, len(glob.glob(os.path.join(folder, "run", "frames", "frame_*.vtu"))) - 1)


def load(context, folder):
    """The run as objects NAME.abut with mesh caches; the originals are hidden."""
    for path in glob.glob(os.path.join(folder, "film_*")):
        os.remove(path)
    finish(call(context, "convert", os.path.join(folder, "run"), os.path.join(folder, "film.pc2")))
    originals = {clean(item.name): item for item in chosen(context)}
    for path in sorted(glob.glob(os.path.join(folder, "film_*.pc2"))):
        name = re.match(r"film_\d+_(.*)\.pc2$", os.path.basename(path)).group(1)
        old = bpy.data.objects.get(name + ".abut")
        if old is not None:
            bpy.data.objects.remove(old)
        bpy.ops.wm.obj_import(filepath=path[:-3] + "obj", forward_axis="Y", up_axis="Z")
        found = context.selected_objects[0]
        found.name = name + ".abut"
        cache = found.modifiers.new("abut", "MESH_CACHE")
        cache.cache_format, cache.filepath = "PC2", path
        cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"
        cache.frame_start = context.scene.frame_start
        if name in originals:
            for slot in originals[name].material_slots:
                found.data.materials.append(slot.material)
            originals[name].hide_set(True)
            originals[name].hide_render = True
