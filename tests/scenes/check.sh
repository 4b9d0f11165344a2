#!/usr/bin/env bash
# abut check, abut info SCENE and abut schema: output, messages, exit codes.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1

# scene NAME BODIES [MORE]: writes a scene.
scene() {
    cat > "$scratch/$1" <<END
{"abut": 1, "time": {"step": 0.01, "end": 1}, "bodies": [$2] ${3:-}}
END
}
soft='"material": {"young": 1e5, "poisson": 0.4, "density": 100}'
cube='"mesh": {"box": {"size": [1, 1, 1], "cells": [2, 2, 2]}}'

# Good scenes.
for name in cantilever twist bounce; do
    expect 0 "no problems found" check examples/elastic/$name.json
    expect 0 "scene \"$name:" info examples/elastic/$name.json
done
expect 0 "bar: deformable, 496 nodes, 1620 tets, 10 kg \(by volume\), 16 fixed at the start" \
    check examples/elastic/cantilever.json
expect 0 "bounds \(-0.5, -0.05, -0.05\) to \(0.5, 0.05, 0.05\)" check examples/elastic/cantilever.json
expect 0 "50 steps of 0.02 s" check examples/elastic/cantilever.json --set time.steps=50
expect 0 '"tet": 1620' info --json examples/elastic/cantilever.json
[ -z "$("$abut" check examples/elastic/twist.json 2>&1 >/dev/null)" ] || fail "a good scene is silent on stderr"

# Wrong fields: exit code 2, all of them listed.
scene wrong.json "{$soft, $cube, \"densty\": 3}" ', "gravity": [0, 1]'
expect 2 "wrong.json: bodies\[0\]: unknown key \"densty\"; did you mean \"density\"\?" check "$scratch/wrong.json"
expect 2 "wrong.json: gravity: must be a list of 3 numbers \(m/s\^2\), found a list of 2" check "$scratch/wrong.json"
expect 2 "unknown key \"stp\" in time; did you mean \"step\"" check examples/elastic/twist.json --set time.stp=1
printf '{"abut": 1,\n "time": }\n' > "$scratch/broken.json"
expect 2 "broken.json: line 2, column 10: not valid JSON" check "$scratch/broken.json"
expect 2 "broken.json: line 2, column 10: not valid JSON" info "$scratch/broken.json"
printf 'energy NH\nshapes input 1\n' > "$scratch/script.txt"
expect 2 "script.txt:3: shapes: the file ends where a shape is expected" check "$scratch/script.txt"

# Missing files: exit code 5.
expect 5 "nowhere.json.*No such file" check "$scratch/nowhere.json"
scene lost.json "{$soft, \"mesh\": \"lost.msh\"}, {$soft, $cube, \"name\": \"other\"}"
expect 5 "lost.json: bodies\[0\].mesh.file: there is no file \".*/lost.msh\"" check "$scratch/lost.json"
expect 5 "other: deformable, 27 nodes, 48 tets, 100 kg" check "$scratch/lost.json"

# Infeasible starts: exit code 4.
cat > "$scratch/turned.msh" <<END
\$MeshFormat
2.2 0 8
\$EndMeshFormat
\$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
\$EndNodes
\$Elements
1
1 4 2 0 1 1 3 2 4
\$EndElements
END
scene turned.json "{$soft, \"mesh\": \"turned.msh\", \"name\": \"turned\"}"
expect 4 "body \"turned\" has 1 of 1 tetrahedra inverted or without volume: 0" check "$scratch/turned.json"
expect 4 "1 inverted, 0 degenerate" check "$scratch/turned.json"
scene meeting.json "{$soft, $cube, \"name\": \"a\"}, {$soft, $cube, \"name\": \"b\", \"translate\": [0.9, 0.1, 0.2]}"
expect 4 "at the start, edge [0-9 ]+ of \"[ab]\" meets triangle [0-9 ]+ of \"[ab]\"" check "$scratch/meeting.json"
expect 0 "contact +off" check "$scratch/meeting.json" --set contact.enabled=false
expect 0 "smallest distance 0.001 m" check "$scratch/meeting.json" --set 'bodies[1].translate=[1.001, 0, 0]'
expect 4 "node 0 of \"a\" is 0.5 m behind half space 0" check "$scratch/meeting.json" --set ground=0

# How deep bodies meet, and what parts them: exact for boxes; a body that is inside of another one leaves it.
expect 4 '"a" and "b" meet at [0-9]+ places, 0.1 m deep; moving "b" by \(0.102502, 0, 0\) parts them' check "$scratch/meeting.json"
json_bodies="{\"name\": \"floor\", \"type\": \"obstacle\", \"mesh\": {\"box\": {\"size\": [4, 1, 4], \"cells\": [3, 3, 3]}}, \"translate\": [0, -0.4, 0]},
    {$soft, $cube, \"name\": \"a\", \"translate\": [0, 0.5, 0]}, {$soft, \"name\": \"b\", \"mesh\": {\"ball\": {\"radius\": 0.3, \"cells\": 4}}, \"translate\": [0.3, 0.9, 0.1]},
    {\"name\": \"pin\", \"type\": \"rigid\", \"density\": 100, \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [1, 1, 1]}}, \"translate\": [-1.5, 0.07, 0]}"
scene pile.json "$json_bodies" ', "contact": {"dhat": 1e-3}'
expect 4 '"floor" and "a" meet at [0-9]+ places, 0.1 m deep; moving "a" by \(0, 0.101, 0\)' check "$scratch/pile.json"
expect 4 '"floor" and "pin" meet at [0-9]+ places, 0.08 m deep; moving "pin" by \(0, 0.081, 0\)' check "$scratch/pile.json"
expect 4 "free.json" check "$scratch/pile.json" --free "$scratch/free.json"
expect 0 "no problems found" check "$scratch/free.json"
scene below.json "{$soft, $cube, \"name\": \"a\"}" ', "ground": 0, "contact": {"dhat": 1e-3}'
expect 4 '"a" moved by \(0, 0.501, 0\)' check "$scratch/below.json" --free "$scratch/free.json"
expect 0 "no problems found" check "$scratch/free.json"
# A sheet that meets itself cannot be freed by moving it: nothing is written.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.3 0.2 1\nv 0.2 0.3 1\nf 1 2 3\nf 4 5 6\n' > "$scratch/crossed.obj"
scene crossed.json '{"type": "shell", "mesh": "crossed.obj", "shell": {"preset": "cotton"}}'
expect 4 '"body0" meets itself' check "$scratch/crossed.json" --free "$scratch/never.json"
[ ! -e "$scratch/never.json" ] || fail "a scene that is not free was written"

# Unknown names list the known ones, where none is near.
scene other.json "{$cube, \"material\": \"wood\"}" ', "materials": {"jelly": {"young": 1e5, "poisson": 0.4, "density": 100}}'
expect 2 'there are "jelly"' check "$scratch/other.json"
scene key.json "{$soft, $cube, \"xyzzyx\": 3}"
expect 2 'unknown key "xyzzyx"; the keys here are `name`, ' check "$scratch/key.json"

# Surfaces: open, and not welded.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n' > "$scratch/open.obj"
scene open.json '{"type": "rigid", "density": 10, "mesh": "open.obj"}'
expect 0 'the surface of "body0" is open at 3 edges' check "$scratch/open.json"
for i in 0 1 2 3 4; do printf "v $i 0 0\nv $i.5 0 0\nv $i 1 0\n"; done > "$scratch/loose.obj"
for i in 1 4 7 10 13; do echo "f $i $((i + 1)) $((i + 2))"; done >> "$scratch/loose.obj"
scene loose.json '{"type": "shell", "mesh": "loose.obj", "shell": {"preset": "cotton"}}'
expect 0 'is 5 triangles that have no vertex in common; its mesh is not welded' check "$scratch/loose.json"

# Warnings do not change the exit code.
scene empty.json "{$soft, $cube, \"fix\": {\"nodes\": {\"box\": [[5, 5, 5], [6, 6, 6]]}}}"
expect 0 "warning: .*bodies\[0\].fix\[0\].nodes: selects no node of \"body0\", whose nodes are from \(-0.5, -0.5, -0.5\) to \(0.5, 0.5, 0.5\)" check "$scratch/empty.json"
expect 0 "0 errors, 1 warning" check "$scratch/empty.json"
scene list.json "{$soft, $cube, \"fix\": {\"nodes\": {\"list\": [99]}}}"
expect 2 "bodies\[0\].fix\[0\].nodes: entry 0 of the list is node 99, but the mesh has 27 nodes" check "$scratch/list.json"

# The format itself.
"$abut" schema --json | cmp -s - docs/scene.schema.json || fail "docs/scene.schema.json is stale: abut schema --json"
"$abut" schema --markdown | cmp -s - docs/scene-reference.md || fail "docs/scene-reference.md is stale: abut schema --markdown"
expect 2 "not both" schema --json --markdown

[ $failures = 0 ] && echo "all good"
# Advice about scenes that are valid and hardly meant.
advice() {
    echo '{"abut": 1, "ground": 0, "time": {"step": 0.01, "end": '"$2"'}, "contact": {"dhat": '"$3"'}, "bodies": [{"name": "bar",
    "mesh": {"box": {"size": [1, 1, '"$4"'], "cells": [1, 1, 1]}}, "translate": [0, 2, 0], "velocity": [0, '"$5"', 0],
    "material": {"young": '"$1"', "poisson": 0.3, "density": 1000}}]}' > "$scratch/advice.json"
    "$abut" check "$scratch/advice.json" 2>&1
}
[[ $(advice 1e5 0.1 1e-3 1 0) =~ "no problems found" ]] || fail "advice without need: $(advice 1e5 0.1 1e-3 1 0)"
[[ $(advice 1e5 0.1 1e-3 1 0) =~ "angles of tets 45.0 to 90.0 degrees" ]] || fail "no angles: $(advice 1e5 0.1 1e-3 1 0)"
[[ $(advice 5 0.1 1e-3 1 0) =~ "gravity alone strains it by about 2e+03" ]] || fail "units: $(advice 5 0.1 1e-3 1 0)"
[[ $(advice 1e5 0.105 1e-3 1 0) =~ "no multiple of time.step" ]] || fail "end: $(advice 1e5 0.105 1e-3 1 0)"
[[ $(advice 1e5 0.1 0.1 0.05 0) =~ "only 0.05 m thick" ]] || fail "dhat: $(advice 1e5 0.1 0.1 0.05 0)"
[[ $(advice 1e5 0.1 1e-3 1 1e5) =~ "goes 1e+03 m in a step" ]] || fail "speed: $(advice 1e5 0.1 1e-3 1 1e5)"
[[ $(advice 1e5 0.1 1e-3 1e-3 0) =~ "nearly flat tetrahedra" ]] || fail "shape: $(advice 1e5 0.1 1e-3 1e-3 0)"

exit $((failures > 0))
