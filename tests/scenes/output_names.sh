#!/usr/bin/env bash
# One name per quantity: steps.csv, run.json and the lines of progress have no name of an earlier version, run.json has
# nothing twice, and tables of earlier versions are read by verify and --resume.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1

"$abut" run examples/contact/tet-tet/scene.json -o "$scratch/run" --steps 4 --threads 1 --set output.measures=true \
    --set output.every=1 > "$scratch/log" 2>&1 || fail "run: $(cat "$scratch/log")"
python3 - "$scratch/run" src/output/table_names.c "$scratch/log" <<'P' || fail "names"
import csv, json, re, sys
old = dict(re.findall(r'\{"(\w+)", "(\w+)"\}', open(sys.argv[2]).read()))
assert len(old) >= 7, old
run = json.load(open(sys.argv[1] + "/run.json"))
columns = next(csv.reader(open(sys.argv[1] + "/steps.csv")))
assert not set(old) & set(columns), columns
assert len(set(columns)) == len(columns)
assert {"wall_seconds", "newton_iterations", "kappa", "contact_count", "contact_energy"} <= set(columns)
log = open(sys.argv[3]).read()
assert re.search(r"step \d+/4  time \S+ s  newton_iterations \d+  contact_count \d+  ", log), log

def leaves(value, path=()):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, path + (key,))
    elif isinstance(value, list):
        for item in value[:1]:
            yield from leaves(item, path + ("[]",))
    else:
        yield path

paths = list(leaves(run))
assert "accuracy" in run
for path in paths:
    assert not set(path) & set(old), path
# What the whole run has is not told again in a part of it, by any part's name, nor the centres and boxes beside the bodies.
top = {path[0] for path in paths}
for path in paths:
    assert not set(path[1:]) & top, path
P

# Tables of an earlier version: the header as it was.
cp -r "$scratch/run" "$scratch/old"
sed -i '1s/.*/step,time,wall_s,newton_iters,friction_iters,contacts,min_distance,kappa,kinetic,elastic,gravity,contact,linear_momentum_x,linear_momentum_y,linear_momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z,max_stretch,mean_stretch,min_stretch,mean_compression,potential,unknowns,splits,collapses,swaps,smoothings,friction_unsettled,truncated,newton_at_noise,substeps,joint_violation/' "$scratch/old/steps.csv"
"$abut" verify "$scratch/old" > "$scratch/log" 2>&1 || fail "verify of an old run: $(tail -2 "$scratch/log")"

# Frames of an earlier version: the path under its old names.
grep -qa 'Name="path_configurations"' "$scratch/old/frames/frame_000004.vtu" || fail "a frame has no path"
sed -i 's/Name="path"/Name="way"/; s/Name="path_configurations"/Name="way_places"/; s/Name="path_kinds"/Name="way_kinds"/' "$scratch"/old/frames/*.vtu
grep -qa 'Name="way_places"' "$scratch/old/frames/frame_000004.vtu" || fail "the old name was not written"
"$abut" verify "$scratch/run" > "$scratch/now" 2>&1 || fail "verify: $(cat "$scratch/now")"
grep -q '^along the paths ' "$scratch/now" || fail "no paths: $(cat "$scratch/now")"
"$abut" verify "$scratch/old" > "$scratch/log" 2>&1 || fail "verify of old frames: $(cat "$scratch/log")"
diff <(grep '^along' "$scratch/log") <(grep '^along' "$scratch/now") || fail "paths of old frames are not read"
for folder in run old; do
    "$abut" run examples/contact/tet-tet/scene.json -o "$scratch/$folder" --steps 6 --threads 1 --quiet --resume \
        --set output.measures=true --set output.every=1 > "$scratch/log" 2>&1 || fail "$folder: --resume: $(cat "$scratch/log")"
done
cmp <(cut -d, -f1,2,4- "$scratch/run/steps.csv") <(cut -d, -f1,2,4- "$scratch/old/steps.csv") || fail "an old run goes on otherwise"
