# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# Source archives: found in the table, fetched once, checked, kept in $cache/sources.

# source_get NAME: prints the path of an archive of NAME whose SHA-256 is in the table, or in an index
# that Debian signed. One that is in the cache wins over the network, so that a filled cache builds
# off-line.
source_get() {
    local name file sha256 source_cause=''
    while read -r name _ file sha256; do
        source_kept "$file" "$sha256" && return
    done < <(source_lines "$1" && source_substitute "$1")
    while read -r name _ file sha256; do
        source_fetch "$name" "$file" "$sha256" && return
        say "no $file: $source_cause"
    done < <(source_lines "$1")
    source_from_index "$1" && return
    die "no source of $1 ($source_cause): the Debian mirror gave none of the files that sysroot/sources names and no other release of their series; check the network, or put one of those files into $cache/sources"
}

source_lines() { awk -v name="$1" '$1 == name' "$here/sources"; }

source_kept() {
    local kept=$cache/sources/$1
    [ -e "$kept" ] || return 1
    echo "$2  $kept" | sha256sum --check --status || return 1
    echo "$kept"
}

# Debian keeps a file no longer than some suite names it, so the day comes when a pinned one is gone.
# Then the newest release of the same series stands in for it, fetched by the SHA-256 that a suite's
# signed index gives: as trustworthy, though nobody has tried it here. What was taken is a line in
# $cache/sources/substitutes, so that the next run needs no network either.

# source_substitute NAME: prints the table line of what stands in for NAME, if it still may.
source_substitute() {
    local series
    series=$(source_series "$1" | tr '\n' ' ')
    [ ! -e "$cache/sources/substitutes" ] || awk -v name="$1" -v all="$series" '
        { split($2, part, "."); series = part[1] "." part[2] }
        $1 == name && index(" " all, " " series " ")' "$cache/sources/substitutes"
}

# source_substitutes: the lines of all substitutes that are in use, which no pinned file makes needless.
source_substitutes() {
    local name
    while read -r name; do
        source_pinned "$name" || source_substitute "$name"
    done < <(awk '/^[^#]/ { print $1 }' "$here/sources" | sort -u)
}

# source_pinned NAME: whether the cache has a pinned file of NAME.
source_pinned() {
    local file sha256
    while read -r _ _ file sha256; do
        source_kept "$file" "$sha256" >/dev/null && return
    done < <(source_lines "$1")
    return 1
}

# source_series NAME: the series of the pinned versions, major.minor, in the table's order.
source_series() {
    source_lines "$1" | awk '{ split($2, part, "."); series = part[1] "." part[2] }
        !seen[series]++ { print series }'
}

# source_from_index NAME: fetches a substitute and prints its path.
source_from_index() {
    local series found name version file sha256
    say "asking the suites' signed indexes for another release of $1"
    index_get
    while read -r series; do
        found=$(index_lines "$1" | awk -v series="$series" \
            '$2 ~ /^[0-9.]+$/ && index($2 ".", series ".") == 1' | sort -V -k 2,2 | tail -n 1) || true
        read -r name version file sha256 <<<"$found"
        # A pinned file has been tried.
        { [ -n "$found" ] && ! grep -qF "$sha256" "$here/sources"; } || continue
        if source_fetch "$name" "$file" "$sha256" >/dev/null; then
            { sed "/^$1 /d" "$cache/sources/substitutes" 2>/dev/null || true; } >"$work/substitutes"
            echo "$found" >>"$work/substitutes"
            mv "$work/substitutes" "$cache/sources/substitutes"
            echo "$cache/sources/$file"
            return
        fi
        say "no $file: $source_cause"
    done < <(source_series "$1")
    return 1
}

# source_tell_substitutes: a line for each, because the program is then not made of what was tried.
source_tell_substitutes() {
    local name version pins
    while read -r name version _; do
        pins=$(source_lines "$name" | awk '{ printf "%s%s", (NR > 1 ? " or " : ""), $2 }')
        say "using $name $version, from Debian's signed index, instead of the pinned $pins, which cannot be had; sysroot/pins prints a new line for sysroot/sources"
    done < <(source_substitutes)
}

# Debian's pool has one rule for every path, pool/main/c/cryptsetup/FILE, so neither deb-src lines
# nor an index are needed; a file stays there as long as any suite names it, whatever suite
# this machine follows. The SHA-256 says whether the right thing came. apt-helper brings apt's own
# proxy and authentication settings. What went wrong is left in $source_cause.
source_fetch() {
    local name=$1 file=$2 sha256=$3 mirrors mirror part=$cache/sources/.$2.$$
    mirrors=$(source_mirrors) || exit
    while read -r mirror; do
        say "fetching $file"
        if /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file \
            "${mirror%/}/pool/main/${name:0:1}/$name/$file" "$part" "SHA256:$sha256" >"$part.said" 2>&1 &&
            [ -e "$part" ]; then
            rm "$part.said"
            mv "$part" "$cache/sources/$file"
            source_kept "$file" "$sha256" && return
        fi
        source_cause=$(source_said "$part.said")
        rm -f "$part" "$part".*
    done <<<"$mirrors"
    return 1
}

# source_said FILE: the last error among what apt said. The one behind it only says that it failed.
source_said() {
    local said
    said=$(sed -n '/^E: Download Failed/d; /^[EW]: Some index files/d; s/^[EW]: //p' "$1" | tail -n 1)
    echo "${said:-apt gave no reason}"
}

# The mirrors that this machine's apt uses for Debian's main archive. Without downloaded lists
# apt does not know which of its sources are Debian's: then every one is asked.
source_mirrors() {
    # shellcheck disable=SC2016 # the dollar is apt's
    local format='$(REPO_URI)'
    local -a ask=(apt-get indextargets --format "$format" 'Created-By: Packages' 'Component: main')
    local found
    found=$("${ask[@]}" 'Origin: Debian' 'Label: Debian' | sort -u)
    [ -n "$found" ] || found=$("${ask[@]}" | sort -u)
    [ -n "$found" ] || die "apt names no Debian mirror: add one to /etc/apt/sources.list"
    echo "$found"
}

# source_unpack NAME: leaves the sources in $work/NAME.
source_unpack() {
    local archive
    archive=$(source_get "$1")
    mkdir "$work/$1"
    tar -xf "$archive" -C "$work/$1" --strip-components=1
    echo "$1 ${archive##*/}" >>"$root/versions"
}
