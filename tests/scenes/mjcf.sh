#!/usr/bin/env bash
# MJCF robots: what is read, with classes and defaults, and what is refused by name.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1
cart=$ABUT_SOURCE_DIR/examples/joints/robot-mjcf/pendulum.xml

"$abut" info "$cart" > info.txt 2>&1 || fail "info: $(cat info.txt)"
grep -qE '^ +cart  slider "slider", slide -0.8 to 0.8 m, driven' info.txt || fail "info: $(cat info.txt)"
grep -qE '^ +lower  hinge "elbow", turn -150 to 150 degrees' info.txt || fail "info: $(cat info.txt)"
"$abut" run "$cart" -o cart --steps 30 > log 2>&1 || fail "run: $(cat log)"
grep -q 'what is not read: light' log || fail "what is left out is not named: $(cat log)"
"$abut" verify cart > log 2>&1 || fail "verify: $(tail -3 log)"
"$abut" convert "$cart" cart.json > log 2>&1 || fail "convert: $(cat log)"
python3 - <<'P' || fail "the robot is not what the file says"
import csv, json, math
d = json.load(open("cart.json"))
bodies = {b["name"]: b for b in d["bodies"]}
joints = {j["name"]: j for j in d["joints"]}
assert set(bodies) == {"cart", "upper", "lower", "ball"}, bodies.keys()
assert d["time"]["step"] == 0.01 and d["gravity"] == [0, 0, -9.81]
assert d["half_spaces"] == [{"origin": [0, 0, 0], "normal": [0, 0, 1]}], d["half_spaces"]
assert abs(bodies["cart"]["inertial"]["mass"] - 0.2 * 0.12 * 0.1 * 1000) < 1e-12
r, h = 0.02, 0.25  # a capsule: closed form of mass and moments
tube, ball = math.pi * r * r * h * 1000, 4 / 3 * math.pi * r ** 3 * 1000
assert abs(bodies["upper"]["inertial"]["mass"] - tube - ball) < 1e-12
across = tube * (3 * r * r + h * h) / 12 + ball * (0.4 * r * r + h * h / 4 + 3 / 8 * h * r)
along = tube * r * r / 2 + ball * 0.4 * r * r
i = bodies["upper"]["inertial"]["inertia"]
assert abs(i[0] + i[1] + i[2] - 2 * across - along) < 1e-12
assert bodies["ball"]["friction"] == 0.6
assert abs(bodies["ball"]["inertial"]["mass"] - 4 / 3 * math.pi * 0.08 ** 3 * 400) < 1e-12
s = joints["slider"]["slide"]
assert s["limits"] == [-0.8, 0.8] and s["damping"] == 0.05
assert s["drive"] == {"position": "0", "stiffness": 60, "damping": 6, "max_effort": 40}, s["drive"]
assert joints["shoulder"]["turn"]["damping"] == 0.002  # of the class
a = math.radians(100)  # the elbow hangs below the turned upper arm
p = joints["elbow"]["point"]
want = [-0.25 * math.sin(a), 0.135, 0.6 - 0.25 * math.cos(a)]
assert max(abs(x - y) for x, y in zip(p, want)) < 1e-12, (p, want)
assert abs(joints["elbow"]["turn"]["limits"][1] - 150) < 1e-9
rows = list(csv.DictReader(open("cart/steps.csv")))
assert all(float(r["joint_violation"]) <= 1e-8 for r in rows)
P

number=0
# refused PATTERN CONTENT [BEHIND THE WORLDBODY]
refused() {
    number=$((number + 1))
    echo "<mujoco>${3:-}<worldbody>$2</worldbody></mujoco>" > bad$number.xml
    timeout 20 "$abut" check bad$number.xml > log 2>&1
    local code=$?
    [ $code = 2 ] || fail "$2 ${3:-}: ends with $code: $(cat log)"
    grep -qE -- "$1" log || fail "$2 ${3:-}: '$(cat log)' does not match '$1'"
}
geom='<geom size="1"/>'
refused 'there is no body' ''
refused 'the element "tendon" of MJCF is not supported' "<body>$geom</body>" '<tendon/>'
refused 'the element "equality"' "<body>$geom</body>" '<equality/>'
refused 'the element "include"' "<body>$geom</body>" '<include file="x.xml"/>'
refused 'the element "flexcomp"' '<body><flexcomp/></body>'
refused 'the element "ellipsoid"' '<body><freejoint/><geom type="ellipsoid" size="1 1 1"/></body>'
refused 'the attribute "joint.armature"' "<body><joint armature=\"1\"/>$geom</body>"
refused 'the attribute "body.mocap"' "<body mocap=\"true\">$geom</body>"
refused 'several joints in one body' "<body><joint/><joint/>$geom</body>"
refused 'a free joint below another body' "<body name=\"a\"><joint/>$geom<body><freejoint/>$geom</body></body>"
refused 'there are two bodies "a"' "<body name=\"a\">$geom</body><body name=\"a\">$geom</body>"
refused 'there are two joints "j"' "<body><joint name=\"j\"/>$geom<body><joint name=\"j\"/>$geom</body></body>"
refused 'no class of defaults "x"' '<body><joint/><geom class="x" size="1"/></body>'
refused 'the axis has no length' "<body><joint axis=\"0 0 0\"/>$geom</body>"
refused 'first of `range` must be below' "<body><joint range=\"1 -1\"/>$geom</body>"
refused 'not the numbers.*"pos"' "<body pos=\"0 x 0\">$geom</body>"
refused 'too few numbers.*"pos"' "<body pos=\"0 0\">$geom</body>"
refused 'too many numbers.*"pos"' "<body pos=\"0 0 0 0\">$geom</body>"
refused 'sizes must be positive' '<body><joint/><geom size="-1"/></body>'
refused 'mass and density must not be negative' '<body><joint/><geom size="1" density="-1"/></body>'
refused 'the inertia is not that of a body' "<body><joint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 -1\"/>$geom</body>"
refused 'there is no asset for the mesh "m"' '<body><joint/><geom type="mesh" mesh="m"/></body>'
refused 'there is no mesh' '<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body>' '<asset><mesh name="m" file="none.stl"/></asset>'
refused 'outside of the folder' '<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body>' '<asset><mesh name="m" file="../../../../etc/passwd"/></asset>'
refused 'a direction has no length in "quat"' "<body quat=\"0 0 0 0\">$geom</body>"
refused 'not three of the letters' "<body>$geom</body>" '<compiler eulerseq="abc"/>'
refused '"muscle"' "<body><joint name=\"j\"/>$geom</body>" '<actuator><muscle joint="j"/></actuator>'
refused 'there is no joint "k"' "<body><joint name=\"j\"/>$geom</body>" '<actuator><motor joint="k"/></actuator>'
refused 'line [12]: not valid XML' '<body>'
printf '<mujoco><!DOCTYPE x [<!ENTITY a "b">]></mujoco>' > bomb.xml
expect 2 'document type or entities' check bomb.xml
head -c 70000000 /dev/zero | tr '\0' ' ' > big.xml
printf '<mujoco/>' | dd of=big.xml conv=notrunc 2> /dev/null
expect 2 'at most 64 MiB' check big.xml
rm big.xml

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
