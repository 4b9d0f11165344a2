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

# Positions on a grid, whole and as changes: the same places to half a step of the grid.
[ "$(get "${address}frame?step=3&grid=7")" = 200 ] || fail "a frame on a grid"
cp "$scratch/answer" "$scratch/first"
[ "$(get "${address}frame?step=5&grid=7&base=1")" = 200 ] || fail "a frame as changes"
cp "$scratch/answer" "$scratch/second"
[ "$(get "${address}frame?step=5&grid=8")" = 200 ] || fail "a frame of few points"
python3 tests/scenes/check_grid.py "$scratch/first" "$scratch/second" "$scratch/answer" || fail "positions on a grid"
refused 400 "${address}frame?step=5&grid=x"
refused 400 "${address}frame?step=5&grid=7&base=-1"
[ "$(get "${address}frame?step=5&grid=7&base=99")" = 200 ] || fail "changes against a frame that was never sent"

# The range of a field over the run, a point over time.
[ "$(get "${address}range?field=velocity&component=1")" = 200 ] || fail "range"
python3 - "$scratch/answer" "$scratch/tets" << 'END' || fail "range: $(cat "$scratch/answer")"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["done"] == r["frames"] == 3, r
assert r["low"] < -0.5 and r["low"] <= r["p2"] <= r["p98"] <= r["high"], r
END
topology=$(python3 -c 'import json,struct,sys; d=open(sys.argv[1],"rb").read(); n=struct.unpack_from("<I",d,4)[0]; print(json.loads(d[8:8+n])["topology"])' "$scratch/topology")
[ "$(get "${address}history?point=4&topology=$topology&fields=velocity&from=0")" = 200 ] || fail "history"
python3 - "$scratch/answer" << 'END' || fail "history: $(cat "$scratch/answer")"
import json, sys
h = json.load(open(sys.argv[1]))
assert [row[0] for row in h["rows"]] == [0, 3, 5] and h["next"] == 3, h
assert all(len(row) == 6 for row in h["rows"]) and h["rows"][0][5] == 0 and h["rows"][2][5] > 0.5, h
END
[ "$(get "${address}history?point=99&topology=$topology&from=0")" = 200 ] && grep -q '"rows":\[\]' "$scratch/answer" || fail "a point that is not there"
refused 400 "${address}history?point=x&topology=$topology&from=0"
refused 400 "${address}range"

# Parts of an answer, and hosts that are not this machine.
part() { python3 tests/scenes/http_get.py "$1" "$scratch/answer" GET "Range: $2"; }
[ "$(part "${address}steps.csv" bytes=5-14)" = 206 ] || fail "a part"
cmp -s <(tail -c +6 "$scratch/tets/steps.csv" | head -c 10) "$scratch/answer" || fail "the part is another one"
[ "$(part "${address}steps.csv" bytes=-7)" = 206 ] || fail "the end"
cmp -s <(tail -c 7 "$scratch/tets/steps.csv") "$scratch/answer" || fail "the end is another one"
[ "$(part "${address}steps.csv" bytes=99999999-)" = 416 ] || fail "a part behind the end"
[ "$(part "${address}steps.csv" bytes=9-2)" = 200 ] || fail "a part that is none"
host() { python3 tests/scenes/http_get.py "$address" "$scratch/answer" GET "Host: $1"; }
for name in localhost localhost:80 127.0.0.1 '[::1]:9'; do [ "$(host "$name")" = 200 ] || fail "host $name"; done
for name in evil.example 127.0.0.1.evil.example 'localhost:80@evil.example' ''; do [ "$(host "$name")" = 403 ] || fail "host '$name'"; done

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

# Two runs; an address of the second is refused without one. At most 8 connections from one address, idle ones end.
start view "$scratch/tets" --compare "$scratch/tets"
[ "$(get "${address}other/frame?step=5")" = 200 ] || fail "the other run"
[ "$(get "${address}state")" = 200 ] && grep -q '"other":"tets"' "$scratch/answer" || fail "the name of the other run"
python3 - "$address" << 'END' || fail "limits of connections"
import socket, sys, time
from urllib.parse import urlsplit
parts = urlsplit(sys.argv[1])
def ended(s, seconds):
    s.settimeout(seconds)
    try:
        return s.recv(1) == b""
    except ConnectionResetError:
        return True
    except socket.timeout:
        return False
many = [socket.create_connection((parts.hostname, parts.port)) for _ in range(9)]
assert ended(many[8], 3), "the ninth connection is served"
assert not ended(many[0], 1), "the first one is not"
assert ended(many[0], 12), "an idle connection stays"
END
stop 0

# The run as one page: the packets that the server gives, in a page that has a place for them.
printf '%s' '<p>page</p><!--abut-data--><i>end</i>' > "$scratch/empty.html"
"$abut" convert "$scratch/tets" "$scratch/run.html" --page "$scratch/empty.html" > "$scratch/log" || fail "a page: $(cat "$scratch/log")"
grep -q '3 of 3 frames' "$scratch/log" || fail "a page: $(cat "$scratch/log")"
start view "$scratch/tets"
[ "$(get "${address}frame?step=0")" = 200 ] && [ "$(get "${address}frame?step=3&fields=velocity,displacement")" = 200 ] || fail "a frame to compare with"
python3 - "$scratch/run.html" "$scratch/answer" "$scratch/tets/scene.json" "$scratch/topology" << 'END' || fail "the page of a run"
import base64, gzip, json, re, sys
page = open(sys.argv[1]).read()
data = re.fullmatch(r'<p>page</p><script type="application/octet-stream" id="abut-data">([^<]*)</script><i>end</i>', page).group(1)
run = json.loads(gzip.decompress(base64.b64decode(data, validate=True)))
assert [frame[0] for frame in run["state"]["frames"]] == [0, 3, 5] and run["state"]["finished"] is True, run["state"]
assert run["texts"]["scene.json"] == open(sys.argv[3]).read() and set(run["texts"]) == {"scene.json", "run.json", "steps.csv"}
assert base64.b64decode(run["frames"]["3"], validate=True) == open(sys.argv[2], "rb").read()
assert [base64.b64decode(t) for t in run["topologies"].values()] == [open(sys.argv[4], "rb").read()]
END
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

# A start that is refused is shown all the same, with what is wrong; a folder that holds only that, too.
sed -e 's#"../meshes/#"'"$PWD"'/examples/contact/meshes/#g' -e 's/0, 2.11, 0/0.1, 1.2, 0/' \
    examples/contact/tet-tet/scene.json > "$scratch/bad.json"
start view "$scratch/bad.json"
[ "$(get "${address}state")" = 200 ] && grep -q '"problem":{"message":"the start is infeasible: 8 intersections' "$scratch/answer" ||
    fail "a refused start: $(cat "$scratch/answer")"
[ "$(get "${address}frame?step=0&fields=problem")" = 200 ] || fail "the frame of a refused start"
[ "$(get "${address}scene.json")" = 200 ] && grep -q '"upper"' "$scratch/answer" || fail "the scene of a refused start"
stop 0
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
"$abut" run "$scratch/bad.json" -o "$scratch/refused" --quiet 2> /dev/null
start view "$scratch/refused"
[ "$(get "${address}state")" = 200 ] && grep -q '"problem"' "$scratch/answer" || fail "the folder of a refused run"
stop 0

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
expect 2 "has no place for data" convert "$scratch/tets" "$scratch/x.html" --page "$scratch/page.html"
expect 5 "no-page.html" convert "$scratch/tets" "$scratch/x.html" --page "$scratch/no-page.html"
expect 2 "only --page" convert "$scratch/tets" "$scratch/x.html" --weld
mkdir -p "$scratch/none/frames"
expect 2 "has no frames" convert "$scratch/none" "$scratch/x.html" --page "$scratch/empty.html"
[ ! -e "$scratch/x.html" ] || fail "a page that failed is there"
expect 5 "" view "$scratch/tets" --page "$scratch/no-page.html"
[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
