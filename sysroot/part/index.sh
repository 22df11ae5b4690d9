# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# What Debian's suites hold of each source, from their signed source indexes. In: $work (scratch).

# Oldest first, beside the suite of this machine.
index_suites=(bookworm trixie trixie-backports forky sid)

# index_get: fetches the indexes into $work/index, once per run.
index_get() {
    [ ! -d "$work/index" ] || return 0
    local mirrors mirror suite keys=/usr/share/keyrings/debian-archive-keyring.gpg
    mirrors=$(source_mirrors) || exit
    mkdir -p "$work/index"/{lists,cache}/partial
    # Without downloaded lists some mirrors may be another archive's; the key tells.
    for suite in "${index_suites[@]}"; do
        while read -r mirror; do
            echo "deb-src [signed-by=$keys] $mirror $suite main"
        done <<<"$mirrors"
    done >"$work/index/sources.list"
    # A suite that the mirror lacks is no reason to stop.
    index_apt apt-get -q update >"$work/index/said" 2>&1 || true
    ! grep -q '^[EW]: ' "$work/index/said" ||
        say "not every suite answered: $(source_said "$work/index/said")"
}

# An apt of its own: deb-src lines, lists and cache that the machine's apt never sees; its proxy and
# authentication settings stay. On the command line, since the machine's files would win over
# $APT_CONFIG: nothing unsigned may come in, whatever they allow.
index_apt() {
    local tool=$1
    shift
    "$tool" -o Dir::Etc::SourceList="$work/index/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$work/index/lists" -o Dir::Cache="$work/index/cache" \
        -o Acquire::AllowInsecureRepositories=false -o Acquire::AllowWeakRepositories=false \
        -o APT::Get::AllowUnauthenticated=false -o APT::Sandbox::User=root "$@"
}

# index_lines NAME: the upstream archives, without signatures, in the form of sysroot/sources.
index_lines() {
    index_apt apt-cache showsrc --only-source "$1" 2>/dev/null | awk -v name="$1" '
        /^[^ ]/ { sums = 0 }
        /^Checksums-Sha256:/ { sums = 1 }
        sums && $3 ~ /\.orig\.tar\.[a-z0-9]+$/ && !seen[$3]++ {
            version = $3
            sub(/^[^_]*_/, "", version)
            sub(/(\+[a-z]+)?\.orig.*/, "", version)
            printf "%-10s %-7s %-31s %s\n", name, version, $3, $1
        }'
}
