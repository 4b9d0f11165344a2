#!/usr/bin/env bash
# README's first command, `make demo`, in a clean Debian that has make and git: as it is, and with MPI programs (which
# ParaView and others bring along) but nothing to compile with MPI.
command -v debootstrap > /dev/null || { echo "skipped: there is no debootstrap"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "skipped: a new root needs the rights of root"; exit 77; }
git -C "$ABUT_SOURCE_DIR" rev-parse HEAD > /dev/null 2>&1 || { echo "skipped: this is not a checkout"; exit 77; }
suite=bookworm
mirror=$(apt-get indextargets --format '$(SITE)' "Codename: $suite" 2> /dev/null | head -1)
root=$(mktemp -d)
log=$root.log
# /proc is another file system, which must not be walked into when it cannot be taken away.
trap 'umount "$root/proc" 2> /dev/null; rm -rf --one-file-system "$root" "$log"' EXIT
debootstrap --variant=minbase --include=make,git,ca-certificates "$suite" "$root" ${mirror:+"$mirror"} > "$log" 2>&1 || {
    tail -5 "$log"
    grep -q "Failed getting release file" "$log" && { echo "skipped: no mirror of Debian can be reached"; exit 77; }
    exit 1
}
mount -t proc proc "$root/proc" || { echo "skipped: /proc cannot be mounted"; exit 77; }
cp /etc/resolv.conf "$root/etc/resolv.conf"
git clone -q --no-local "$ABUT_SOURCE_DIR" "$root/root/abut" || exit 1
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }

code=0
# demo WITH: the two commands of a new user, and what they leave.
demo() {
    local begin=$SECONDS
    if inside make -C /root/abut demo > "$log" 2>&1 && [ -s "$root/root/abut/build/demo/last.png" ]; then
        echo "ok   make demo $1 ($((SECONDS - begin)) s)"
    else
        echo "FAIL make demo $1"
        tail -30 "$log"
        code=1
    fi
}
demo "without MPI"
inside apt-get install -y -qq --no-install-recommends openmpi-bin > "$log" 2>&1 || { tail -5 "$log"; exit 1; }
inside sh -c 'command -v mpirun' > /dev/null || { echo "FAIL openmpi-bin brought no mpirun"; code=1; }
[ -z "$(find "$root/usr" -name mpi.h)" ] || { echo "FAIL there are headers of MPI"; code=1; }
# Everything is looked for again; objects whose command did not change stay.
rm -rf "$root/root/abut/build/CMakeCache.txt" "$root/root/abut/build/demo"
demo "with MPI programs, without headers"
exit $code
