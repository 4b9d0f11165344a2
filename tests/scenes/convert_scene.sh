#!/usr/bin/env bash
# abut convert of a scene of another program: the native scene runs to the same result elsewhere.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1
mkdir -p input/scenes other
cat > input/tet.msh << 'END'
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 0 1 1 2 3 4
$EndElements
END
cat > input/scenes/drop.txt << 'END'
energy FCR
time 0.5 0.025
stiffness 1e5 0.4
shapes input 2
input/tet.msh 0 0.01 0  0 0 0  1 1 1
input/tet.msh 0.1 1.2 0  0 30 0  1 1 1  initVel 0 -1 0  0 10 0
ground 0.1 0
selfFric 0.2
END
"$abut" convert input/scenes/drop.txt other/drop.json || fail "convert ended with $?"
grep -q '"abut": 1' other/drop.json || fail "the result is no native scene"
(cd other && "$abut" check drop.json > check.txt) || fail "the native scene is refused: $(cat other/check.txt)"
"$abut" run input/scenes/drop.txt -o first --quiet || fail "run of the script ended with $?"
"$abut" run other/drop.json -o second --quiet || fail "run of the native scene ended with $?"
# The wall seconds differ; all else is the same to the last bit.
cut -d, -f1-2,4- first/steps.csv > a.csv
cut -d, -f1-2,4- second/steps.csv > b.csv
cmp -s a.csv b.csv || fail "the native scene gives another result"
[ "$(wc -l < a.csv)" = 22 ] || fail "20 steps are not in the table"
"$abut" verify first > verify.txt || fail "the run is not clean: $(cat verify.txt)"
output=$("$abut" convert input/scenes/drop.txt other/drop.msh 2>&1) && fail "a scene became a mesh"
[[ $output == *"must end in .json"* ]] || fail "no word about the name: $output"
[ "$failures" = 0 ] || exit 1
echo "ok"
