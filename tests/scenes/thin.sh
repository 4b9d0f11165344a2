#!/usr/bin/env bash
# Shells, rods and particles: a scene of every dimension keeps distances, thickness and strain limits by the
# independent check, gives the same bits for any number of threads and after an interruption; the check finds
# violations; bad starts are refused.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1
table() { cut -d, -f1,2,4- "$1/steps.csv"; }

cat > "$scratch/all.json" << 'END'
{"abut": 1, "time": {"step": 0.02, "steps": 16}, "contact": {"dhat": 1e-3, "friction": 0.2},
 "bodies": [
  {"name": "cloth", "type": "shell", "mesh": {"grid": {"size": [0.2, 0.2], "cells": [8, 8]}}, "translate": [0, 0.1, 0],
   "offset": 2e-3, "shell": {"preset": "cotton", "membrane_scale": 0.1, "strain_limit": {}},
   "fix": {"nodes": {"relative_box": [[0, 0, 0], [0.01, 1, 1]]}},
   "weights": {"nodes": {"relative_box": [[0.99, 0, 0], [1, 1, 0.01]]}, "mass": 0.002}},
  {"name": "silk", "type": "shell", "mesh": {"grid": {"size": [0.1, 0.1], "cells": [5, 5], "diagonals": "same"}},
   "translate": [0, 0.12, 0], "offset": 1e-3, "shell": {"preset": "orthotropic-silk"}},
  {"name": "wire", "type": "rod", "mesh": {"helix": {"radius": 0.02, "pitch": 0.01, "turns": 2, "segments": 30}},
   "translate": [0, 0.13, 0], "material": {"young": 1e7, "poisson": 0.3, "density": 2000}, "offset": 1e-3,
   "rod": {"diameter": 1e-3}},
  {"name": "grains", "type": "particles", "mesh": {"lattice": {"counts": [3, 2, 3], "spacing": 5e-3, "jitter": 5e-4}},
   "translate": [0, 0.18, 0], "density": 1600, "particles": {"radius": 1e-3}, "offset": 2e-3},
  {"name": "block", "mesh": {"box": {"size": [0.02, 0.02, 0.02], "cells": [1, 1, 1]}}, "translate": [0.05, 0.2, 0],
   "material": {"young": 1e5, "poisson": 0.3}},
  {"name": "ball", "type": "obstacle", "mesh": {"sphere": {"radius": 0.06, "level": 2}}}],
 "ground": -0.07, "output": {"checkpoint_every": 4}}
END
"$abut" run "$scratch/all.json" -o "$scratch/all" --quiet --threads 2 || fail "the scene of all dimensions"
expect 0 "beyond limits     0 triangles.*within thickness  0 pairs.*clean" verify "$scratch/all"
cut -d, -f6 "$scratch/all/steps.csv" | sort -n | tail -1 | grep -qx '[1-9][0-9][0-9]*' || fail "the scene has no contact"
"$abut" render "$scratch/all" -o "$scratch/all.png" --samples 1 --size 320x200 || fail "drawing it"
"$abut" run "$scratch/all.json" -o "$scratch/one" --quiet --threads 1 || fail "one thread"
cmp -s <(table "$scratch/all") <(table "$scratch/one") || fail "one thread: other bits"
"$abut" run "$scratch/all.json" -o "$scratch/half" --quiet --threads 2 --steps 8 || fail "half of it"
"$abut" run "$scratch/all.json" -o "$scratch/half" --quiet --threads 2 --resume || fail "going on"
cmp -s <(table "$scratch/all") <(table "$scratch/half") || fail "going on: other bits"

# The check finds what a tighter scene would forbid.
sed -e 's/"offset": 0.002\b/"offset": 0.004/' "$scratch/all/scene.json" > "$scratch/half/scene.json"
expect 4 "is too close to.*violated" verify "$scratch/half"
"$abut" run "$scratch/all.json" -o "$scratch/loose" --quiet --set 'bodies[0].shell.strain_limit.upper=1.5' || fail "loose"
sed -e 's/"upper": 1.5/"upper": 1.0001/' "$scratch/loose/scene.json" > "$scratch/loose/new" && mv "$scratch/loose/new" "$scratch/loose/scene.json"
expect 4 "is strained to 1.*beyond its limit.*violated" verify "$scratch/loose"

# Bad input.
expect 4 "within the thickness" run "$scratch/all.json" -o "$scratch/bad" --set 'bodies[1].offset=0.05'
expect 4 "within its offset of" check "$scratch/all.json" --set 'bodies[1].offset=0.05'
expect 0 "edges are shorter than offset \+ dhat" run "$scratch/all.json" -o "$scratch/bad" --set 'bodies[2].offset=8e-3' \
    --set 'bodies[2].translate=[0,0.2,0]' --steps 0
printf 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n' > "$scratch/flat.obj"
expect 4 "1 of 1 triangles have no area at rest" run "$scratch/all.json" -o "$scratch/bad" --set 'bodies[1].mesh={"file": "flat.obj"}'
printf 'v 0 0 0\nv 1 0 0\nv 0 0 1\nvt 0 0\nvt 0.5 0\nvt 0 0.5\nf 1/1 2/2 3/3\n' > "$scratch/pattern.obj"
expect 4 "beyond the strain limit at the start" run "$scratch/all.json" -o "$scratch/bad" \
    --set 'bodies[0].mesh={"file": "pattern.obj"}' --set 'bodies[0].shell.rest="pattern"'
printf 'v 0 1 0\nv 1 1 0\nv 0 1 1\nf 1 2 3\nstitch 1 2 9 0.5\n' > "$scratch/stitch.obj"
expect 2 "stitch.obj:5: vertex 9 \(counted from 0\) is stitched, but the file has only 3" \
    run "$scratch/all.json" -o "$scratch/bad" --set 'bodies[1].mesh={"file": "stitch.obj"}'
printf 'v 0 1 0\nv 0 1 0\nv 0 1 1\nl 1 2 3\n' > "$scratch/short.obj"
expect 4 "1 of 2 edges have no length: 0" run "$scratch/all.json" -o "$scratch/bad" --set 'bodies[2].mesh={"file": "short.obj"}'
expect 2 "bodies\[2\].type.*does not go with split strain limits" check "$scratch/all.json" --set solver.strain_limits=split

cat > "$scratch/sand.json" << 'END'
{"abut": 1, "time": {"step": 0.01, "steps": 2}, "solver": {"strain_limits": "split"},
 "bodies": [{"type": "particles", "mesh": {"lattice": {"counts": [2, 1, 1], "spacing": 0.1}}, "density": 1600,
             "particles": {"radius": 1e-3}},
            {"type": "shell", "mesh": {"grid": {"size": [0.4, 0.4], "cells": [2, 2]}}, "translate": [0, -1, 0],
             "shell": {"preset": "cotton"}}]}
END
expect 2 "solver.strain_limits.*needs a shell with a \`strain_limit\`; no body has one" check "$scratch/sand.json"

# A handle that would stretch the cloth beyond its limit.
cat > "$scratch/handle.json" << 'END'
{"abut": 1, "time": {"step": 0.04, "steps": 20},
 "bodies": [
  {"name": "cloth", "type": "shell", "mesh": {"grid": {"size": [0.4, 0.4], "cells": [4, 4]}},
   "shell": {"preset": "cotton", "membrane_scale": 0.01, "strain_limit": {"upper": 1.1}},
   "fix": [{"nodes": {"relative_box": [[0, 0, 0], [0.01, 1, 1]]}},
           {"nodes": {"relative_box": [[0.99, 0, 0], [1, 1, 1]]}, "motion": {"velocity": [0.1, 0, 0]}}]}]}
END
expect 3 "cloth: the prescribed motion cannot be reached.*node [0-9]+ is .* m short of its target.*strain limits" \
    run "$scratch/handle.json" -o "$scratch/handle"
expect 0 "beyond limits     0 triangles.*clean" verify "$scratch/handle"

# A rod that is twisted at one end: sections turn, and a run goes on with the same bits.
cat > "$scratch/cord.json" << 'END'
{"abut": 1, "time": {"step": 0.01, "steps": 12}, "contact": {"dhat": 5e-4},
 "bodies": [
  {"name": "cord", "type": "rod", "mesh": {"polyline": {"from": [0, 0, 0], "to": [0.2, 0, 0], "segments": 12}},
   "material": {"young": 5e6, "poisson": 0.45, "density": 1000}, "rod": {"diameter": 4e-3, "twist_scale": 1}, "offset": 4e-3,
   "fix": [{"nodes": {"relative_box": [[0, 0, 0], [0.1, 1, 1]]}},
           {"nodes": {"relative_box": [[0.9, 0, 0], [1, 1, 1]]}, "motion": {"angular_velocity": [1800, 0, 0]}}]}]}
END
"$abut" run "$scratch/cord.json" -o "$scratch/cord" --quiet || fail "twisted cord"
"$abut" run "$scratch/cord.json" -o "$scratch/cord2" --steps 7 --quiet || fail "twisted cord, first part"
"$abut" run "$scratch/cord.json" -o "$scratch/cord2" --resume --quiet || fail "twisted cord, resumed"
cut -d, -f1,2,4-12 "$scratch/cord/steps.csv" > "$scratch/whole"
cut -d, -f1,2,4-12 "$scratch/cord2/steps.csv" | cmp - "$scratch/whole" || fail "a resumed twisted cord differs"
twisted=$(tail -1 "$scratch/cord/steps.csv" | cut -d, -f10)
"$abut" run "$scratch/cord.json" -o "$scratch/cord" --quiet --set 'bodies[0].rod.twist_scale=0' || fail "cord without twist"
awk -v a="$twisted" -v b="$(tail -1 "$scratch/cord/steps.csv" | cut -d, -f10)" 'BEGIN {exit !(a > 100 * b)}' ||
    fail "twist stores no energy"

# Split strain limits, where they may be used, keep the limits, too.
"$abut" run "$scratch/handle.json" -o "$scratch/split" --quiet --set solver.strain_limits=split \
    --set 'bodies[0].fix[1].motion[0].velocity=[-0.1,0.1,0]' --set ground=-0.05 || fail "split strain limits"
expect 0 "beyond limits     0 triangles.*clean" verify "$scratch/split"
cut -d, -f6 "$scratch/split/steps.csv" | sort -n | tail -1 | grep -qx '[1-9][0-9]*' || fail "split: no contact"

# A lone particle has no box around it; it is as large as it is.
cat > "$scratch/lone.json" << 'END'
{"abut": 1, "time": {"step": 0.01, "steps": 30}, "ground": 0, "bodies": [{"type": "particles", "density": 1000,
 "mesh": {"lattice": {"counts": [1, 1, 1], "spacing": 1}}, "particles": {"radius": 0.02}, "translate": [0, 0.1, 0]}]}
END
"$abut" run "$scratch/lone.json" -o "$scratch/lone" --quiet || fail "a lone particle"
expect 0 "smallest distance .*dhat is 4e-05 m.*clean" verify "$scratch/lone"

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
