#!/usr/bin/env bash
# The inverse problems of examples/inverse end within 50 evaluations, where they should.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1

# ends NAME OBJECTIVE: at most this, and runs that the independent check finds clean.
ends() {
    expect 0 'results are in' optimize "$ABUT_SOURCE_DIR/examples/inverse/$1.json" -o "$1"
    local rows best
    rows=$(($(wc -l < "$1/history.csv") - 1))
    best=$(tail -1 "$1/history.csv" | cut -d, -f3)
    [ "$rows" -le 50 ] || fail "$1: $rows evaluations"
    awk -v a="$best" -v b="$2" 'BEGIN { exit !(a <= b) }' || fail "$1: $best is more than $2"
    expect 0 '' run "$1/best.json" -o "$1.run" --quiet
    expect 0 'result +clean' verify "$1.run"
}
ends billiard 1e-8
ends throw 2e-3
ends grip 1e-10
ends straight 1e-3
ends identify 0.021

ends gripper 0.02
ends drape 1e-4

# Programs that move meshes by a few numbers.
if /usr/bin/python3 -c 'import scipy' 2> /dev/null && ls "$ABUT_BUILD_DIR"/python/abut/_abut*.so > /dev/null 2>&1; then
    for program in fillet cell; do
        PYTHONPATH=$ABUT_BUILD_DIR/python /usr/bin/python3 "$ABUT_SOURCE_DIR/examples/inverse/$program.py" > $program.log 2>&1 ||
            fail "$program: $(tail -3 $program.log)"
    done
else
    echo "fillet.py and cell.py not run: python3-scipy or the Python package is not there"
fi

# What was hidden in the noisy trajectory: 3e4 Pa and 0.35.
awk -F, '$2 ~ /young/ { young = $4 } $2 ~ /friction/ { friction = $4 }
         END { exit !(young > 2.8e4 && young < 3.2e4 && friction > 0.34 && friction < 0.36) }' identify/best.csv ||
    fail "identify: $(cat identify/best.csv)"

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
