#!/usr/bin/env bash
# What the guide names exists: files, symbols, keys of scenes, options; the include rule is the same everywhere;
# whole scenes on its pages pass `abut check`.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1

scripts/check-names || fail "scripts/check-names"

# The check finds what is wrong.
cat > "$scratch/page.md" <<'PAGE'
A symbol `stepper_advances`, a file `src/step/ipc.c`, a folder `step/ipc`, a scene key `contact.dhatt`, a word
`friction_iterationz`, an option `--no-such-option`, an option of another command `abut check --resume`.
```json
{"abut": 1, "boddies": []}
```
```c
abut_sim_stop(sim);
```
```sh
build/abut run scene.json --frames
```
PAGE
scripts/check-names "$scratch/page.md" > "$scratch/log" && fail "a page full of wrong names passes"
for name in stepper_advances src/step/ipc.c step/ipc contact.dhatt friction_iterationz --no-such-option --resume boddies \
            abut_sim_stop --frames; do
    grep -qF -- " $name does not exist" "$scratch/log" || fail "check-names does not notice $name"
done
cat > "$scratch/page.md" <<'PAGE'
`problem_add_term`, `src/step/stepper.c`, `term/term.h`, `contact.dhat`, `abut run SCENE --resume`, `newton_iterations`.
PAGE
scripts/check-names "$scratch/page.md" > "$scratch/log" || fail "right names are refused: $(cat "$scratch/log")"

# Whole scenes.
scenes=0
for page in README.md docs/*.md docs/*/*.md; do
    rm -f "$scratch"/block-*.json
    awk -v to="$scratch/block-" '/^```json$/ {n++; file = to n ".json"; next} /^```/ {file = ""} file {print > file}' "$page"
    for block in "$scratch"/block-*.json; do
        [ -f "$block" ] && grep -q '"bodies"' "$block" && grep -q '"abut": 1' "$block" || continue
        scenes=$((scenes + 1))
        "$abut" check "$block" > "$scratch/log" 2>&1 || fail "$page: a scene that is wrong: $(tail -2 "$scratch/log")"
    done
done
[ $scenes -ge 9 ] || fail "only $scenes scenes found in the guide"

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
