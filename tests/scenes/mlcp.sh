#!/usr/bin/env bash
# What a run of the stepper "mlcp" reports: counters and errors of run.json agree with steps.csv; long steps keep the
# tolerance.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1
scene=examples/mlcp/slope/scene.json

"$abut" run $scene -o "$scratch/slope.run" --steps 40 --threads 1 --quiet || fail "run"
python3 - "$scratch/slope.run" <<'P' || fail "counters"
import csv, json, sys
run = json.load(open(sys.argv[1] + "/run.json"))
steps = [s for s in csv.DictReader(open(sys.argv[1] + "/steps.csv")) if int(s["step"]) > 0]
m, stages = run["mlcp"], run["stage_seconds"]
assert run["status"] == "ok" and len(steps) == 40
assert m["unconverged_steps"] == 0 and m["halvings"] == 0
assert sum(int(s["newton_iterations"]) for s in steps) == run["newton_iterations"] > 40
assert sum(int(s["friction_iterations"]) for s in steps) == m["passes"] > 0
assert max(int(s["contact_count"]) for s in steps) == run["max_contact_count"] > 4
assert stages["ccd"] > 0 and stages["broad_phase"] > 0 and stages["linear_solve"] > 0
for kind in ("normal", "stick", "slide"):
    assert 0 < m["mean_errors"][kind] <= m["largest_errors"][kind] <= 5e-6, (kind, m)
P

# Steps may be long: the tolerance stays what it is.
for step in 0.01 0.02; do
    "$abut" run $scene -o "$scratch/long.run" --set time.step=$step --set time.end=0.3 --set output.every=1 --threads 1 --quiet || fail "step $step"
    "$abut" verify "$scratch/long.run" > "$scratch/log" 2>&1 || fail "verify of step $step"
    python3 - "$scratch/long.run" <<'P' || fail "errors of step $step"
import json, sys
m = json.load(open(sys.argv[1] + "/run.json"))["mlcp"]
assert m["unconverged_steps"] == 0 and max(m["largest_errors"].values()) <= 5e-6, m
P
done

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
