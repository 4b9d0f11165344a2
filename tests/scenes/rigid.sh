#!/usr/bin/env bash
# Rigid and affine bodies by the command: the same bits for any number of threads and after going on
# from a checkpoint; clean by verification; bad bodies are named.
. "${ABUT_SOURCE_DIR:?}/tests/support/script.sh" || exit 1
cd "$ABUT_SOURCE_DIR" || exit 1
table() { cut -d, -f1,2,4- "$1/steps.csv"; }

# All that a checkpoint holds: rotations, conditions that begin and end, axes that are fixed once bodies have turned, poses,
# friction, a soft body.
scene() { # INTEGRATOR
    cat << END
{"abut": 1, "time": {"step": 0.01, "steps": 30, "integrator": "$1"},
 "contact": {"dhat": 0.005, "friction": 0.3}, "solver": {"tolerance": 1e-3}, "ground": 0,
 "output": {"every": 5, "checkpoint_every": 1},
 "bodies": [
  {"name": "a", "type": "rigid", "density": 1000, "mesh": {"box": {"size": [0.3, 0.2, 0.2], "cells": [1, 1, 1]}},
   "translate": [0, 0.25, 0], "rotate": [10, 20, 30], "angular_velocity": [500, 900, 200],
   "force": {"torque": [0, 1, 0], "until": 0.1}},
  {"name": "b", "type": "affine", "density": 1000, "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}},
   "translate": [0.05, 0.6, 0], "velocity": [0, -2, 0]},
  {"name": "c", "type": "rigid", "density": 500, "mesh": {"sphere": {"radius": 0.1, "level": 1}},
   "translate": [0.4, 0.2, 0], "fix": {"axes": "xyz", "rotation_axes": "", "from": 0.05, "until": 0.2}},
  {"name": "d", "type": "rigid", "density": 500, "mesh": {"box": {"size": [0.1, 0.4, 0.4], "cells": [1, 1, 1]}},
   "translate": [-0.5, 0.3, 0], "poses": [{"translate": [0.02, 0, 0], "turn": [5, 0, 0]},
                                          {"translate": [0.04, 0, 0], "turn": [10, 0, 0]}]},
  {"name": "soft", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "translate": [0.4, 0.45, 0],
   "material": {"young": 1e5, "poisson": 0.4, "density": 1000}},
  {"name": "top", "type": "rigid", "density": 500, "mesh": {"box": {"size": [0.1, 0.2, 0.15], "cells": [1, 1, 1]}},
   "translate": [0.8, 0.4, 0], "angular_velocity": [300, 200, 400], "fix": {"axes": "y", "rotation_axes": "xz", "from": 0.08}},
  {"name": "hinge", "type": "affine", "density": 500, "mesh": {"box": {"size": [0.1, 0.2, 0.15], "cells": [1, 1, 1]}},
   "translate": [1.2, 0.4, 0], "angular_velocity": [300, 200, 400], "fix": {"axes": "y", "rotation_axes": "xz", "from": 0.08}},
  {"name": "grains", "type": "rigid", "density": 0.1, "split": true, "translate": [0, 1, 0],
   "mesh": {"lattice": {"counts": [2, 1, 2], "spacing": 0.1}}}]}
END
}
for integrator in implicit-euler newmark bdf2; do
    scene $integrator > "$scratch/scene.json"
    "$abut" run "$scratch/scene.json" -o "$scratch/one" --threads 1 --quiet || fail "$integrator: the run"
    "$abut" run "$scratch/scene.json" -o "$scratch/two" --threads 2 --quiet || fail "$integrator: two threads"
    for stop in 3 12 21; do
        rm -rf "$scratch/again"
        "$abut" run "$scratch/scene.json" -o "$scratch/again" --steps $stop --quiet || fail "$integrator: $stop steps"
        "$abut" run "$scratch/scene.json" -o "$scratch/again" --resume --quiet || fail "$integrator: going on"
        cmp -s <(table "$scratch/one") <(table "$scratch/again") || fail "$integrator: going on after $stop steps differs"
        "$abut" verify "$scratch/again" > "$scratch/verify" || fail "$integrator: after going on: $(tail -3 "$scratch/verify")"
    done
    cmp -s <(table "$scratch/one") <(table "$scratch/two") || fail "$integrator: two threads differ"
    diff -rq "$scratch/one/frames" "$scratch/two/frames" > /dev/null || fail "$integrator: frames of two threads differ"
    cut -d, -f6 "$scratch/one/steps.csv" | sort -n | tail -1 | grep -qx '[1-9][0-9]*' || fail "the scene has no contact"
    "$abut" verify "$scratch/one" > "$scratch/verify" || fail "$integrator: $(tail -3 "$scratch/verify")"
    rm -rf "$scratch/one" "$scratch/two"
done

# --- rigid, affine, soft bodies, cloth and a wire together, 300 steps ---
cat > "$scratch/mixed.json" << END
{"abut": 1, "time": {"step": 0.01, "steps": 300}, "contact": {"dhat": 0.005, "friction": 0.2},
 "solver": {"tolerance": 0.02}, "ground": 0, "output": {"every": 5},
 "bodies": [
  {"name": "soft", "mesh": {"box": {"size": [0.4, 0.2, 0.4], "cells": [2, 1, 2]}}, "translate": [0, 0.12, 0],
   "material": {"young": 1e5, "poisson": 0.4, "density": 1000}},
  {"name": "cloth", "type": "shell", "mesh": {"grid": {"size": [0.5, 0.5], "cells": [5, 5]}}, "translate": [0, 0.3, 0],
   "shell": {"preset": "cotton"}},
  {"name": "ball", "type": "rigid", "density": 1000, "mesh": {"sphere": {"radius": 0.12, "level": 1}},
   "translate": [0.05, 0.5, 0.02], "angular_velocity": [0, 200, 100]},
  {"name": "brick", "type": "affine", "density": 1000, "mesh": {"box": {"size": [0.2, 0.1, 0.1], "cells": [1, 1, 1]}},
   "translate": [-0.05, 0.8, 0], "rotate": [20, 30, 10]},
  {"name": "wire", "type": "rod", "mesh": {"polyline": {"from": [-0.3, 0, 0], "to": [0.3, 0, 0], "segments": 8}},
   "translate": [0, 1.0, 0.03], "rod": {"diameter": 0.008}, "material": {"young": 1e6, "poisson": 0.3, "density": 1000}}]}
END
"$abut" run "$scratch/mixed.json" -o "$scratch/mixed" --quiet || fail "the mixed scene"
"$abut" verify "$scratch/mixed" > "$scratch/verify" || fail "the mixed scene: $(tail -4 "$scratch/verify")"
grep -q 'along the paths   0 intersections at [1-9]' "$scratch/verify" || fail "no paths: $(cat "$scratch/verify")"
awk -F, 'NR > 1 && $6 > 0 { n++ } END { exit n < 100 }' "$scratch/mixed/steps.csv" || fail "the mixed scene has hardly any contact"

# --- a plank that has turned, fixed from then on but for the world's y; others fall on it ---
cat > "$scratch/plank.json" << END
{"abut": 1, "time": {"step": 0.01, "steps": 80}, "contact": {"dhat": 0.005, "friction": 0.3}, "solver": {"tolerance": 1e-3},
 "output": {"every": 1}, "bodies": [
  {"name": "plank", "type": "rigid", "density": 500, "mesh": {"box": {"size": [1.6, 0.05, 0.3], "cells": [1, 1, 1]}},
   "angular_velocity": [0, 300, 400], "fix": [{"rotation_axes": "", "until": 0.19}, {"from": 0.19, "rotation_axes": "xz"}]},
  {"name": "grain", "type": "rigid", "density": 0.02, "split": true, "translate": [-0.3, 0.8, -0.3],
   "mesh": {"lattice": {"counts": [7, 1, 7], "spacing": 0.1}}},
  {"name": "ball", "type": "rigid", "density": 500, "mesh": {"sphere": {"radius": 0.2, "level": 1}}, "translate": [0, 1.4, 0]}]}
END
"$abut" run "$scratch/plank.json" -o "$scratch/plank" --quiet || fail "the plank"
"$abut" verify "$scratch/plank" > "$scratch/verify" || fail "the plank: $(tail -4 "$scratch/verify")"
awk -F, 'NR > 30 && $6 > 0 { n++ } END { exit n < 20 }' "$scratch/plank/steps.csv" || fail "nothing lies on the plank"

# --- bad bodies ---
refuse() { # BODY WORDS
    echo "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"bodies\": [$1]}" > "$scratch/bad.json"
    "$abut" run "$scratch/bad.json" -o "$scratch/bad" --quiet > /dev/null 2> "$scratch/error"
    [ $? = 2 ] || fail "status of $1"
    grep -q "$2" "$scratch/error" || fail "message '$(cat "$scratch/error")' lacks '$2'"
}
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n' > "$scratch/inside-out.obj"
refuse '{"name": "glove", "type": "rigid", "density": 1, "mesh": "inside-out.obj"}' '"glove" is inside out'
refuse '{"name": "thin", "type": "rigid", "density": 1, "mass_from": "volume", "mesh": {"grid": {"size": [1, 1]}}}' \
    '"thin" has no volume'
refuse '{"name": "cog", "type": "affine", "density": 1, "mesh": {"ball": {"radius": 1}}, "fix": {"rotation_axes": "x"}}' \
    'rotation_axes of an affine body'
[ $failures = 0 ] && echo "ok" || exit 1
