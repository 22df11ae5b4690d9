# shellcheck shell=bash
# Words to the person who waits: all on stderr, because stdout carries the result.

say() { printf 'sysroot: %s\n' "$*" >&2; }

die() {
    say "$*"
    exit 1
}

# help_or_go FILE WORD...: with --help among the words, prints FILE's head comment and ends.
help_or_go() {
    local file=$1 word
    shift
    for word; do
        case $word in
        -h | --help)
            sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$file"
            exit 0
            ;;
        esac
    done
}
