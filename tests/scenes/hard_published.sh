#!/usr/bin/env bash
# The hard scenes of the data folder that take seconds: they end with status ok, within so many Newton iterations, and are verified.
# tests/long/hard_published.sh has the others.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
scenes=${ABUT_DATA:-$ABUT_SOURCE_DIR/../shared/data}/hard-scenes
[ -d "$scenes" ] || { echo "skipped: there is no folder $scenes"; exit 77; }

# NAME STEPS MOST: iterations of the whole run; measured 140, 61, 3, 842, 80.
try_scene() {
    local run=$scratch/$1 iterations
    "$abut" run "$scenes/$1.json" -o "$run" --steps "$2" --threads 1 > "$scratch/log" 2>&1 || fail "$1: $(tail -1 "$scratch/log")"
    "$abut" verify "$run" > "$scratch/verified" 2>&1 || fail "$1: $(tail -1 "$scratch/verified")"
    iterations=$(awk -F, 'NR > 1 {sum += $4} END {print sum + 0}' "$run/steps.csv")
    [ "$iterations" -gt 0 ] && [ "$iterations" -le "$3" ] || fail "$1: $iterations iterations, at most $3"
}
try_scene momentum 15 300
try_scene rigid-spins-away 15 200
try_scene single-particle 15 20
try_scene twist-16 15 1800
try_scene order3-fast-held 2 160
exit $((failures > 0))
