#!/usr/bin/env bash
# abut info and abut convert on small meshes of our own.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1
run() { "$abut" "$@" || fail "abut $* ended with $?"; }
# refuse CODE PATTERN WORD...
refuse() {
    local code=$1 pattern=$2 output
    shift 2
    output=$("$abut" "$@" 2>&1)
    local got=$?
    [ "$got" = "$code" ] || fail "abut $*: exit code $got instead of $code"
    [[ $output =~ $pattern ]] || fail "abut $*: '$output' does not match '$pattern'"
}
# says PATTERN FILE: a line of `abut info` matches.
says() { "$abut" info "$2" | grep -qE -e "$1" || fail "info of $2 lacks '$1': $("$abut" info "$2" 2>&1)"; }
# value FILE KEY: a number of `abut info --json`, by its key (which occurs once).
value() { "$abut" info --json "$1" | sed -n "s/^ *\"$2\": \([^,]*\),\{0,1\}\$/\1/p"; }
near() {
    awk "BEGIN { d = ($1) - ($2); exit !(d <= 1e-9 && d >= -1e-9) }" || fail "$3: $1 is not $2"
}

# Two tets that share a face, in MSH 2.2, with tags and one vertex that nothing uses.
cat > two.msh << 'END'
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
6
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
5 1 1 1
6 9 9 9
$EndNodes
$Elements
2
1 4 2 7 7 1 2 3 4
2 4 2 8 8 2 3 4 5
$EndElements
END
says "MSH mesh" two.msh
says "vertices +6 \(1 in no cell\)" two.msh
says "cells +2 tets" two.msh
says "components +1$" two.msh
says "surface +6 triangles, 9 edges, 5 points; closed, oriented" two.msh
says "edges +1 to 1.41421 long" two.msh
says "quality +0 inverted, 0 degenerate" two.msh
says "tags +7 \(1 tet\), 8 \(1 tet\)" two.msh
near "$(value two.msh volume)" "1/6 + 1/3" "volume"
[ "$(value two.msh 8)" = 1 ] || fail "tags in JSON"

# Through every format that can be written and back.
for format in vtu msh msh2; do
    run convert two.msh "out.$format"
    near "$(value "out.$format" volume)" "1/6 + 1/3" "volume in $format"
    [ "$(value "out.$format" triangles)" = 6 ] || fail "surface in $format"
done
for format in obj ply vtu; do
    run convert --surface two.msh "skin.$format"
    says "vertices +5$" "skin.$format"
    says "6 triangles, 9 edges, 5 points; closed, oriented" "skin.$format"
    near "$(value "skin.$format" volume)" "1/6 + 1/3" "enclosed volume in $format"
done

run convert --surface --scale 2 --translate 1,0,-1 two.msh moved.obj
near "$(value moved.obj volume)" "4" "scaled volume"
says "bounds +\(1, 0, -1\) to \(3, 2, 1\)" moved.obj
run convert --surface --scale=-1,1,1 --rotate 0,0,90 two.msh mirrored.ply
near "$(value mirrored.ply volume)" "1/6 + 1/3" "mirrored volume"
says "bounds +\(-1, -1, 0\) to \(0, 0, 1\)" mirrored.ply

# Triangles that repeat their vertices become one surface by welding.
cat > soup.obj << 'END'
v 0 0 0
v 1 0 0
v 0 1 0
v 1 0 0
v 0 1 0
v 1.0000001 1 0
v 1 1 0
v 1 0 0
v 2 0 0
f 1 2 3
f 4 6 5
f 7 8 9
END
says "components +3" soup.obj
run convert --weld soup.obj exact.obj
says "components +1" exact.obj
says "vertices +6$" exact.obj
run convert --weld-tolerance 1e-4 soup.obj welded.obj
says "vertices +5$" welded.obj
says "open \(5 border" welded.obj

refuse 2 "must be one number or x,y,z" convert --scale 1,2 two.msh out.obj
refuse 2 "must not be 0" convert --scale 1,0,1 two.msh out.obj
refuse 2 "it must be between 0 and 1" convert --weld-tolerance 2 two.msh out.obj
refuse 2 "usage: abut convert" convert two.msh
refuse 2 "unexpected argument" convert two.msh a.obj b.obj
refuse 2 "xyz" convert two.msh out.xyz
refuse 5 "nowhere" convert two.msh nowhere/out.vtu
refuse 5 "No such file" convert missing.msh out.vtu
echo "no mesh at all" > text.txt
refuse 2 "text.txt: this is neither a scene nor a mesh" info text.txt
sed 's/^2 4 2 8 8 2 3 4 5/2 4 2 8 8 2 3 4 77/' two.msh > broken.msh
refuse 2 "broken.msh.*77" info broken.msh
sed 's/^2$/3/; s/^2 4 2 8 8.*/&\n3 4 2 9 9 2 3 4 6/' two.msh > thrice.msh
refuse 2 "thrice.msh: tets 0, 1 and 2 share the face" info thrice.msh
ls | grep -q tmp && fail "temporary files are left"

[ $failures = 0 ] && echo ok
exit $((failures > 0))
