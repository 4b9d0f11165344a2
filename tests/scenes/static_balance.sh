#!/usr/bin/env bash
# Quasi-static steps with default settings end in equilibrium: what the support holds is what the floor carries, and the
# energy is that of a tight tolerance. Without the rule of forces they do not.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cat > "$scratch/press.json" <<'END'
{"abut": 1, "gravity": [0, 0, 0], "time": {"step": 0.5, "steps": 2, "integrator": "quasi-static"}, "ground": 0,
 "contact": {"dhat": 2e-4}, "output": {"reactions": true},
 "materials": {"rubber": {"model": "neo-hookean", "young": 1e6, "poisson": 0.3, "density": 1000}},
 "bodies": [{"name": "ball", "mesh": {"ball": {"radius": 0.1, "cells": 6}}, "material": "rubber", "translate": [0, 0.1003, 0],
   "fix": {"nodes": {"box": [[-1, 0.1, -1], [1, 0.3, 1]]}, "motion": {"velocity": [0, -0.005, 0]}}}]}
END
cat > "$scratch/bend.json" <<'END'
{"abut": 1, "gravity": [0, -9.81, 0], "time": {"step": 0.5, "steps": 2, "integrator": "quasi-static"}, "contact": {"enabled": false},
 "materials": {"rubber": {"young": 1e6, "poisson": 0.3, "density": 1000}}, "output": {"reactions": true},
 "bodies": [{"name": "beam", "mesh": {"box": {"size": [1, 0.1, 0.1], "cells": [20, 2, 2]}}, "material": "rubber",
   "fix": {"nodes": {"box": [[-1, -1, -1], [-0.499, 1, 1]]}}}]}
END
column() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } END { print $at }' "$1/steps.csv"; }
# balance RUN: sum of all vertical forces of the last step over the largest
balance() { tail -n 1 "$1/reactions.csv" | awk -F, '{ a = $4 + $10; b = $4 < 0 ? -$4 : $4; print (a < 0 ? -a : a) / b }'; }
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'; }
go() { "$abut" run "$scratch/$1.json" -o "$scratch/$2" --quiet "${@:3}" || fail "$2 does not run"; }
for scene in press bend; do
    go $scene $scene
    go $scene $scene-rough --set solver.force_tolerance=0
    go $scene $scene-tight --set 'solver.tolerance="1e-9 l"' --set solver.force_tolerance=1e-8
    energy=$(column "$scratch/$scene" elastic) tight=$(column "$scratch/$scene-tight" elastic)
    below "$(awk -v a="$energy" -v b="$tight" 'BEGIN { print (a > b ? a - b : b - a) / b }')" 1e-4 ||
        fail "$scene: the energy is $energy, with a tight tolerance $tight"
    below "$(column "$scratch/$scene" unbalanced_force)" 1e-5 || fail "$scene: steps.csv has another unbalanced force"
    [ "$(column "$scratch/$scene-rough" unbalanced_force)" = nan ] || fail "$scene: forces were measured without being asked for"
done
below "$(balance "$scratch/press")" 1e-4 || fail "press: the forces do not balance"
below "$(balance "$scratch/press-rough")" 1e-4 && fail "press: the rule of forces is not needed"
"$abut" check "$scratch/press.json" --set solver.force_tolerance=-1 > "$scratch/log" 2>&1 && fail "a negative share is accepted"
grep -q "solver.force_tolerance" "$scratch/log" || fail "the message does not name solver.force_tolerance"
exit $((failures > 0))
