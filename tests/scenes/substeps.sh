#!/usr/bin/env bash
# Steps that do not converge are done in sub-steps: the run goes on, says so in its table and summary, goes on from
# checkpoints and with any number of threads in the same bits, and its paths are verified.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1
table() { cut -d, -f1,2,4- "$1/steps.csv"; }

# A spinning body and a soft one that meet at 200 m/s with a step of 0.1 s, and a clamp that moves.
cat > "$scratch/scene.json" << 'END'
{"abut": 1, "time": {"step": 0.1, "steps": 6, "integrator": "bdf2"}, "ground": 0,
 "contact": {"dhat": 0.01, "friction": 0.3}, "solver": {"substep_after": 25},
 "bodies": [
  {"name": "rigid", "type": "rigid", "mesh": {"sphere": {"radius": 0.3, "level": 0}}, "density": 4600,
   "angular_velocity": [0, -378, 100], "translate": [0, 0.7, 0], "velocity": [44, 88, 44], "rotate": [-107, 64, 134]},
  {"name": "soft", "mesh": {"box": {"size": [0.4, 0.3, 0.4], "cells": [3, 2, 2]}},
   "material": {"young": 7e6, "poisson": 0.3, "density": 2700}, "translate": [1, 2.7, 1],
   "velocity": [-44, -88, -44], "rotate": [117, 36, -71]},
  {"name": "moved", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}}, "translate": [3, 1, 0],
   "material": {"young": 1e5, "poisson": 0.3, "density": 1000},
   "fix": {"nodes": {"relative_box": [[0, 1, 0], [1, 1, 1]]}, "motion": {"velocity": [0, -1, 0]}}}],
 "output": {"checkpoint_every": 1}}
END
"$abut" run "$scratch/scene.json" -o "$scratch/whole" --threads 1 > "$scratch/log" 2>&1 || fail "the run: $(tail -2 "$scratch/log")"
grep -q "is done in sub-steps: not converged after 25 Newton iterations" "$scratch/log" || fail "no word about sub-steps"
column=$(head -1 "$scratch/whole/steps.csv" | tr ',' '\n' | grep -nx substeps | cut -d: -f1)
[ -n "$column" ] || fail "the table has no column for sub-steps"
divided=$(tail -n +3 "$scratch/whole/steps.csv" | awk -F, -v c="${column:-1}" '$c > 1 {n++; s += $c} END {print n + 0, s + 0}')
[ "${divided%% *}" -gt 0 ] || fail "no step was divided: the test tests nothing"
grep -q "\"divided_steps\": ${divided%% *}," "$scratch/whole/run.json" || fail "run.json does not count divided steps"
grep -q "\"substeps\": ${divided##* }," "$scratch/whole/run.json" || fail "run.json does not count sub-steps"
"$abut" verify "$scratch/whole" > "$scratch/verify" 2>&1 || fail "verify: $(tail -3 "$scratch/verify")"
grep -q "path" "$scratch/verify" || fail "verify followed no paths: $(cat "$scratch/verify")"

# --- from every checkpoint ---
for steps in 1 2 3 6; do
    "$abut" run "$scratch/scene.json" -o "$scratch/parts" --resume --steps $steps --quiet || fail "up to step $steps"
done
cmp -s <(table "$scratch/whole") <(table "$scratch/parts") || fail "resumed: another steps.csv"
diff -rq "$scratch/whole/frames" "$scratch/parts/frames" > "$scratch/diff" || fail "resumed: $(head -3 "$scratch/diff")"
grep -q "\"substeps\": ${divided##* }," "$scratch/parts/run.json" || fail "sub-steps are not counted across checkpoints"

# --- with more threads ---
"$abut" run "$scratch/scene.json" -o "$scratch/threads" --threads 2 --quiet || fail "with two threads"
cmp -s <(table "$scratch/whole") <(table "$scratch/threads") || fail "two threads: another steps.csv"

# --- switched off, the run ends; so does what is truly impossible, with bodies, place and remedy ---
"$abut" run "$scratch/scene.json" -o "$scratch/off" --quiet --set solver.substep_halvings=0 --set solver.max_iterations=25 > "$scratch/log" 2>&1
[ $? -eq 3 ] || fail "without sub-steps the run should end with 3"
cat > "$scratch/crush.json" << 'END'
{"abut": 1, "time": {"step": 0.01, "steps": 60}, "contact": {"dhat": 0.005}, "gravity": [0, 0, 0],
 "bodies": [
  {"name": "anvil", "type": "obstacle", "mesh": {"box": {"size": [1, 0.1, 1], "cells": [1, 1, 1]}}, "translate": [0, -0.06, 0]},
  {"name": "cube", "type": "rigid", "mesh": {"box": {"size": [0.3, 0.3, 0.3], "cells": [1, 1, 1]}}, "density": 1000,
   "translate": [0, 0.155, 0]},
  {"name": "press", "type": "obstacle", "mesh": {"box": {"size": [1, 0.1, 1], "cells": [1, 1, 1]}}, "translate": [0, 0.45, 0],
   "motion": {"velocity": [0, -1, 0]}}]}
END
for ahead in false true; do
    "$abut" run "$scratch/crush.json" -o "$scratch/crush-$ahead" --quiet --set solver.look_ahead=$ahead > "$scratch/log" 2>&1
    [ $? -eq 3 ] || fail "a crushed body should end the run with 3, look_ahead $ahead"
    for word in press cube anvil "at (" "time.step smaller"; do
        grep -qF "$word" "$scratch/log" || fail "the message about a crushed body lacks '$word': $(cat "$scratch/log")"
    done
    "$abut" verify "$scratch/crush-$ahead" > "$scratch/verify" 2>&1 || fail "the crushed run, look_ahead $ahead: $(tail -3 "$scratch/verify")"
done
exit $((failures > 0))
