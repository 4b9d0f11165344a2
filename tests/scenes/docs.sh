#!/usr/bin/env bash
# The guide tells the truth: every command in a ```sh block of README, docs and examples/contact/README runs,
# every scene in docs is valid, every relative link leads somewhere, and every example passes `abut check`.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1
source_folder=$PWD

# Tables of benchmarks are those of the results that are kept.
scripts/generate-benchmarks --check || fail "scripts/generate-benchmarks --check"
bench/thin/report --check || fail "bench/thin/report --check"

pages=(README.md CHANGELOG.md CONTRIBUTING.md docs/*.md docs/bodies/*.md docs/theory/*.md docs/tutorials/*.md examples/*/README.md examples/{contact,thin,rigid}/*/README.md)

# A folder that looks like the repository after `make build`.
mkdir "$scratch/work" "$scratch/work/build"
ln -s "$source_folder/examples" "$scratch/work/examples"
ln -s "$source_folder/docs" "$scratch/work/docs"
ln -s "$abut" "$scratch/work/build/abut"
export PATH=$scratch/work/build:$PATH # pages after the first ones say `abut`, as if it was installed

# The blocks of one language of a page, without the fences.
blocks() { awk -v start="^\`\`\`$2\$" '$0 ~ start {on = 1; next} /^```/ {on = 0} on' "$1"; }

# The scene of "Your own scene".
blocks docs/getting-started.md json > "$scratch/work/mine.json"
echo '<p>page</p><!--abut-data-->' > "$scratch/page.html"
# Servers go on until they are interrupted: they must print an address, and end with 0 on Ctrl-C. They get a small page,
# so that the test does not depend on npm.
serve() {
    (cd "$scratch/work" && exec ${1} --page "$scratch/page.html") > "$scratch/log" 2>&1 &
    local server=$!
    for _ in $(seq 600); do
        grep -q "built without a web server" "$scratch/log" && wait "$server" && return
        grep -q "^view at http" "$scratch/log" && { [[ $1 != *--view* ]] || grep -q "^Ctrl-C" "$scratch/log"; } && break
        sleep 0.1
    done
    grep -q "^view at http" "$scratch/log" || return 1
    kill -INT "$server"
    wait "$server"
}

# Targets of make must exist; running them here would build everything again.
run_line() {
    case $1 in
    make\ *)
        for target in ${1#make }; do grep "^$target:" Makefile > "$scratch/log" || return 1; done
        # Later lines read what the demo leaves; some steps of it do.
        [[ $1 != make\ demo* ]] || (cd "$scratch/work" && build/abut run examples/contact/pile/scene.json -o build/demo --steps 4) > "$scratch/log" 2>&1 ;;
    *abut\ convert\ *.html) (cd "$scratch/work" && eval "$1 --page $scratch/page.html") > "$scratch/log" 2>&1 ;;
    *abut\ view\ *|*--view*) serve "$1" ;;
    *) (cd "$scratch/work" && eval "$1") > "$scratch/log" 2>&1 ;;
    esac
}

commands=0
for page in "${pages[@]}"; do
    while read -r line; do
        [ -n "$line" ] || continue
        commands=$((commands + 1))
        run_line "$line" || fail "$page: '$line': $(tail -3 "$scratch/log")"
    done < <(blocks "$page" sh)
done
[ $commands -ge 15 ] || fail "only $commands commands found in the guide"

# The scene on the page of each kind of body runs.
kinds=0
for page in docs/bodies/[a-z]*.md; do
    kinds=$((kinds + 1))
    blocks "$page" json > "$scratch/body.json"
    "$abut" run "$scratch/body.json" -o "$scratch/body.run" --steps 2 --quiet > "$scratch/log" 2>&1 ||
        fail "$page: its scene does not run: $(tail -2 "$scratch/log")"
done
[ $kinds = 7 ] || fail "$kinds pages of kinds of bodies"

# The two commands of README are targets of the Makefile, and DEMO is a scene.
for target in $(sed -n 's/^make \([a-z]*\)$/\1/p' README.md) docs install build; do
    grep -q "^$target:" Makefile || fail "make $target does not exist"
done
[ -f "$(sed -n 's/^DEMO ?= //p' Makefile)" ] || fail "the scene of make demo does not exist"

# Links.
for page in "${pages[@]}"; do
    folder=$(dirname "$page")
    while read -r link; do
        case $link in http*|\#*|'') continue ;; esac
        [ -e "$folder/${link%%#*}" ] || fail "$page: link to $link"
    done < <(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//')
done

# Columns and keys that a run writes are described.
for word in $(head -1 "$scratch/work/first.run/steps.csv" | tr ',' ' ' | sed 's/momentum_[xyz]/momentum_x/g') \
            $(grep -o '^  "[a-z0-9_]*"' "$scratch/work/first.run/run.json" | tr -d ' "'); do
    grep -q "\`$word\`" docs/output.md || fail "docs/output.md does not speak of $word"
done

# Examples.
examples=0
for scene in examples/*/*.json examples/*/*/scene.json; do
    examples=$((examples + 1))
    "$abut" check "$scene" > "$scratch/log" 2>&1 || fail "$scene: $(tail -2 "$scratch/log")"
done
[ $examples -ge 20 ] || fail "only $examples examples found"
for folder in examples/{contact,thin}/*/; do
    case $folder in */meshes/) continue ;; esac
    for file in scene.json README.md picture.png; do
        [ -s "$folder$file" ] || fail "$folder has no $file"
    done
    grep -q "$(basename "$folder")/README.md" "$(dirname "$folder")/README.md" || fail "$folder is not listed"
done

[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
