#!/usr/bin/env bash
# A film as shapes with point caches, opened by a program of others: Debian's Blender shows the positions of the frames.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
command -v blender > /dev/null || { echo "skipped: blender is not installed"; exit 77; }
"$abut" run "$ABUT_SOURCE_DIR/examples/programs/scene.json" -o "$scratch/run" --steps 20 --quiet || fail "run"
expect 0 '4 files, 2 bodies, 21 frames' convert "$scratch/run" "$scratch/film.pc2"
frames=()
for step in 3 11 20; do
    "$abut" convert "$(printf '%s/run/frames/frame_%06d.vtu' "$scratch" $step)" "$scratch/$step.obj" || fail "convert"
    frames+=("$step=$scratch/$step.obj")
done
blender -b --python-exit-code 3 --python "$ABUT_SOURCE_DIR/tests/long/blender_pc2.py" -- "$scratch/film" block=0,table=1 \
    "${frames[@]}" > "$scratch/log" 2>&1 || fail "blender: $(grep -E 'BLENDER|rror' "$scratch/log" | tail -3)"
grep BLENDER "$scratch/log" || fail "blender said nothing"
exit $((failures > 0))
