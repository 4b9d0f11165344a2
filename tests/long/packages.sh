#!/usr/bin/env bash
# `make dist` and `make deb`: the archive and the packages have the same bits when made again elsewhere, lintian finds nothing,
# and the packages, installed in a clean Debian, have a command that runs, draws and serves, a library that C programs link,
# a Python module, a manual page and completions; taken away, they leave nothing. ABUT_DEB=FOLDER tests packages that exist.
cd "$ABUT_SOURCE_DIR" || exit 1
for tool in debootstrap lintian git dpkg-shlibdeps; do
    command -v $tool > /dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: a new root needs the rights of root"; exit 77; }
git rev-parse HEAD > /dev/null 2>&1 || { echo "skipped: this is not a checkout"; exit 77; }
scratch=$(mktemp -d)
root=$scratch/root
# /proc is another file system, which must not be walked into when it cannot be taken away.
trap 'umount "$root/proc" 2> /dev/null; rm -rf --one-file-system "$scratch"' EXIT
code=0
fail() { echo "FAIL $*"; code=1; }
# must WHAT COMMAND...: the command succeeds; otherwise its output is shown.
must() {
    local what=$1
    shift
    if "$@" > "$scratch/log" 2>&1; then echo "ok   $what"; else fail "$what"; tail -15 "$scratch/log"; fi
}

packages=${ABUT_DEB:-}
if [ -z "$packages" ]; then
    for tree in one two-with-a-longer-name; do
        git clone -q --no-local . "$scratch/$tree" || exit 1
        # A cache of compiled files would compare the first build with itself.
        [ "$tree" = one ] || export CCACHE_DISABLE=1
        # the packages of npm are not fetched twice
        [ ! -d viewer/node_modules ] || cp -r viewer/node_modules "$scratch/$tree/viewer/"
        must "make dist ($tree)" make -C "$scratch/$tree" dist
        mkdir "$scratch/$tree/unpacked"
        tar -xzf "$scratch/$tree"/build/abut-*.tar.gz -C "$scratch/$tree/unpacked" --strip-components=1
        must "make deb of the archive ($tree)" make -C "$scratch/$tree/unpacked" deb
    done
    cmp -s "$scratch"/*/build/abut-*.tar.gz || fail "archives of the same commit differ"
    for file in "$scratch/one/unpacked/build/deb"/*; do
        cmp -s "$file" "$scratch/two-with-a-longer-name/unpacked/build/deb/$(basename "$file")" ||
            fail "$(basename "$file") differs when it is built again"
    done
    packages=$scratch/one/unpacked/build/deb
fi
must "lintian" lintian --fail-on error,warning "$packages"/*.deb

suite=bookworm
mirror=$(apt-get indextargets --format '$(SITE)' "Codename: $suite" 2> /dev/null | head -1)
debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"} > "$scratch/log" 2>&1 || {
    tail -5 "$scratch/log"
    grep -q "Failed getting release file" "$scratch/log" && { echo "skipped: no mirror of Debian can be reached"; exit 77; }
    exit 1
}
mount -t proc proc "$root/proc" || { echo "skipped: /proc cannot be mounted"; exit 77; }
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/apt/sources.list "$root/etc/apt/" 2> /dev/null
mkdir "$root/packages" && cp "$packages"/*.deb "$root/packages/"
# A minimal image leaves out pages of manuals and documents; this one is to have them.
rm -f "$root"/etc/dpkg/dpkg.cfg.d/*
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
shell() { inside bash -c "cd /root; set -e; $1"; }
inside apt-get update -qq > /dev/null 2>&1
shell "dpkg --get-selections | sort" > "$scratch/before"
names=$(sed -n '/^FROM debian:bookworm-slim/,$p' Dockerfile | grep -o '\blib[a-z0-9.+-]*[0-9]\b' | tr '\n' ' ')
must "the packages that the Dockerfile names ($(wc -w <<< "$names"))" shell "apt-get install -s -qq $names"
must "installing" shell "apt-get install -y -qq /packages/*.deb man-db bash-completion"
doc=/usr/share/doc/abut-doc
must "abut --version" shell "abut --version"
must "abut run" shell "abut run $doc/examples/contact/cube-stack/scene.json -o r --steps 20"
must "abut verify" shell "abut verify r"
must "abut render" shell "abut render r -o r.png && test -s r.png"
must "abut run of a fresh scene with its schema" shell "test -s /usr/share/abut/scene.schema.json && abut check $doc/examples/rigid/coin/*.json"
must "the page of abut view" inside python3 -c "
import re, subprocess, urllib.request
p = subprocess.Popen(['abut', 'view', '/root/r'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
url = None
for line in p.stdout:
    found = re.search(r'http://\S+', line)
    if found: url = found.group(0); break
page = urllib.request.urlopen(url).read()
p.terminate()
assert len(page) > 100000, len(page)"
must "Python" inside python3 -c "
import abut
s = abut.Simulation('$doc/examples/contact/cube-stack/scene.json')
for _ in range(3): s.step()
assert s.time > 0 and abut.__version__"
must "manual page" shell "man -w abut && man abut | grep -q SYNOPSIS"
must "completion of bash" bash -c "[ \"\$(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot '$root' bash -c '
    . /usr/share/bash-completion/bash_completion; . /usr/share/bash-completion/completions/abut
    COMP_WORDS=(abut ver); COMP_CWORD=1; _abut; echo \${COMPREPLY[*]}')\" = verify ]"
must "completion of zsh is where zsh looks" shell "test -s /usr/share/zsh/vendor-completions/_abut"
must "a compiler" shell "apt-get install -y -qq --no-install-recommends gcc libc6-dev pkg-config cmake make"
cat > "$root/root/program.c" << 'END'
#include <abut/abut.h>
#include <stdio.h>
int main(void) { puts(abut_version()); return 0; }
END
must "C program with pkg-config" shell "gcc program.c \$(pkg-config --cflags --libs abut) -o program && ./program && objdump -T program | grep -q ABUT_"
printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(p C)' 'find_package(abut REQUIRED)' 'add_executable(p program.c)' \
    'target_link_libraries(p abut::shared)' > "$root/root/CMakeLists.txt"
must "C program with CMake" shell "cmake -S . -B b > /dev/null && cmake --build b > /dev/null && b/p"
must "removing" shell "dpkg --purge abut abut-doc python3-abut libabut-dev libabut0"
rest=$(shell "find /usr -path '*abut*' -not -path '/usr/share/man/*' | head -5")
[ -z "$rest" ] || fail "left behind: $rest"
exit $code
