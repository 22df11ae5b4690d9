# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# What the build host must have: Debian packages and the Rust target.

# host_check: call it in the main shell. A shell opened before rustup was installed has no cargo on its
# PATH, and what a subshell adds is lost with it.
host_check() {
    [ -x /usr/lib/apt/apt-helper ] ||
        die "this build needs Debian 12 or 13: /usr/lib/apt/apt-helper is missing"
    PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
    { command -v cargo && command -v rustc; } >/dev/null ||
        die "cargo is missing: install Rust with rustup and run this again"
}

# Names the packages that are missing. A tool found under its own name counts, whoever put it
# there; python3 comes as meson's dependency, binutils (ar, readelf) as gcc's.
host_missing() {
    command -v cc >/dev/null || echo gcc
    [ -e /usr/include/stdio.h ] || echo libc6-dev
    command -v pkg-config >/dev/null || echo pkg-config
    command -v clang >/dev/null || echo clang
    # bindgen loads it at run time.
    compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' >/dev/null ||
        [ -n "${LIBCLANG_PATH:-}" ] || echo libclang-dev
    [ "$1" = cargo ] && return
    command -v make >/dev/null || echo make
    command -v meson >/dev/null || echo meson
    command -v ninja >/dev/null || echo ninja-build
    command -v xz >/dev/null || echo xz-utils
    command -v bzip2 >/dev/null || echo bzip2
    [ -n "$(kernel_headers)" ] || kernel_headers_package
}

# host_packages cargo|all: installs what is missing, and does not touch apt when nothing is.
host_packages() {
    local missing
    read -ra missing <<<"$(host_missing "$1" | tr '\n' ' ')"
    [ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"
}

apt_install() {
    say "installing $*"
    as_root "$@" -- apt-get -qq update >&2 || say "apt-get update failed; going on with the lists at hand"
    as_root "$@" -- env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >&2 ||
        die "apt cannot install $*: install them yourself and run this again"
}

# as_root PACKAGE... -- COMMAND...: the packages are what a user without root must install.
as_root() {
    local packages=()
    while [ "$1" != -- ]; do
        packages+=("$1")
        shift
    done
    shift
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "not root and no sudo: as root, run: apt-get install ${packages[*]}"
    fi
}

host_rust_source() {
    [ ! -e "$(std_source)/Cargo.lock" ] || return 0
    command -v rustup >/dev/null ||
        die "the source of Rust's standard library is missing, and so is rustup: install Rust with rustup"
    say "adding the source of Rust's standard library"
    rustup component add rust-src >&2 ||
        die "rustup cannot fetch rust-src: check the network, or 'rustup component list'"
}

# Prints the folders that hold linux/ and asm/ for the target, or nothing.
# Debian 12 has /usr/TRIPLET/include from linux-libc-dev-ARCH-cross; the host's own
# linux-libc-dev, and that of Debian 13 for every architecture, splits asm/ off.
kernel_headers() {
    local cross=/usr/$gnu_triplet/include split=/usr/include/$gnu_triplet
    if [ -e "$split/asm/unistd.h" ] && [ -e /usr/include/linux/fb.h ]; then
        echo /usr/include "$split"
    elif [ -e "$cross/asm/unistd.h" ] && [ -e "$cross/linux/fb.h" ]; then
        echo "$cross" "$cross"
    fi
}

kernel_headers_package() {
    if [ "$deb_arch" = "$(dpkg --print-architecture)" ]; then
        echo linux-libc-dev
    else
        echo "linux-libc-dev-$deb_arch-cross"
    fi
}
