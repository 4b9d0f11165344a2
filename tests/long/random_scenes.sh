#!/usr/bin/env bash
# Random mixes of bodies, materials, steps and speeds (random_scenes.py); ABUT_RANDOM_SCENES of them (60).
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
export OMP_NUM_THREADS=2
python3 "$ABUT_SOURCE_DIR/tests/long/random_scenes.py" "$abut" "$scratch" 0 "${ABUT_RANDOM_SCENES:-60}" 60 ||
    fail "see the scenes named above; random_scenes.py makes each of them again from its number"
exit $((failures > 0))
