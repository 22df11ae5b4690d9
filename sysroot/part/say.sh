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

# say_cost: what the first run of tests/run or tests/demo takes, when it is the first.
say_cost() {
    local under=${FBUNLOCK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fbunlock}
    [ ! -d "$under/qemu/kernels" ] || return 0
    printf '%s\n' "The first run of the demo takes 3 to 6 minutes, about 1 GB in $under" \
        "and 1.2 GB in target/; that of all tests takes longer, and 2.5 GB there. Debian packages that are" \
        "missing are installed." >&2
}
