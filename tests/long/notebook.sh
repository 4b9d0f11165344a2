#!/usr/bin/env bash
# A notebook that shows a simulation, run by Debian's jupyter-nbconvert and opened in a headless Chromium: picture and table are there.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
python=/usr/bin/python3
skip() { echo "skipped: $*"; exit 77; }
"$python" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"
[ -x /usr/bin/jupyter-nbconvert ] || skip "jupyter-nbconvert is not installed"
"$python" -c 'import ipykernel' 2> /dev/null || skip "python3-ipykernel is not installed"
browser=$(command -v chromium) || skip "chromium is not installed"
ls "$ABUT_BUILD_DIR"/python/abut/_abut*.so > /dev/null 2>&1 || skip "the Python package is not built (ABUT_PYTHON)"
cd "$scratch" || exit 1
"$python" - << 'END' || fail "writing the notebook"
import nbformat
book = nbformat.v4.new_notebook()
book.cells = [nbformat.v4.new_markdown_cell("# A box that falls"), nbformat.v4.new_code_cell(
    'import abut\nscene = abut.Scene(ground=0)\n'
    'scene.add_rigid("crate", mesh={"box": {"size": [1, 1, 1]}}, density=1000, translate=[0, 0.8, 0])\n'
    'sim = scene.simulate()\nsim.step(10)\nsim')]
book.metadata["kernelspec"] = {"name": "abut-test", "display_name": "Python", "language": "python"}
nbformat.write(book, "show.ipynb")
END
# The kernel is the system's interpreter, whatever `python3` is in the path.
mkdir -p kernels/abut-test
echo "{\"argv\": [\"$python\", \"-m\", \"ipykernel_launcher\", \"-f\", \"{connection_file}\"], \"display_name\": \"Python\", \"language\": \"python\"}" > kernels/abut-test/kernel.json
export JUPYTER_PATH=$scratch HOME=$scratch PYTHONPATH=$ABUT_BUILD_DIR/python PATH="$(dirname "$abut"):$PATH"
"$python" /usr/bin/jupyter-nbconvert --to html --execute --ExecutePreprocessor.timeout=300 show.ipynb > log 2>&1 || fail "nbconvert: $(tail -5 log)"
# The notebook of the documentation.
if "$python" -c 'import matplotlib' 2> /dev/null; then
    sed 's/"name": "python3"/"name": "abut-test"/' "$ABUT_SOURCE_DIR/docs/tutorials/gradients.ipynb" > gradients.ipynb
    "$python" /usr/bin/jupyter-nbconvert --to notebook --execute --ExecutePreprocessor.timeout=300 --output done.ipynb gradients.ipynb > log 2>&1 || fail "gradients.ipynb: $(tail -5 log)"
    grep -q "hidden: {'young': 30000.0" done.ipynb || fail "gradients.ipynb has no result"
fi
# What the browser has after loading: the size of the picture as it was decoded, and the table.
"$python" - << 'END' || fail "adding the question"
text = open("show.html").read()
question = """<script>addEventListener("load", () => { const i = document.querySelector('img[alt^="the scene at"]');
document.title = "FOUND " + (i ? i.naturalWidth + "x" + i.naturalHeight : "none") + " " +
    [...document.querySelectorAll("td")].map((c) => c.textContent).join("|") + " " +
    [...document.querySelectorAll("iframe")].map((f) => f.srcdoc.length > 1e5 && f.contentDocument.querySelectorAll("canvas").length).join(); });</script>"""
open("show.html", "w").write(text.replace("</body>", question + "</body>"))
END
"$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=10000 --dump-dom "file://$scratch/show.html" > dom 2> log || fail "chromium: $(tail -3 log)"
# The scene to be turned around, where the page of the viewer is built.
frame=
[ -f "$ABUT_BUILD_DIR/viewer/index.html" ] && frame='[1-9]'
grep -q "<title>FOUND 480x270 crate|rigid|2 $frame" dom || fail "the page has '$(grep -o '<title>[^<]*' dom)'"
[ -z "${ABUT_SCREENSHOTS:-}" ] || "$browser" --headless --no-sandbox --disable-gpu --window-size=1000,900 --screenshot="$ABUT_SCREENSHOTS/notebook.png" \
    "file://$scratch/show.html" > log 2>&1
exit $((failures > 0))
