#!/usr/bin/env bash
# A short run of every fuzzer of tests/fuzz, built with clang and its sanitizers in a folder of its own.
# ABUT_FUZZ_SECONDS each (60 by default).
set -u
skip() { echo "skipped: $*"; exit 77; }
command -v clang > /dev/null || skip "the fuzzers need clang, which is not installed"
echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d && n > 99; }' |
    clang -fsanitize=fuzzer,address -x c - -o /dev/null 2> /dev/null ||
    skip "this clang has no libFuzzer (package libclang-rt-dev)"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build=$ABUT_BUILD_DIR/fuzz
cmake -S "$ABUT_SOURCE_DIR" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DABUT_FUZZ=ON -DABUT_SANITIZE=ON \
    -DABUT_BENCH=OFF > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
failed=0
for source in "$ABUT_SOURCE_DIR"/tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    cmake --build "$build" --target "$name" > "$scratch/log" 2>&1 || { tail -30 "$scratch/log"; exit 1; }
    program=$(find "$build" -name "$name" -type f -perm -u+x | head -1)
    mkdir "$scratch/$name"
    seeds=()
    [ "$name" = fuzz_scene ] && seeds=("$ABUT_SOURCE_DIR/examples/elastic")
    if [ "$name" = fuzz_robot ]; then # without one nothing gets beyond the first tag
        mkdir "$scratch/robots"
        cp "$ABUT_SOURCE_DIR"/examples/joints/robot-*/*.{urdf,xml} "$scratch/robots" 2> /dev/null
        seeds=("$scratch/robots")
    fi
    (cd "$scratch" && ASAN_OPTIONS=allocator_may_return_null=1 "$program" -max_total_time="${ABUT_FUZZ_SECONDS:-60}" -max_len=8000 \
        -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 "$scratch/$name" "${seeds[@]}") > "$scratch/out" 2>&1 ||
        { failed=1; echo "FAIL: $name"; tail -40 "$scratch/out"; }
    grep -E 'number_of_executed_units|peak_rss' "$scratch/out" | sed "s/^/$name: /"
done
exit $failed
