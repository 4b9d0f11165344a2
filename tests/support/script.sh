# What the scripts of tests/scenes and tests/long share: the command, a scratch folder that goes away, and checks that count.
set -u
abut=$ABUT_COMMAND
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

# expect CODE PATTERN WORD...: the command ends with that code, and its output matches the pattern.
expect() {
    local code=$1 pattern=$2 output
    shift 2
    output=$("$abut" "$@" 2>&1)
    local got=$?
    [ "$got" = "$code" ] || fail "abut $*: exit code $got instead of $code: $output"
    [[ $output =~ $pattern ]] || fail "abut $*: '$output' does not match '$pattern'"
}
