"""usage: play.py ADDRESS: orders to `abut view --play` for the scene of play.sh."""
import http.client
import json
import struct
import sys
import time
from urllib.parse import urlsplit

parts = urlsplit(sys.argv[1])


def ask(path, method="GET"):
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    connection.request(method, parts.path + path)
    answer = connection.getresponse()
    return answer.status, answer.read()


def order(words, status=200):
    got, text = ask("order?" + words, "POST")
    assert got == status, (words, got, text)
    return text.decode()


def state():
    return json.loads(ask("state")[1])


def until(condition, what, seconds=60):
    end = time.time() + seconds
    while True:
        now = state()
        if condition(now["play"]):
            return now
        assert time.time() < end, (what, now["play"])
        time.sleep(0.02)


def packet(path):
    data = ask(path)[1]
    (length,) = struct.unpack_from("<I", data, 4)
    header = json.loads(data[8:8 + length])
    arrays = {}
    for item in header["arrays"]:
        count = item["components"] * item["count"]
        kind = "f" if item["type"] == "f32" else "i"
        arrays[item["name"]] = struct.unpack_from(f"<{count}{kind}", data, 8 + length + item["offset"])
    return header, arrays


def positions(step):
    header, arrays = packet(f"frame?step={step}")
    origin, p = header["origin"], arrays["points"]
    return [tuple(p[3 * i + k] + origin[k] for k in range(3)) for i in range(len(p) // 3)]


def height(step, number):
    own = [p[1] for p, b in zip(positions(step), body) if b == number]
    return sum(own) / len(own)


now = state()
assert now["play"]["paused"] and now["play"]["step"] == 0 and [f[0] for f in now["frames"]] == [0], now
assert now["play"]["force"] is None and now["play"]["message"] == "" and not now["finished"]
header, cells = packet("topology?step=0")
identity, body = header["topology"], cells["body"]
start = positions(0)
soft, stiff, wall = (body.index(b) for b in range(3))

# One step at a time, and no further.
order("do=step")
order("do=step")
now = until(lambda p: p["step"] == 2 and p["paused"], "two steps")
time.sleep(0.2)
assert state()["play"]["step"] == 2
assert [f[0] for f in now["frames"]] == [0, 1, 2] and positions(2) != start

# It goes on by itself, no faster than told, and pauses.
order("do=speed&value=0.5")
order("do=go")
begun, first = time.time(), state()["play"]["step"]
now = until(lambda p: p["step"] > 12, "it goes on")
assert (now["play"]["step"] - first) * 0.01 <= 0.5 * (time.time() - begun) + 0.5 * 0.25 + 0.02, now["play"]
order("do=pause")
time.sleep(0.1)
halted = until(lambda p: p["paused"], "it pauses")["play"]["step"]
time.sleep(0.3)
assert state()["play"]["step"] <= halted + 1

# A pull lifts a body to where the hand is: under its weight the spring gets g tau^2 = 9.81 (0.1 0.5)^2 m longer.
for point, name in ((soft, "soft"), (stiff, "stiff")):
    order("do=reset")
    until(lambda p: p["step"] == 0, "the start")
    assert [f[0] for f in state()["frames"]] == [0] and positions(0) == start, "a reset is not the start"
    x, y, z = start[point]
    order(f"do=pull&topology={identity}&point={point}&x={x}&y={y + 0.5}&z={z}")
    for _ in range(80):
        order("do=step")
    now = until(lambda p: p["step"] == 80 and p["paused"], "80 steps of a pull")
    place = positions(80)[point]
    assert abs(place[1] - (y + 0.5 - 9.81 * 0.05 ** 2)) < 0.01, (name, place, y)
    others = [i for i in range(len(body)) if body[i] not in (body[point],)]
    assert max(abs(positions(80)[i][1] - start[i][1]) for i in others) < 0.05, "others are pulled as well"
    mass = 8.0 if name == "soft" else 4.0
    assert abs(now["play"]["force"] / (mass * 9.81) - 1) < 0.2, now["play"]
    order("do=release")
    for _ in range(60):
        order("do=step")
    now = until(lambda p: p["step"] == 140 and p["paused"], "it falls")
    assert now["play"]["force"] is None and height(140, body[point]) < height(80, body[point]) - 0.1, "it does not fall"
    assert min(p[1] for p in positions(140)) > 0, "below the floor"

# Pulled through a wall it stays in front of it.
order("do=reset")
until(lambda p: p["step"] == 0, "the start")
x, y, z = start[stiff]
order(f"do=pull&topology={identity}&point={stiff}&x={x + 3}&y={y}&z={z}")
for _ in range(40):
    order("do=step")
until(lambda p: p["step"] == 40 and p["paused"], "40 steps against the wall")
assert max(p[0] for i, p in enumerate(positions(40)) if body[i] == body[stiff]) < 0.75, "it is in the wall"
assert "rows" in json.loads(ask(f"history?point={stiff}&topology={identity}&from=0")[1])
table = ask("steps.csv")[1].decode().strip().split("\n")
assert len(table) == 41 and table[0].startswith("step,time"), len(table)

# What is no order.
order("do=release")
assert "given by the scene" in order(f"do=pull&topology={identity}&point={wall}&x=0&y=0&z=0", 409)
for words in ("", "do=jump", "do=speed&value=0", "do=speed&value=nan", "do=speed", f"do=pull&topology={identity}&point=9999&x=0&y=0&z=0",
              f"do=pull&topology=0&point=0&x=0&y=0&z=0", f"do=pull&topology={identity}&point=0&x=inf&y=0&z=0",
              f"do=pull&topology={identity}&point=0&x=1", f"do=pull&topology={identity}&point=-1&x=0&y=0&z=0"):
    order(words, 409)
assert ask("order?do=go")[0] == 404 and ask("state", "POST")[0] == 405
