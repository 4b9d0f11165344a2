#!/usr/bin/env bash
# Steps that end with their budget are free of intersections, counted, and the same after --resume.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1
cat > "$scratch/drop.json" <<END
{"abut": 1, "time": {"step": 0.02, "steps": 12}, "ground": 0, "contact": {"dhat": 1e-3, "friction": 0.3},
 "materials": {"soft": {"young": 1e5, "poisson": 0.4, "density": 1000}},
 "bodies": [
  {"name": "lower", "material": "soft", "mesh": {"box": {"size": [0.3, 0.1, 0.3], "cells": [4, 2, 4]}}, "translate": [0, 0.051, 0]},
  {"name": "upper", "material": "soft", "mesh": {"box": {"size": [0.2, 0.1, 0.2], "cells": [3, 2, 3]}}, "translate": [0.02, 0.153, 0.01],
   "rotate": [0, 20, 0], "velocity": [0, -2, 0]},
  {"name": "lid", "type": "obstacle", "mesh": {"box": {"size": [0.5, 0.02, 0.5]}}, "translate": [0, 0.217, 0],
   "motion": {"velocity": [0, -0.1, 0]}}]}
END
column() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1/steps.csv"; }
"$abut" run "$scratch/drop.json" -o "$scratch/whole" --quiet || fail "the scene does not run"
"$abut" run "$scratch/drop.json" -o "$scratch/cut" --quiet --set solver.budget=2 || fail "a budget ends the run"
[ "$(column "$scratch/whole" truncated | sort -u)" = 0 ] || fail "steps without a budget are truncated"
grep -q '"truncated_steps": 0,' "$scratch/whole/run.json" || fail "run.json counts truncated steps without a budget"
cut=$(column "$scratch/cut" truncated | grep -c '^1$')
[ "$cut" -gt 2 ] || fail "only $cut steps are truncated"
grep -q "\"truncated_steps\": $cut," "$scratch/cut/run.json" || fail "run.json does not count truncated steps"
[ "$(column "$scratch/cut" newton_iterations | sort -n | tail -1)" = 2 ] || fail "the budget does not bound the iterations"
"$abut" verify "$scratch/cut" > /dev/null || fail "truncated steps are not clean"
# More iterations than any step needs change nothing.
"$abut" run "$scratch/drop.json" -o "$scratch/ample" --quiet --set solver.budget=1000 || fail "an ample budget ends the run"
cmp -s "$scratch/whole/frames/frame_000012.vtu" "$scratch/ample/frames/frame_000012.vtu" || fail "an ample budget changes the result"
# A run that goes on counts on, with the same bits.
"$abut" run "$scratch/drop.json" -o "$scratch/parts" --quiet --set solver.budget=2 --steps 6 || fail "half of the run fails"
"$abut" run "$scratch/drop.json" -o "$scratch/parts" --quiet --set solver.budget=2 --resume || fail "the run does not go on"
grep -q "\"truncated_steps\": $cut," "$scratch/parts/run.json" || fail "truncated steps of the first half are lost"
cmp -s "$scratch/cut/frames/frame_000012.vtu" "$scratch/parts/frames/frame_000012.vtu" || fail "resumed truncated steps differ"
exit $((failures > 0))
