#!/usr/bin/env bash
# The command itself: help, version, mistakes and their exit codes, manual page, completion.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1

expect 2 "which command" 
expect 0 "^abut [0-9]+\.[0-9]+\.[0-9]+$" --version
expect 0 "info +describe" help
expect 0 "info +describe" --help
expect 0 "usage: abut info .*--json" help info
expect 0 "usage: abut info .*--json" info --help
expect 2 "no command 'inof'; did you mean 'info'" inof
expect 2 "no command 'xyzzy'; see" xyzzy
expect 2 "did you mean 'info'" help inof
expect 2 "no option '--jsno'; did you mean '--json'" info --jsno x.obj
expect 2 "no option '-q'; see 'abut help info'" info -q x.obj
expect 2 "takes no value" info --json=yes x.obj
expect 2 "an argument is missing; usage: abut info" info
expect 2 "no option '--loud' in front" --loud
expect 5 "missing.obj: .*No such file" info missing.obj
expect 5 "missing.obj: .*No such file" info -- missing.obj
[ "$("$abut" info missing.obj 2>/dev/null | wc -c)" = 0 ] || fail "errors belong on stderr"
if [ -w /dev/full ]; then
    "$abut" help > /dev/full 2>/dev/null
    [ $? = 5 ] || fail "a full disk is not noticed"
fi

# Sub-commands and options as the table has them.
commands=$("$abut" complete "" | grep -v -e '^--' -e '^help$')
[ -n "$commands" ] || fail "no commands"

"$abut" help --man > "$scratch/abut.1"
cmp -s "$scratch/abut.1" docs/man/abut.1 || fail "docs/man/abut.1 is old: run scripts/generate-man $abut"
plain=$(sed 's/\\-/-/g' docs/man/abut.1)

# The words that bash would offer for a half-written line.
ln -s "$abut" "$scratch/abut"
PATH=$scratch:$PATH
source scripts/completion/abut.bash
offered() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _abut
    printf '%s\n' "${COMPREPLY[@]}"
}
offers() { offered "${@:2}" | grep -qxF -e "$1" || fail "completion of '${*:2}' lacks '$1'"; }

for command in $commands; do
    grep -qF ".SS \"abut $command" <<< "$plain" || fail "$command is not in the manual page"
    "$abut" help | grep -q "^  $command " || fail "$command is not in abut help"
    offers "$command" abut "${command:0:1}"
    offers "$command" abut help "${command:0:1}"
    section=$(sed -n "/^.SS \"abut $command[ \"]/,/^.S[SH] /p" <<< "$plain" | sed -n '1p;/^\.B/p')
    for option in $("$abut" complete "$command" -- | grep -v -x -e --help); do
        grep -qE -e "^\.B (-., )?$option( |$)" <<< "$section" || fail "$command $option: not in the manual"
        "$abut" help "$command" | grep -qE -e "^  (-., )?$option( |$)" || fail "$command $option: no help"
        offers "$option" abut "$command" "${option:0:4}"
    done
done
touch "$scratch/some.obj"
offers "$scratch/some.obj" abut info "$scratch/so"
[ -z "$(offered abut nonsense -- | tr -d '\n')" ] || fail "completion after a wrong command"
grep -q '^#compdef abut' scripts/completion/_abut || fail "zsh completion"
if command -v zsh > /dev/null; then zsh -n scripts/completion/_abut || fail "zsh syntax"; fi

[ $failures = 0 ] && echo "ok"
exit $((failures > 0))
