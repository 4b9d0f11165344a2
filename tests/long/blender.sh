#!/usr/bin/env bash
# A film of bodies that deform, opened by a program of others: Debian's Blender shows the places of the frames.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
command -v blender > /dev/null || { echo "skipped: blender is not installed"; exit 77; }
"$abut" run "$ABUT_SOURCE_DIR/examples/from-surface/scene.json" -o "$scratch/run" --steps 20 --quiet || fail "run"
expect 0 '2 deforming' convert "$scratch/run" "$scratch/film.glb"
frames=()
for step in 3 11 20; do
    "$abut" convert "$(printf '%s/run/frames/frame_%06d.vtu' "$scratch" $step)" "$scratch/$step.obj" || fail "convert"
    frames+=("$step=$scratch/$step.obj")
done
blender -b --python-exit-code 3 --python "$ABUT_SOURCE_DIR/tests/long/blender_gltf.py" -- "$scratch/film.glb" 0.02 figure,cloth \
    "${frames[@]}" > "$scratch/log" 2>&1 || fail "blender: $(grep -E 'BLENDER|rror' "$scratch/log" | tail -3)"
grep BLENDER "$scratch/log" || fail "blender said nothing"
exit $((failures > 0))
