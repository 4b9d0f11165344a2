#!/usr/bin/env bash
# Runs as sequences of OBJ and PLY files and as point caches: counts, names, the positions of the frames.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
"$abut" run "$ABUT_SOURCE_DIR/examples/programs/scene.json" -o "$scratch/run" --steps 4 --quiet || fail "run"
expect 0 '5 files, 2 bodies, 5 frames' convert "$scratch/run" "$scratch/film.obj"
expect 0 '5 files, 2 bodies, 5 frames' convert "$scratch/run" "$scratch/film.ply"
expect 0 '4 files, 2 bodies, 5 frames' convert "$scratch/run" "$scratch/film.pc2"
expect 2 'converted to .html, .glb, .gltf, .usda, .pc2, .obj or .ply' convert "$scratch/run" "$scratch/film.fbx"
expect 2 'Alembic is not written: Debian 12' convert "$scratch/run" "$scratch/film.abc"
[ ! -e "$scratch/film.abc" ] || fail "a refused film was written"
expect 5 '' convert "$scratch/run" "$scratch/nowhere/film.pc2"
"$abut" convert "$scratch/run/frames/frame_000004.vtu" "$scratch/last.obj" > /dev/null || fail "convert"
/usr/bin/python3 - "$scratch" <<'PY' || fail "positions"
import struct, sys
folder = sys.argv[1] + "/"
vertices = lambda path: [tuple(map(float, l.split()[1:4])) for l in open(folder + path) if l.startswith("v ")]
wanted = vertices("last.obj")
near = lambda found: len(found) == len(wanted) and all(abs(a - b) < 1e-7 for p, q in zip(found, wanted) for a, b in zip(p, q))
assert near(vertices("film_000004.obj"))
assert [l.split()[1] for l in open(folder + "film_000004.obj") if l.startswith("o ")] == ["block", "table"]
data = open(folder + "film_000004.ply", "rb").read()
head, body = data.split(b"end_header\n", 1)
assert b"comment body 1 table" in head and b"element vertex 12" in head and b"element face 14" in head
rows = [struct.unpack_from("<fffi", body, 16 * i) for i in range(12)]
assert near([r[:3] for r in rows]) and [r[3] for r in rows] == [0] * 8 + [1] * 4
assert len(body) == 12 * 16 + 14 * 13
found = []
for name, count in (("0_block", 8), ("1_table", 4)):
    data = open(folder + f"film_{name}.pc2", "rb").read()
    assert struct.unpack_from("<12siiffi", data) == (b"POINTCACHE2\0", 1, count, 0.0, 1.0, 5)
    assert len(data) == 32 + 5 * count * 12 and len(vertices(f"film_{name}.obj")) == count
    found += [struct.unpack_from("<fff", data, 32 + 12 * (4 * count + i)) for i in range(count)]
assert near(found)
PY
exit $((failures > 0))
