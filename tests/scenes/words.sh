#!/usr/bin/env bash
# Private words of earlier versions do not come back (docs/glossary.md), and the check notices them where they would.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1

if git rev-parse --git-dir > /dev/null 2>&1; then
    scripts/check-words > "$scratch/log" || fail "scripts/check-words: $(head -20 "$scratch/log")"
fi

cat > "$scratch/file.c" <<'C'
/* Goes along the
 * way until nodes are held; the rest has
 * let
 * go. */
static int step_way, usual_width, nodeHeld; /* at the first place */
static const char *text = "as it is told"; /* the pull grows until parts settle */
C
scripts/check-words "$scratch/file.c" > "$scratch/log" && fail "private words pass"
for word in way held "let   go" usual place "as it is told" "the pull" "parts settle"; do
    grep -qi "\"${word//   / *}\"" "$scratch/log" || fail "check-words does not notice $word: $(cat "$scratch/log")"
done
grep -c '"way"' "$scratch/log" | grep -qx 2 || fail "way in a comment and in a name: $(cat "$scratch/log")"
cat > "$scratch/file.c" <<'C'
/* Sorted in place; a one-way street, always, upheld, degrees of freedom, and one unit in the last place. A cloth is pulled, a coin
 * settles, the pull-back of a gradient. */
static int always_halfway;
C
scripts/check-words "$scratch/file.c" > "$scratch/log" || fail "plain words are refused: $(cat "$scratch/log")"

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
