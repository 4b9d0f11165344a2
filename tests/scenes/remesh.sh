# Meshes that change within a run: frames, table, summary, going on from a checkpoint with the same
# bits, verification, and what is refused.
set -eu
abut=$ABUT_COMMAND
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAIL: $*"; exit 1; }

cat >"$dir/bar.json" <<'S'
{"abut": 1, "name": "bar", "time": {"step": 0.01, "steps": 9},
 "contact": {"dhat": 1e-3, "friction": 0.2}, "ground": 0,
 "remesh": {"method": "sizing-field", "min_edge": 0.05},
 "materials": {"m": {"young": 1e5, "poisson": 0.4, "density": 1000}},
 "bodies": [
  {"name": "bar", "mesh": {"box": {"size": [1, 0.2, 0.2], "cells": [5, 1, 1]}}, "translate": [0, 0.12, 0], "material": "m",
   "fix": {"nodes": {"relative_box": [[-0.01, -1, -1], [0.01, 2, 2]]}, "motion": {"velocity": [0, 0.1, 0]}}},
  {"name": "cube", "type": "rigid", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}},
   "translate": [0.3, 0.3, 0], "density": 1000},
  {"name": "cloth", "type": "shell", "mesh": {"grid": {"size": [0.1, 0.1], "cells": [2, 2]}}, "translate": [0, 0.3, 0],
   "material": "m", "shell": {"thickness": 1e-3}}]}
S
same() { # of two folders, but for the clock
    cmp <(cut -d, -f1,2,4- "$1/steps.csv") <(cut -d, -f1,2,4- "$2/steps.csv")
    for f in "$1"/frames/*.vtu; do cmp "$f" "$2/frames/$(basename "$f")"; done
}
for method in uniform sizing-field energy; do
    for integrator in implicit-euler newmark bdf3; do
        own=
        [ $method != energy ] || own=remesh.split_tolerance=1e-3
        [ $method != uniform ] || own=remesh.step=4
        set -- --quiet --set "remesh.method=\"$method\"" ${own:+--set "$own"} --set "time.integrator=\"$integrator\""
        "$abut" run "$dir/bar.json" -o "$dir/whole" "$@" --threads 1
        "$abut" run "$dir/bar.json" -o "$dir/part" "$@" --steps 6 --threads 2
        "$abut" run "$dir/bar.json" -o "$dir/part" "$@" --resume
        same "$dir/whole" "$dir/part" || fail "$method $integrator: another result after going on"
        "$abut" verify "$dir/part" >"$dir/verify" || fail "$method $integrator: $(cat "$dir/verify")"
        "$abut" verify --between 2 "$dir/whole" >/dev/null || fail "between frames"
        splits=$(awk -F, 'NR > 1 {n += $25} END {print n}' "$dir/whole/steps.csv")
        [ "$splits" -gt 5 ] || fail "$method: $splits splits"
        grep -q "\"splits\": $splits," "$dir/whole/run.json" || fail "run.json has another number of splits"
        rm -rf "$dir/whole" "$dir/part"
    done
done

# More bodies than a checkpoint once had room for, each with a mesh of its own.
python3 - >"$dir/many.json" <<'P'
import json
body = lambda i: {"mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}}, "translate": [2 * i, 0, 0], "material": "m",
                  "velocity": [0, 0, 0], "fix": {"nodes": {"relative_box": [[-1, -1, -1], [2, 0.01, 2]]}}}
print(json.dumps({"abut": 1, "time": {"step": 0.1, "steps": 2}, "remesh": {"method": "sizing-field", "stretch_change": 1e-3, "min_edge": 0.8},
                  "materials": {"m": {"young": 1e4, "poisson": 0.4, "density": 1000}}, "bodies": [body(i) for i in range(70)]}))
P
"$abut" run "$dir/many.json" -o "$dir/whole" --quiet || fail "70 bodies"
"$abut" run "$dir/many.json" -o "$dir/part" --quiet --steps 1
"$abut" run "$dir/many.json" -o "$dir/part" --quiet --resume
same "$dir/whole" "$dir/part" || fail "70 bodies: another result after going on"
[ "$(awk -F, 'NR > 1 {n += $25} END {print n}' "$dir/whole/steps.csv")" -gt 70 ] || fail "70 bodies: not refined"
rm -rf "$dir/whole" "$dir/part"

# Entries of fix, force and surface_loads are counted per body, in any number: each body hangs at its top and is pulled at its
# bottom. Entries that are over at the start (70 more on the second body, 135 on the third) change no bit, on this body or another.
cat >"$dir/hang.py" <<'P'
import json, sys
top, bottom = ({"nodes": {"relative_box": b}} for b in ([[-1, 0.99, -1], [2, 2, 2]], [[-1, -1, -1], [2, 0.01, 2]]))
over = eval(sys.argv[1])
body = lambda i: {"mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}}, "translate": [2 * i, 0, 0], "material": "m",
                  "fix": [dict(bottom, until=1e-9)] * over[i] + [top], "boundary": {"box": [[2 * i - 1, -1, -1], [2 * i + 1, -0.49, 1]], "number": 1},
                  "surface_loads": [{"boundary": 1, "traction": [0, -2e3, 0]}]}
print(json.dumps({"abut": 1, "gravity": [0, 0, 0], "time": {"step": 0.1, "steps": 2}, "remesh": {"method": "energy"},
                  "materials": {"m": {"young": 1e4, "poisson": 0.4, "density": 1000}}, "bodies": [body(i) for i in range(3)]}))
P
python3 "$dir/hang.py" '(1, 1, 1)' >"$dir/few.json"
python3 "$dir/hang.py" '(1, 71, 136)' >"$dir/hang.json"
for own in split_tolerance=0.2 'method="sizing-field" min_edge=0.5 stretch_change=0.02' 'method="uniform" step=1'; do
    set -- --quiet
    for key in $own; do set -- "$@" --set "remesh.$key"; done
    "$abut" run "$dir/few.json" -o "$dir/few" "$@" >"$dir/out" 2>&1 || fail "3 loads on a body, $own: $(cat "$dir/out")"
    "$abut" run "$dir/hang.json" -o "$dir/whole" "$@" --threads 1 >"$dir/out" 2>&1 || fail "138 loads on a body, $own: $(cat "$dir/out")"
    python3 - "$dir/whole/run.json" <<'P' || fail "the bodies do not hang, $own"
import json, sys
run = json.load(open(sys.argv[1]))
assert run["remesh"]["splits"] >= 10, run["remesh"]
for body in run["bodies"]:
    assert body["bounds"][1][1] == 0.5 and body["bounds"][0][1] < -0.6, body["bounds"]
P
    same "$dir/few" "$dir/whole" || fail "138 loads on a body, $own: not the result of 3"
    "$abut" run "$dir/hang.json" -o "$dir/part" "$@" --steps 1 --threads 2
    "$abut" run "$dir/hang.json" -o "$dir/part" "$@" --resume
    same "$dir/whole" "$dir/part" || fail "138 loads on a body, $own: another result after going on"
    rm -rf "$dir/few" "$dir/whole" "$dir/part"
done

# In the plane, with nodes that are listed and a load that is spread.
cat >"$dir/plane.json" <<'S'
{"abut": 1, "name": "pad", "planar": true, "time": {"step": 0.01, "steps": 8}, "contact": {"dhat": 2e-3}, "ground": 0,
 "remesh": {"method": "sizing-field", "min_edge": 0.02, "stretch_change": 0.05},
 "materials": {"m": {"young": 4e4, "poisson": 0.4}},
 "bodies": [{"name": "pad", "mesh": {"grid": {"size": [0.4, 0.2], "cells": [4, 2]}}, "rotate": [90, 0, 0],
   "translate": [0, 0.105, 0], "material": "m", "velocity": [0, -1, 0], "fix": {"nodes": {"list": [0, 1]}, "from": 0.03},
   "force": {"nodes": {"relative_box": [[0, 0.99, -1], [1, 1.01, 2]]}, "force": [0, -100, 0]}}]}
S
"$abut" run "$dir/plane.json" -o "$dir/plane" --quiet
"$abut" verify "$dir/plane" >/dev/null || fail "planar run is not clean"
grep -q '"inverted_elements": 0' "$dir/plane/run.json" || fail "inverted triangles"
[ "$(awk -F, 'NR > 1 {n += $25} END {print n}' "$dir/plane/steps.csv")" -gt 5 ] || fail "the pad was not refined"

# Pressed and released: refined, then coarse again, with the same bits after going on; what gains little waits.
cat >"$dir/press.json" <<'S'
{"abut": 1, "name": "press", "planar": true, "time": {"step": 0.02, "steps": 40}, "contact": {"dhat": 2e-3, "friction": 0.1}, "gravity": [0, 0, 0],
 "remesh": {"split_tolerance": 0.02, "collapse_tolerance": 0.01, "least_gain": 0.02},
 "materials": {"m": {"young": 4e4, "poisson": 0.4}},
 "bodies": [{"name": "pad", "mesh": {"grid": {"size": [0.8, 0.2], "cells": [8, 2]}}, "rotate": [90, 0, 0], "material": "m",
   "fix": {"nodes": {"relative_box": [[-1, -1, -1], [2, 0.01, 2]]}}},
  {"name": "die", "type": "obstacle", "mesh": {"given": {"vertices": [[-0.05, 0, 0], [0.05, 0, 0], [0.05, 0.1, 0], [-0.05, 0.1, 0]],
   "edges": [[0, 1], [1, 2], [2, 3], [3, 0]]}}, "translate": [0.03, 0.103, 0], "displacement": ["0", "min(0, 0.25*abs(t - 0.25) - 0.0625)", "0"]}]}
S
"$abut" run "$dir/press.json" -o "$dir/press" --quiet --threads 1
"$abut" run "$dir/press.json" -o "$dir/part" --quiet --steps 16 --threads 2
"$abut" run "$dir/press.json" -o "$dir/part" --quiet --resume
same "$dir/press" "$dir/part" || fail "press: another result after going on"
"$abut" verify --between 2 "$dir/press" >"$dir/out" || fail "press: $(cat "$dir/out")"
sums() { awk -F, 'NR > 1 {s += $25; c += $26; u = $24; if (u > m) m = u; n += $25 + $26 > 0} END {print s, c, u, m, n}' "$1/steps.csv"; }
read -r splits collapses unknowns most changed < <(sums "$dir/press")
[ "$splits" -gt 20 ] || fail "press: $splits splits"
[ "$collapses" -gt 10 ] || fail "press: $collapses collapses"
[ $((4 * unknowns)) -lt $((3 * most)) ] || fail "press: $unknowns unknowns at the end, $most at most"
"$abut" run "$dir/press.json" -o "$dir/eager" --quiet --set remesh.least_gain=0
read -r _ _ _ _ eager < <(sums "$dir/eager")
[ "$eager" -gt "$changed" ] || fail "press: $changed steps changed meshes, $eager when nothing waits"

# A flying bar becomes coarse: nothing pushes it, so that neither its energy nor its momentum changes by that.
cat >"$dir/flying.json" <<'S'
{"abut": 1, "name": "flying", "time": {"step": 0.01, "steps": 6}, "gravity": [0, 0, 0], "contact": {"enabled": false}, "solver": {"tolerance": 1e-9},
 "remesh": {"collapse_threshold": 1, "max_edge": 4}, "materials": {"m": {"young": 1e5, "poisson": 0.4, "density": 1000}},
 "bodies": [{"name": "bar", "mesh": {"box": {"size": [1, 0.25, 0.25], "cells": [8, 2, 2]}}, "material": "m", "velocity": [1, 2, 3]}]}
S
"$abut" run "$dir/flying.json" -o "$dir/flying" --quiet
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } NR == 2 { p = $at["linear_momentum_y"] }
    { n += $at["collapses"]; d = $at["kinetic"] - 437.5; q = $at["linear_momentum_y"] - p; if (d * d > 1e-10 || q * q > 1e-14 || $at["elastic"] > 1e-9) bad = 1 }
    END { exit bad || n < 10 }' "$dir/flying/steps.csv" || fail "a flying bar: $(cat "$dir/flying/steps.csv")"

# Stiff on soft, 1 : 10000, in long and in short steps.
cat >"$dir/ratio.json" <<'S'
{"abut": 1, "name": "ratio", "planar": true, "time": {"step": 0.05, "steps": 6}, "contact": {"dhat": 1e-3, "friction": 0.1}, "ground": 0,
 "remesh": {"split_tolerance": 1e-3}, "materials": {"soft": {"young": 1e4, "poisson": 0.4}, "hard": {"young": 1e8, "poisson": 0.4}},
 "bodies": [{"name": "pad", "mesh": {"grid": {"size": [0.4, 0.2], "cells": [4, 2]}}, "rotate": [90, 0, 0], "translate": [0, 0.1005, 0], "material": "soft"},
  {"name": "block", "mesh": {"grid": {"size": [0.1, 0.1], "cells": [1, 1]}}, "rotate": [90, 0, 0], "translate": [0.02, 0.2515, 0], "material": "hard", "velocity": [0, -1, 0]}]}
S
for step in 0.05 2e-5; do
    "$abut" run "$dir/ratio.json" -o "$dir/ratio" --quiet --set time.step=$step
    "$abut" verify "$dir/ratio" >"$dir/out" || fail "stiff on soft, steps of $step: $(cat "$dir/out")"
    [ "$(awk -F, 'NR > 1 {n += $25} END {print n}' "$dir/ratio/steps.csv")" -gt 0 ] || fail "stiff on soft, steps of $step: no splits"
    rm -rf "$dir/ratio"
done

# Inverted triangles are found in the frames of the elements: a material that allows it, taken for one that does not.
cat >"$dir/turned.json" <<'S'
{"abut": 1, "name": "turned", "planar": true, "time": {"step": 0.1, "steps": 3, "integrator": "quasi-static"}, "contact": {"enabled": false},
 "remesh": {"method": "uniform", "step": 2}, "output": {"formats": ["vtu", "volume"]},
 "materials": {"m": {"model": "linear", "young": 4e4, "poisson": 0.3}},
 "bodies": [{"name": "pad", "mesh": {"grid": {"size": [0.2, 0.2], "cells": [2, 2]}}, "rotate": [90, 0, 0], "material": "m",
   "fix": [{"nodes": {"relative_box": [[0, -1, -1], [1, 0.01, 2]]}},
           {"nodes": {"relative_box": [[0, 0.99, -1], [1, 2, 2]]}, "motion": {"velocity": [0, -1, 0]}}]}]}
S
"$abut" run "$dir/turned.json" -o "$dir/turned" --quiet
"$abut" verify "$dir/turned" | grep -q "allowed .*inverted" || fail "inverted triangles of a linear material are not counted"
sed -i "s/\"model\": \"linear\"/\"model\": \"neo-hookean\"/" "$dir/turned/scene.json"
if "$abut" verify "$dir/turned" >"$dir/out"; then fail "inverted triangles are not found"; fi
grep -q "^inverted tets  *[1-9]" "$dir/out" || fail "$(cat "$dir/out")"

# The same by energy: a step that leaves inverted triangles keeps its mesh, and the run goes on.
sed 's/"method": "uniform", "step": 2/"split_tolerance": 0.1/' "$dir/turned.json" >"$dir/kept.json"
"$abut" run "$dir/kept.json" -o "$dir/kept" >"$dir/out" 2>&1 || fail "inverted triangles ended the run: $(cat "$dir/out")"
grep -q "keeps its meshes.*inverted" "$dir/out" || fail "no message about inverted triangles: $(cat "$dir/out")"

# Uniform refinement ends at max_cells.
"$abut" run "$dir/turned.json" -o "$dir/few" --set remesh.levels=3 --set remesh.max_cells=100 >"$dir/out" 2>&1
grep -q "refined 1 times only, not 3" "$dir/out" || fail "max_cells of uniform refinement: $(cat "$dir/out")"

cat >"$dir/quad.msh" <<'S'
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
1
1 3 2 0 1 1 2 3 4
$EndElements
S
refused() { # text, arguments
    text=$1; shift
    if "$abut" check "$dir/bar.json" "$@" >"$dir/out" 2>&1; then fail "accepted: $*"; fi
    grep -q "$text" "$dir/out" || fail "no \"$text\" in: $(cat "$dir/out")"
}
# A mesh that hangs together in a point only: the point stays, the rest is refined; and a flat cell, which is refused by name.
cat >"$dir/point.json" <<'S'
{"abut": 1, "name": "point", "planar": true, "time": {"step": 0.1, "steps": 2}, "remesh": {"split_tolerance": 1e-3}, "contact": {"enabled": false},
 "materials": {"m": {"young": 4e4, "poisson": 0.3}},
 "bodies": [{"name": "bow", "material": "m", "fix": {"nodes": {"list": [3, 4]}}, "mesh": {"given": {"vertices": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [-1, 0, 0], [-1, -1, 0]],
   "triangles": [[0, 1, 2], [0, 3, 4]]}}}]}
S
"$abut" run "$dir/point.json" -o "$dir/point" --quiet || fail "a bow tie was refused"
"$abut" verify "$dir/point" > "$dir/out" || fail "the bow tie: $(cat "$dir/out")"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "splits") c = i } { n += $c } END { exit !(n > 0) }' \
    "$dir/point/steps.csv" || fail "the bow tie was not refined"
sed 's/\[1, 1, 0\]/[2, 0, 0]/' "$dir/point.json" > "$dir/flat.json"
if "$abut" run "$dir/flat.json" -o "$dir/flat" --quiet 2>"$dir/out"; then fail "a flat cell was accepted"; fi
grep -q 'bodies\[0\].mesh' "$dir/out" || fail "$(cat "$dir/out")"

refused 'bodies\[0\].order' --set bodies[0].order=2
refused 'remesh: is for the stepper "barrier"' --set 'stepper="mlcp"'
refused 'bodies\[0\].weights' --set 'bodies[0].weights={"nodes":{"list":[0]},"mass":1}'
refused 'did you mean "split_tolerance"' --set remesh.split_tolerence=1
refused 'only linear triangles are remeshed' --set planar=true --set 'bodies=[{"name": "q", "material": "m", "mesh": "quad.msh", "translate": [0, 1, 0]}]'
refused 'remesh.swap: is not for the method "sizing-field", only for "energy"' --set remesh.swap=true
"$abut" check "$dir/bar.json" --set bodies[0].order=2 --set bodies[0].remesh=false >/dev/null || fail "remesh: false"
echo ok
