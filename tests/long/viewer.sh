#!/usr/bin/env bash
# The page of `abut view` in a headless browser (playwright-core with Debian's chromium); see viewer/tests. With
# ABUT_SCREENSHOTS set, the pictures that the test takes are kept in that folder.
set -u
abut=$ABUT_COMMAND
cd "$ABUT_SOURCE_DIR" || exit 1
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "there is no chromium; install it (Debian: chromium) to run this test"; exit 77; }
command -v node > /dev/null || { echo "there is no node"; exit 77; }
scripts/build-viewer "$ABUT_BUILD_DIR/viewer" || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=${ABUT_SCREENSHOTS:-$scratch/out}
mkdir -p "$out"
"$abut" run examples/contact/cube-stack/scene.json -o "$scratch/stack.run" --quiet \
    --set 'output.fields=["velocity", "displacement", "stress", "stretch", "contact_force"]' || exit 1
cd viewer || exit 1
ABUT_CHROMIUM=$browser node tests/viewer.mjs "$scratch/stack.run" ../examples/contact/pile/scene.json "$out"
code=$?
sed -e 's#"../meshes/#"'"$ABUT_SOURCE_DIR"'/examples/contact/meshes/#g' -e 's/0, 2.11, 0/0.1, 1.2, 0/' \
    ../examples/contact/tet-tet/scene.json > "$scratch/refused.json"
ABUT_CHROMIUM=$browser node tests/layout.mjs "$scratch/stack.run" "$scratch/refused.json" "$scratch" "$out" || code=1
sed -n '/^cat > "$scratch\/scene.json"/,/^END/p' ../tests/scenes/play.sh | sed '1d;$d' > "$scratch/played.json"
sed 's/"ground": 0,/"ground": 0, "solver": {"max_iterations": 1, "tolerance": 1e-12, "substep_after": 0},/' "$scratch/played.json" > "$scratch/failing.json"
ABUT_CHROMIUM=$browser node tests/play.mjs "$scratch/played.json" "$scratch/failing.json" "$out" || code=1
kinds=()
for kind in contact/funnel rigid/gears-in-soft-block rigid/coin thin/all-in thin/hair thin/granules highorder/ball highorder/plane; do
    run=$scratch/${kind//\//-}.run
    scene=$(ls ../examples/"$kind"/*.json | head -1)
    "$abut" run "$scene" -o "$run" --steps 12 --set output.every=2 --quiet || exit 1
    kinds+=("$run")
done
ABUT_CHROMIUM=$browser node tests/kinds.mjs "$out" "${kinds[@]}" || code=1
"$abut" run tests/large.json -o "$scratch/large.run" --quiet || exit 1
ABUT_CHROMIUM=$browser node tests/large.mjs "$scratch/large.run" 30 || code=1
exit $code
