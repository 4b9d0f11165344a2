#!/usr/bin/env bash
# Keys of scenes under their former names: the same scene as under the new ones, and a warning that names these.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1

scene() { # OVERLAP CHECK WEIGHT MASS
    cat <<JSON
{"abut": 1, "name": "plates", "time": {"step": 0.01, "steps": 2}, "contact": {"$1": true, "$2": true}, "solver": {"$3": 2},
 "bodies": [{"name": "plate", "type": "rigid", "density": 7, "$4": "area", "mesh": {"box": {"size": [1, 1, 1]}}},
            {"name": "lid", "type": "rigid", "density": 7, "mesh": {"box": {"size": [1, 1, 1]}}, "translate": [0, 2, 0]}]}
JSON
}
scene dirichlet_overlap check_every_trial proximal_weight mass_from > now.json
scene prescribed_overlap check_moves anchor weigh > old.json
expect 0 'no problems found' check now.json
[[ $("$abut" check now.json 2>&1) =~ deprecated ]] && fail "a warning without a reason"
for pair in contact:prescribed_overlap:dirichlet_overlap contact:check_moves:check_every_trial solver:anchor:proximal_weight \
            bodies:weigh:mass_from; do
    IFS=: read -r object old new <<< "$pair"
    expect 0 "old.json: $object: \"$old\" is deprecated; its name is \"$new\"" check old.json
done
for name in old now; do
    "$abut" run $name.json -o $name --quiet --steps 1 > log 2>&1 || fail "run: $(cat log)"
done
diff old/scene.json now/scene.json || fail "old keys make another scene"

# A number of iterations has become a word.
for pair in 0:projected 8:adaptive; do
    sed "s/\"solver\": {/\"solver\": {\"true_hessian_after\": ${pair%:*}, /" now.json > after.json
    expect 0 'after.json: solver: "true_hessian_after" is deprecated; its name is "hessian"' check after.json
    "$abut" run after.json -o after --quiet --steps 1 > log 2>&1 || fail "run: $(cat log)"
    grep -q "\"hessian\": *\"${pair#*:}\"" after/scene.json || fail "true_hessian_after ${pair%:*} is not ${pair#*:}"
done

# On the command line, and in a list.
expect 0 '"weigh" is deprecated; its name is "mass_from"' check now.json --set 'bodies[1].weigh=area'
expect 0 '"anchor" is deprecated; its name is "proximal_weight"' check now.json --set solver.anchor=3
expect 2 'anchor' check now.json --set solver.anchors=3
[[ $("$abut" check now.json --set solver.anchor=-1 2>&1) =~ proximal_weight ]] || fail "a bad value under an old name"
# Both names at once are refused.
sed 's/"mass_from": "area"/"mass_from": "area", "weigh": "area"/' now.json > both.json
expect 2 'weigh' check both.json

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
