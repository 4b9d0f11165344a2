#!/usr/bin/env bash
# Bodies of higher order, their collision surfaces and planar scenes, as a user meets them.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1

# scene NAME BODIES [MORE]
scene() {
    cat > "$scratch/$1" <<END
{"abut": 1, "time": {"step": 0.01, "steps": 12}, "ground": 0, "contact": {"dhat": 1e-3}, "bodies": [$2] ${3:-}}
END
}
soft='"material": {"young": 1e5, "poisson": 0.4, "density": 1000}'
cube='"mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}}, "rotate": [20, 0, 30], "translate": [0, 0.18, 0]'
drop() { "$abut" run "$scratch/$1" -o "$scratch/$2" --quiet --threads 1 || fail "$1 does not run"; }
bits() { cut -d, -f1,2,4- "$scratch/$1/steps.csv"; } # without the wall clock

# A linear body whose collision surface is its boundary, but comes from a file and is found in the cells: the same run,
# to rounding. (That the rows are the same is tested in tests/unit/test_proxy.c.)
flat='"mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}'
scene plain.json "{$flat, $soft}" ', "half_spaces": [{"origin": [0, -0.115, 0], "normal": [0.1, 1, 0]}]'
sed -i 's/"ground": 0, //' "$scratch/plain.json"
drop plain.json plain
"$abut" convert "$scratch/plain/frames/frame_000000.vtu" "$scratch/own.obj" > /dev/null || fail "convert"
sed 's|"material"|"surface": {"file": "own.obj"}, "material"|' "$scratch/plain.json" > "$scratch/found.json"
drop found.json found
paste -d, <(cut -d, -f6,9,10,11,13,14 "$scratch/plain/steps.csv") <(cut -d, -f6,9,10,11,13,14 "$scratch/found/steps.csv") |
    awk -F, 'NR > 1 {for (k = 1; k <= 6; k++) {d = $k - $(k + 6); if (d < 0) d = -d; m = $k < 0 ? -$k : $k
             if (d > 1e-7 * m + 1e-9) bad = 1}; if ($1 > most) most = $1} END {exit bad || most < 4}' ||
    fail "a linear body with its boundary from a file differs from a plain one"

# Order 2 with its own surface, volume frames, and a clean result.
scene two.json "{$cube, $soft, \"order\": 2, \"surface\": {\"max_edge\": 0.08}}" ', "output": {"formats": ["vtu", "volume"]}'
drop two.json two
expect 0 "result +clean" verify "$scratch/two"
expect 0 "6 tets of order 2" info "$scratch/two/volume/frames/frame_000012.vtu"
grep -q '"inverted_elements": 0' "$scratch/two/run.json" || fail "inverted elements"
grep -q '"elements": 6' "$scratch/two/run.json" || fail "elements are not counted"
grep -Eq '"triangles": [1-9][0-9]+' "$scratch/two/run.json" || fail "triangles of the surface are not counted"

# A surface from a file, larger than the body: a warning with the distance.
"$abut" convert "$scratch/two/frames/frame_000000.vtu" "$scratch/skin.obj" > /dev/null || fail "convert"
scene skin.json "{$cube, $soft, \"scale\": 1, \"surface\": {\"file\": \"ball.obj\"}}"
cat > "$scratch/ball.obj" <<END
v 0.15 0 0
v -0.15 0 0
v 0 0.15 0
v 0 -0.15 0
v 0 0 0.15
v 0 0 -0.15
f 1 3 5
f 3 2 5
f 2 4 5
f 4 1 5
f 3 1 6
f 2 3 6
f 4 2 6
f 1 4 6
END
expect 0 "6 of 6 vertices of the collision surface are outside of its cells, up to 0.05 m" run "$scratch/skin.json" -o "$scratch/skin" --steps 1

# In the plane.
scene plane.json "{\"mesh\": {\"grid\": {\"size\": [0.2, 0.2], \"cells\": [2, 2]}}, \"rotate\": [90, 0, 20], \"translate\": [0, 0.16, 0], $soft, \"order\": 3}" ', "planar": true'
drop plane.json plane
expect 0 "result +clean" verify "$scratch/plane"
# The border once: 8 edges of the grid with 3 segments each. In space triangles only.
cells() { grep -a -o -m 1 'NumberOfCells="[0-9]*"' "$(ls "$scratch/$1"/frames/*.vtu | head -n 1)" | tr -dc 0-9; }
[ "$(cells plane)" = 24 ] || { echo "the frames of a planar body have $(cells plane) cells instead of 24"; failures=$((failures + 1)); }
scene tilted.json "{\"mesh\": {\"grid\": {\"size\": [0.2, 0.2], \"cells\": [2, 2]}}, \"translate\": [0, 0.2, 0], $soft}" ', "planar": true'
expect 2 "vertex with z = .* in a planar scene" check "$scratch/tilted.json"

# The mass of curved cells: 4/3 pi 0.1^3 x 1000 to a few in a thousand, not that of the icosahedron.
scene round.json "{\"mesh\": {\"ball\": {\"radius\": 0.1, \"level\": 0, \"order\": 4}}, $soft, \"translate\": [0, 0.2, 0]}"
expect 0 "20 tets, 4\.1[89][0-9]* kg" check "$scratch/round.json"

# Mistakes.
scene hex.json "{$cube, $soft, \"order\": 5}"
expect 2 "order.*found 5" check "$scratch/hex.json"
scene region.json "{$cube, $soft, \"regions\": {\"tag\": 7, \"material\": {\"young\": 1e6, \"poisson\": 0.3}}}"
expect 2 "no cell of the mesh has the tag 7" run "$scratch/region.json" -o "$scratch/region"
printf '1000\n900\n' > "$scratch/densities.txt"
scene dense.json "{$cube, $soft, \"densities\": \"densities.txt\"}"
expect 2 "has 2 numbers, but the mesh has 6 cells" run "$scratch/dense.json" -o "$scratch/dense"
scene both.json "{$cube, $soft, \"surface\": {\"file\": \"ball.obj\", \"segments\": 3}}"
expect 2 "is for the boundary of the cells, not for a file" check "$scratch/both.json"
scene map.json "{$cube, $soft, \"surface\": {\"file\": \"ball.obj\", \"map\": \"densities.txt\"}}"
expect 2 "not an HDF5 file" run "$scratch/map.json" -o "$scratch/map"
scene ogden.json "{$cube, \"material\": {\"model\": \"ogden\", \"coefficients\": [1e4], \"bulk\": 1e6}}"
expect 2 "exponents" check "$scratch/ogden.json"
scene rubber.json "{$cube, \"material\": {\"model\": \"mooney-rivlin\", \"c1\": 1e4, \"c2\": 1e3, \"bulk\": 1e6}, \"order\": 2}"
drop rubber.json rubber

[ $failures = 0 ] && echo "all as expected"
exit $((failures > 0))
