#!/usr/bin/env bash
# Runs divided over 1 to 4 ranks: every kind of body, the same results as without, the same bits twice;
# a rank that dies, another number of ranks afterwards, ranks that do not belong together.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
module=${ABUT_PETSC_MODULE:-$(dirname "$abut")/abut_petsc.so}
if ! command -v mpirun > /dev/null || [ ! -f "$module" ]; then
    echo "skipped: no mpirun, or built without PETSc (make mpi; make test-long BUILD=build-mpi)"
    exit 77
fi
cd "$ABUT_SOURCE_DIR" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
# Ranks that outnumber the cores must not spin while they wait. Others should: MUMPS asks for messages
# thousands of times, and each time it would go to the end of the queue.
ranks() { local n=$1; shift; OMPI_MCA_mpi_yield_when_idle=$((n > $(nproc))) mpirun --oversubscribe -n "$n" "$@"; }
table() { cut -d, -f1,2,4- "$1/steps.csv"; }

# scene NAME BODIES [MORE]
scene() {
    cat > "$scratch/$1.json" << END
{"abut": 1, "time": {"step": 0.01, "steps": 5}, "contact": {"dhat": 0.004, "friction": 0.3},
 "solver": {"tolerance": 1e-5, "linear": "auto"},
 "materials": {"soft": {"young": 1e5, "poisson": 0.4}},
 "bodies": [$2], "ground": 0, "output": {"every": 4, "checkpoint_every": 1}${3:-}}
END
}
slab='{"name": "slab", "mesh": {"box": {"size": [0.4, 0.1, 0.4], "cells": [4, 2, 4]}}, "material": "soft", "translate": [0, 0.053, 0]}'
fall='"velocity": [0.1, -1, 0]'
scene deformable "$slab, {\"name\": \"ball\", \"mesh\": {\"ball\": {\"radius\": 0.08, \"cells\": 6}}, \"material\": \"soft\", \"translate\": [0, 0.2, 0], $fall}"
scene highorder "$slab, {\"name\": \"block\", \"order\": 2, \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, 2]}}, \"material\": \"soft\", \"translate\": [0, 0.17, 0], $fall}"
scene rigid "$slab, {\"name\": \"block\", \"type\": \"rigid\", \"density\": 800, \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, 2]}}, \"translate\": [0, 0.19, 0], \"rotate\": [20, 10, 0], $fall}"
scene affine "$slab, {\"name\": \"block\", \"type\": \"affine\", \"density\": 800, \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, 2]}}, \"translate\": [0, 0.19, 0], \"rotate\": [20, 10, 0], $fall}"
scene shell "$slab, {\"name\": \"cloth\", \"type\": \"shell\", \"mesh\": {\"grid\": {\"size\": [0.3, 0.3], \"cells\": [8, 8]}}, \"material\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": 500}, \"shell\": {\"thickness\": 1e-3}, \"translate\": [0, 0.115, 0], $fall}"
scene rod "$slab, {\"name\": \"rope\", \"type\": \"rod\", \"mesh\": {\"polyline\": {\"from\": [-0.15, 0.115, 0], \"to\": [0.15, 0.115, 0.02], \"segments\": 12}}, \"material\": {\"young\": 1e6, \"poisson\": 0.3, \"density\": 1000}, \"rod\": {\"diameter\": 0.004}, $fall}"
scene particles "$slab, {\"name\": \"dust\", \"type\": \"particles\", \"mesh\": {\"lattice\": {\"spacing\": 0.03, \"counts\": [3, 2, 3]}}, \"particles\": {\"radius\": 0.004}, \"density\": 1000, \"translate\": [0, 0.13, 0], $fall}"
scene obstacle "$slab, {\"name\": \"pusher\", \"type\": \"obstacle\", \"mesh\": {\"sphere\": {\"radius\": 0.05, \"level\": 2}}, \"translate\": [0, 0.16, 0], \"motion\": {\"velocity\": [0, -0.5, 0]}}"

# same A B WHAT: final states agree to the tolerance of Newton's method.
same() {
    python3 - "$1" "$2" << 'END' || fail "$3: other results"
import json, sys
a, b = (json.load(open(d + "/run.json")) for d in sys.argv[1:3])
ok = a["steps"] == b["steps"] and b["status"] == "ok" and b["intersections"] == 0 and b["inverted_elements"] == 0
largest = 0
for p, q in zip(a["bodies"], b["bodies"]):
    for u, v in zip(p["center_of_mass"] + sum(p["bounds"], []), q["center_of_mass"] + sum(q["bounds"], [])):
        largest = max(largest, abs(u - v))
print("  largest difference %.2e m, %d contacts, solver %s" % (largest, b["max_contact_count"], b["linear"]["solver"]))
sys.exit(not (ok and largest < 1e-5 and b["max_contact_count"] > 0))
END
}

for kind in deformable highorder rigid affine shell rod particles obstacle; do
    echo "$kind"
    "$abut" run "$scratch/$kind.json" -o "$scratch/one" --quiet || { fail "$kind alone"; continue; }
    for n in 1 2 3 4; do
        # "petsc" factorises such small systems whole; two ranks divide the matrix.
        linear=petsc
        [ $n = 2 ] && linear=petsc-gamg
        ranks $n "$abut" run "$scratch/$kind.json" -o "$scratch/r$n" --quiet --set solver.linear=$linear || { fail "$kind on $n ranks"; continue; }
        same "$scratch/one" "$scratch/r$n" "$kind on $n ranks"
        "$abut" verify "$scratch/r$n" > "$scratch/verify" 2>&1 || { cat "$scratch/verify"; fail "$kind on $n ranks: verify"; }
    done
    ranks 3 "$abut" run "$scratch/$kind.json" -o "$scratch/again" --quiet --set solver.linear=petsc
    cmp -s <(table "$scratch/r3") <(table "$scratch/again") || fail "$kind: other bits the second time"
done

# Stopping and going on with the same number of ranks leaves no trace. With MUMPS no two runs have the same
# bits, resumed or not: its ranks add what they send each other in the order of arrival.
for linear in petsc petsc-gamg petsc-mumps; do
    ranks 2 "$abut" run "$scratch/deformable.json" -o "$scratch/whole" --quiet --set solver.linear=$linear
    ranks 2 "$abut" run "$scratch/deformable.json" -o "$scratch/part" --quiet --set solver.linear=$linear --steps 2
    ranks 2 "$abut" run "$scratch/deformable.json" -o "$scratch/part" --quiet --set solver.linear=$linear --resume
    if [ $linear = petsc-mumps ]; then
        same "$scratch/whole" "$scratch/part" "$linear resumed"
    else
        cmp -s <(table "$scratch/whole") <(table "$scratch/part") || fail "$linear: other bits after resuming"
    fi
done

# Other solvers on ranks: the same bits twice. What is summed from three ranks shows who came first.
for linear in petsc-gamg petsc-icc petsc-bjacobi petsc-hypre petsc-mumps; do
    "$abut" run "$scratch/deformable.json" -o "$scratch/one" --quiet
    ranks 3 "$abut" run "$scratch/deformable.json" -o "$scratch/r" --quiet --set solver.linear=$linear || fail "$linear"
    same "$scratch/one" "$scratch/r" "$linear"
    grep -q "\"solver\": \"$linear\"" "$scratch/r/run.json" || fail "$linear is not named in run.json"
    [ $linear = petsc-mumps ] && continue
    ranks 3 "$abut" run "$scratch/deformable.json" -o "$scratch/again" --quiet --set solver.linear=$linear
    cmp -s <(table "$scratch/r") <(table "$scratch/again") || fail "$linear: other bits the second time"
done

# Coarser levels are made by a product of this program: as many iterations as with PETSc's.
for via in "" "-matptap_via nonscalable"; do
    ranks 3 "$abut" run "$scratch/deformable.json" -o "$scratch/gamg${via:+-via}" --quiet --set solver.linear=petsc-gamg --petsc-options "$via" || fail "petsc-gamg $via"
done
same "$scratch/gamg" "$scratch/gamg-via" "products of PETSc"
cmp -s <(grep iterations "$scratch/gamg/run.json") <(grep iterations "$scratch/gamg-via/run.json") || fail "petsc-gamg: other iterations with PETSc's product"

# One rank is killed; the run goes on with another number of ranks and ends at the same place.
"$abut" run "$scratch/deformable.json" -o "$scratch/one" --quiet --set solver.linear=petsc --set time.steps=40
OMPI_MCA_mpi_yield_when_idle=1 mpirun --oversubscribe -n 3 "$abut" run "$scratch/deformable.json" -o "$scratch/killed" --quiet --set solver.linear=petsc --set time.steps=40 > "$scratch/log" 2>&1 &
launcher=$!
for ((i = 0; i < 600; i++)); do
    [ -f "$scratch/killed/steps.csv" ] && [ "$(wc -l < "$scratch/killed/steps.csv")" -gt 5 ] && break
    sleep 0.05
done
victim=$(pgrep -P $launcher | sed -n 2p)
kill -9 "$victim"
wait $launcher && fail "a killed rank went unnoticed"
grep -qi "rank" "$scratch/log" || fail "no word about the killed rank"
[ -f "$scratch/killed/checkpoint.h5" ] || fail "no checkpoint of the killed run"
[ "$(wc -l < "$scratch/killed/steps.csv")" -lt 41 ] || fail "it was killed too late"
ranks 2 "$abut" run "$scratch/deformable.json" -o "$scratch/killed" --quiet --resume --set solver.linear=petsc --set time.steps=40 || fail "resuming on 2 ranks"
same "$scratch/one" "$scratch/killed" "resumed on another number of ranks"

# expect CODE PATTERN COMMAND...
expect() {
    local code=$1 pattern=$2 output got
    shift 2
    output=$("$@" 2>&1)
    got=$?
    [ "$got" = "$code" ] || fail "$*: exit code $got instead of $code: $output"
    [[ $output =~ $pattern ]] || fail "$*: '$output' does not match '$pattern'"
}
# Ranks that do not belong together, and what cannot be divided.
d=$scratch/deformable.json r=$scratch/rigid.json
expect 2 "rank 1 has another scene" mpirun --oversubscribe -n 1 "$abut" run "$d" -o "$scratch/x" : -n 1 "$abut" run "$r" -o "$scratch/x"
cp "$abut" "$scratch/abut"; printf x >> "$scratch/abut"
expect 2 "rank 1 has another executable" env ABUT_PETSC_MODULE="$module" mpirun --oversubscribe -x ABUT_PETSC_MODULE -n 1 "$abut" run "$d" -o "$scratch/x" : -n 1 "$scratch/abut" run "$d" -o "$scratch/x"
expect 2 "cannot be divided over 2 ranks" mpirun --oversubscribe -n 2 "$abut" run "$d" -o "$scratch/x" --set solver.linear=direct
expect 2 "abut_petsc.so" env ABUT_PETSC_MODULE=/nonexistent mpirun --oversubscribe -x ABUT_PETSC_MODULE -n 2 "$abut" run "$d" -o "$scratch/x"
expect 2 "abut_petsc.so" env ABUT_PETSC_MODULE=/nonexistent "$abut" run "$d" -o "$scratch/x" --set solver.linear=petsc
scene joined "$slab, {\"name\": \"bar\", \"type\": \"rigid\", \"density\": 800, \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, 2]}}, \"translate\": [0, 0.3, 0]}" \
    ', "joints": [{"type": "ball", "body": "bar", "point": [0, 0.4, 0]}]'
expect 2 "joints and attachments do not run on several ranks yet" ranks 2 "$abut" run "$scratch/joined.json" -o "$scratch/x" --set solver.linear=petsc
# A scene that one rank does not find: all stop, and the message is that rank's.
expect 5 "rank 1 of 2 stops all.*nowhere" mpirun --oversubscribe -n 1 "$abut" run "$d" -o "$scratch/x" : -n 1 "$abut" run "$scratch/nowhere.json" -o "$scratch/x"
# One element, four ranks.
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 0 0 1 2 3 4\n$EndElements\n' > "$scratch/few.msh"
echo '{"abut": 1, "time": {"step": 0.01, "steps": 3}, "bodies": [{"name": "t", "mesh": {"file": "few.msh"}, "material": {"young": 1e5, "poisson": 0.4}, "translate": [0, 0.6, 0]}], "ground": 0}' > "$scratch/few.json"
for linear in petsc petsc-mumps petsc-gamg; do
    expect 0 "" ranks 4 "$abut" run "$scratch/few.json" -o "$scratch/few" --quiet --set solver.linear=$linear
done
# Options go through to PETSc.
expect 0 "MatAssemblyEnd" mpirun --oversubscribe -n 2 "$abut" run "$d" -o "$scratch/x" --steps 1 --quiet --set solver.linear=petsc-gamg --petsc-options "-log_view"

[ $failures -eq 0 ] && echo "all passed"
exit $((failures > 0))
