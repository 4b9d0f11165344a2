#!/usr/bin/env bash
# A source package of this tree, and `pip install .` in it, into a new virtual environment without a network: what the package
# lacks, the build misses. With ccache the compiler's work is that of the tests' own build (same flags, paths relative to the
# source); without it the build takes some minutes of one core.
set -euo pipefail
: "${ABUT_SOURCE_DIR:?}"
: "${ABUT_BUILD_DIR:?}"
python=/usr/bin/python3
"$python" -c 'import venv, numpy' 2>/dev/null || { echo "skipped: no python3-venv or python3-numpy"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH
export CCACHE_DIR=${CCACHE_DIR:-$HOME/.cache/ccache} CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
if command -v ccache > /dev/null; then export CMAKE_C_COMPILER_LAUNCHER=ccache; fi
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 HOME=$work
"$python" -m venv --system-site-packages "$work/venv"
flags=$(sed -n 's/^\(ABUT_WERROR\|ABUT_ARCH\):[A-Z]*=\(..*\)$/-D\1=\2/p' "$ABUT_BUILD_DIR/CMakeCache.txt" | tr '\n' ' ')
export CMAKE_ARGS="$flags${CMAKE_ARGS:-}"
cd "$work"

# The source package: by python3-build where that is installed, else by the back end itself.
if "$work/venv/bin/python" -c 'import build' 2>/dev/null; then
    "$work/venv/bin/python" -m build --sdist --no-isolation -o "$work" "$ABUT_SOURCE_DIR" > sdist.log 2>&1 || { cat sdist.log; exit 1; }
else
    "$python" - "$ABUT_SOURCE_DIR" "$work" <<'PY'
import os, sys
sys.path.insert(0, os.path.join(sys.argv[1], "python", "backend"))
import abut_build
print(abut_build.build_sdist(sys.argv[2]))
PY
fi
tar xzf abut-*.tar.gz
cd abut-*/
pip=$work/venv/bin/pip
if "$pip" install . --config-settings colour=red > "$work/refused.log" 2>&1; then echo "an unknown setting was taken"; exit 1; fi
grep -q "knows build-dir only, found colour" "$work/refused.log"
"$pip" install . --config-settings build-dir=build > "$work/pip.log" 2>&1 || { tail -30 "$work/pip.log"; exit 1; }

cat > "$work/try.py" <<'PY'
import sys
import abut
assert abut.__file__.startswith(sys.prefix), abut.__file__
scene = abut.Scene(ground=0)
scene.add_rigid("box", mesh={"box": {"size": [1, 1, 1]}}, density=1000, translate=[0, 0.51, 0])
sim = scene.simulate()
sim.step(30)
assert 9000 < sim.body_forces()["box"]["normal"][1] < 10500
assert sim.render(size=(32, 32), samples=1)[:4] == b"\x89PNG"  # by the command in the package
PY
cd "$work"
"$work/venv/bin/python" try.py

# A wheel from the folder that has been built in: nothing is compiled again, and it holds what was installed.
cd abut-*/
if "$work/venv/bin/python" -c 'import build' 2>/dev/null; then
    make_wheel=("$work/venv/bin/python" -m build --wheel --no-isolation --config-setting build-dir=build -o "$work/wheels" .)
else
    make_wheel=("$pip" wheel . --no-deps --config-settings build-dir=build -w "$work/wheels")
fi
"${make_wheel[@]}" > "$work/wheel.log" 2>&1 || { tail -30 "$work/wheel.log"; exit 1; }
"$python" -m zipfile -l "$work"/wheels/abut-*.whl > "$work/list"
for file in abut/__init__.py abut/__init__.pyi abut/py.typed abut/scene.py abut/bin/abut; do
    grep -q "^$file " "$work/list" || { echo "$file is not in the wheel"; exit 1; }
done
grep -q '^abut/_abut\.' "$work/list"
echo ok
