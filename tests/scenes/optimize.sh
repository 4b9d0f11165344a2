#!/usr/bin/env bash
# abut optimize: a throw that hits its mark, the same numbers after a kill, steps shortened where the scene cannot be run,
# every mistake named.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1

ball='{"name": "ball", "velocity": [1, 2, 0], "translate": [0, 0.3, 0], "type": "affine", "density": 800, "mesh": {"sphere": {"radius": 0.1, "level": 1}}}'
floor='{"name": "floor", "type": "obstacle", "mesh": {"box": {"size": [4, 0.2, 2], "cells": [2, 1, 2]}}, "translate": [0.5, -0.1, 0]}'
contact='"contact": {"dhat": 0.01, "friction": 0.3, "stiffness": 1e5, "eps_v": 0.02},'
speeds='{"key": "bodies[ball].velocity[0]", "min": -5, "max": 5}, {"key": "bodies[ball].velocity[1]"}, {"key": "bodies[ball].velocity[2]", "change": 4}'
goal='{"kind": "center", "body": "ball", "targets": [[0.5, 0.12, 0.1]]}'
# scene NAME OBJECTIVE PARAMETERS [MORE IN optimize] [MORE]
scene() {
    echo "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 20}, $contact \"bodies\": [$ball, $floor], ${5:-}
          \"optimize\": {\"objectives\": $2, \"parameters\": [$3] ${4:-}}}" > "$1"
}
value() { tail -1 "$1/history.csv" | cut -d, -f3; }
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

# NLopt is not there: the library and its package are named.
scene throw.json "$goal" "$speeds"
output=$(ABUT_NLOPT_LIBRARY=/nonexistent.so "$abut" optimize throw.json 2>&1)
[ $? = 2 ] && [[ $output =~ "NLopt (Debian: libnlopt0)" ]] || fail "without NLopt: $output"

expect 0 'ended by .*; results are in throw.optimize' optimize throw.json
below "$(value throw.optimize)" 1e-4 || fail "the throw misses by $(value throw.optimize)"
[ "$(wc -l < throw.optimize/history.csv)" -le 51 ] || fail "more than 50 evaluations"
grep -q '^key,bodies\[ball\].velocity\[0\],0,[23]\.' throw.optimize/best.csv || fail "best.csv: $(cat throw.optimize/best.csv)"
# The best scene runs, and is the best: nothing is left to gain.
expect 0 '^ +1 +objective [0-9.e-]+ ' optimize throw.optimize/best.json -o again --set optimize.evaluations=1
[ "$(value again)" = "$(value throw.optimize)" ] || fail "best.json has $(value again), not $(value throw.optimize)"

# Half of the evaluations, then the others: the same history, bit for bit.
expect 0 'ended by evaluations' optimize throw.json -o half --set optimize.evaluations=3
expect 0 'from the folder' optimize throw.json -o half --resume
cmp half/history.csv throw.optimize/history.csv || fail "resuming changes the history"
cmp half/best.json throw.optimize/best.json || fail "resuming changes the result"
expect 2 'is an evaluation of another optimisation' optimize throw.json -o half --resume --set 'bodies[0].velocity=[2,2,0]'
expect 0 'objective' optimize throw.json -o half --set 'bodies[0].velocity=[2,2,0]' --set optimize.evaluations=1

for method in slsqp mma; do
    expect 0 'results are in' optimize throw.json -o $method --set optimize.method=$method
    below "$(value $method)" 1e-3 || fail "$method: $(value $method)"
done

# Least squares: fewer runs, no NLopt, the same after a kill; objectives that are no squares are refused.
ABUT_NLOPT_LIBRARY=/nonexistent.so expect 0 'ended by .*; results are in lm' optimize throw.json -o lm --set optimize.method=levenberg-marquardt
below "$(value lm)" 1e-6 || fail "levenberg-marquardt: $(value lm)"
[ "$(wc -l < lm/history.csv)" -lt "$(wc -l < throw.optimize/history.csv)" ] || fail "levenberg-marquardt: $(cat lm/history.csv)"
expect 0 'ended by evaluations' optimize throw.json -o lm-half --set optimize.method=levenberg-marquardt --set optimize.evaluations=3
expect 0 'from the folder' optimize throw.json -o lm-half --resume --set optimize.method=levenberg-marquardt
cmp lm-half/history.csv lm/history.csv || fail "resuming levenberg-marquardt changes the history"
expect 2 '"center" is no squared distance' optimize throw.json -o lm-no --set optimize.method=levenberg-marquardt --set 'optimize.objectives=[{"kind": "center", "body": "ball", "weight": -1}]'
# At a bound: the speed along z may not change sign, and the others do what they can.
scene bound.json "$goal" "${speeds/\"change\": 4/\"max\": 0}" ', "method": "levenberg-marquardt"'
expect 0 'results are in' optimize bound.json
below "$(value bound.optimize)" 0.006 || fail "bound: $(value bound.optimize)"
grep -q '^key,bodies\[ball\].velocity\[2\],0,-\?0\(\.0*\)\?$' bound.optimize/best.csv || fail "bound: $(cat bound.optimize/best.csv)"

# On the logarithm of a speed.
scene log.json "$goal" '{"key": "bodies[ball].velocity[0]", "log": true, "min": 0.1}, {"key": "bodies[ball].velocity[1]"}, {"key": "bodies[ball].velocity[2]"}'
expect 0 'results are in' optimize log.json
below "$(value log.optimize)" 1e-4 || fail "log: $(value log.optimize)"
# d/d(log p) is p d/dp, as is d/d(p / p0) at the start.
slope() { tail -1 "$1/history.csv" | cut -d, -f4; }
scene one.json "$goal" '{"key": "bodies[ball].velocity[1]", "log": true}'
expect 0 '' optimize one.json -o one --set optimize.evaluations=1
scene two.json "$goal" '{"key": "bodies[ball].velocity[1]"}'
expect 0 '' optimize two.json -o two --set optimize.evaluations=1
[ "$(slope one)" = "$(slope two)" ] || fail "slopes $(slope one) and $(slope two)"

# A target below the floor: starts that intersect shorten the step, and the result is a scene that runs.
scene low.json '{"kind": "center", "body": "ball", "targets": [[0, -0.1, 0]]}' '{"key": "bodies[ball].translate[1]"}' ', "evaluations": 30' '"gravity": [0, 0, 0],'
sed -i 's/"velocity": \[1, 2, 0\]/"velocity": [0, 0, 0]/' low.json
expect 0 'no run: .*ended by evaluations' optimize low.json
below "$(value low.optimize)" 0.024 || fail "low: $(value low.optimize)"
grep -q ',infeasible start,' low.optimize/history.csv || fail "low: the history tells of no failure"
expect 0 '' check low.optimize/best.json

# A rest shape that would turn inside out.
scene shape.json '{"kind": "positions", "body": "ball", "targets": [[0, -2, 0]]}' '{"shape": "ball", "change": 0.2, "size": 10}' ', "evaluations": 8' '"gravity": [0, 0, 0],'
sed -i 's/"type": "affine", "density": 800, "mesh": {"sphere": {"radius": 0.1, "level": 1}}/"material": {"young": 1e5, "poisson": 0.3, "density": 800}, "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}}/' shape.json
expect 0 'results are in' optimize shape.json

# Fingers that hit a ball within a step, where Newton's method ends at a saddle.
expect 0 'results are in' optimize "$ABUT_SOURCE_DIR/examples/inverse/gripper.json" -o hit --set optimize.evaluations=1 --set time.steps=2 \
    --set 'joints[0].slide.drive.damping=8' --set 'joints[1].slide.drive.damping=8' \
    --set 'joints[0].slide.drive.stiffness=98.15568405071153' --set 'joints[1].slide.drive.stiffness=73.91829481000075'

# Mistakes.
echo "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 20}, \"bodies\": [$ball]}" > none.json
wrong() { scene wrong.json "$2" "$3" "${4:-}" "${5:-}"; expect 2 "$1" optimize wrong.json; }
expect 2 'optimize: is missing' optimize none.json
wrong 'there is no body "bell"' '{"kind": "center", "body": "bell"}' "$speeds"
wrong 'nothing: the scene has no such number' "$goal" '{"key": "bodies[ball].nothing"}'
wrong 'there is no body "bell"' "$goal" '{"shape": "bell"}'
wrong 'kind: must be' '{"kind": "beauty"}' "$speeds"
wrong 'min: is not below .max.' "$goal" '{"key": "gravity[1]", "min": 3, "max": 2}'
wrong 'the value of the scene and the bound that it is beyond: -9.81, -2' "$goal" '{"key": "gravity[1]", "min": -2}'
wrong '.log. needs positive values' "$goal" '{"key": "gravity[1]", "log": true}'
wrong 'min: must be above 0 with .log.' "$goal" '{"key": "bodies[ball].density", "log": true, "min": 0}'
wrong 'no step ends at 3 s' '{"kind": "center", "body": "ball", "trajectory": [[3, 0, 0, 0]]}' "$speeds"
wrong 'until: does not go with .trajectory.' '{"kind": "center", "body": "ball", "until": 1, "trajectory": [[0.1, 0, 0, 0]]}' "$speeds"
wrong 'method: must be' "$goal" "$speeds" ', "method": "luck"'
wrong 'bodies\[ball\].name: is no number' "$goal" '{"key": "bodies[ball].name"}'
contact= wrong 'runs with remeshing have no gradient' "$goal" "$speeds" '' '"remesh": {},'
ball=${ball/\"affine\", \"density\": 800/\"deformable\", \"material\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": 800\}}
contact= wrong 'the stepper "mlcp" has no gradient' "$goal" "$speeds" '' '"stepper": "mlcp",'

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
