"""usage: check_grid.py FIRST SECOND PLAIN: two frames on one grid, the second as changes, and the second in single precision."""
import json
import struct
import sys


def read(path):
    data = open(path, "rb").read()
    (length,) = struct.unpack_from("<I", data, 4)
    header = json.loads(data[8:8 + length])
    item = next(a for a in header["arrays"] if a["name"] == "points")
    return header, item, data[8 + length + item["offset"]:]


def unpack(data, count, before):
    """The positions on the grid: x of all points, then y, then z (src/output/view_grid.h)."""
    blocks = (count + 31) // 32
    at = (3 * blocks + 3) // 4 * 4
    out = [0] * (3 * count)
    for b in range(3 * blocks):
        bits = data[b]
        word = int.from_bytes(data[at:at + 4 * bits], "little")
        for i in range(b % blocks * 32, min(count, (b % blocks + 1) * 32)):
            number = word & ((1 << bits) - 1)
            word >>= bits
            p = b // blocks * count + i
            moved = before[p] - (before[p - 1] if i else 0) if before else 0
            out[p] = ((out[p - 1] if i else 0) + moved + (-((number + 1) // 2) if number & 1 else number // 2)) % 65536
        at += 4 * bits
    assert at == len(data)
    return out


first, item, data = read(sys.argv[1])
count = item["count"]
assert item["type"] == "grid" and "base" not in first and first["sent"] == 1, first
before = unpack(data, count, None)
second, item, data = read(sys.argv[2])
assert second["base"] == 1 and second["sent"] == 2 and second["grid"] == first["grid"], second
places = unpack(data, count, before)
plain, item, data = read(sys.argv[3])
assert item["type"] == "f32"
floats = struct.unpack(f"<{3 * count}f", data)
low, high = second["grid"][:3], second["grid"][3:]
for k in range(3):
    step = (high[k] - low[k]) / 65535
    for i in range(count):
        assert abs(low[k] + step * places[k * count + i] - floats[3 * i + k]) <= 0.51 * step + 1e-6
