# shellcheck shell=bash
# Words to the person who waits: all on stderr, because stdout carries the result.

say() { printf 'sysroot: %s\n' "$*" >&2; }

die() {
    say "$*"
    exit 1
}
