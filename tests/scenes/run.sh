#!/usr/bin/env bash
# abut run: the examples, what is in the folder, the same bits for any number of threads, exit codes,
# and nothing left behind by runs that fail.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1

# The table without wall times.
table() { cut -d, -f1,2,4- "$1/steps.csv"; }

# no_leftovers FOLDER: no temporary file is there.
no_leftovers() {
    local found
    found=$(find "$1" -name '*.tmp' 2> /dev/null)
    [ -z "$found" ] || fail "left behind: $found"
}

# --- the examples ---
for name in cantilever twist bounce; do
    expect 0 "results are in" run examples/elastic/$name.json -o "$scratch/$name" --steps 12
    for file in run.json steps.csv checkpoint.h5 scene.json frames/frames.pvd frames/frame_000012.vtu; do
        [ -s "$scratch/$name/$file" ] || fail "$name: $file is missing"
    done
    no_leftovers "$scratch/$name"
    [ "$(wc -l < "$scratch/$name/steps.csv")" = 14 ] || fail "$name: steps.csv has not 13 rows"
    grep -q '"status": "ok"' "$scratch/$name/run.json" || fail "$name: status is not ok"
    grep -q '"inverted_elements": 0' "$scratch/$name/run.json" || fail "$name: inverted elements"
    "$abut" check "$scratch/$name/scene.json" > /dev/null || fail "$name: scene.json cannot be read again"
done
for key in steps simulated_seconds wall_seconds newton_iterations max_contact_count mean_contact_count min_distance \
    max_stretch intersections inverted_elements peak_rss_bytes threads stage_seconds assembly linear_solve \
    broad_phase ccd active_set line_search check output other norms l2 h1 h1_semi linf center_of_mass bounds; do
    grep -q "\"$key\"" "$scratch/twist/run.json" || fail "run.json lacks $key"
done
[ -z "$("$abut" run examples/elastic/twist.json -o "$scratch/quiet" --steps 1 --quiet 2>&1)" ] || fail "--quiet is not"

# The bar of the third falls on the ground, and rises again after it has touched it.
"$abut" run examples/elastic/bounce.json -o "$scratch/bounce" --quiet || fail "bounce"
awk -F, 'NR > 1 { if ($6 > 0) { touched = 1; if (!low || $11 < low) low = $11 } if (touched && $11 > high) high = $11 }
    END { exit !(touched && low < 8 && high > low + 8) }' "$scratch/bounce/steps.csv" || fail "the bar does not bounce"
grep -q '"intersections": 0' "$scratch/bounce/run.json" || fail "bounce: intersections"

# Each integrator and solver runs.
for setting in time.integrator=newmark time.integrator=bdf2 time.integrator=quasi-static solver.linear=pcg \
    'bodies[0].mass=consistent' solver.reproducible=false output.every=0 output.checkpoint_every=0; do
    expect 0 "" run examples/elastic/cantilever.json -o "$scratch/variant" --steps 2 --quiet --set "$setting"
done
# A setting that a linear solver cannot follow is named.
expect 0 "true_hessian_first has no effect" run examples/elastic/cantilever.json -o "$scratch/unfollowed" --steps 1 \
    --set 'solver.linear="pcg"' --set solver.true_hessian_first=true
[ -z "$(find "$scratch/variant/frames" -name '*.vtu' -newer "$scratch/quiet")" ] || [ -s "$scratch/variant/frames/frames.pvd" ] ||
    fail "frames.pvd is missing"

# --- contact, friction, moving obstacle, for the rest ---
cat > "$scratch/blocks.json" << 'END'
{"abut": 1, "time": {"step": 0.01, "steps": 12}, "contact": {"dhat": 0.005, "friction": 0.3},
 "materials": {"soft": {"young": 1e5, "poisson": 0.4}},
 "bodies": [
  {"name": "a", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "translate": [0, 0.102, 0],
   "material": "soft", "velocity": [0.5, -1, 0]},
  {"name": "b", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "translate": [0.07, 0.31, 0.03],
   "rotate": [0, 20, 0], "material": "soft", "velocity": [0, -1, 0]}],
 "ground": 0}
END
"$abut" run "$scratch/blocks.json" -o "$scratch/one" --threads 1 --quiet || fail "one thread"
for threads in 2 3; do
    "$abut" run "$scratch/blocks.json" -o "$scratch/more" --threads $threads --quiet || fail "$threads threads"
    cmp -s <(table "$scratch/one") <(table "$scratch/more") || fail "$threads threads give another steps.csv"
    cmp -s "$scratch"/{one,more}/frames/frame_000012.vtu || fail "$threads threads give another frame"
done
for solver in direct cholmod pcg; do
    for threads in 1 2; do
        "$abut" run examples/elastic/twist.json -o "$scratch/twist$threads" --threads $threads --steps 3 --quiet \
            --set solver.linear=$solver --set 'bodies[0].mesh.box.cells=[16, 6, 6]' || fail "twist on $threads threads"
    done
    cmp -s <(table "$scratch/twist1") <(table "$scratch/twist2") || fail "$solver: 2 threads give another steps.csv"
done

# --- exit codes ---
expect 2 "there is no option" run "$scratch/blocks.json" --sped 3
expect 2 "time.stp" run "$scratch/blocks.json" -o "$scratch/no" --set time.stp=3
expect 2 "density" run "$scratch/blocks.json" -o "$scratch/no" --set materials.soft.density=-1
expect 5 "No such file" run "$scratch/none.json" -o "$scratch/no"
expect 5 "directory" run "$scratch" -o "$scratch/no"
[ ! -e "$scratch/no" ] || fail "wrong input made a folder"

expect 3 "not converged after 1 Newton iteration" run "$scratch/blocks.json" -o "$scratch/stuck" \
    --set solver.max_iterations=1 --set solver.tolerance=1e-9
grep -q '"status": "not_converged"' "$scratch/stuck/run.json" || fail "run.json does not tell of the failed step"
no_leftovers "$scratch/stuck"

expect 4 "the start is infeasible: [1-9][0-9]* intersections?" run "$scratch/blocks.json" -o "$scratch/meet" \
    --set 'bodies[1].translate=[0.09, 0.21, 0.03]'
expect 4 "the start is infeasible.*[1-9][0-9]* behind half spaces" run "$scratch/blocks.json" -o "$scratch/meet" --set ground=0.05
[ "$(ls "$scratch/meet")" = start_problems.vtu ] || fail "an infeasible start left $(ls "$scratch/meet")"
cat > "$scratch/turned.msh" << 'END'
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 0 1 1 3 2 4
$EndElements
END
expect 4 "bodies\[0\].mesh.*inverted" run "$scratch/blocks.json" -o "$scratch/no" --set 'bodies[0].mesh=turned.msh'
sed 's/^4 0 0 1$/4 1 1 0/; s/^1 4 2 .*/1 4 2 0 1 1 2 3 4/' "$scratch/turned.msh" > "$scratch/flat.msh"
expect 4 "bodies\[0\].mesh" run "$scratch/blocks.json" -o "$scratch/no" --set 'bodies[0].mesh=flat.msh'
sed 's/^4 0 0 1$/4 0 0 nan/' "$scratch/turned.msh" > "$scratch/nan.msh"
expect 2 "nan.msh" run "$scratch/blocks.json" -o "$scratch/no" --set 'bodies[0].mesh=nan.msh'
[ ! -e "$scratch/no" ] || fail "an infeasible start made a folder"

touch "$scratch/file"
expect 5 "cannot create the folder" run "$scratch/blocks.json" -o "$scratch/file"
expect 5 "cannot create the folder" run "$scratch/blocks.json" -o "$scratch/file/inside"
if [ "$(id -u)" != 0 ]; then
    mkdir "$scratch/locked"
    chmod a-w "$scratch/locked"
    expect 5 "Permission denied" run "$scratch/blocks.json" -o "$scratch/locked"
    expect 5 "Permission denied" run "$scratch/blocks.json" -o "$scratch/locked/inside"
fi

# A full disk: what is there stays whole, nothing half is left, and the run can go on later.
if mkdir "$scratch/small" && mount -t tmpfs -o size=160k none "$scratch/small" 2> /dev/null; then
    expect 5 "No space left" run "$scratch/blocks.json" -o "$scratch/small/run" --set time.steps=200 --set output.checkpoint_every=1
    no_leftovers "$scratch/small"
    [ "$(tail -c 1 "$scratch/small/run/steps.csv" | od -An -c | tr -d ' ')" = '\n' ] || fail "half a row in steps.csv"
    for frame in "$scratch"/small/run/frames/*.vtu; do
        "$abut" info "$frame" > /dev/null || fail "half a frame: $frame"
    done
    umount "$scratch/small"
else
    echo "no small file system to fill: left to unit/test_run_faults"
fi

# Friction in a narrow groove goes in circles, which is flagged, also after a resumption; in a slippery one it settles.
cat > "$scratch/groove.json" << 'END'
{"abut": 1, "time": {"step": 0.02, "steps": 8}, "solver": {"tolerance": 1e-6},
 "contact": {"friction": 1, "friction_iterations": 0, "eps_v": 1e-4, "dhat": 1e-3, "stiffness_rule": "balanced"},
 "half_spaces": [{"origin": [0, 0, 0], "normal": [0.94, 0.34, 0]}, {"origin": [0, 0, 0], "normal": [-0.94, 0.34, 0]}],
 "bodies": [{"type": "rigid", "mesh": {"sphere": {"radius": 0.1, "level": 1}}, "density": 1000, "translate": [0, 0.3, 0]}]}
END
flagged() { cut -d, -f29 "$1/steps.csv" | grep -c '^1$'; }
"$abut" run "$scratch/groove.json" -o "$scratch/groove" --quiet --steps 5 || fail "groove"
"$abut" run "$scratch/groove.json" -o "$scratch/groove" --quiet --resume || fail "groove, resumed"
[ "$(flagged "$scratch/groove")" -ge 5 ] || fail "friction in circles is not flagged"
grep -q "\"friction_not_converged_steps\": $(flagged "$scratch/groove")," "$scratch/groove/run.json" || fail "steps without converged friction are not counted"
"$abut" run "$scratch/groove.json" -o "$scratch/slippery" --quiet --set contact.friction=0.2 || fail "slippery groove"
[ "$(flagged "$scratch/slippery")" = 0 ] || fail "friction that settles is flagged"
grep -q '"friction_not_converged_steps": 0,' "$scratch/slippery/run.json" || fail "converged steps are counted"
"$abut" run "$scratch/groove.json" -o "$scratch/once" --quiet --set contact.friction_iterations=1 || fail "groove, one pass"
[ "$(cut -d, -f5 "$scratch/once/steps.csv" | sort -n | tail -1)" = 1 ] || fail "one pass of friction was asked for"
"$abut" run "$scratch/groove.json" -o "$scratch/twice" --quiet --set contact.friction_iterations=2 || fail "groove, two passes"
[ "$(cut -d, -f5 "$scratch/twice/steps.csv" | sort -n | tail -1)" = 2 ] || fail "two passes of friction were asked for"
[ "$(flagged "$scratch/once")" = 0 ] || fail "a number of passes that was asked for is flagged"

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
