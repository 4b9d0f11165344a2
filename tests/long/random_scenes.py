#!/usr/bin/env python3
"""Random scenes of any mix of bodies, materials, steps and speeds: every run must end well, and no frame may show an
intersection, an inverted cell, a broken strain limit or a broken thickness.

usage: random_scenes.py ABUT FOLDER [FIRST [COUNT [SECONDS]]]

Scene number k is always the same one. Those that fail stay in FOLDER, together with what was said. A run that is still
going after SECONDS (120) is stopped and its frames are verified: slow is not wrong, but it is printed."""
import json
import os
import random
import shutil
import subprocess
import sys

SPACING = 1.0  # places of a lattice; every body fits into a ball of diameter 0.8 around its place


def soft(r):
    return {"model": r.choice(["neo-hookean", "neo-hookean", "fixed-corotated", "mooney-rivlin"]),
            "young": 10 ** r.uniform(3, 9), "poisson": r.choice([0.1, 0.3, 0.4, 0.45, 0.49]),
            "density": 10 ** r.uniform(1.5, 4)}


def plain(r):
    material = soft(r)
    if material["model"] == "mooney-rivlin":
        young = material.pop("young")
        del material["poisson"]
        material.update(c1=young / 8, c2=young / 12, bulk=young)
    return material


def thin(r):
    return {"young": 10 ** r.uniform(4, 7), "poisson": 0.3, "density": 10 ** r.uniform(2, 3.5)}


def deformable(r):
    mesh = r.choice([
        {"box": {"size": [0.4, 0.3, 0.4], "cells": [r.randint(1, 4), 2, 2]}},
        {"ball": {"radius": 0.3, "cells": r.randint(3, 5)}},
        {"torus": {"ring_radius": 0.25, "tube_radius": 0.08, "ring_cells": 12, "tube_cells": 5}},
        {"mat": {"size": [0.5, 0.02, 0.5], "nodes": [8, 8]}},
        {"rod": {"length": 0.6, "radius": 0.05, "cells": 8, "rings": 1}}])
    body = {"type": "deformable", "mesh": mesh, "material": plain(r)}
    if "box" in mesh and r.random() < 0.5:
        body["order"] = r.choice([2, 3])
    if r.random() < 0.15:
        body["fix"] = {"nodes": {"relative_box": [[0, 0, 0], [0.1, 1, 1]]}}
        if r.random() < 0.5:
            body["fix"]["motion"] = {"velocity": [r.uniform(-1, 1) for _ in range(3)]}
    return body


def closed_surface(r):
    return r.choice([
        {"box": {"size": [0.4, r.uniform(0.02, 0.4), 0.3], "cells": [1, 1, 1]}},
        {"sphere": {"radius": 0.3, "level": r.randint(0, 2)}},
        {"torus": {"ring_radius": 0.25, "tube_radius": 0.06, "ring_cells": 10, "tube_cells": 4}}])


def rigid(r):
    mesh = closed_surface(r)
    if r.random() < 0.2:
        mesh = r.choice([{"grid": {"size": [0.5, 0.5], "cells": [2, 2]}},
                         {"polyline": {"from": [-0.3, 0, 0], "to": [0.3, 0, 0], "segments": 3}},
                         {"helix": {"radius": 0.2, "pitch": 0.1, "turns": 2, "segments": 24}}])
    return {"type": r.choice(["rigid", "rigid", "affine"]), "mesh": mesh, "density": 10 ** r.uniform(1.5, 4),
            "angular_velocity": [r.uniform(-720, 720) if r.random() < 0.5 else 0 for _ in range(3)]}


def shell(r):
    body = {"type": "shell", "mesh": r.choice([
        {"grid": {"size": [0.55, 0.55], "cells": [r.randint(4, 10)] * 2}},
        {"tube": {"radius": 0.15, "length": 0.4, "around": 12, "along": 5}}])}
    if r.random() < 0.5:
        body["shell"] = {"preset": r.choice(["cotton", "wool", "polyester", "paper", "orthotropic-silk"]),
                         "membrane_scale": 10 ** r.uniform(-2, 0)}
    else:
        body["material"] = thin(r)
        body["shell"] = {"thickness": 10 ** r.uniform(-4, -2.3)}
        if r.random() < 0.4:
            body["shell"]["strain_limit"] = {"upper": r.choice([1.05, 1.1, 1.3])}
    if r.random() < 0.5:
        body["offset"] = r.choice([1e-4, 1e-3, 5e-3])
    return body


def rod(r):
    body = {"type": "rod", "material": thin(r), "rod": {"diameter": 10 ** r.uniform(-3, -2)}, "mesh": r.choice([
        {"polyline": {"from": [-0.35, 0, 0], "to": [0.35, 0, 0], "segments": r.randint(3, 20)}},
        {"helix": {"radius": 0.2, "pitch": 0.1, "turns": 2, "segments": 30}},
        {"bundle": {"from": [-0.3, 0, 0], "to": [0.3, 0, 0], "segments": 6, "counts": [1, 3, 3], "spacing": 0.06}}])}
    if r.random() < 0.5:
        body["offset"] = 2e-3
    return body


def particles(r):
    return {"type": "particles", "mesh": {"lattice": {"counts": [3, 3, 3], "spacing": 0.15, "jitter": 0.02}},
            "density": 1000, "particles": {"radius": 0.02}, "offset": r.choice([0, 0.01, 0.03])}


def obstacle(r):
    body = {"type": "obstacle", "mesh": r.choice([
        {"sphere": {"radius": 0.3, "level": 2}}, {"grid": {"size": [0.55, 0.55], "cells": [3, 3]}},
        {"polyline": {"from": [-0.3, 0, 0], "to": [0.3, 0, 0], "segments": 2}},
        {"lattice": {"counts": [3, 1, 3], "spacing": 0.2}}])}
    if r.random() < 0.3:
        body["motion"] = {"angular_velocity": [r.uniform(-360, 360), 0, 0], "velocity": [0, 0, 0]}
    return body


def scene(number):
    r = random.Random(number)
    places = [(x, y, z) for x in range(2) for y in range(3) for z in range(2)]
    r.shuffle(places)
    speed = r.choice([0, 1, 10, 100]) * r.random()
    bodies = []
    for place in places[:r.randint(2, 6)]:
        body = r.choice([deformable, deformable, rigid, shell, rod, particles, obstacle])(r)
        body["translate"] = [SPACING * place[0], 0.7 + SPACING * place[1], SPACING * place[2]]
        if body["type"] != "obstacle":
            middle = [0.5, 1.7, 0.5]
            body["velocity"] = [speed * (m - t) for m, t in zip(middle, body["translate"])]
        if r.random() < 0.7:
            body["rotate"] = [r.uniform(-180, 180) for _ in range(3)]
        if r.random() < 0.3:
            body["friction"] = r.choice([0, 0.1, 0.5, 1])
        bodies.append(body)
    if all(b["type"] == "obstacle" for b in bodies):
        bodies[0] = dict(deformable(r), translate=bodies[0]["translate"])
    result = {
        "abut": 1, "name": "random-%d" % number,
        "time": {"step": r.choice([0.001, 0.01, 0.02, 0.04, 0.1]), "steps": 25,
                 "integrator": r.choice(["implicit-euler"] * 3 + ["newmark", "bdf2"])},
        "contact": {"friction": r.choice([0, 0, 0.1, 0.5, 1]), "dhat": r.choice(["1e-3 l", "1e-3 l", 0.01, 1e-4]),
                    "friction_iterations": r.choice([1, 1, 1, 4]),
                    "ccd": r.choice(["tight-inclusion"] * 3 + ["additive"])},
        "bodies": bodies}
    if r.random() < 0.8:
        result["ground"] = 0
    if r.random() < 0.2:
        result["contact"]["area_weighted"] = True
    return result


def main():
    abut, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    first, count = (int(sys.argv[3]) if len(sys.argv) > 3 else 0), (int(sys.argv[4]) if len(sys.argv) > 4 else 100)
    seconds = float(sys.argv[5]) if len(sys.argv) > 5 else 120
    failed = slow = 0
    for number in range(first, first + count):
        place = os.path.join(folder, str(number))
        os.makedirs(place, exist_ok=True)
        path, out = os.path.join(place, "scene.json"), os.path.join(place, "run")
        with open(path, "w") as f:
            json.dump(scene(number), f, indent=1)
        shutil.rmtree(out, ignore_errors=True)
        run = subprocess.run(["timeout", "-s", "INT", "-k", "30", str(seconds), abut, "run", path, "-o", out, "--quiet"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        verify = subprocess.run([abut, "verify", out], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            with open(os.path.join(out, "run.json")) as f:
                status = json.load(f)
        except (OSError, ValueError):
            status = {}
        # A step that lasts longer than the patience of `timeout` is slow as well; nothing is written while it lasts.
        late = status.get("status") == "interrupted" or run.returncode in (-9, 137)
        good = verify.returncode == 0 and (late or (run.returncode == 0 and status.get("status") == "ok"))
        words = "%d: %s, %s steps, %s Newton iterations, verify %s" % (
            number, status.get("status", "exit %d" % run.returncode), status.get("steps"),
            status.get("newton_iterations"), "clean" if verify.returncode == 0 else "exit %d" % verify.returncode)
        print(words + ("" if good else "  FAILED: " + run.stdout[-600:] + verify.stdout[-600:]), flush=True)
        failed, slow = failed + (not good), slow + late
        if good and not late:
            shutil.rmtree(place)
    print("%d scenes, %d failed, %d stopped after %g s" % (count, failed, slow, seconds))
    sys.exit(1 if failed else 0)


main()
