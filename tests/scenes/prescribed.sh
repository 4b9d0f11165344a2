#!/usr/bin/env bash
# Prescribed bodies that go through obstacles, half-spaces or each other: refused at the start where
# it can be found ahead, ended with a status of its own where it cannot, counted where it is allowed.
. "${ABUT_SOURCE_DIR:?}/tests/support/script.sh" || exit 1
cube='"mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}}'
fast='"motion": {"velocity": [20, 0, 0]}'
wall="{\"name\": \"wall\", \"type\": \"obstacle\", $cube, \"translate\": [3, 0.1, 0.2]}"
scene() { # BODIES [MORE]
    echo "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 30}, \"gravity\": [0, 0, 0],
           \"contact\": {\"dhat\": 1e-3}, \"bodies\": [$1] ${2-}}" > "$scratch/scene.json"
    rm -rf "${scratch:?}/run"
}
run() { "$abut" run "$scratch/scene.json" -o "$scratch/run" --quiet "$@" > /dev/null 2> "$scratch/error"; }
refused() { # WHAT WORDS: by `check` and by `run`, with the same words
    "$abut" check "$scratch/scene.json" > /dev/null 2> "$scratch/error"
    [ $? = 4 ] || fail "$1: exit code of check"
    grep -q "$2" "$scratch/error" || fail "$1: check says '$(cat "$scratch/error")'"
    run
    [ $? = 4 ] || fail "$1: exit code of run"
    grep -q "$2" "$scratch/error" || fail "$1: run says '$(cat "$scratch/error")'"
}
clean() { # WHAT
    "$abut" check "$scratch/scene.json" > /dev/null 2>&1 || fail "$1: check"
    run || fail "$1: $(cat "$scratch/error")"
    "$abut" verify "$scratch/run" > /dev/null || fail "$1: not clean"
}

# --- all that can be prescribed ---
meet='"a" and "wall" meet.*between 0.09 and 0.1 s'
for type in rigid affine; do
    a="{\"name\": \"a\", \"type\": \"$type\", \"density\": 1000, $cube"
    scene "$a, $fast}, $wall"
    refused "$type body through an obstacle" "$meet"
    scene "$a, $fast, \"collision_group\": 1}, {\"collision_group\": 1, ${wall#?}"
    clean "$type body through an obstacle of its group"
    scene "$a, $fast}, {\"name\": \"wall\", \"type\": \"$type\", \"density\": 1000, $cube, \"translate\": [3, 0.1, 0.2], \"fix\": {}}"
    refused "$type body through a static one" "$meet"
    scene "$a, \"fix\": {\"motion\": {\"velocity\": [20, 0, 0]}}}, $wall"
    refused "$type body with a motion in fix" "$meet"
    scene "$a, \"poses\": [{\"translate\": [0.5, 0, 0]}, {\"translate\": [7, 0, 0]}]}, $wall"
    refused "$type body with poses, through within one step" '"a" and "wall" meet.*between 0.01 and 0.02 s'
    scene "$a, \"translate\": [0, 1, 0], \"motion\": {\"velocity\": [0, -20, 0]}}" ', "ground": 0'
    refused "$type body through the ground" '"a" is prescribed to go behind half space 0, between 0.02'
    scene "$a, \"translate\": [0, 1.2, 0], $fast}, $wall"
    clean "$type body past an obstacle"
done
scene "{\"name\": \"wall\", \"type\": \"obstacle\", $cube, $fast},
       {\"name\": \"a\", \"type\": \"rigid\", \"density\": 1000, $cube, \"translate\": [3, 0.1, 0.2], \"fix\": {}}"
refused "obstacle through a static body" '"a" and "wall" meet\|"wall" and "a" meet'
soft='"material": {"young": 1e5, "poisson": 0.4, "density": 1000}'
scene "{\"name\": \"a\", \"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [2, 2, 2]}}, $soft,
        \"fix\": {\"nodes\": \"all\", $fast}}, $wall"
refused "nodes through an obstacle" "$meet"
scene "{\"name\": \"a\", \"type\": \"rigid\", \"density\": 1000, \"mesh\": {\"box\": {\"size\": [4, 0.2, 0.2], \"cells\": [1, 1, 1]}},
        \"motion\": {\"angular_velocity\": [0, 0, 9000]}},
       {\"name\": \"wall\", \"type\": \"obstacle\", $cube, \"translate\": [0, 1.5, 0]}"
refused "a quarter turn through an obstacle" '"a" and "wall" meet.*between 0 and 0.01 s'

# --- over a wall and down behind it: only the last of these steps is near anything ---
scene "{\"name\": \"a\", \"type\": \"rigid\", \"density\": 1000, $cube,
        \"poses\": [{\"translate\": [0, 3, 0]}, {\"translate\": [6, 3, 0]}, {\"translate\": [6, 0.5, 0]}]}, $wall,
       {\"name\": \"far\", \"type\": \"obstacle\", $cube, \"translate\": [9, 0.1, 0]}"
clean "over a wall"
# --- obstacles go through each other beside a body that is prescribed ---
scene "{\"name\": \"a\", \"type\": \"obstacle\", $cube, $fast}, $wall,
       {\"name\": \"b\", \"type\": \"rigid\", \"density\": 1000, $cube, \"translate\": [3, 2, 0], \"fix\": {}}"
clean "obstacles through each other"

# --- narrow gaps are no overlap: a shaft of 32 sides turns in a bearing of 32 sides, 0.1 mm apart ---
tube() { # NAME TYPE RADIUS MORE
    echo "{\"name\": \"$1\", \"type\": \"$2\", \"mesh\": {\"tube\": {\"radius\": $3, \"length\": 1, \"around\": 32, \"along\": 2}}, $4}"
}
bearing=$(tube bearing obstacle 0.50252 '"scale": [2, 1, 1]')
scene "$(tube shaft rigid 0.5 '"density": 10, "motion": {"angular_velocity": [90, 0, 0]}'), $bearing"
"$abut" check "$scratch/scene.json" > "$scratch/error" 2>&1 || fail "a shaft in its bearing: $(cat "$scratch/error")"
scene "$(tube shaft rigid 0.5004 '"density": 10, "motion": {"angular_velocity": [90, 0, 0]}'), $bearing"
refused "a shaft that is too thick" '"shaft" and "bearing" meet\|"bearing" and "shaft" meet'

# --- what the run decides: a flying body that is caught by a condition ---
scene "{\"name\": \"a\", \"type\": \"rigid\", \"density\": 1000, $cube, \"velocity\": [1, 0, 0],
        \"fix\": {\"from\": 0.1, \"motion\": {\"from\": 0.1, \"velocity\": [30, 0, 0]}}}, $wall"
"$abut" check "$scratch/scene.json" > /dev/null 2>&1 || fail "check refuses what it cannot know"
run
[ $? = 6 ] || fail "exit code of a run in which prescribed bodies meet"
grep -q '"a" and "wall" meet.*between 0.16 and 0.17 s' "$scratch/error" || fail "its message: $(cat "$scratch/error")"
grep -q '"status": "overlap"' "$scratch/run/run.json" || fail "run.json: status"
"$abut" verify "$scratch/run" > /dev/null || fail "the frames before are not clean"
run --resume
[ $? = 6 ] || fail "exit code when it goes on"

# --- allowed ---
scene "{\"name\": \"a\", \"type\": \"rigid\", \"density\": 1000, $cube, $fast}, $wall"
run --set contact.dirichlet_overlap=true || fail "an allowed overlap: $(cat "$scratch/error")"
count=$(sed -n 's/.*"dirichlet_overlap_steps": \([0-9]*\).*/\1/p' "$scratch/run/run.json")
tr -d ' \n' < "$scratch/run/run.json" | grep -q '"surface":{"vertices":16,"edges":36,"triangles":24}' || fail "run.json: surface"
grep -q '"status": "ok"' "$scratch/run/run.json" && [ "$count" -ge 8 ] || fail "run.json of an allowed overlap: $count"
"$abut" verify "$scratch/run" > /dev/null 2>&1 && fail "verify does not see it"
rm -rf "${scratch:?}/run"
run --set contact.dirichlet_overlap=true --steps 14 && run --set contact.dirichlet_overlap=true --resume
[ "$(sed -n 's/.*"dirichlet_overlap_steps": \([0-9]*\).*/\1/p' "$scratch/run/run.json")" = "$count" ] ||
    fail "the steps with overlap are not counted on"

# --- a rigid body is released when all bodies are beyond a coordinate, as nodes are ---
scene "{\"name\": \"a\", \"type\": \"rigid\", \"density\": 1000, $cube, \"translate\": [2, 0, 0], \"velocity\": [3, 0, 0],
        \"fix\": {\"release\": {\"axis\": \"x\", \"beyond\": 0.45}}},
       {\"name\": \"b\", \"type\": \"rigid\", \"density\": 1000, $cube, \"velocity\": [3, 0, 0]}" ', "gravity": [0, -10, 0]'
sed -i 's/"gravity": \[0, 0, 0\],//' "$scratch/scene.json"
run || fail "release of a rigid body: $(cat "$scratch/error")"
python3 -c "
import json, sys
y = json.load(open(sys.argv[1]))['bodies'][0]['center_of_mass'][1]
sys.exit(not -0.3 < y < -0.08)" "$scratch/run/run.json" || fail "a rigid body is not released, or too early"
[ $failures = 0 ] && echo "ok" || exit 1
