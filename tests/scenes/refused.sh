#!/usr/bin/env bash
# What `abut run` refuses before its first step, `abut check` refuses with the same message and exit code; and what both
# say about masses, bodies that nothing holds, and files that are none.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1

soft='"material": {"young": 1e5, "poisson": 0.4, "density": 100}'
box='"mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}}'
rigid="\"type\": \"rigid\", \"density\": 100, $box"
sheet='"type": "shell", "mesh": {"grid": {"size": [1, 1], "cells": [1, 1]}}, "shell": {"thickness": 1e-3}'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nf 1 2 3\n' > loose.obj
printf '1 2 3\n' > few.txt
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 3 2 4\n$EndElements\n' > turned.msh
mkfifo pipe.obj pipe.json pipe.h5

# both CODE PATTERN BODIES [MORE]: one message for both commands.
number=0
both() {
    number=$((number + 1))
    local name=bad$number.json one two
    echo "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 2}, \"bodies\": [$3] ${4:-}}" > "$name"
    timeout 20 "$abut" check "$name" > /dev/null 2> check.txt
    one=$?
    timeout 20 "$abut" run "$name" -o "$name.run" --quiet > /dev/null 2> run.txt
    two=$?
    [ $one = "$1" ] && [ $two = "$1" ] || fail "$3: check ends with $one and run with $two instead of $1"
    [ -e "$name.run/steps.csv" ] && fail "$3: the run has begun"
    message=$(grep '^abut: ' run.txt | grep -v '^abut: warning\|what to do about it' | tail -1 | sed 's/; all are marked in .*//')
    [[ $message =~ $2 ]] || fail "$3: '$message' does not match '$2'"
    grep -qF -- "$message" check.txt || fail "$3: check says '$(cat check.txt)' and run '$message'"
}

# Fields and files.
both 2 'bodies\[0\].weights: is not for the type "rigid"' "{$rigid, \"weights\": {\"mass\": 1}}"
both 5 'there is no file' "{$soft, \"mesh\": \"none.msh\"}"
both 2 'fix\[0\].nodes: entry 0 of the list is node 99' "{$soft, $box, \"fix\": {\"nodes\": {\"list\": [99]}}}"
both 4 '1 of 1 tetrahedra inverted' "{$soft, \"mesh\": \"turned.msh\"}"
both 2 'needs triangles, but its mesh has' "{$soft, \"type\": \"shell\", \"shell\": {\"thickness\": 1}, \"mesh\": {\"polyline\": {\"from\": [0, 0, 0], \"to\": [1, 0, 0]}}}"
both 2 'densities.*has 3 numbers, but the mesh has 6 cells|few.txt: has 3 numbers, but the mesh has 6 cells' "{$soft, $box, \"densities\": \"few.txt\"}"
both 5 'fine.msh' "{$soft, $box, \"mass_like\": \"fine.msh\"}"
both 2 'regions\[0\]: no cell of the mesh is in it' "{$soft, $box, \"regions\": {\"box\": [[5, 5, 5], [6, 6, 6]], $soft}}"
both 5 'sequence|folder|there is no' "{$soft, $box, \"sequence\": {\"folder\": \"nowhere\"}}"
both 2 'bodies\[0\].order: is not for bodies that are remeshed' "{$soft, $box, \"order\": 2}" ', "remesh": {}'
# Surfaces.
both 5 'surface.*none.obj' "{$soft, $box, \"surface\": {\"file\": \"none.obj\"}}"
both 5 'pipe.h5: is not a regular file' "{$soft, $box, \"surface\": {\"file\": \"loose.obj\", \"map\": \"pipe.h5\"}}"
# Conditions.
both 2 'node 0 is prescribed by fix\[0\] and by fix\[1\], which contradict each other' \
    "{$soft, $box, \"fix\": [{}, {\"nodes\": {\"list\": [0]}, \"motion\": {\"velocity\": [1, 0, 0]}}]}"
both 2 'fix\[0\].rotation_axes of an affine body must be' "{\"type\": \"affine\", \"density\": 1, $box, \"fix\": {\"rotation_axes\": \"x\"}}"
both 2 'body "a" is moved by fix\[0\] and by fix\[1\], which contradict each other: .* x of its centre' \
    "{\"name\": \"a\", $rigid, \"fix\": [{}, {\"axes\": \"x\", \"motion\": {\"velocity\": [1, 0, 0]}}]}"
both 2 'body "a" is moved by fix\[0\] and by the motion of the body.* its rotation about y' \
    "{\"name\": \"a\", $rigid, \"fix\": {\"axes\": \"\"}, \"motion\": {\"angular_velocity\": [0, 36000, 0]}}"
both 2 'contradict each other' "{\"type\": \"affine\", \"density\": 1, $box, \"fix\": [{\"until\": 1}, {\"from\": 0.005, \"motion\": {\"velocity\": [0, 1, 0]}}]}"
# The start.
both 4 'the start is infeasible: [0-9]+ intersections' "{\"name\": \"a\", $soft, $box}, {\"name\": \"b\", $soft, $box, \"translate\": [0.5, 0.1, 0.2]}"
both 4 'behind half spaces' "{$soft, $box}" ', "ground": 0'
both 4 '' "{$soft, $sheet, \"offset\": 0.1}, {\"name\": \"b\", $soft, $sheet, \"translate\": [0, 0.05, 0]}"
# Pipes, folders and devices are no files; the program does not wait for them.
both 5 'pipe.obj: is not a regular file' '{"type": "obstacle", "mesh": "pipe.obj"}'
both 5 'is a directory, not a file' '{"type": "obstacle", "mesh": "."}'
both 5 'is not a regular file' '{"type": "obstacle", "mesh": "/dev/zero"}'
for command in "check pipe.json" "run pipe.json -o x" "info pipe.obj" "convert pipe.obj x.vtu"; do
    timeout 20 "$abut" $command > out.txt 2>&1
    code=$?
    [ $code = 5 ] && grep -q 'is not a regular file' out.txt || fail "$command: $code, $(cat out.txt)"
done

# Motions that agree, or do not meet in time, are no contradiction.
good() {
    echo "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 2}, \"bodies\": [$1] ${2:-}}" > good.json
    expect 0 'no problems found' check good.json
}
good "{$rigid, \"fix\": [{\"until\": 0.01}, {\"from\": 0.01, \"motion\": {\"velocity\": [1, 0, 0], \"from\": 0.01}}]}"
good "{$rigid, \"fix\": [{\"axes\": \"yz\"}, {\"axes\": \"x\", \"rotation_axes\": \"\", \"motion\": {\"velocity\": [1, 0, 0]}}]}"
good "{$rigid, \"motion\": {\"velocity\": [1, 0, 0]}, \"fix\": {\"motion\": {\"velocity\": [1, 0, 0]}}}"

# The mass of every kind of body, with what it goes by; a solid with a hole is named.
cat > kinds.json <<END
{"abut": 1, "time": {"step": 0.01, "steps": 1}, "contact": {"enabled": false}, "bodies": [
 {"name": "solid", $soft, $box}, {"name": "rigid", $rigid}, {"name": "given", "type": "affine", "total_mass": 3, $box},
 {"name": "sheet", $soft, $sheet},
 {"name": "rod", "type": "rod", $soft, "rod": {"diameter": 0.2}, "mesh": {"polyline": {"from": [0, 0, 0], "to": [1, 0, 0]}}},
 {"name": "grain", "type": "particles", $soft, "particles": {"radius": 0.1}, "mesh": {"lattice": {"counts": [1, 1, 2], "spacing": 1}}},
 {"name": "plate", "type": "rigid", "density": 7, "mass_from": "area", "mesh": {"grid": {"size": [2, 1], "cells": [1, 1]}}},
 {"name": "wire", "type": "rigid", "density": 7, "mesh": {"polyline": {"from": [0, 0, 0], "to": [2, 0, 0]}}}]}
END
for line in 'solid: .*, 100 kg \(by volume\)' 'rigid: .*, 100 kg \(by volume\)' 'given: .*, 3 kg \(by total_mass\)' \
    'sheet: .*, 0.1 kg \(by area and thickness\)' 'rod: .*, 3.14159 kg \(by length and diameter\)' 'no problems found' \
    'grain: .*, 0.837758 kg \(by radius\)' 'plate: .*, 14 kg \(by area\)' 'wire: .*, 14 kg \(by length of edges\)'; do
    expect 0 "$line" check kinds.json
done
cube='"mesh": {"given": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],[1,1,1]], "triangles":
 [[0,2,1],[1,2,3],[4,5,6],[5,7,6],[0,1,4],[1,5,4],[2,6,3],[3,6,7],[0,4,2],[2,4,6],[1,3,5]]}}'
echo "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"bodies\": [{\"name\": \"cup\", \"type\": \"rigid\", \"density\": 1000, $cube}]}" > hole.json
hole='surface of "cup" is open at 3 edges; it is a sheet and its density counts per m\^2, its mass is 5500 kg; .*"mass_from": "area"'
expect 0 "warning: .*$hole" check hole.json
expect 0 "warning: .*$hole" run hole.json -o hole.run
expect 0 'open at 3 edges; what it encloses depends on its place' check hole.json --set bodies[0].mass_from=volume
expect 0 'no problems found' check hole.json --set bodies[0].mass_from=area

# Without inertia, what nothing holds is named.
echo "{\"abut\": 1, \"time\": {\"step\": 1, \"steps\": 1, \"integrator\": \"quasi-static\"}, \"solver\": {\"max_iterations\": 30},
 \"bodies\": [{\"name\": \"fixed\", $soft, $box, \"fix\": {\"nodes\": {\"list\": [0, 1, 2]}}}, {\"name\": \"free\", $rigid, \"translate\": [3, 0, 0]}]}" > free.json
expect 0 'warning: .*no condition fixes body "free"' check free.json
expect 3 'singular.*; no condition fixes body "free", so that without inertia only contact can say where it is' run free.json -o free.run
[[ $("$abut" check free.json 2>&1) =~ body\ \"fixed\" ]] && fail "a body that is fixed was named"

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
