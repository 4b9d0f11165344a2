#!/usr/bin/env bash
# What abut writes, opened by programs of others: films by Khronos' glTF validator, frames by VTK and meshio, sequences by meshio,
# USD by tinyusdz. The programs for glTF and USD come from npm; what is not there is named and left out.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
tried=0
here=$ABUT_SOURCE_DIR/tests/long
cd "$scratch" || exit 1
printf '{"name": "formats", "private": true}\n' > package.json
have_npm() { command -v npm > /dev/null && npm install --no-audit --no-fund --silent "$1" > npm.log 2>&1; }

for name in programs/scene from-surface/scene thin/all-in/scene thin/hair/scene thin/granules/scene highorder/ball/scene rigid/coin/scene; do
    short=$(basename "$(dirname "$name")")
    "$abut" run "$ABUT_SOURCE_DIR/examples/$name.json" -o "$short.run" --steps 3 --quiet --set output.every=1 || fail "run $name"
    for kind in glb gltf usda obj ply; do "$abut" convert "$short.run" "$short.$kind" > /dev/null || fail "$short.$kind"; done
done

if have_npm gltf-validator@2.0.0-dev.3.10; then
    tried=1
    NODE_PATH=node_modules node "$here/formats_gltf.cjs" ./*.glb ./*.gltf || fail "the glTF validator"
else
    echo "left out: gltf-validator (npm is missing, or it cannot fetch)"
fi

if have_npm tinyusdz@0.9.0-rc10; then
    tried=1
    for film in ./*.usda; do
        short=$(basename "$film" .usda)
        node "$here/formats_usd.mjs" "$PWD/node_modules/tinyusdz" "$film" "$short.usd.json" > usd.log 2>&1 || fail "tinyusdz $film: $(tail -3 usd.log)"
    done
else
    echo "left out: tinyusdz (npm is missing, or it cannot fetch)"
fi

if /usr/bin/python3 -c 'import vtkmodules, meshio' 2> /dev/null; then
    tried=1
    /usr/bin/python3 "$here/formats.py" . || fail "VTK or meshio"
else
    echo "left out: python3-vtk9 and python3-meshio are not installed"
fi
[ $tried = 1 ] || exit 77
exit $((failures > 0))
