#!/usr/bin/env bash
# abut view: what the server gives and refuses, that it ends cleanly, and live runs. The page itself is tested in a
# browser by tests/long/viewer.sh.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1
server=
trap '[ -n "$server" ] && kill "$server" 2> /dev/null; rm -rf "$scratch"' EXIT
"$abut" run examples/contact/tet-tet/scene.json -o "$scratch/tets" --steps 5 --quiet || fail "run"
echo '<p>page</p>' > "$scratch/page.html"
echo secret > "$scratch/secret.json"
if "$abut" view "$scratch/tets" --page "$scratch/no-page.html" 2>&1 | grep -q "built without a web server"; then
    echo "built without libmicrohttpd"
    exit 77
fi

# Starts the server in the background; $address is what it prints.
start() {
    "$abut" "$@" --page "$scratch/page.html" > "$scratch/log" 2>&1 &
    server=$!
    address=
    for _ in $(seq 200); do
        address=$(sed -n 's/^view at //p' "$scratch/log")
        [ -n "$address" ] && return
        sleep 0.05
    done
    fail "abut $*: no address: $(cat "$scratch/log")"
}
stop() { # stop CODE
    kill -INT "$server"
    wait "$server"
    local code=$?
    server=
    [ "$code" = "$1" ] || fail "ended with code $code: $(cat "$scratch/log")"
}
# get PATH: the answer of the server in $scratch/answer; prints the HTTP status.
get() { python3 tests/scenes/http_get.py "$1" "$scratch/answer"; }
refused() { # refused STATUS ADDRESS
    local status
    status=$(get "$2")
    [ "$status" = "$1" ] || fail "$2: status $status instead of $1"
    grep -q -e secret -e root: "$scratch/answer" && fail "$2 gives away a file"
}

start view "$scratch/tets"
[[ $address =~ ^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$ ]] || fail "address '$address'"
[ "$(get "$address")" = 200 ] && cmp -s "$scratch/answer" "$scratch/page.html" || fail "the page"
for file in scene.json run.json steps.csv; do
    [ "$(get "$address$file")" = 200 ] && cmp -s "$scratch/answer" "$scratch/tets/$file" || fail "$file"
done
# The page of a run of an earlier version gets the present names.
cp -r "$scratch/tets/steps.csv" "$scratch/kept.csv"
sed -i '1s/newton_iterations/newton_iters/; 1s/contact_energy/contact/' "$scratch/tets/steps.csv"
[ "$(get "${address}steps.csv")" = 200 ] && cmp -s "$scratch/answer" "$scratch/kept.csv" || fail "an old steps.csv"
mv "$scratch/kept.csv" "$scratch/tets/steps.csv"
[ "$(get "${address}state")" = 200 ] || fail "state"
python3 - "$scratch/answer" << 'END' || fail "state: $(cat "$scratch/answer")"
import json, sys
state = json.load(open(sys.argv[1]))
assert [frame[0] for frame in state["frames"]] == [0, 3, 5], state
assert state["finished"] is True and state["folder"] == "tets"
END
[ "$(get "${address}topology?step=5")" = 200 ] && cp "$scratch/answer" "$scratch/topology" || fail "topology"
[ "$(get "${address}frame?step=5&fields=velocity,nothing")" = 200 ] || fail "frame"
python3 tests/scenes/check_packets.py "$scratch/topology" "$scratch/answer" || fail "packets"

# Refused: other words, other methods, files of the folder that are not for show, everything outside.
root=${address%/*/}
other=$(echo "$address" | tr '0123456789abcdef' '123456789abcdef0' | sed "s#^.*/\([0-9a-f]*\)/\$#$root/\1/#")
for path in "$root/" "$root/scene.json" "$other" "${other}state" "${address%/}" "$root/../state" \
            "${address:0:-2}/state"; do
    refused 403 "$path"
done
ln -s "$scratch/secret.json" "$scratch/tets/link.json"
mv "$scratch/tets/run.json" "$scratch/kept.json"
ln -s "$scratch/secret.json" "$scratch/tets/run.json"
for path in ../secret.json %2e%2e/secret.json ..%2fsecret.json /etc/passwd %2fetc%2fpasswd link.json run.json \
            frames/frame_000000.vtu checkpoint.h5 frame?step=99 topology?step=99; do
    refused 404 "$address$path"
done
for path in frame frame?step= frame?step=-1 "frame?step=../../secret.json" topology?step=1x; do
    refused 400 "$address$path"
done
rm "$scratch/tets/run.json" && mv "$scratch/kept.json" "$scratch/tets/run.json"
mv "$scratch/tets/frames/frame_000003.vtu" "$scratch/outside.vtu"
ln -s "$scratch/outside.vtu" "$scratch/tets/frames/frame_000003.vtu"
refused 404 "${address}frame?step=3"
mv "$scratch/outside.vtu" "$scratch/tets/frames/frame_000003.vtu"
[ "$(python3 tests/scenes/http_get.py "$address" "$scratch/answer" POST)" = 405 ] || fail "POST is not refused"
# No other address listens: the port is bound to the loopback address only.
port=${root##*:}
if command -v ss > /dev/null; then
    ss -ltn | grep ":$port " | grep -qv "127.0.0.1:$port" && fail "the port is open to the network"
fi
stop 0

# A run that goes on: frames appear while the server is up, --view with a run serves until interrupted.
start run examples/contact/tet-tet/scene.json -o "$scratch/live" --steps 4 --view --quiet
for _ in $(seq 200); do
    [ "$(get "${address}run.json")" = 200 ] && break
    sleep 0.05
done
[ "$(get "${address}frame?step=4")" = 200 ] || fail "frame of a live run"
stop 0

# The start of a scene; the temporary folder is removed.
export TMPDIR=$scratch/temporary
mkdir "$TMPDIR"
start view examples/contact/tet-tet/scene.json
[ "$(get "${address}frame?step=0")" = 200 ] || fail "start of a scene"
stop 0
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"

# Messages.
expect() { # expect CODE PATTERN WORD...
    local code=$1 pattern=$2 output
    shift 2
    output=$(timeout 20 "$abut" "$@" 2>&1)
    local got=$?
    [ "$got" = "$code" ] || fail "abut $*: exit code $got instead of $code: $output"
    [[ $output =~ $pattern ]] || fail "abut $*: '$output' does not match '$pattern'"
}
expect 5 "no such folder or scene" view "$scratch/nowhere"
expect 2 "has no folder 'frames'" view "$scratch"
expect 2 "is not an address" view "$scratch/tets" --page "$scratch/page.html" --host example.org
expect 5 "" view "$scratch/tets" --page "$scratch/no-page.html"
[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
