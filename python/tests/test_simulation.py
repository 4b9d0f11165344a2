"""The simulator from Python: the same results as in C, state without copies, callbacks, errors."""

import gc
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest
import weakref

import abut
import numpy as np

SOURCE = pathlib.Path(os.environ["ABUT_SOURCE_DIR"])
COMMAND = os.environ["ABUT_COMMAND"]
STACK = SOURCE / "examples/contact/cube-stack/scene.json"


def box_scene(**more):
    """A box of jelly in free flight, without gravity."""
    scene = {
        "abut": 1,
        "time": {"step": 0.01, "end": 0.1},
        "gravity": [0, 0, 0],
        "materials": {"jelly": {"model": "neo-hookean", "young": 1e5, "poisson": 0.3, "density": 1000}},
        "bodies": [{"name": "box", "type": "deformable", "material": "jelly",
                    "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}}}],
    }
    scene.update(more)
    return scene


def two_boxes():
    scene = box_scene()
    second = dict(scene["bodies"][0], name="second", translate=[0, 0.15, 0])
    scene["bodies"].append(second)
    return scene


class State(unittest.TestCase):
    def test_arrays_are_the_simulator_s_own_memory(self):
        sim = abut.Simulation(box_scene())
        x = sim.positions
        self.assertFalse(x.flags.owndata)
        self.assertTrue(np.shares_memory(x, sim.positions))
        self.assertEqual(x.shape, (27, 3))
        sim.velocities[:] = [1, 0, 0]
        before = x.copy()
        sim.step()
        np.testing.assert_allclose(x, before + [0.01, 0, 0], atol=1e-12)
        self.assertEqual(sim.info["step"], 1)
        sim.positions = before
        self.assertTrue((x == before).all())
        with self.assertRaises(ValueError):
            sim.masses[0] = 1

    def test_arrays_outlive_the_object(self):
        sim = abut.Simulation(box_scene())
        x = sim.positions
        before = x.copy()
        del sim
        gc.collect()
        self.assertTrue((x == before).all())

    def test_a_log_that_refers_to_its_simulation_is_no_leak(self):
        kept = []
        sim = abut.Simulation(box_scene(), log=lambda level, text: kept)
        kept.append(sim)
        gone = weakref.ref(sim)
        del sim, kept
        gc.collect()
        self.assertIsNone(gone())

    def test_own_forces_accelerate(self):
        sim = abut.Simulation(box_scene())
        sim.forces[:] = sim.masses[:, None] * [0, 2, 0]
        sim.step(5)
        np.testing.assert_allclose(sim.velocities, np.tile([0, 0.1, 0], (27, 1)), atol=1e-9)
        sim.forces[:] = 0
        sim.step()
        np.testing.assert_allclose(sim.velocities, np.tile([0, 0.1, 0], (27, 1)), atol=1e-9)

    def test_bodies_and_surface(self):
        sim = abut.Simulation(two_boxes())
        names = [body["name"] for body in sim.bodies]
        self.assertEqual(names, ["box", "second"])
        second = sim.bodies[1]
        self.assertEqual((second["kind"], second["kinematic"]), ("deformable", False))
        self.assertAlmostEqual(sim.positions[second["nodes"]][:, 1].mean(), 0.15)
        self.assertAlmostEqual(sim.vertices[second["vertices"]][:, 1].mean(), 0.15)
        self.assertTrue((sim.vertices == sim.rest_vertices).all())
        self.assertEqual(sim.tetrahedra.shape, (96, 4))
        self.assertEqual(sim.triangles[second["triangles"]].min(), second["vertices"].start)
        self.assertAlmostEqual(sim.masses.sum(), 2.0)
        mesh = sim.collision_mesh()
        self.assertEqual(mesh.intersections(sim.vertices), [])
        # Within a box the edges of its triangles are closer than the two boxes are.
        self.assertLess(mesh.smallest_distance(sim.vertices, 1)[0], 0.05)
        self.assertGreater(sim.check(), 0)
        self.assertEqual(sim.scene["time"]["step"], 0.01)
        self.assertIn("box, second", repr(sim))

    def test_written_positions_are_checked(self):
        sim = abut.Simulation(two_boxes())
        second = sim.bodies[1]["nodes"]
        sim.positions[second] -= [0, 0.07, 0]
        with self.assertRaisesRegex(abut.InfeasibleError, "intersections"):
            sim.check()
        sim.positions[second] += [0, 0.07, 0]
        sim.check()
        sim.positions[0, 0] = np.nan
        with self.assertRaisesRegex(abut.InfeasibleError, "node 0 is not finite"):
            sim.check()

    def test_save_and_restore_give_the_same_bits(self):
        with tempfile.TemporaryDirectory() as folder:
            sim = abut.Simulation(STACK)
            sim.step(3)
            sim.save(os.path.join(folder, "state.h5"))
            sim.step(3)
            again = abut.Simulation(STACK)
            again.restore(os.path.join(folder, "state.h5"))
            self.assertEqual(again.info["step"], 3)
            again.step(3)
            self.assertTrue((again.positions == sim.positions).all())
            other = abut.Simulation(box_scene())
            with self.assertRaises(abut.InputError):
                other.restore(os.path.join(folder, "state.h5"))


class SameAsC(unittest.TestCase):
    def test_results_are_identical(self):
        steps = 8
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([COMMAND, "run", str(STACK), "-o", folder, "--steps", str(steps), "--quiet"],
                           check=True)
            by_command = abut.Simulation(STACK)
            by_command.restore(os.path.join(folder, "checkpoint.h5"))
        stepped = abut.Simulation(STACK)
        for _ in range(steps):
            stepped.step()
        self.assertEqual(by_command.info["step"], steps)
        self.assertTrue((stepped.positions == by_command.positions).all())
        self.assertTrue((stepped.velocities == by_command.velocities).all())

    def test_stepping_costs_less_than_two_percent_more(self):
        sim = abut.Simulation(STACK)
        calls = 2000
        start = time.process_time()
        for _ in range(calls):
            sim.step(0)  # all that Python adds to a step
        each = (time.process_time() - start) / calls
        start = time.process_time()
        sim.step(5)
        step = (time.process_time() - start) / 5
        print(f"a call costs {1e6 * each:.1f} us, a step {1e3 * step:.1f} ms")
        self.assertLess(each, 0.02 * step)


class Callbacks(unittest.TestCase):
    def test_progress_of_runs(self):
        seen = []
        with tempfile.TemporaryDirectory() as folder:
            sim = abut.Simulation(box_scene())
            last = sim.run(folder, progress=lambda info, total: seen.append((info["step"], total)))
            self.assertEqual(seen, [(i, 10) for i in range(1, 11)])
            self.assertEqual(last["step"], 10)
            self.assertTrue(os.path.exists(os.path.join(folder, "run.json")))

    def test_progress_can_stop_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            sim = abut.Simulation(box_scene())
            with self.assertRaisesRegex(abut.Interrupted, "after step 4"):
                sim.run(folder, progress=lambda info, total: info["step"] < 4)
            self.assertEqual(sim.info["step"], 4)
            self.assertEqual(sim.run(folder, resume=True)["step"], 10)

    def test_exceptions_of_callbacks_come_through(self):
        def fail(info, total):
            raise KeyError("mine")

        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(KeyError, "mine"):
                abut.Simulation(box_scene()).run(folder, progress=fail)

    def test_log(self):
        messages = []
        # dhat above the shortest edge earns a warning.
        abut.Simulation(two_boxes(), overrides=["contact.dhat=0.06"],
                        log=lambda level, text: messages.append((level, text)))
        self.assertTrue(any(level == "warning" and "dhat" in text for level, text in messages), messages)

    def test_other_threads_go_on_during_a_step(self):
        sim = abut.Simulation(STACK)
        count, done = 0, threading.Event()

        def work():
            sim.step(300)  # one call, long enough for a busy machine
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            count += 1
            time.sleep(0.0005)
        thread.join()
        self.assertGreater(count, 10)

    def test_one_simulation_is_not_for_two_threads(self):
        sim = abut.Simulation(STACK)
        thread = threading.Thread(target=sim.step, args=(30,))
        thread.start()
        refused = False
        while thread.is_alive() and not refused:
            try:
                sim.check()
            except RuntimeError as error:
                refused = "another thread" in str(error)
        thread.join()
        self.assertTrue(refused)


class Errors(unittest.TestCase):
    def test_same_messages_as_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.json")
            with open(path, "w") as file:
                file.write('{"abut": 1, "time": {"step": -1}, "bodies": []}')
            result = subprocess.run([COMMAND, "check", path], capture_output=True, text=True)
            with self.assertRaises(abut.InputError) as caught:
                abut.Simulation(path)
            self.assertIn(str(caught.exception).split(": ", 1)[1], result.stdout + result.stderr)
            self.assertEqual(caught.exception.status, "input error")
            self.assertIn("scene.json", caught.exception.place)
            self.assertIsInstance(caught.exception, ValueError)

    def test_missing_files(self):
        with self.assertRaisesRegex(abut.FileError, "nothing.json: cannot open"):
            abut.Simulation("nothing.json")
        self.assertTrue(issubclass(abut.FileError, OSError))

    def test_an_intersecting_start_is_refused(self):
        scene = two_boxes()
        scene["bodies"][1]["translate"] = [0, 0.05, 0]
        with self.assertRaises(abut.InfeasibleError):
            abut.Simulation(scene)

    def test_wrong_arguments(self):
        sim = abut.Simulation(box_scene())
        with self.assertRaisesRegex(abut.InputError, r"positions: an array of shape \(27, 3\)"):
            sim.positions = np.zeros((3, 3))
        with self.assertRaises(TypeError):
            abut.Simulation("scene.json", folder=".")
        with self.assertRaisesRegex(abut.InputError, 'log_level: "loud" is not allowed'):
            abut.Simulation(box_scene(), log_level="loud")
        with self.assertRaises(TypeError):
            abut.Simulation(box_scene(), overrides=[1])


if __name__ == "__main__":
    unittest.main()
