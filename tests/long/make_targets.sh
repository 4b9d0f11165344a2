#!/usr/bin/env bash
# The lines with `make` in README and docs, and those with `mpirun` in the guide to clusters, executed one after another in a fresh clone of what is committed. How long each
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
if [ -x build-mpi/abut ] && command -v mpirun > /dev/null; then
    export PATH=$PWD/build-mpi:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    sed 's/"time": {"step": 0.001, "end": [0-9.]*}/"time": {"step": 0.001, "steps": 3}/' examples/contact/stick-slip/scene.json > scene.json
    grep '^mpirun ' docs/cluster.md > "$scratch/mpi"
    while read -r line; do
        if (eval "$line") > "$scratch/log" 2>&1 < /dev/null; then
            echo "ok   $line"
        else
            echo "FAIL $line"
            tail -30 "$scratch/log"
            code=1
        fi
    done < "$scratch/mpi"
fi
for made in build/demo/last.png build/abut; do
    [ -s "$made" ] || { echo "FAIL there is no $made"; code=1; }
done
exit $code
