#!/usr/bin/env bash
# The tutorials: every scene is valid and has a picture on its page, the scenes that a page shows whole are those of the
# files, and the figures of the page on Hertz contact are what comes out.
abut=$ABUT_COMMAND
cd "$ABUT_SOURCE_DIR/docs/tutorials" || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
code=0
fail() { echo "FAIL $*"; code=1; }
for scene in */*.json; do
    "$abut" check "$scene" > "$scratch/log" 2>&1 || { fail "$scene"; tail -3 "$scratch/log"; }
    page=${scene%%/*}.md picture=${scene%.json}.png
    [ -s "$picture" ] || fail "$picture is missing: make tutorials"
    grep -q "]($picture)" "$page" || fail "$page does not show $picture"
done
# first_scene PAGE: the first block of JSON, a whole scene
first_scene() { awk '/^```json$/ && !n {on = 1; n = 1; next} /^```/ {on = 0} on' "$1"; }
for name in cloth hertz; do
    diff <(first_scene $name.md) $name/1.json > /dev/null || fail "$name.md does not show $name/1.json"
done
# force N: the force of the support at the end of a scene, as on the page
force() {
    "$abut" run "hertz/$1.json" -o "$scratch/hertz$1" --quiet || fail "hertz/$1.json"
    tail -n 1 "$scratch/hertz$1/reactions.csv" | awk -F, '{ printf "%.1f", -$4 }'
}
grep -q "order 1, 8 cells | $(force 1) N" hertz.md || fail "hertz.md has not the force of hertz/1.json, $(force 1) N"
grep -q "order 2, 12 cells | 157.1 N" hertz.md || fail "hertz.md has not the force of hertz/3.json"
exit $code
