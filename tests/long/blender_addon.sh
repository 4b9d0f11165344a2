#!/usr/bin/env bash
# The add-on in Debian's Blender without a display: objects become a scene, the run comes back as mesh caches.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
command -v blender > /dev/null || { echo "skipped: blender is not installed"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 blender -b --python-exit-code 3 --python "$ABUT_SOURCE_DIR/tests/long/blender_addon.py" -- "$scratch/abut" "$abut" \
    "$scratch/picture.png" > "$scratch/log" 2>&1 || fail "blender: $(tail -5 "$scratch/log")"
grep BLENDER "$scratch/log" || fail "blender said nothing"
"$abut" verify "$scratch/abut/run" > /dev/null || fail "verify"
exit $((failures > 0))
