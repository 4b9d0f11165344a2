#!/usr/bin/env bash
# Joints and attachments in scenes: what is refused and how, contact beside joints, runs that go on, threads.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1

box() { echo "{\"name\": \"$1\", \"type\": \"${3:-rigid}\", \"density\": 100, \"translate\": [$2, 0, 0], \"mesh\": {\"box\": {\"size\": [1, 0.2, 0.2], \"cells\": [1, 1, 1]}}}"; }
pair="$(box a 0.5), $(box b 1.5)"
soft='{"name": "soft", "translate": [0.5, 0.35, 0], "material": {"young": 1e5, "poisson": 0.4, "density": 100}, "mesh": {"box": {"size": [1, 0.5, 0.2], "cells": [2, 1, 1]}}}'

# refused PATTERN JOINTS [ATTACHMENTS] [MORE]
number=0
refused() {
    number=$((number + 1))
    local name=bad$number.json code
    echo "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 2}, \"bodies\": [$pair, $soft], \"joints\": [$2], \"attachments\": [${3:-}] ${4:-}}" > $name
    timeout 20 "$abut" run $name -o $name.run --quiet > /dev/null 2> log
    code=$?
    [ $code = 2 ] || fail "$2 ${3:-}: ends with $code: $(cat log)"
    grep -qE -- "$1" log || fail "$2 ${3:-}: '$(cat log)' does not match '$1'"
    [ -e $name.run/steps.csv ] && fail "$2 ${3:-}: the run has begun"
}
hinge='"type": "hinge", "body": "b", "to": "a", "point": [1, 0, 0], "axis": [0, 0, 1]'
refused 'joints\[0\].body: there is no body "c"' '{"type": "ball", "body": "c"}'
refused 'joints\[0\].to: there is no body "c"' '{"type": "ball", "body": "a", "to": "c"}'
refused 'joints\[0\].to: is "a" as well' '{"type": "ball", "body": "a", "to": "a"}'
refused '"soft" is "deformable"; joints are for rigid' '{"type": "ball", "body": "soft"}'
refused 'joints\[0\].axis: is missing; a joint of type "hinge"' '{"type": "hinge", "body": "a"}'
refused 'joints\[0\].axis: must not be the zero vector' '{"type": "hinge", "body": "a", "axis": [0, 0, 0]}'
refused 'joints\[0\].axis: is not for joints of type "ball"' '{"type": "ball", "body": "a", "axis": [0, 0, 1]}'
refused 'joints\[0\]: axis2: must be at a right angle to `axis`; it is at 45 degrees' '{"type": "universal", "body": "a", "axis": [0, 0, 1], "axis2": [0, 1, 1]}'
refused 'joints\[0\].lead: is missing' '{"type": "screw", "body": "a", "axis": [0, 0, 1]}'
refused 'joints\[0\].slide: is not for joints of type "hinge"' "{$hinge, \"slide\": {}}"
refused 'joints\[0\].turn.limits: the first must be below the second' "{$hinge, \"turn\": {\"limits\": [10, -10]}}"
refused 'joints\[0\].turn.start: 0 is not between the limits 5 and 10' "{$hinge, \"turn\": {\"limits\": [5, 10]}}"
refused 'drive.damping: is missing; a velocity drive needs it' "{$hinge, \"turn\": {\"drive\": {\"velocity\": 1}}}"
refused 'max_effort: needs a `stiffness`' "{$hinge, \"turn\": {\"drive\": {\"position\": 1, \"max_effort\": 3}}}"
refused 'joints\[0\].turn.drive' "{$hinge, \"turn\": {\"drive\": {\"position\": \"1 +\"}}}"
refused 'joints\[1\].first: there is no joint "x" before this one' "{$hinge}, {\"type\": \"gear\", \"first\": \"x\", \"second\": \"joint0\"}"
refused 'the joint "joint0" is "ball", which has no angle' '{"type": "ball", "body": "a"}, {"type": "gear", "first": "joint0", "second": "joint0"}'
refused 'joints\[1\].name: "joint0" is already' "{$hinge}, {$hinge, \"name\": \"joint0\"}"
refused 'to_point: must differ from' '{"type": "distance", "body": "a"}'
refused 'length: is 3 m, but the points are 1 m apart' '{"type": "distance", "body": "a", "to_point": [0, 1, 0], "length": 3}'
refused 'for the stepper "barrier"' "{$hinge}" '' ', "stepper": "mlcp"'
refused 'joints: do not go with `remesh` yet' "{$hinge}" '' ', "remesh": {"method": "energy"}'
refused 'attachments\[0\].body: "a" is "rigid" and has no nodes' '' '{"body": "a"}'
refused 'attachments\[0\].to: must be another body' '' '{"body": "soft", "to": "soft"}'
refused 'attachments\[0\].close: needs a `stiffness`' '' '{"body": "soft", "close": true}'

# Newton's method begins where bodies go on as they do: nodes that follow others are there with these.
(cd "$ABUT_SOURCE_DIR" && "$abut" run examples/joints/marionette/scene.json -o "$scratch/marionette" --steps 24 --quiet > "$scratch/log" 2>&1) ||
    fail "marionette: $(cat log)"
python3 - <<'P' || fail "marionette: too many iterations: $(tail -1 marionette/steps.csv)"
import csv, sys
rows = list(csv.DictReader(open("marionette/steps.csv")))[1:]
sys.exit(sum(int(r["newton_iterations"]) for r in rows) > 3.2 * len(rows))
P

# Two bars fall on a block, and an affine one hangs beside: contact and joints, nothing meets.
cat > knock.json <<JSON
{"abut": 1, "time": {"step": 0.01, "steps": 60}, "contact": {"friction": 0.2},
 "bodies": [$pair, $(box hammer 1.2 affine | sed 's/1.2, 0, 0\]/1.2, 0.9, 0.05], "rotate": [0, 0, 90]/'),
            $(box block 1.5 obstacle | sed 's/"density": 100, //; s/1.5, 0, 0/1.3, -0.5, 0/')],
 "joints": [{"type": "hinge", "body": "a", "point": [0, 0, 0], "axis": [0, 0, 1], "turn": {"damping": 5}}, {$hinge, "turn": {"limits": [-40, 40]}},
            {"type": "ball", "body": "hammer", "point": [1.2, 1.4, 0.05]}], "output": {"every": 10}}
JSON
"$abut" run knock.json -o knock --threads 1 --quiet > log 2>&1 || fail "knock: $(cat log)"
"$abut" verify knock > log 2>&1 || fail "knock: verify: $(tail -3 log)"
python3 - <<'P' || fail "knock: violation or no contact"
import csv
rows = list(csv.DictReader(open("knock/steps.csv")))
assert all(float(r["joint_violation"]) <= 1e-8 for r in rows)
assert any(int(r["contact_count"]) > 0 for r in rows)
P

# With another number of threads, and stopped and gone on with: the same numbers.
"$abut" run knock.json -o threads --threads 2 --quiet > log 2>&1 || fail "threads: $(cat log)"
"$abut" run knock.json -o halves --threads 1 --steps 27 --quiet > log 2>&1 || fail "halves: $(cat log)"
"$abut" run knock.json -o halves --threads 1 --resume --quiet > log 2>&1 || fail "halves: $(cat log)"
for folder in threads halves; do
    cmp <(cut -d, -f1,2,4- knock/steps.csv) <(cut -d, -f1,2,4- $folder/steps.csv) || fail "$folder differs"
done

# A soft block that hangs on a rigid one by exact attachments, and falls when they break.
attached() {
    echo "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 40}, \"bodies\": [$(box a 0.5 | sed 's/}}}/}}, "fix": {}}/'), $(echo "$soft" | sed 's/0.5, 0.35, 0/0.5, -0.35, 0/')],
      \"attachments\": [{\"body\": \"soft\", \"nodes\": {\"relative_box\": [[0, 1, 0], [1, 1, 1]]}, \"to\": \"a\" $1}], \"output\": {\"every\": 40, \"formats\": [\"obj\"]}}"
}
attached '' > hang.json
"$abut" run hang.json -o hang --quiet > log 2>&1 || fail "hang: $(cat log)"
attached ', "break_force": 1' > break.json
"$abut" run break.json -o break --quiet > log 2>&1 || fail "break: $(cat log)"
attached ', "stiffness": 1e5' > springs.json
"$abut" run springs.json -o springs --quiet > log 2>&1 || fail "springs: $(cat log)"
attached ', "stiffness": 1e5, "break_force": 1' > snap.json
"$abut" run snap.json -o snap --quiet > log 2>&1 || fail "snap: $(cat log)"
python3 - <<'P' || fail "attachments"
import csv
def last(name): return list(csv.DictReader(open(name + "/steps.csv")))[-1]
assert all(float(r["joint_violation"]) <= 1e-8 for r in csv.DictReader(open("hang/steps.csv")))
fall = 0.5 * 10 * (9.81 * 0.39) ** 2  # 10 kg in free fall since about the first step
assert float(last("hang")["kinetic"]) < 0.1 * fall, last("hang")["kinetic"]
assert float(last("springs")["kinetic"]) < 0.1 * fall
for name in ("break", "snap"):
    assert float(last(name)["kinetic"]) > 0.8 * fall, (name, last(name)["kinetic"])
P

# Exact attachments to a body that turns: the nodes are no unknowns, follow it, and the run is clean along its paths.
attached '' | sed 's/, "fix": {}//; s/"steps": 40/"steps": 30/; s/"every": 40, "formats": \["obj"\]/"every": 10/; s/"attachments"/"joints": [{"type": "hinge", "body": "a", "axis": [0, 0, 1]}], "attachments"/' > swing.json
"$abut" run swing.json -o swing --threads 1 --quiet > log 2>&1 || fail "swing: $(cat log)"
"$abut" verify swing > log 2>&1 || fail "swing: verify: $(tail -3 log)"
"$abut" run swing.json -o swing2 --threads 2 --quiet > log 2>&1 || fail "swing: $(cat log)"
"$abut" run swing.json -o swing3 --threads 1 --steps 13 --quiet > log 2>&1 || fail "swing: $(cat log)"
"$abut" run swing.json -o swing3 --threads 1 --resume --quiet > log 2>&1 || fail "swing: $(cat log)"
for folder in swing2 swing3; do
    cmp <(cut -d, -f1,2,4- swing/steps.csv) <(cut -d, -f1,2,4- $folder/steps.csv) || fail "$folder differs"
done
python3 - <<'P' || fail "attached nodes do not swing with the body"
import csv
rows = list(csv.DictReader(open("swing/steps.csv")))
assert float(rows[-1]["kinetic"]) > 1 and float(rows[-1]["joint_violation"]) <= 1e-8
P
attached '' | sed 's/"material"/"fix": {"nodes": {"relative_box": [[0, 1, 0], [0, 1, 1]]}}, "material"/' > both.json
expect 2 '"soft" is attached exactly and prescribed as well' run both.json -o both

# Only what is attached does not collide: a sheet that is attached along one edge folds down onto the same body and stays above it.
cat > fold.json <<JSON
{"abut": 1, "time": {"step": 0.01, "steps": 60}, "contact": {"dhat": 0.005},
 "bodies": [{"name": "table", "type": "obstacle", "mesh": {"box": {"size": [2, 0.2, 1], "cells": [1, 1, 1]}}, "translate": [0, -0.1, 0]},
            {"name": "sheet", "type": "shell", "shell": {"thickness": 0.002, "damping": 0.01}, "mesh": {"grid": {"size": [0.6, 0.3], "cells": [6, 3]}},
             "rotate": [0, 0, 60], "translate": [0.15, 0.2598076211353316, 0], "material": {"young": 1e5, "poisson": 0.3, "density": 300}}],
 "attachments": [{"body": "sheet", "nodes": {"relative_box": [[0, 0, 0], [0.01, 0.01, 1]]}, "to": "table"}], "output": {"every": 10}}
JSON
"$abut" run fold.json -o fold --quiet > log 2>&1 || fail "fold: $(cat log)"
"$abut" verify fold > log 2>&1 || fail "fold: verify: $(tail -3 log)"
python3 - <<'P' || fail "the sheet does not collide with what its edge is attached to"
import csv
rows = list(csv.DictReader(open("fold/steps.csv")))
assert any(int(r["contact_count"]) > 0 for r in rows), "no contact"
P

# A block of order 2, exactly on a bar that swings and on a soft one, as forces of joints keep it. With three segments to an edge it collides by
# points between its nodes; then forces keep it on a rigid bar.
for leader in affine rigid deformable; do
    [ $leader = rigid ] && segments="2 3" || segments=3
    for segment in $segments; do
        for force in '' ', "break_force": 1e12'; do
            cat > curved.json <<JSON
{"abut": 1, "time": {"step": 0.01, "steps": 25}, "solver": {"tolerance": "1e-4 l"}, "bodies": [{"name": "bar", "type": "$leader", "translate": [0.5, 0, 0],
            "material": {"young": 1e6, "poisson": 0.3, "density": 100}, "mesh": {"box": {"size": [1, 0.2, 0.2], "cells": [4, 1, 1]}}},
            {"name": "soft", "order": 2, "surface": {"segments": $segment}, "translate": [0.5, -0.35, 0], "material": {"young": 1e5, "poisson": 0.4, "density": 100},
             "mesh": {"box": {"size": [0.5, 0.5, 0.2], "cells": [2, 1, 1]}}}], "ground": -0.61,
 "joints": [], "attachments": [{"body": "soft", "nodes": {"relative_box": [[0, 0.99, 0], [1, 1, 1]]}, "to": "bar"$force}],
 "output": {"every": 5}}
JSON
            if [ $leader != deformable ]; then
                sed -i 's/"joints": \[\]/"joints": [{"type": "hinge", "body": "bar", "axis": [0, 0, 1]}]/' curved.json
            else
                sed -i 's/"cells": \[4, 1, 1\]}}/&, "fix": {"nodes": {"relative_box": [[0, 0, 0], [0, 1, 1]]}}/' curved.json
            fi
            "$abut" run curved.json -o curved${force:+.kept} --quiet > log 2>&1 || fail "curved $leader$force: $(cat log)"
            "$abut" verify curved${force:+.kept} > log 2>&1 || fail "curved $leader$force: verify: $(tail -3 log)"
        done
        python3 - $leader <<'P' || fail "curved: $leader"
import csv, sys
led, kept = (list(csv.DictReader(open(name + "/steps.csv"))) for name in ("curved", "curved.kept"))
for key in ("kinetic", "elastic"):
    most = max(float(r[key]) for r in kept)
    assert max(abs(float(a[key]) - float(b[key])) for a, b in zip(led, kept)) < 1e-3 * most, key
assert any(int(r["contact_count"]) > 0 for r in led), "no contact"
assert all(float(r["joint_violation"]) == 0 for r in led) or sys.argv[1] != "deformable"  # the hinge
P
    done
done

# Springs with damping swing less, and hold the same.
refused 'attachments\[0\].damping: needs a `stiffness`' '' '{"body": "soft", "damping": 3}'
for damping in 0 200; do
    cat > spring.json <<JSON
{"abut": 1, "time": {"step": 0.005, "steps": 80}, "contact": {"enabled": false}, "bodies": [$soft],
 "attachments": [{"body": "soft", "nodes": {"relative_box": [[0, 1, 0], [1, 1, 1]]}, "stiffness": 500, "damping": $damping}], "output": {"every": 0}}
JSON
    "$abut" run spring.json -o spring$damping --quiet > log 2>&1 || fail "spring: $(cat log)"
done
python3 - <<'P' || fail "springs with damping: $(tail -1 spring200/steps.csv)"
import csv
free, slow = ([float(r["kinetic"]) for r in csv.DictReader(open(f"spring{c}/steps.csv"))] for c in (0, 200))
assert max(slow) < 0.5 * max(free) and slow[-1] < 0.01 * max(free), (max(slow), max(free), slow[-1])
P

# Redundant joints are named, and met.
cat > door.json <<JSON
{"abut": 1, "time": {"step": 0.01, "steps": 20}, "bodies": [$(box a 0.5)],
 "joints": [{"name": "lower", "type": "hinge", "body": "a", "axis": [0, 0, 1]}, {"name": "upper", "type": "hinge", "body": "a", "point": [0, 0, 0.1], "axis": [0, 0, 1]}]}
JSON
"$abut" run door.json -o door > log 2>&1 || fail "door: $(cat log)"
grep -q 'joint "upper" is redundant at the start: 5 of the 5 motions' log || fail "door: $(cat log)"

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
