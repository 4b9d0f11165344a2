#!/usr/bin/env bash
# abut ccd: table and JSON, methods and parameters, exit codes for misses and for bad input.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$scratch" || exit 1

# A point falls through a triangle (label $1), and beside it (label $2).
queries() {
    local label=$1 x=$2
    echo "$x,4,1,4,1,1,$label"
    printf '%s\n' "0,1,0,1,0,1,$label" "1,1,0,1,0,1,$label" "0,1,1,1,0,1,$label"
    echo "$x,4,1,4,-1,1,$label"
    printf '%s\n' "0,1,0,1,0,1,$label" "1,1,0,1,0,1,$label" "0,1,1,1,0,1,$label"
}
mkdir -p set/vertex-face empty
{ queries 1 1; queries 0 16; } > set/vertex-face/data.csv
queries 0 16 > set/vertex-face/more.csv

for method in tight-inclusion additive bisection reference; do
    expect 0 "2 +1 +1 +0 +0 .*data.csv" ccd --method $method set/vertex-face/data.csv
done
expect 0 "3 +1 +1 +0 +0 .*total" ccd set
expect 0 "3 +1 +1 +0 +0 .*total" ccd --threads 2 set
expect 0 "1 +0 +1 +0 +1 .*more.csv" ccd --min-separation 4 set/vertex-face/more.csv
expect 0 "0.00%" ccd --max-iterations 1e6 --tolerance 1e-3 set/vertex-face/data.csv
expect 0 "[1-9][0-9.]*%" ccd --max-iterations 1 --method bisection set/vertex-face/data.csv
expect 0 "tolerance" ccd --filter paper set

json=$("$abut" ccd --json --tolerance 1e-4 set) || fail "--json"
python3 - "$json" << 'END' || fail "JSON: $json"
import json, sys
d = json.loads(sys.argv[1])
assert d["method"] == "tight-inclusion" and d["tolerance"] == 1e-4 and len(d["files"]) == 2
t = d["total"]
assert (t["queries"], t["positives"], t["hits"]) == (3, 1, 1)
assert t["false_negatives"] == 0 and t["false_positives"] == 0 and t["early"] == 0
assert 0 <= t["median_us"] <= t["max_us"] and t["max_tolerance"] == 1e-4
assert d["files"][0]["file"].endswith("data.csv") and d["files"][0]["queries"] == 2
END

# A contact that is claimed but not there is a miss.
queries 1 16 > set/vertex-face/wrong.csv
expect 1 "wrong.csv: 1 contacts missed, the first in the query of rows 1 to 8" ccd set
expect 1 "1 false negatives" ccd --json set/vertex-face/wrong.csv

# Bad input: file, line, exit code 2.
mkdir bad
: > bad/emptyee.csv
expect 2 "bad/emptyee.csv:1: .*no query" ccd bad/emptyee.csv
queries 1 1 | head -5 > bad/shortvf.csv
expect 2 "bad/shortvf.csv:6: .*multiple of 8" ccd bad/shortvf.csv
{ queries 1 1; queries 1 nan; } > bad/nanvf.csv
expect 2 "bad/nanvf.csv:9: .*found nan" ccd bad/nanvf.csv
sed 's/,4,1,1,1$/,3,1,1,1/' <(queries 1 1) > bad/thirdvf.csv
expect 2 "bad/thirdvf.csv:1: .*power of two" ccd bad/thirdvf.csv
expect 2 "folder must be named" ccd bad/nothing.csv
expect 5 "No such file" ccd bad/nothingee.csv
expect 2 "no CSV file" ccd empty
expect 2 "no method 'tight'" ccd --method tight set
expect 2 "did you mean 'additive'" ccd --method additiv set
expect 2 "whole number" ccd --max-iterations 1.5 set
expect 2 "tolerance" ccd --tolerance -1 set
expect 2 "filter" ccd --filter none set
expect 2 "argument is missing" ccd

[ $failures = 0 ] && echo ok
exit $((failures > 0))
