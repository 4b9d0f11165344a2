#!/usr/bin/env bash
# A run that is killed at any moment and goes on ends in the same bits as one that was not; signals
# end a run in order; checkpoints of other scenes and damaged ones are refused.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1
RANDOM=${ABUT_TEST_SEED:-$$}
echo "seed $RANDOM"
table() { cut -d, -f1,2,4- "$1/steps.csv"; }

# Contact, friction, a clamp that moves and is released, two old states (BDF2): all that a checkpoint holds.
cat > "$scratch/scene.json" << 'END'
{"abut": 1, "time": {"step": 0.01, "steps": 40, "integrator": "bdf2"},
 "contact": {"dhat": 0.005, "friction": 0.3},
 "materials": {"soft": {"young": 1e5, "poisson": 0.4, "damping": 0.001}},
 "bodies": [
  {"name": "a", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "translate": [0, 0.102, 0],
   "material": "soft", "velocity": [0.5, -1, 0]},
  {"name": "b", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "translate": [0.07, 0.31, 0.03],
   "rotate": [0, 20, 0], "material": "soft",
   "fix": {"nodes": {"relative_box": [[0, 1, 0], [1, 1, 1]]}, "until": 0.2,
           "motion": {"velocity": [0.2, -0.3, 0], "angular_velocity": [0, 90, 0], "from": 0.05}}},
  {"name": "pusher", "type": "obstacle", "mesh": {"sphere": {"radius": 0.05, "level": 1}},
   "translate": [-0.2, 0.1, 0], "motion": {"velocity": [0.5, 0, 0]}}],
 "ground": 0, "output": {"every": 2, "checkpoint_every": 3}}
END
run() { "$abut" run "$scratch/scene.json" -o "$@" --quiet; }

start=$(date +%s%N)
run "$scratch/whole" || { fail "the run without interruption"; exit 1; }
micros=$((($(date +%s%N) - start) / 1000))
cut -d, -f6 "$scratch/whole/steps.csv" | sort -n | tail -1 | grep -qx '[1-9][0-9]*' || fail "the scene has no contact"

# compare FOLDER WHAT: the results are those of the whole run.
compare() {
    cmp -s <(table "$scratch/whole") <(table "$1") || fail "$2: another steps.csv"
    diff -rq "$scratch/whole/frames" "$1/frames" > "$scratch/diff" || fail "$2: $(head -3 "$scratch/diff")"
    [ -z "$(find "$1" -name '*.tmp')" ] || fail "$2: left behind $(find "$1" -name '*.tmp')"
    grep -q '"status": "ok"' "$1/run.json" || fail "$2: the status is not ok"
}

# --- kill -9 at ten random moments ---
hit=0
for trial in 1 2 3 4 5 6 7 8 9 10; do
    rm -rf "$scratch/killed"
    "$abut" run "$scratch/scene.json" -o "$scratch/killed" --quiet &
    process=$!
    wait_us=$(((RANDOM * 32768 + RANDOM) % micros))
    sleep "$(printf '%d.%06d' $((wait_us / 1000000)) $((wait_us % 1000000)))"
    kill -9 $process 2> /dev/null && hit=$((hit + 1))
    wait $process 2> /dev/null
    run "$scratch/killed" --resume || fail "going on after a kill at $wait_us us"
    compare "$scratch/killed" "killed after $wait_us us of $micros"
done
[ $hit -ge 3 ] || fail "only $hit of 10 runs were still running when killed"
echo "$hit of 10 runs killed within $micros us"

# --- stopped at several steps by --steps ---
rm -rf "$scratch/parts"
for steps in 2 8 10 20 34 40; do run "$scratch/parts" --resume --steps $steps || fail "up to step $steps"; done
compare "$scratch/parts" "in six parts"

# --- signals ---
# interrupt SCENE FOLDER ROWS SIGNAL...: sends the signals when steps.csv has so many rows; the exit code of the run.
# A shell ignores SIGINT in background jobs; this one starts the command in the foreground of its own.
interrupt() {
    python3 - "$abut" "$@" << 'END'
import os, signal, subprocess, sys, time
abut, scene, folder, rows, *names = sys.argv[1:]
run = subprocess.Popen([abut, "run", scene, "-o", folder, "--quiet"],
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
table = os.path.join(folder, "steps.csv")
while run.poll() is None and not (os.path.exists(table) and open(table).read().count("\n") > int(rows)):
    time.sleep(0.001)
for name in names:
    run.send_signal(getattr(signal, "SIG" + name))
    time.sleep(0.02)
code = run.wait()
sys.exit(128 - code if code < 0 else code)
END
}
for signal in INT TERM; do
    rm -rf "$scratch/stopped"
    interrupt "$scratch/scene.json" "$scratch/stopped" 4 $signal
    code=$?
    [ $code = 130 ] || fail "SIG$signal: exit code $code"
    grep -q '"status": "interrupted"' "$scratch/stopped/run.json" || fail "SIG$signal: run.json does not say so"
    [ -z "$(find "$scratch/stopped" -name '*.tmp')" ] || fail "SIG$signal: temporary files are left"
    run "$scratch/stopped" --resume || fail "SIG$signal: going on"
    compare "$scratch/stopped" "SIG$signal"
done

# The second one does not wait for the end of the step.
cat > "$scratch/slow.json" << 'END'
{"abut": 1, "time": {"step": 0.01, "steps": 4}, "output": {"checkpoint_every": 1},
 "bodies": [{"mesh": {"box": {"size": [1, 1, 1], "cells": [14, 14, 14]}}, "velocity": [0, -3, 0],
             "fix": {"nodes": {"relative_box": [[0, 0, 0], [1, 0, 1]]}},
             "material": {"young": 1e5, "poisson": 0.4, "density": 1000}}]}
END
interrupt "$scratch/slow.json" "$scratch/slow" 2 INT INT
code=$?
[ $code = 130 ] || fail "two interrupts: exit code $code"
grep -q '"status": "interrupted"' "$scratch/slow/run.json" 2> /dev/null && fail "two interrupts: the step was finished"
[ -s "$scratch/slow/checkpoint.h5" ] || fail "two interrupts: there is no checkpoint"
"$abut" run "$scratch/slow.json" -o "$scratch/slow" --resume --quiet || fail "two interrupts: going on"
[ "$(wc -l < "$scratch/slow/steps.csv")" = 6 ] || fail "two interrupts: $(wc -l < "$scratch/slow/steps.csv") rows"

# --- what cannot be gone on with ---
# refuse CODE PATTERN WORD...: refused with that message, and the folder stays as it is.
refuse() {
    local code=$1 pattern=$2 output
    shift 2
    (cd "$scratch/bad" && find . -type f -exec sha256sum {} + | sort) > "$scratch/before"
    output=$("$abut" run "$scratch/scene.json" -o "$scratch/bad" --resume --quiet "$@" 2>&1)
    local got=$?
    (cd "$scratch/bad" && find . -type f -exec sha256sum {} + | sort) > "$scratch/after"
    [ $got = "$code" ] || fail "$pattern: exit code $got: $output"
    [[ $output =~ $pattern ]] || fail "'$output' does not match '$pattern'"
    cmp -s "$scratch/before" "$scratch/after" || fail "$pattern: the folder has changed"
}
rm -rf "$scratch/bad"
run "$scratch/bad" --steps 6
cp "$scratch/bad/checkpoint.h5" "$scratch/good.h5"
refuse 2 "another scene" --set materials.soft.young=2e5
printf 'x' | dd of="$scratch/bad/checkpoint.h5" bs=1 seek=2000 conv=notrunc 2> /dev/null
refuse 2 "checkpoint.h5: the checkpoint is damaged"
head -c 1000 "$scratch/good.h5" > "$scratch/bad/checkpoint.h5"
refuse 2 "checkpoint.h5"
: > "$scratch/bad/checkpoint.h5"
refuse 2 "checkpoint.h5"
sed 's/^format 1$/format 9/' "$scratch/good.h5" > "$scratch/bad/checkpoint.h5"
refuse 2 "checkpoint.h5.*(version|format|99)"
cp "$scratch/good.h5" "$scratch/bad/checkpoint.h5"
run "$scratch/bad" --resume || fail "the good checkpoint is refused"
compare "$scratch/bad" "after refusals"

# --resume without a checkpoint starts at the beginning.
run "$scratch/fresh" --resume --steps 2 || fail "--resume in an empty folder"
[ "$(wc -l < "$scratch/fresh/steps.csv")" = 4 ] || fail "--resume in an empty folder: not 3 rows"

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
