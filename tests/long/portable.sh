#!/usr/bin/env bash
# Other machines: math, geometry, collision detection and contact compiled for arm64 (run by qemu-user) and with musl's C
# library, with their unit tests. Sources that need a library (or an oracle's 128-bit type) which is not there for that machine are
# left out, by name.
cd "$ABUT_SOURCE_DIR" || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
code=0 ran=0
folders="base math geometry broad ccd material fem body contact term linear solve mesh"
tests="rotation svd distance distance_psd mollifier tangent ccd_additive ccd_line_search ccd_roots ccd_kernels ccd_vectors intersect interval polynomial strain_limit hinge lagrange barrier friction_rows active_set"
flags="-std=c17 -O2 -DNDEBUG -D_GNU_SOURCE -Isrc -Iinclude -Itests -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-psabi"

# machine NAME COMPILER RUNNER: builds an archive of what compiles, then every test that links.
machine() {
    local name=$1 compiler=$2 runner=$3 out=$scratch/$1 source test
    mkdir -p "$out"
    for source in $(for f in $folders; do ls src/"$f"/*.c; done) tests/support/*.c; do echo "$source"; done |
        xargs -P "$(nproc)" -I{} sh -c "$compiler $flags -c {} -o $out/\$(echo {} | tr / _).o 2> $out/\$(echo {} | tr / _).log || echo {} >> $out/left-out"
    if [ -f "$out/left-out" ]; then
        sort "$out/left-out" | while read -r source; do
            echo "left out $source: $(grep -m1 -o 'error: .*' "$out/$(tr / _ <<<"$source").log" | cut -c1-90)"
        done | sed "s/^/$name: /" > "$out/why"
        grep -vE 'No such file or directory|__float128' "$out/why" && { echo "FAIL $name: these lack no library"; code=1; }
        echo "$name: $(wc -l <"$out/left-out") sources need libraries that are not there: $(grep -o '[a-z0-9/]*\.h: No such' "$out/why" | sort | uniq -c | tr '\n' ';')"
    fi
    ar rcs "$out/all.a" "$out"/*.o
    for test in $tests; do
        [ -f "tests/unit/test_$test.c" ] || continue
        if ! $compiler $flags "tests/unit/test_$test.c" -o "$out/test_$test" "$out/all.a" "$out/all.a" -static -lm -pthread > "$out/link.log" 2>&1; then
            echo "$name: test_$test does not link: $(grep -m1 -oE 'error: .*|undefined reference to .*' "$out/link.log" | cut -c1-90)"
            continue
        fi
        local status=0
        timeout 300 $runner "$out/test_$test" > "$out/run.log" 2>&1 || status=$?
        if [ $status = 0 ]; then
            echo "ok   $name: test_$test"
            ran=$((ran + 1))
        elif [ $status = 124 ]; then
            echo "$name: test_$test takes more than 300 s here: not seen to its end"
        else
            echo "FAIL $name: test_$test"
            tail -5 "$out/run.log"
            code=1
        fi
    done
}
if command -v aarch64-linux-gnu-gcc > /dev/null && command -v qemu-aarch64 > /dev/null; then
    machine arm64 aarch64-linux-gnu-gcc qemu-aarch64
else
    echo "skipped: arm64 needs gcc-aarch64-linux-gnu and qemu-user"
fi
if command -v musl-gcc > /dev/null; then
    machine musl musl-gcc ""
else
    echo "skipped: musl needs musl-tools"
fi
[ "$ran" -gt 0 ] || [ "$code" != 0 ] || exit 77
exit $code
