#!/usr/bin/env bash
# URDF robots: what is read, with all defaults, and what is refused: bad trees, bad numbers, missing meshes, unsafe XML.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1
arm=$ABUT_SOURCE_DIR/examples/joints/robot-arm/arm.urdf

"$abut" info "$arm" > info.txt 2>&1 || fail "info: $(cat info.txt)"
for word in upper fore left right; do grep -q "$word" info.txt || fail "info does not speak of $word"; done
"$abut" run "$arm" -o arm --steps 20 --quiet > log 2>&1 || fail "run: $(cat log)"
"$abut" verify arm > log 2>&1 || fail "verify: $(tail -3 log)"
"$abut" convert "$arm" arm.json > log 2>&1 || fail "convert: $(cat log)"
python3 - <<'P' || fail "the robot is not what the file says"
import csv, json, math
d = json.load(open("arm.json"))
bodies = {b["name"]: b for b in d["bodies"]}
joints = {j["name"]: j for j in d["joints"]}
assert set(bodies) == {"base", "upper", "fore", "left", "right"}, bodies.keys()  # the tool is part of the arm
assert bodies["base"]["type"] == "obstacle"
assert bodies["upper"]["inertial"]["mass"] == 2
assert max(abs(a - b) for a, b in zip(bodies["upper"]["inertial"]["center"], [0, 0, 0.35])) < 1e-12
i = bodies["fore"]["inertial"]["inertia"]  # turned by 0.3 about z: the sign of the product
c, s = math.cos(0.3), math.sin(0.3)
assert abs(i[0] - (0.002 * c * c + 0.02 * s * s)) < 1e-12 and abs(i[3] - (0.002 - 0.02) * s * c) < 1e-12, i
assert joints["shoulder"]["type"] == "hinge" and joints["shoulder"]["to"] == "base"
assert abs(joints["shoulder"]["turn"]["limits"][1] - math.degrees(1.5)) < 1e-9
assert joints["shoulder"]["turn"]["friction"] == 0.1 and joints["shoulder"]["turn"]["damping"] == 0.5
assert joints["elbow"]["to"] == "upper" and "limits" not in joints["elbow"]["turn"]
assert joints["grip"]["type"] == "slider" and joints["grip"]["to"] == "fore"
assert joints["grip2 mimics grip"]["ratio"] == -1
rows = list(csv.DictReader(open("arm/steps.csv")))
assert all(float(r["joint_violation"]) <= 1e-8 for r in rows)
P

inertial='<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
shape='<collision><geometry><box size="1 1 1"/></geometry></collision>'
link() { echo "<link name=\"$1\">$inertial$shape</link>"; }
joint() { echo "<joint name=\"$1\" type=\"${4:-continuous}\"><parent link=\"$2\"/><child link=\"$3\"/>${5:-}</joint>"; }
number=0
# refused CODE PATTERN CONTENT
refused() {
    number=$((number + 1))
    echo "<?xml version=\"1.0\"?><robot name=\"r\">$3</robot>" > bad$number.urdf
    timeout 20 "$abut" check bad$number.urdf > log 2>&1
    local code=$?
    [ $code = "$1" ] || fail "$3: ends with $code: $(cat log)"
    grep -qE -- "$2" log || fail "$3: '$(cat log)' does not match '$2'"
}
refused 2 'there is no link' ''
refused 2 'there is no link "c"' "$(link a)$(joint j a c)"
refused 2 'there are two links "a"' "$(link a)$(link a)"
refused 2 'there are two joints "j"' "$(link a)$(link b)$(link c)$(joint j a b)$(joint j b c)"
refused 2 'two joints lead to link "b"' "$(link a)$(link b)$(joint j a b)$(joint k a b)"
refused 2 'in a circle' "$(link a)$(link b)$(joint j a b)$(joint k b a)"
refused 2 'two links have no joint' "$(link a)$(link b)"
refused 2 'there is no type of joints "screw"' "$(link a)$(link b)$(joint j a b screw)"
refused 2 'there is no limit in the joint "j"' "$(link a)$(link b)$(joint j a b revolute)"
refused 2 'lower limit is above' "$(link a)$(link b)$(joint j a b revolute '<limit lower="1" upper="0"/>')"
refused 2 'the axis has no length' "$(link a)$(link b)$(joint j a b continuous '<axis xyz="0 0 0"/>')"
refused 2 'not the numbers.*"xyz"' "$(link a)$(link b)$(joint j a b continuous '<axis xyz="0 nan 0"/>')"
refused 2 'too many numbers' "$(link a)$(link b)$(joint j a b continuous '<axis xyz="0 1 0 0"/>')"
refused 2 'no joint to mimic "x"' "$(link a)$(link b)$(joint j a b continuous '<mimic joint="x"/>')"
refused 2 'mimic each other in a circle' "$(link a)$(link b)$(link c)$(joint j a b continuous '<mimic joint="k"/>')$(joint k a c continuous '<mimic joint="j"/>')"
refused 2 'mass must be positive' "<link name=\"a\">${inertial/value=\"1\"/value=\"-1\"}$shape</link>"
refused 2 'inertia is not that of a body' "<link name=\"a\">${inertial/ixx=\"1\"/ixx=\"-1\"}$shape</link>"
refused 2 'inertia is not that of a body' "<link name=\"a\">${inertial/ixx=\"1\"/ixx=\"3\"}$shape</link>"
refused 2 'link "b" has no mass' "$(link a)<link name=\"b\">$shape</link>$(joint j a b)"
refused 2 'neither collision nor visual' "<link name=\"a\">$inertial</link>"
refused 2 'there is no mesh' "<link name=\"a\">$inertial<collision><geometry><mesh filename=\"none.stl\"/></geometry></collision></link>"
refused 2 'outside of the folder' "<link name=\"a\">$inertial<collision><geometry><mesh filename=\"../../../etc/passwd\"/></geometry></collision></link>"
refused 2 'only paths relative' "<link name=\"a\">$inertial<collision><geometry><mesh filename=\"package://x/y.stl\"/></geometry></collision></link>"
refused 2 'line [12]: not valid XML' '<link name="a">'

printf '<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n<robot name="&b;"/>' > bomb.urdf
expect 2 'document type or entities' check bomb.urdf
# A hundred megabytes are refused by their number, before they are parsed.
for kind in robot mujoco; do
    { printf '<?xml version="1.0"?>\n<%s name="r">' $kind; head -c 100000000 /dev/zero | tr '\0' ' '; } > big.$kind.xml
    expect 2 'may have at most 64 MiB' check big.$kind.xml
    rm big.$kind.xml
done
# Read as UTF-8, whatever it says; nothing but our own message.
printf '<?xml version="1.0" encoding="EBCDIC-US"?>\n<robot name="r"/>' > code.urdf
expect 2 'there is no link' check code.urdf
"$abut" check code.urdf 2>&1 | grep -v '^abut: ' && fail "other messages"
printf '<?xml version="1.0"?>\n<robot name="\264"/>' > code.urdf
expect 2 'not proper UTF-8' check code.urdf
printf '<mujoco model="m"/>' > m.xml
expect 2 'there is no body' check m.xml
printf '<?xml version="1.0"?>\n<robot name="r" xmlns:xacro="http://x"/>' > x.urdf
expect 2 'xacro' check x.urdf

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
