#!/usr/bin/env bash
# Surfaces become soft bodies: abut mesh, mesh.fill in scenes, and what is refused.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1
scan=$ABUT_SOURCE_DIR/examples/from-surface/scan.stl

# The scan of the example is the one that its script makes.
if command -v python3 > /dev/null; then
    python3 "$ABUT_SOURCE_DIR/examples/from-surface/make-scan" made.stl || fail "make-scan"
    cmp -s made.stl "$scan" || fail "make-scan makes another scan.stl than the one that is kept"
fi

# Filling and repairing.
expect 0 'turned +130 triangles.*holes +4.*solid.*angles' mesh "$scan" scan.msh --cells 8
expect 0 'tets' info scan.msh
expect 0 'closed 3 of them' mesh "$scan" scan.obj --repair
expect 0 'closed 4 of them' mesh "$scan" whole.obj --close 10
expect 0 '"open_edges": 0' mesh whole.obj again.ply --json
expect 0 'closed.*yes|closed' info again.ply
expect 0 '"around": true' mesh "$scan" around.vtu --around --cells 8 --json
expect 2 'cannot be given together' mesh "$scan" x.msh --cells 8 --size 1
expect 2 'must be cage or gmsh' mesh "$scan" x.msh --method tetgen
expect 2 'filled already' mesh scan.msh x.msh
expect 2 'cubes' mesh "$scan" x.msh --size 1e-5
expect 2 "cannot be written as 'stl'" mesh "$scan" x.stl
expect 5 'cannot open' mesh none.stl x.msh
head -c 1000 "$scan" > cut.stl
expect 2 'announces 4836 triangles' mesh cut.stl x.msh
[ ! -e x.msh ] || fail "a refused mesh was written"

# Gmsh where it is, and a message that says what to install where it is not.
expect 2 'gmsh needs a closed surface' mesh "$scan" x.msh --method gmsh
ABUT_GMSH_LIBRARY=/nowhere/libgmsh.so.4.8 expect 2 'install libgmsh-dev' mesh whole.obj x.msh --method gmsh --cells 8
output=$("$abut" mesh whole.obj exact.msh --method gmsh --cells 8 2>&1)
case $? in
0) [[ $output =~ tetrahedra ]] || fail "gmsh: $output" ;;
*) [[ $output =~ libgmsh-dev ]] && echo "skipped: Gmsh's library is not installed" || fail "gmsh: $output" ;;
esac

# In scenes.
body() {
    echo '{"abut": 1, "ground": 0, "time": {"step": 0.02, "end": 0.1}, "bodies": [{"name": "b", "translate": [0, 0.15, 0],
    "material": {"young": 2e4, "poisson": 0.4, "density": 1000}, '"$1"'}]}' > scene.json
}
body '"mesh": "'"$scan"'"'
expect 2 'fills a surface with tetrahedra' run scene.json -o run
for fill in '{"cells": 8}' '{"cells": 8, "collide": "cage"}' '{"size": 0.04, "graded": false, "close": 10}'; do
    body '"mesh": {"file": "'"$scan"'", "fill": '"$fill"'}'
    rm -rf run
    expect 0 'results' run scene.json -o run
    expect 0 'clean' verify run
done
body '"order": 2, "mesh": {"file": "'"$scan"'", "fill": {"cells": 4}}'
rm -rf run
expect 0 'results' run scene.json -o run --steps 2
expect 0 'clean' verify run
# What weighs is what is within the surface: a box of 1 x 1 x 1 in coarse cells.
body '"mesh": {"given": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],[1,1,1]],
    "triangles": [[0,2,1],[1,2,3],[4,5,6],[5,7,6],[0,1,4],[1,5,4],[2,6,3],[3,6,7],[0,4,2],[2,4,6],[1,3,5],[3,7,5]]}, "fill": {"cells": 3}}'
expect 0 ' 1000 kg' check scene.json
body '"mesh": {"grid": {"size": [1, 1]}, "fill": {}}'
expect 2 'bodies.0..mesh.grid: fill.*sheet' run scene.json -o run
body '"mesh": {"file": "'"$scan"'", "fill": {}, "refine": 1}'
expect 2 'refine.*not for surfaces that are filled' run scene.json -o run
body '"mesh": {"file": "'"$scan"'", "fill": {}}, "surface": {"segments": 2}'
expect 2 'surface.*not for a body whose mesh is filled' run scene.json -o run
body '"type": "rigid", "mesh": {"file": "'"$scan"'", "fill": {}}'
expect 2 'fill' run scene.json -o run
# Films of bodies that deform.
body '"mesh": {"sphere": {"radius": 0.1, "level": 2}, "fill": {"cells": 4}}'
rm -rf run
expect 0 'results' run scene.json -o run
expect 0 '1 deforming|1 of them moving' convert run film.glb
expect 0 '1 bodies, 6 frames' convert run film.usda
"$abut" convert run/frames/frame_000005.vtu last.obj || fail "convert a frame"
if command -v python3 > /dev/null; then
    python3 - << 'END' || fail "film.usda is not the run"
import re
text = open("film.usda").read()
assert text.startswith("#usda 1.0\n") and text.count("{") == text.count("}") and text.count("[") == text.count("]")
counts = re.search(r"faceVertexCounts = \[([^]]*)\]", text).group(1).split(",")
corners = [int(x) for x in re.search(r"faceVertexIndices = \[([^]]*)\]", text).group(1).split(",")]
samples = re.findall(r"^ +([0-9.e-]+): \[(.*)\],$", text, re.M)
places = [[tuple(float(x) for x in p.split(",")) for p in re.findall(r"\(([^)]*)\)", s)] for _, s in samples]
lines = open("last.obj").read().splitlines()
vertices = [tuple(float(x) for x in line.split()[1:4]) for line in lines if line.startswith("v ")]
assert len(samples) == 6 and abs(float(samples[5][0]) - 24 * 0.1) < 1e-9
assert len(counts) == 320 and len(corners) == 960 and min(corners) == 0 and max(corners) == 161
assert len(vertices) == 162 and all(len(p) == 162 for p in places)
assert all(abs(a - b) < 1e-6 for p, v in zip(places[5], vertices) for a, b in zip(p, v))
END
fi
exit $((failures > 0))
