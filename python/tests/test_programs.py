"""The programs of examples/programs give the bits of their scene file, and read the same forces."""
import os
import subprocess
import sys
import unittest

import numpy as np

import abut

SOURCE = os.environ["ABUT_SOURCE_DIR"]
BUILD = os.environ["ABUT_BUILD_DIR"]
FOLDER = os.path.join(SOURCE, "examples", "programs")


class Programs(unittest.TestCase):
    def test_same_bits(self):
        python = subprocess.run([sys.executable, os.path.join(FOLDER, "block.py")], check=True, capture_output=True,
                                text=True).stdout
        sim = abut.Simulation(os.path.join(FOLDER, "scene.json"))
        sim.step(50)
        numbers = np.array([float(line) for line in python.splitlines()[1:]])
        self.assertEqual(numbers.tobytes(), sim.positions[:8].ravel().tobytes())
        force = float(python.split()[4])
        weight = 9.81 * sim.masses[:8].sum()
        self.assertGreater(force, 0.2 * weight)  # it lies on the table, or bounces
        program = os.path.join(BUILD, "tests", "example_block")
        if not os.path.exists(program):
            self.skipTest("the C program is not built")
        c = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        self.assertEqual(c, python)

    def test_size(self):
        for name, limit in (("block.c", 40), ("block.py", 20)):
            with open(os.path.join(FOLDER, name)) as lines:
                self.assertLessEqual(sum(1 for line in lines if line.strip()), limit)


if __name__ == "__main__":
    unittest.main()
