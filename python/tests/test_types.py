"""The type stubs: mypy finds nothing wrong with them and with the examples, and what they name is there."""
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import abut
import abut.control
import abut.gradient
import abut.scene

SOURCE = os.environ["ABUT_SOURCE_DIR"]


class Types(unittest.TestCase):
    def test_mypy(self):
        mypy = shutil.which("mypy", path="/usr/bin:" + os.environ["PATH"])
        if not mypy:
            self.skipTest("mypy is not installed")
        with tempfile.TemporaryDirectory() as cache:
            found = subprocess.run(
                [mypy, "--python-executable", sys.executable, "--cache-dir", cache, "--ignore-missing-imports",
                 "--follow-imports=silent", "-p", "abut"],
                cwd=os.path.join(SOURCE, "python"), env={**os.environ, "MYPYPATH": os.path.join(SOURCE, "python")},
                capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)

    def test_stubs_name_what_is_there(self):
        for module, name in ((abut.scene, "scene"), (abut.control, "control"), (abut.gradient, "gradient")):
            with open(os.path.join(SOURCE, "python", "abut", name + ".pyi")) as text:
                tree = ast.parse(text.read())
            for node in tree.body:
                if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or getattr(node, "bases", None) and any(
                        isinstance(base, ast.Name) and base.id == "TypedDict" for base in node.bases):
                    continue
                self.assertTrue(hasattr(module, node.name), node.name)
                for part in getattr(node, "body", []):
                    if isinstance(node, ast.ClassDef) and isinstance(part, ast.FunctionDef):
                        self.assertTrue(hasattr(getattr(module, node.name), part.name), part.name)


if __name__ == "__main__":
    unittest.main()
