#!/usr/bin/env bash
# Fixtures of the rigid-ipc program, run and verified: planar and in space, rigid and affine, with
# kinematic bodies; native planar scenes and meshes written out in the scene.
. "${ABUT_SOURCE_DIR:?}/tests/support/script.sh" || exit 1
cd "$scratch" || exit 1

# A square falls onto a slope, beside a square that is turned by force.
cat > planar.json << 'END'
{"scene_type": "distance_barrier_rb_problem", "timestep": 0.01, "max_time": 0.4,
 "distance_barrier_constraint": {"initial_barrier_activation_distance": 0.01},
 "rigid_body_problem": {"gravity": [0, -9.81], "coefficient_friction": 0.2, "rigid_bodies": [
   {"vertices": [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]],
    "edges": [[0, 1], [1, 2], [2, 3], [3, 0]], "position": [0, 1.2], "rotation": [20]},
   {"vertices": [[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]],
    "edges": [[0, 1], [1, 2], [2, 3], [3, 0]], "position": [1.4, 0.6], "type": "kinematic",
    "angular_velocity": [180]},
   {"vertices": [[-4, 0.3], [4, -0.3]], "edges": [[0, 1]], "is_dof_fixed": true}]}}
END
expect 0 '' run planar.json -o planar --quiet
expect 0 'along the paths   0 intersections at [1-9][0-9]+ moments' verify planar
expect 0 'result            clean' verify planar --between 4
expect 2 'between' verify planar --between -1
python3 - << 'END' || failures=$((failures + 1))
import csv, json
run = json.load(open('planar/run.json'))
assert run['status'] == 'ok' and run['intersections'] == 0 and run['max_contact_count'] > 0, run
assert run['min_distance'] < 0.01, run['min_distance']
low, high = run['bodies'][1]['bounds']  # turned by 72 degrees
assert abs(high[0] - low[0] - 0.756044) < 1e-4, (low, high)
END

# A minimum separation is kept, and used.
sed 's/"initial_barrier_activation_distance": 0.01/&, "minimum_separation_distance": 0.02/' planar.json > apart.json
expect 0 '' run apart.json -o apart --quiet
expect 0 'clean' verify apart
python3 - << 'END' || failures=$((failures + 1))
import json
run = json.load(open('apart/run.json'))
assert run['max_contact_count'] > 0 and 0.02 < run['min_distance'] < 0.03, run['min_distance']
END

# As an animation.
expect 0 '3 bodies, 2 of them moving' convert planar planar.glb
[ "$(head -c 4 planar.glb)" = glTF ] || fail 'planar.glb is not binary glTF'
expect 0 '' convert planar planar.gltf
expect 2 'converted to' convert planar planar.docx
expect 2 'options are for meshes' convert planar planar.glb --weld

# The native form of it is the same scene; so is one with affine bodies.
expect 0 '' convert planar.json native.json
sed 's/"rigid"/"affine"/' native.json > affine.json
expect 0 '' run native.json -o native --quiet
expect 0 '' run affine.json -o affine --quiet
expect 0 'clean' verify affine
cmp -s planar/steps.csv native/steps.csv ||
    python3 - << 'END' || failures=$((failures + 1))
import csv
a, b = (list(csv.DictReader(open(n + '/steps.csv'))) for n in ('planar', 'native'))
assert [r['contact_count'] for r in a] == [r['contact_count'] for r in b]
END
python3 - << 'END' || failures=$((failures + 1))
import json
a, b = (json.load(open(n + '/run.json')) for n in ('planar', 'affine'))
for x, y in zip(a['bodies'], b['bodies']):
    for p, q in zip(x['center_of_mass'], y['center_of_mass']):
        assert abs(p - q) < 0.02, (x['name'], p, q)
END

# Meshes written out in the scene.
cat > flat.json << 'END'
{"abut": 1, "planar": true, "time": {"step": 0.01, "steps": 2},
 "bodies": [{"name": "tri", "type": "rigid", "density": 1,
             "mesh": {"given": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
                                "edges": [[0, 1], [1, 2], [2, 0]]}}}]}
END
expect 0 '' run flat.json -o flat --quiet
expect 2 'all must have z = 0' run flat.json -o lifted --quiet --set 'bodies[0].translate=[0,0,1]'
expect 2 'given.edges\[0\]: must be a list of 2 integers' run flat.json -o bad --quiet \
    --set 'bodies[0].mesh={"given":{"vertices":[[0,0,0]],"edges":[[0,1,2]]}}'
expect 2 'given' run flat.json -o bad --quiet \
    --set 'bodies[0].mesh={"given":{"vertices":[[0,0,0],[1,0,0]],"edges":[[0,7]]}}'

# Published fixtures, a few steps each.
data=${ABUT_DATA:-../shared/data}/rigid-ipc/fixtures
if [ -d "$data" ]; then
    while read -r steps name; do
        expect 0 '' run "$data/$name" -o run --steps "$steps" --quiet
        expect 0 'clean' verify run
        rm -rf run
    done << 'END'
20 3D/unit-tests/face-vertex.json
10 3D/minimum-separation/cube-falling-on-edge.json
10 3D/examples/kinematically-scripted.json
10 3D/examples/split-components.json
5 3D/mechanisms/bolt.json
10 2D/tumbler.json
END
fi
exit $((failures > 0))
