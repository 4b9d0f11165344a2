"""usage: check_packets.py TOPOLOGY FRAME: packets of two tetrahedra are what they should be."""
import json
import struct
import sys


def read(path):
    """Header and arrays (lists of numbers) of a packet."""
    data = open(path, "rb").read()
    assert data[:4] == b"ABUT"
    (length,) = struct.unpack_from("<I", data, 4)
    assert length % 4 == 0
    header = json.loads(data[8:8 + length])
    arrays = {}
    for item in header["arrays"]:
        count = item["components"] * item["count"]
        kind = {"f32": "f", "i32": "i"}[item["type"]]
        arrays[item["name"]] = struct.unpack_from(f"<{count}{kind}", data, 8 + length + item["offset"])
    return header, arrays


topology, cells = read(sys.argv[1])
frame, values = read(sys.argv[2])
assert topology["kind"] == "topology" and frame["kind"] == "frame"
assert topology["topology"] == frame["topology"] and len(frame["topology"]) == 16
assert frame["step"] == 5 and frame["time"] > 0
triangles = [cells["triangles"][i:i + 3] for i in range(0, len(cells["triangles"]), 3)]
points = len(values["points"]) // 3
assert points == len(cells["body"]) == 8 and set(cells["body"]) == {0, 1}
assert len(triangles) == 8 and len(cells["hidden"]) == 8
assert sorted({node for t in triangles for node in t}) == list(range(points))
# Closed and oriented: every edge is used once in each direction.
edges = [(t[k], t[(k + 1) % 3]) for t in triangles for k in range(3)]
assert len(set(edges)) == len(edges) and all((b, a) in edges for a, b in edges)
assert len(values["velocity"]) == 3 * points and "nothing" not in values
for k in range(3):
    assert abs(min(values["points"][k::3]) - frame["bounds"][k]) < 1e-6
    assert abs(max(values["points"][k::3]) - frame["bounds"][k + 3]) < 1e-6
assert {field["name"] for field in frame["fields"]} >= {"body", "velocity", "displacement"}
