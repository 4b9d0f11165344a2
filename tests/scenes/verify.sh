#!/usr/bin/env bash
# abut verify: a good run passes; doctored frames, wrong folders and infeasible starts do not.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1

cat > "$scratch/drop.json" <<'END'
{"abut": 1, "name": "drop", "time": {"step": 0.02, "steps": 8}, "ground": 0, "contact": {"dhat": 0.01},
 "bodies": [
  {"name": "low", "material": {"young": 1e6, "poisson": 0.4}, "translate": [0, 0.505, 0],
   "mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}}},
  {"name": "off", "enabled": false, "type": "obstacle", "mesh": {"grid": {"size": [1, 1]}}},
  {"name": "wall", "type": "obstacle", "translate": [0.52, 1, 0], "rotate": [0, 0, 90],
   "mesh": {"grid": {"size": [3, 3], "cells": [1, 1]}}},
  {"name": "high", "material": {"young": 1e6, "poisson": 0.4}, "translate": [0, 1.53, 0],
   "mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}}}]}
END
expect 0 "results are in" run "$scratch/drop.json" -o "$scratch/run"
expect 0 "result +clean" verify "$scratch/run"
expect 0 "frames +9, step 0 \(0 s\) to step 8 \(0.16 s\)" verify "$scratch/run"
expect 0 '"clean": true' verify --json "$scratch/run"
expect 0 '"inverted_elements": 0' verify --json "$scratch/run"
expect 0 "along the paths +0 of" verify "$scratch/run"
# What was not checked is not claimed.
expect 0 "results are in" run "$scratch/drop.json" -o "$scratch/without" --set output.paths=none
expect 0 "paths +none kept: what happened between frames was not checked" verify "$scratch/without"
expect 0 "smallest distance 0\.0[0-9]+ m, at step" verify "$scratch/run"
[ "$("$abut" verify --frames "$scratch/run" | grep -c ' far$\|0\.0')" -ge 9 ] || fail "--frames: one row each"
for key in intersections inverted_elements; do
    grep -Eq "\"$key\": 0,?" "$scratch/run/run.json" || fail "run.json: $key"
done

# The whole scene turned by a prescribed motion does not stretch; pulled apart to twice its length it does.
cat > "$scratch/pull.json" <<'END'
{"abut": 1, "time": {"step": 0.1, "steps": 5}, "gravity": [0, 0, 0], "contact": {"enabled": false}, "bodies": [
 {"material": {"young": 1e6, "poisson": 0}, "mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}},
  "fix": [{"nodes": {"relative_box": [[0, 0, 0], [0, 1, 1]]}},
          {"nodes": {"relative_box": [[1, 0, 0], [1, 1, 1]]}, "motion": {"velocity": [2, 0, 0]}}]}]}
END
stretch() {
    "$abut" run "$scratch/pull.json" -o "$scratch/pull" --quiet "$@" || fail "pull $*"
    sed -n 's/.*"max_stretch": \(.*\),/\1/p' "$scratch/pull/run.json"
}
[ "$(printf %.6f "$(stretch)")" = 2.000000 ] || fail "max_stretch of a doubled length is $(stretch)"
[ "$(printf %.6f "$(stretch --set 'bodies[0].fix={"nodes":"all","motion":{"angular_velocity":[0,90,0]}}')")" = 1.000000 ] ||
    fail "max_stretch of a rotation"

# A frame in which one body was moved: swap it for the first frame of a scene that does intersect.
doctor() {
    rm -rf "$scratch/bad" "$scratch/other"
    cp -r "$scratch/run" "$scratch/bad"
    "$abut" run "$scratch/drop.json" -o "$scratch/other" --quiet --steps 0 --set contact.enabled=false "$@" ||
        fail "cannot make a bad frame"
    cp "$scratch/other/frames/frame_000000.vtu" "$scratch/bad/frames/frame_000005.vtu"
}
doctor --set 'bodies[3].translate=[0.1, 1.3, 0.05]'
expect 4 "edge [0-9 ]+ of \"(low|high)\" meets triangle [0-9 ]+ of \"(low|high)\" at \(.*, 0\.[0-9]+ m deep" verify "$scratch/bad"
expect 4 "[0-9]+ violations in 1 of 9 frames" verify "$scratch/bad"
expect 4 '"kind": "intersection"' verify --json "$scratch/bad"
expect 4 "smallest distance 0 m" verify "$scratch/bad"
doctor --set 'bodies[3].translate=[0.1, 1.53, 0.05]'
expect 4 "of \"wall\"" verify "$scratch/bad"
doctor --set 'bodies[0].translate=[0, 0.4, 0]'
expect 4 "node [0-9]+ of \"low\" is behind half space 0 at .*, 0.1 m deep" verify "$scratch/bad"

# A body that jumped into another as a whole: no surfaces meet.
doctor --set 'bodies[3].scale=0.1' --set 'bodies[3].translate=[0.1, 0.4, 0.23]'
expect 4 "node [0-9]+ of \"high\" is inside tet [0-9 ]+ of \"low\" at" verify "$scratch/bad"
expect 4 "intersections +0.*inside bodies +8" verify "$scratch/bad"
expect 4 '"kind": "inside"' verify --json "$scratch/bad"

# A tet turned inside out: the frame of a mesh whose cells are exchanged with those of its mirror image.
python3 - "$scratch" <<'END' || fail "cannot make an inverted frame"
import re, struct, sys, zlib
folder = sys.argv[1]
data = open(folder + "/run/frames/frame_000003.vtu", "rb").read()
start = data.index(b'encoding="raw">') + len(b'encoding="raw">')
start = data.index(b"_", start) + 1
header = data[:start]
points = re.search(rb"<Points>.*?offset=\"(\d+)\"", header, re.S)
at = start + int(points.group(1))
blocks, size, last = struct.unpack_from("<QQQ", data, at)
sizes = struct.unpack_from("<%dQ" % blocks, data, at + 24)
begin = at + 24 + 8 * blocks
assert blocks == 1
values = bytearray(zlib.decompress(data[begin:begin + sizes[0]]))
# Node 0 of the first body goes far through the opposite faces.
struct.pack_into("<3d", values, 0, 3.0, 5.0, 3.0)
packed = zlib.compress(bytes(values))
shift = len(packed) - sizes[0]
offsets = lambda m: b'offset="%d"' % (int(m.group(1)) + (shift if int(m.group(1)) > int(points.group(1)) else 0))
header = re.sub(rb'offset="(\d+)"', offsets, header)
out = header + data[start:at] + struct.pack("<QQQQ", blocks, size, last, len(packed)) + packed + data[begin + sizes[0]:]
import shutil, os
shutil.rmtree(folder + "/bad", ignore_errors=True)
shutil.copytree(folder + "/run", folder + "/bad")
open(folder + "/bad/frames/frame_000003.vtu", "wb").write(out)
END
expect 4 "step 3: tet [0-9 ]+ of \"low\" is inverted at .*, volume -" verify "$scratch/bad"
expect 4 '"kind": "inverted"' verify --json "$scratch/bad"

# A frame that is not there, one that does not belong there, and no table to tell.
rm -rf "$scratch/bad"; cp -r "$scratch/run" "$scratch/bad"
rm "$scratch/bad/frames/frame_000004.vtu"
expect 4 "step 4: its frame is missing" verify "$scratch/bad"
expect 4 '"clean": false' verify --json "$scratch/bad"
cp "$scratch/bad/frames/frame_000005.vtu" "$scratch/bad/frames/frame_000004.vtu"
expect 4 "step 4: its frame does not belong to a row" verify "$scratch/bad"
rm "$scratch/bad/frames/frame_000004.vtu" "$scratch/bad/frames/frame_000008.vtu"
expect 4 "2 frames missing" verify "$scratch/bad"
rm -rf "$scratch/bad"; cp -r "$scratch/run" "$scratch/bad"
sed -i '$d' "$scratch/bad/steps.csv"
expect 4 "step 8: its frame does not belong to a row" verify "$scratch/bad"
rm "$scratch/bad/steps.csv"
expect 2 "it has no steps.csv" verify "$scratch/bad"

# Folders that are none.
expect 5 "no such folder" verify "$scratch/nothing"
mkdir "$scratch/empty"
expect 2 "it has no scene.json" verify "$scratch/empty"
cp "$scratch/run/scene.json" "$scratch/empty"
expect 5 "cannot open the folder of frames" verify "$scratch/empty"
mkdir "$scratch/empty/frames"
expect 2 "there are no frames" verify "$scratch/empty"
rm -rf "$scratch/bad"; cp -r "$scratch/run" "$scratch/bad"
truncate -s 500 "$scratch/bad/frames/frame_000004.vtu"
expect 2 "frame_000004.vtu" verify "$scratch/bad"

# An infeasible start is refused, listed and drawn.
expect 4 "the start is infeasible: [0-9]+ intersections, [0-9]+ nodes inside bodies and 0 behind half spaces; the first: edge" \
    run "$scratch/drop.json" -o "$scratch/refused" --set 'bodies[3].translate=[0.1, 1.3, 0.05]'
expect 4 "at the start, edge [0-9 ]+ of \"[a-z]+\" meets triangle" \
    run "$scratch/drop.json" -o "$scratch/refused" --set 'bodies[3].translate=[0.1, 1.3, 0.05]'
expect 0 "vertices +20" info "$scratch/refused/start_problems.vtu"
[ -e "$scratch/refused/run.json" ] && fail "a refused run has no summary"
expect 4 "and 8 behind half spaces" run "$scratch/drop.json" -o "$scratch/refused" --set ground=9 \
    --set 'bodies[3].enabled=false'
expect 4 "at \(.*, 0\.[0-9]+ m deep" check "$scratch/drop.json" --set 'bodies[3].translate=[0.1, 1.3, 0.05]'

# A dhat above the smallest edge is worth a warning.
expect 0 "contact.dhat is 1\.2 m, more than the shortest edge of the simulated bodies \(1 m\)" \
    run "$scratch/drop.json" -o "$scratch/wide" --steps 0 --set contact.dhat=1.2

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
