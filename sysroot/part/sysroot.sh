# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# The sysroot of one target: made once, under a name that holds the hash of its recipe.

cache=${FBUNLOCK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fbunlock}

# sysroot_path: where the sysroot is or will be. Another recipe is another folder, so a change
# of branch costs nothing. A substitute of a pinned source makes another recipe, too, and so does
# another rustc.
sysroot_path() {
    local hash
    hash=$(cd "$here" && { cat sources archive.mk config/* part/compiler.sh part/library.sh \
        part/source.sh part/target.sh && source_substitutes && std_recipe; } | sha256sum)
    echo "$cache/sysroot/$rust_target-${hash:0:12}"
}

# sysroot_make: builds under another name and renames at the end, so that a folder with the final
# name is complete. The lock lets a second run wait for the first instead of building the same
# again. The path is known when the sources are there, and left in $final.
sysroot_make() {
    local lock part
    mkdir -p "$cache/sources" "$cache/sysroot"
    exec {lock}>"$cache/lock"
    flock "$lock"
    work=$(mktemp -d "$cache/sysroot/.build.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    final=$(sysroot_path)
    if [ ! -d "$final" ]; then
        while read -r part; do
            source_get "$part" </dev/null >/dev/null
        done < <(awk '/^[^#]/ { print $1 }' "$here/sources" | sort -u)
        final=$(sysroot_path)
    fi
    if [ ! -d "$final" ]; then
        sysroot_fill "$final"
    fi
    sysroot_prune
    rm -rf "$work"
    trap - EXIT
    exec {lock}>&-
}

# sysroot_prune: removes what no branch used for a month; sysroot_ready() marks what is used.
sysroot_prune() {
    find "$cache/sysroot" -mindepth 1 -maxdepth 1 -mtime +30 ! -path "$work" -exec rm -rf {} +
}

sysroot_fill() {
    local final=$1 log=$1.log part
    root=$work/root
    cc=$root/bin/cc
    jobs=$(nproc)
    source_tell_substitutes
    mkdir -p "$root/usr/lib/pkgconfig" "$root/usr/include"
    compiler_write "$cc"
    : >"$log"
    for part in headers unwind libc std json_c uuid mbedtls devmapper cryptsetup; do
        say "building $part"
        # In the background, because bash drops errexit inside of a condition.
        "library_$part" >>"$log" 2>&1 &
        wait $! || sysroot_failed "$part" "$log"
    done
    mv -T "$root" "$final"
}

sysroot_failed() {
    tail -n 30 "$2" >&2
    die "$1 for $rust_target failed; the whole log is $2"
}

# sysroot_ready: prints the path of the target's sysroot, after making it when it is missing.
sysroot_ready() {
    local final
    # Neither make nor cargo's flags have a way to quote one.
    case $cache in
    *[[:space:]]*) die "$cache has a space in its path: set FBUNLOCK_CACHE to a folder without" ;;
    esac
    host_rust_source
    final=$(sysroot_path)
    if [ -d "$final" ]; then
        host_packages cargo
        source_tell_substitutes
    else
        say "making the libraries: once, two or three minutes and 100 MB in $cache; Debian packages that are missing get installed"
        host_packages all
        sysroot_make
    fi
    touch -c "$final" "$final.log" 2>/dev/null || true # a cache that others own
    echo "$final"
}
