#!/usr/bin/env bash
# The lines with `make` in README and docs, executed one after another in a fresh clone of what is committed. How long each
# took is printed: README promises a first moving picture within minutes.
set -u
command -v git > /dev/null || { echo "there is no git"; exit 77; }
git -C "$ABUT_SOURCE_DIR" rev-parse HEAD > /dev/null 2>&1 || { echo "this is not a checkout"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git clone -q "$ABUT_SOURCE_DIR" "$scratch/abut" || exit 1
cd "$scratch/abut" || exit 1
code=0
for target in $(sed -nE 's/^ *make ([a-z]+)$/\1/p' README.md docs/*.md | awk '!seen[$0]++'); do
    begin=$SECONDS
    if make "$target" > "$scratch/log" 2>&1; then
        echo "ok   make $target ($((SECONDS - begin)) s)"
    else
        echo "FAIL make $target"
        tail -30 "$scratch/log"
        code=1
    fi
done
for made in build/demo/last.png build/abut; do
    [ -s "$made" ] || { echo "FAIL there is no $made"; code=1; }
done
exit $code
