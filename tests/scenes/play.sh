#!/usr/bin/env bash
# abut view --play: what is ordered happens, a pull moves what is pulled and nothing else goes through anything, a reset
# gives the start again with its bits, and what cannot be played is refused. The page is tested by tests/long/viewer.sh.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1
server=
trap '[ -n "$server" ] && kill "$server" 2> /dev/null; rm -rf "$scratch"' EXIT
echo '<p>page</p>' > "$scratch/page.html"
cat > "$scratch/scene.json" << 'END'
{"abut": 1, "name": "three bodies on a floor", "time": {"step": 0.01, "steps": 10},
 "ground": 0, "contact": {"dhat": 1e-3},
 "bodies": [
  {"name": "soft", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "translate": [0, 0.11, 0],
   "material": {"young": 1e5, "poisson": 0.3, "density": 1000}},
  {"name": "stiff", "type": "rigid", "mesh": {"box": {"size": [0.2, 0.2, 0.2]}}, "translate": [0.5, 0.11, 0], "density": 500},
  {"name": "wall", "type": "obstacle", "mesh": {"box": {"size": [0.1, 0.5, 0.5]}}, "translate": [0.8, 0.26, 0]}],
 "output": {"fields": ["velocity"]}}
END
if "$abut" view "$scratch/scene.json" --page "$scratch/no-page.html" 2>&1 | grep -q "built without a web server"; then
    echo "built without libmicrohttpd"
    exit 77
fi
export TMPDIR=$scratch/temporary
mkdir "$TMPDIR"
start() {
    "$abut" view "$@" --page "$scratch/page.html" > "$scratch/log" 2>&1 &
    server=$!
    address=
    for _ in $(seq 200); do
        address=$(sed -n 's/^view at //p' "$scratch/log")
        [ -n "$address" ] && return
        sleep 0.05
    done
    fail "abut view $*: no address: $(cat "$scratch/log")"
}
stop() {
    kill -INT "$server"
    wait "$server" || fail "ended with code $?: $(cat "$scratch/log")"
    server=
    [ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
}
start "$scratch/scene.json" --play
python3 tests/scenes/play.py "$address" || fail "play.py"
stop

# Without a pull the steps have the bits of a run: the packets are the same.
get() { python3 tests/scenes/http_get.py "$1" "$2" ${3:-}; }
start "$scratch/scene.json" --play
for _ in 1 2 3 4 5; do get "${address}order?do=step" "$scratch/answer" POST > /dev/null; done
for _ in $(seq 200); do
    [ "$(get "${address}frame?step=5&fields=velocity" "$scratch/played")" = 200 ] && break
    sleep 0.05
done
get "${address}frame?step=0" "$scratch/answer" > /dev/null
stop
"$abut" run "$scratch/scene.json" -o "$scratch/kept.run" --quiet --steps 5 --set output.every=1 || fail "run"
start "$scratch/kept.run"
[ "$(get "${address}frame?step=5&fields=velocity" "$scratch/ran")" = 200 ] || fail "the frame of the run"
stop
cmp "$scratch/played" "$scratch/ran" || fail "a scene that is played has other bits"

# A step is interrupted at the end; without --play there are no orders; what cannot be played says why.
start "$scratch/scene.json" --play
python3 tests/scenes/http_get.py "${address}order?do=go" "$scratch/answer" POST > /dev/null
stop
start "$scratch/scene.json"
[ "$(python3 tests/scenes/http_get.py "${address}order?do=go" "$scratch/answer" POST)" = 405 ] || fail "an order without --play"
stop
sed 's/\[2, 2, 2\]/[12, 12, 12]/' "$scratch/scene.json" > "$scratch/large.json"
expect 2 "the scene has 2[0-9]* nodes, and up to 2000 can be played" view "$scratch/large.json" --play --page "$scratch/page.html"
sed 's/"ground": 0,/"ground": 0, "remesh": {"size": 0.1},/' "$scratch/scene.json" > "$scratch/remesh.json"
expect 2 "remesh" view "$scratch/remesh.json" --play --page "$scratch/page.html"
mkdir -p "$scratch/run/frames"
expect 2 "needs a scene" view "$scratch/run" --play --page "$scratch/page.html"
[ "$failures" = 0 ]
