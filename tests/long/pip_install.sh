#!/usr/bin/env bash
# A source package of this tree, and `pip install .` in it, into a new virtual environment without a network: what the package
# lacks, the build misses. (One build, which takes some minutes of one core.)
set -euo pipefail
: "${ABUT_SOURCE_DIR:?}"
python=/usr/bin/python3
"$python" -c 'import venv, numpy' 2>/dev/null || { echo "skipped: no python3-venv or python3-numpy"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH
export CCACHE_DIR=${CCACHE_DIR:-$HOME/.cache/ccache}
if command -v ccache > /dev/null; then export CMAKE_C_COMPILER_LAUNCHER=ccache; fi
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 HOME=$work
"$python" -m venv --system-site-packages "$work/venv"
cd "$work"
"$python" - "$ABUT_SOURCE_DIR" "$work" <<'PY'
import os, sys
sys.path.insert(0, os.path.join(sys.argv[1], "python", "backend"))
import abut_build
print(abut_build.build_sdist(sys.argv[2]))
PY
tar xzf abut-*.tar.gz
(cd abut-*/ && "$work/venv/bin/pip" install .) > pip.log 2>&1 || { tail -30 pip.log; exit 1; }
cat > try.py <<'PY'
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
"$work/venv/bin/python" try.py
echo ok
