#!/usr/bin/env bash
# Mistakes around curved cells, collision surfaces, expressions and selections: each is refused or
# warned of by name, with the cell, line, character or distance.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1

# A mesh of one element in a file: mesh NAME TYPE "NODES" [X OF NODE 5]; node 5 is in the middle of
# the edge from 1 to 2 of a tetrahedron of order 2.
mesh() {
    cat > "$1" <<END
\$MeshFormat
2.2 0 8
\$EndMeshFormat
\$Nodes
10
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
5 ${4:-0.5} 0 0
6 0.5 0.5 0
7 0 0.5 0
8 0 0 0.5
9 0 0.5 0.5
10 0.5 0 0.5
\$EndNodes
\$Elements
1
1 $2 2 0 1 $3
\$EndElements
END
}
scene() { # NAME MESH [MORE]
    cat > "$1" <<END
{"abut": 1, "time": {"step": 0.01, "steps": 1}, "bodies": [
 {"name": "b", "mesh": "$2", "material": {"young": 1e5, "poisson": 0.4}${3:-}}]}
END
}
refuse() { expect "$1" "$2" check "$3"; expect "$1" "$2" run "$3" -o out; }
ten="1 2 3 4 5 6 7 8 9 10"

mesh good.msh 11 "$ten"
scene good.json good.msh
expect 0 "no problems found" check good.json

# Negative Jacobian, at corners and only in between; the cells are listed.
mesh negative.msh 11 "$ten" 1.4
scene negative.json negative.msh
refuse 4 "b: 1 of 1 cells have a Jacobian determinant that is not positive everywhere: 0" negative.json
mesh slightly.msh 11 "$ten" 0.76 # the determinant is negative near node 2 only
scene slightly.json slightly.msh
refuse 4 "not positive everywhere: 0" slightly.json
mesh bent.msh 11 "$ten" 0.6
scene bent.json bent.msh
expect 0 "no problems found" check bent.json

# Node counts and element types.
mesh short.msh 11 "1 2 3 4 5 6 7 8 9"
scene short.json short.msh
refuse 2 "short.msh:20: expected a whole number \(node of an element\)" short.json
mesh gone.msh 11 "1 2 3 4 5 6 7 8 9 11"
scene gone.json gone.msh
refuse 2 "gone.msh:19: .*11" gone.json
mesh prism.msh 6 "1 2 3 4 5 6"
scene prism.json prism.msh
refuse 2 "prism.msh:19: element type 6 \(prism\) cannot be used" prism.json
mesh unknown.msh 999 "1 2 3"
scene unknown.json unknown.msh
refuse 2 "unknown.msh:19: element type 999 is not one of Gmsh's" unknown.json

# A collision surface that is nowhere near.
printf 'v 10 10 10\nv 11 10 10\nv 10 11 10\nv 10 10 11\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' > far.obj
scene far.json good.msh ', "surface": {"file": "far.obj"}'
expect 0 "4 of 4 vertices of the collision surface are outside of its cells, up to 17.3 m" check far.json
expect 0 "up to 17.3 m" run far.json -o far

# Expressions, with the place of the mistake.
scene early.json good.msh ', "fix": {"displacement": ["sin(", 0, 0]}'
refuse 2 'bodies\[0\].fix.displacement\[0\]: .*ends too early at character 5 of the expression "sin\("' early.json
scene name.json good.msh ', "force": {"acceleration_field": [0, "2 * q + 1", 0]}'
refuse 2 'bodies\[0\].force.acceleration_field\[1\]: unknown name at character 5' name.json
scene few.json good.msh ', "velocity_field": ["max(x)", 0, 0]'
refuse 2 'velocity_field\[0\]: .*character' few.json

# Selections of nothing, and of what is not there.
scene nodes.json good.msh ', "fix": {"nodes": {"box": [[5, 5, 5], [6, 6, 6]]}}'
expect 0 'fix.*selects no node' check nodes.json
scene part.json good.msh ', "fix": {"nodes": {"boundary": 7}}'
expect 0 'fix.*selects no node' check part.json
scene load.json good.msh ', "boundary": {"box": [[5, 5, 5], [6, 6, 6]], "number": 1}, "surface_loads": {"boundary": 1, "traction": [0, 0, 1]}'
expect 0 'bodies\[0\].surface_loads\[0\] is on no face' check load.json
scene tag.json good.msh ', "regions": {"tag": 7, "material": {"young": 1e6, "poisson": 0.3}}'
refuse 2 "no cell of the mesh has the tag 7" tag.json

# PolyFEM: an id that no selection has.
cat > polyfem.json <<END
{"geometry": [{"mesh": "good.msh", "surface_selection": [{"id": 1, "axis": 1, "position": -9}]}],
 "materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.3, "rho": 1000}, "time": {"dt": 0.01, "time_steps": 1},
 "space": {"discr_order": 2},
 "boundary_conditions": {"dirichlet_boundary": [{"id": 5, "value": [0, 0, 0]}]}}
END
expect 0 '/boundary_conditions/dirichlet_boundary/0: no selection has the id 5' check polyfem.json

[ $failures = 0 ] && echo "all as expected"
exit $((failures > 0))
