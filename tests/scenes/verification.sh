#!/usr/bin/env bash
# The quick part of the verification manual keeps its bounds, and a broken bound is noticed.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1

scripts/verify-cases "$abut" --quick > "$scratch/out" 2>&1 || { cat "$scratch/out"; fail "a bound is broken"; }
[ "$(grep -c '^ok' "$scratch/out")" -ge 60 ] || fail "too few checks were made"
for case in examples/verification/*/; do
    [ -f "$case/case.py" ] || continue
    [ -f "$case/scene.json" ] || fail "$case has no scene.json"
    [ -f "docs/verification/$(basename "$case").md" ] || fail "$case has no page"
done

# A program that computes something else must fail.
cat > "$scratch/wrong" <<END
#!/bin/sh
sed -i 's/"poisson": 0.3/"poisson": 0.2/' "\$2"
exec "$abut" "\$@"
END
chmod +x "$scratch/wrong"
! scripts/verify-cases "$scratch/wrong" --quick --case thick-cylinder > "$scratch/out" 2>&1 || fail "a broken bound is not noticed"
grep -q '^FAIL' "$scratch/out" || fail "the broken bound is not named"
! scripts/verify-cases "$abut" --case no-such-case > "$scratch/out" 2>&1 || fail "an unknown case is accepted"
grep -q 'there is no case' "$scratch/out" || fail "the message about an unknown case"

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
