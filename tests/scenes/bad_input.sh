#!/usr/bin/env bash
# Scenes whose fields are all right and that still make no sense: each is refused or warned of by
# name and number. And a press that has to crush a body: nothing intersects, nothing is lost.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1

refuse() { expect 2 "$1" run "$2" -o out --steps 1; expect 2 "$1" check "$2"; }

# ---- conditions that contradict each other ----
scene() { # FIXES [END]
    cat <<END
{"abut": 1, "time": {"step": 0.1, "end": ${2:-2}}, "contact": {"enabled": false}, "bodies": [
 {"name": "bar", "material": {"young": 1e5, "poisson": 0.3},
  "mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}}, "fix": [$1]}]}
END
}
left='"nodes": {"relative_box": [[0, 0, 0], [0, 1, 1]]}' all='"nodes": "all"'
scene "{$left}, {$all, \"motion\": {\"velocity\": [1, 0, 0]}}" > two.json
refuse 'body "bar": node 0 is prescribed by fix\[0\] and by fix\[1\], which contradict each other: at [0-9.]+ s its x is to be -0.5 and 0\.[0-9]' two.json
scene "{$left, \"until\": 1}, {$all, \"from\": 1, \"motion\": {\"velocity\": [1, 0, 0]}}" > later.json
expect 0 'no problems' check later.json # one after the other
scene "{$left}, {$all, \"axes\": \"y\"}, {$left, \"axes\": \"x\"}" > same.json
expect 0 'no problems' check same.json # the same place
scene "{$left, \"motion\": {\"velocity\": [0, 1, 0]}}, {$all, \"axes\": \"xz\"}" > axes.json
expect 0 'no problems' check axes.json # different components
scene "{$left, \"motion\": {\"velocity\": [0, 1, 0]}}, {$left, \"from\": 1}" > fixed.json
refuse 'fix\[0\] and by fix\[1\].*its y is to be' fixed.json # fixed while it should move on
scene "{$left, \"motion\": {\"velocity\": [0, 1, 0]}}, {$left, \"from\": 1}" 1 > ends.json
expect 0 'no problems' check ends.json # not within the time of the scene

# ---- nodes without mass ----
cat > fin.msh <<'END'
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
6
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
5 2 2 2
6 3 3 3
$EndNodes
$Elements
2
1 4 2 0 1 1 2 3 4
2 2 2 0 1 2 3 5
$EndElements
END
body() {
    echo '{"abut": 1, "time": {"step": 0.1, "steps": 1}, "bodies": [{"name": "fish", "mesh": "'"$1"'",' \
         '"material": {"young": 1e5, "poisson": 0.3}}]}'
}
body fin.msh > fin.json
refuse 'bodies\[0\].mesh: node 4 of "fish" has no mass: it belongs to edges or faces' fin.json
sed -e '/^2 2 2 0 1/d' -e '/^\$Elements/{n;s/2/1/}' fin.msh > loose.msh
body loose.msh > loose.json
expect 0 'warning: .*bodies\[0\].mesh: 2 vertices of "fish" belong to no tetrahedron and are left out, the first is 4' \
    run loose.json -o out

# ---- a dhat larger than the smallest feature ----
cat > coarse.json <<'END'
{"abut": 1, "time": {"step": 0.1, "steps": 1}, "contact": {"dhat": 0.3}, "bodies": [
 {"material": {"young": 1e5, "poisson": 0.3}, "mesh": {"box": {"size": [1, 1, 1], "cells": [4, 4, 4]}}}]}
END
expect 0 'warning: .*contact.dhat is 0.3 m, more than the shortest edge of the simulated bodies \(0.25 m\)' \
    run coarse.json -o out

# ---- measures on request ----
expect 0 'results are in' run coarse.json -o out --set contact.dhat=0.01 --set ground=-0.505 --set output.measures=true
for key in momentum_residual min_normal_force max_normal_force slackness min_volume_ratio; do
    grep -q "\"$key\": [0-9]" out/run.json || fail "run.json: accuracy has no $key"
done
grep -q '"complementarity": 0.0' out/run.json && grep -q '"admissible": true' out/run.json || fail "run.json: accuracy"
expect 0 'results are in' run coarse.json -o out
grep -q '"accuracy"' out/run.json && fail "run.json: accuracy without being asked"

# ---- bodies that intersect at the start ----
cat > start.json <<'END'
{"abut": 1, "time": {"step": 0.1, "steps": 1}, "contact": {"dhat": 0.01}, "bodies": [
 {"name": "low", "material": {"young": 1e5, "poisson": 0.3}, "mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}}},
 {"name": "high", "material": {"young": 1e5, "poisson": 0.3}, "mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}},
  "rotate": [20, 30, 0], "translate": [0.1, 1.1, 0.2]}]}
END
expect 4 'edge [0-9]+ [0-9]+ of "high" meets triangle [0-9 ]+ of "low" at \([-0-9., e]+\), 0\.[0-9]+ m deep' \
    run start.json -o start
grep -q 'Name="problem"' start/start_problems.vtu && grep -q 'Name="depth"' start/start_problems.vtu ||
    fail "start_problems.vtu marks nothing"

# ---- a press that leaves no room ----
cat > press.json <<'END'
{"abut": 1, "time": {"step": 0.05, "end": 1}, "gravity": [0, 0, 0], "contact": {"dhat": 0.01},
 "solver": {"max_iterations": 4000}, "output": {"every": 100}, "bodies": [
 {"name": "rubber", "material": {"young": 1e5, "poisson": 0.49}, "mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}}},
 {"name": "anvil", "type": "obstacle", "mesh": {"grid": {"size": [1.6, 1.6], "cells": [1, 1]}}, "translate": [0, -0.52, 0]},
 {"name": "hammer", "type": "obstacle", "mesh": {"grid": {"size": [1.6, 1.6], "cells": [1, 1]}}, "translate": [0, 0.52, 0],
  "motion": {"velocity": [0, -2, 0]}}]}
END
expect 3 'hammer: the prescribed motion cannot be reached within this step: [0-9.e+-]+ % of the path is done' run press.json -o press
grep -q '"status": "not_converged"' press/run.json || fail "run.json: status"
grep -q '"message": "the prescribed motion cannot be reached' press/run.json || fail "run.json: message"
grep -q '"intersections": 0' press/run.json || fail "run.json: intersections"
reached=$(sed -n 's/^ *"steps": \([0-9]*\),.*/\1/p' press/run.json)
[ "${reached:-0}" -ge 5 ] || fail "only $reached steps of the press"
expect 0 "to step $reached .*result +clean" verify press
[ "$(tail -n 1 press/steps.csv | cut -d, -f1)" = "$reached" ] || fail "steps.csv does not end in step $reached"
expect 0 'results are in' run press.json -o press --resume --steps "$reached" # the checkpoint is of that step

[ "$failures" = 0 ] || exit 1
echo "all right"
