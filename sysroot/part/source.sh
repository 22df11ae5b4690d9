# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# Source archives: found in the table, fetched once, checked, kept in $cache/sources.

# source_get NAME: prints the path of an archive of NAME whose SHA-256 is in the table.
# One that is in the cache wins over the network, so that a filled cache builds off-line.
source_get() {
    local name file sha256
    while read -r name _ file sha256; do
        source_kept "$file" "$sha256" && return
    done < <(source_lines "$1")
    while read -r name _ file sha256; do
        source_fetch "$name" "$file" "$sha256" && return
        say "$file is not on the mirror"
    done < <(source_lines "$1")
    die "no source of $1: this machine's Debian mirror has none of the files that sysroot/sources names; put one of them into $cache/sources"
}

source_lines() { awk -v name="$1" '$1 == name' "$here/sources"; }

source_kept() {
    local kept=$cache/sources/$1
    [ -e "$kept" ] || return 1
    echo "$2  $kept" | sha256sum --check --status || return 1
    echo "$kept"
}

# Debian's pool has one rule for every path, pool/main/c/cryptsetup/FILE, so neither deb-src lines
# nor an index are needed; a file stays there as long as any suite names it, whatever suite
# this machine follows. The SHA-256 says whether the right thing came. apt-helper brings apt's own
# proxy and authentication settings.
source_fetch() {
    local name=$1 file=$2 sha256=$3 mirror part=$cache/sources/.$2.$$
    while read -r mirror; do
        say "fetching $file"
        if /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file \
            "${mirror%/}/pool/main/${name:0:1}/$name/$file" "$part" "SHA256:$sha256" >/dev/null 2>&1 &&
            [ -e "$part" ]; then
            mv "$part" "$cache/sources/$file"
            source_kept "$file" "$sha256" && return
        fi
        rm -f "$part"
    done < <(source_mirrors)
    return 1
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
