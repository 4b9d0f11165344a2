# Completion of abut for bash. The command itself knows its sub-commands and options: it prints the
# candidates, and after an empty line whether names of files or folders may follow.
_abut() {
    local line names=
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -z $line ]]; then
            read -r names
        else
            COMPREPLY+=("$line")
        fi
    done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    local word=${COMP_WORDS[COMP_CWORD]}
    case $names in
    file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    esac
}
complete -F _abut abut
