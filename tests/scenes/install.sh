#!/usr/bin/env bash
# Installs to a scratch folder, moves it, and builds a program against it by three methods.
set -eu
grep -q '^ABUT_SANITIZE:BOOL=ON' "$ABUT_BUILD_DIR/CMakeCache.txt" && {
    echo "skipped: programs would need the sanitizer as well"
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAIL: $*"; exit 1; }

cmake --install "$ABUT_BUILD_DIR" --prefix "$scratch/first" > "$scratch/log" || { cat "$scratch/log"; exit 1; }
prefix=$scratch/prefix
mv "$scratch/first" "$prefix" # nothing may depend on where it was installed
libdir=$(dirname "$(find "$prefix" -name pkgconfig)")
for file in include/abut/abut.h bin/abut share/man/man1/abut.1 \
    share/bash-completion/completions/abut share/zsh/site-functions/_abut; do
    [ -s "$prefix/$file" ] || fail "$file is not installed"
done
for file in libabut.a libabut.so pkgconfig/abut.pc cmake/abut/abutConfig.cmake; do
    [ -s "$libdir/$file" ] || fail "$file is not installed"
done
version=$("$prefix/bin/abut" --version)
! grep -rlF "$ABUT_SOURCE_DIR" "$libdir/cmake" "$libdir/pkgconfig" "$prefix/include" || fail "names the source folder"

cat > "$scratch/main.c" << 'END'
#include <abut/abut.h>
#include <stdio.h>
int main(void)
{
    printf("abut %s\n", abut_version());
    return abut_status_name(ABUT_OK)[0] == 'o' ? 0 : 1;
}
END
says_version() { [ "$("$@")" = "$version" ] || fail "$1 does not print '$version'"; }

export PKG_CONFIG_PATH=$libdir/pkgconfig
cc -std=c11 -Wall -Wextra -Wpedantic -Werror "$scratch/main.c" $(pkg-config --cflags --libs abut) -o "$scratch/with-pc"
LD_LIBRARY_PATH=$libdir says_version "$scratch/with-pc"
# The example of the library steps a bar that sags.
cc -std=c11 -Wall -Wextra -Wpedantic -Werror examples/library/bar.c $(pkg-config --cflags --libs abut) -o "$scratch/bar"
LD_LIBRARY_PATH=$libdir "$scratch/bar" examples/elastic/cantilever.json > "$scratch/bar.txt" || fail "examples/library/bar.c"
[ "$(wc -l < "$scratch/bar.txt")" = 10 ] || fail "bar.c did not make 10 steps: $(cat "$scratch/bar.txt")"
[ "$(cut -d' ' -f8 "$scratch/bar.txt" | sort -rgu | diff - <(cut -d' ' -f8 "$scratch/bar.txt") | wc -l)" = 0 ] ||
    fail "the bar of bar.c does not sag: $(cat "$scratch/bar.txt")"
cc -std=c11 -Wall -Wextra -Wpedantic -Werror examples/library/arrays.c $(pkg-config --cflags --libs abut) -o "$scratch/arrays"
LD_LIBRARY_PATH=$libdir "$scratch/arrays" > "$scratch/arrays.txt" || fail "examples/library/arrays.c"
awk 'END { exit !(NR == 20 && $(NF - 1) > 0 && $(NF - 1) < 0.05) }' "$scratch/arrays.txt" ||
    fail "the body of arrays.c does not rest on the ground: $(cat "$scratch/arrays.txt")"
! LD_LIBRARY_PATH=$libdir "$scratch/bar" nowhere.json 2> "$scratch/bar.txt" || fail "bar.c with a missing scene"
grep -q "nowhere.json" "$scratch/bar.txt" || fail "bar.c does not name the missing scene"
[ "abut $(pkg-config --modversion abut)" = "$version" ] || fail "abut.pc has another version"

# The header is good C++ too.
if command -v c++ > /dev/null; then
    c++ -std=c++17 -Wall -Werror -fsyntax-only -x c++ "$scratch/main.c" $(pkg-config --cflags abut)
fi

mkdir "$scratch/project"
cat > "$scratch/project/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
find_package(abut 0.1 REQUIRED COMPONENTS shared static)
add_executable(dynamic ../main.c)
target_link_libraries(dynamic PRIVATE abut::abut)
add_executable(fixed ../main.c)
target_link_libraries(fixed PRIVATE abut::static)
END
cmake -S "$scratch/project" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" > "$scratch/log" 2>&1 &&
    cmake --build "$scratch/build" >> "$scratch/log" 2>&1 || { cat "$scratch/log"; fail "find_package(abut)"; }
says_version "$scratch/build/dynamic"
says_version "$scratch/build/fixed"
ldd "$scratch/build/dynamic" | grep -q libabut.so || fail "dynamic is not linked to libabut.so"
! ldd "$scratch/build/fixed" | grep -q libabut.so || fail "fixed is linked to libabut.so"

cc "$scratch/main.c" $(pkg-config --cflags abut) "$libdir/libabut.a" $(pkg-config --static --libs abut | sed 's/-labut\b//') \
    -o "$scratch/static-pc" || fail "static linking with pkg-config"
says_version "$scratch/static-pc"
package=$(find "$prefix" -path '*dist-packages/abut' -type d)
if [ -n "$package" ]; then # only where Python and NumPy are there
    [ "abut $(PYTHONPATH=$(dirname "$package") /usr/bin/python3 -B -c 'import abut; print(abut.version())')" = "$version" ] ||
        fail "the Python package does not work from $package"
    for file in __init__.pyi py.typed; do [ -e "$package/$file" ] || fail "$file is not installed"; done
fi
echo ok
