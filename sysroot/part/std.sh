# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# Rust's standard library and the C library under it.
#
# Made here and not taken prebuilt, which not every mirror has for each target, and which is larger: a
# reader of debug information for backtraces, of which a stripped program has none, is 160 kB of it,
# and code that is small where it need not be fast saves 40 kB more.
#
# They are laid out in the sysroot as rustc lays out its own, so that `--sysroot` is all that cargo is
# told: any crate builds for such a target as for others, without unstable features, and the standard
# library is made once and not once per crate. What is made is bound to the compiler, so another
# rustc is another sysroot.

# std_libs SYSROOT: the folder of the target's standard library; self-contained/ in it has the C library
# and the start files.
std_libs() { echo "$1/lib/rustlib/$rust_target/lib"; }

std_source() { echo "$(rustc --print sysroot)/lib/rustlib/src/rust/library"; }

# std_recipe: what the standard library hangs on.
std_recipe() {
    cat "$here/part/std.sh"
    rustc -vV
}

# The objects are position independent and small like all others; by its own choice, musl is made for
# speed. Its loops over memory and strings stay so. Its configure wants to link nothing.
library_libc() {
    local crt
    crt=$(std_libs "$root")/self-contained
    mkdir -p "$crt"
    (
        cd "$work/musl" || exit
        # Each file names by itself what must do without a guard, so on is the default; as in the libc
        # of other targets it is off.
        CC=$cc CFLAGS="-fno-stack-protector $small" AR=ar RANLIB=ranlib ./configure \
            --target="$clang_target" --disable-shared --enable-optimize=string --prefix=/usr
        make -s -j "$jobs" lib/libc.a lib/crt1.o lib/rcrt1.o lib/crti.o lib/crtn.o
        cp lib/libc.a lib/*.o "$crt/"
    )
    # The standard library names it. It cannot unwind: a panic in a test ends the test program.
    cp "$root/usr/lib/abort/libunwind.a" "$crt/"
}

# Built as Rust's own builds are: from the workspace that comes with the compiler, by its lock file.
# Without its feature `backtrace`. Bitcode is for fat LTO.
# Paths are those of a prebuilt one, whoever builds.
library_std() {
    local source libs commit
    source=$(std_source)
    libs=$(std_libs "$root")
    commit=$(rustc -vV | sed -n 's/^commit-hash: //p')
    env -u CARGO_ENCODED_RUSTFLAGS -u CARGO_BUILD_RUSTFLAGS RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$work/std" \
        CARGO_PROFILE_RELEASE_OPT_LEVEL=s \
        RUSTFLAGS="-Zforce-unstable-if-unmarked -Cembed-bitcode=yes --remap-path-prefix=$source=/rustc/$commit/library" \
        cargo build --release --locked --manifest-path "$source/sysroot/Cargo.toml" --target "$rust_target" \
        --features panic-unwind,optimize_for_size
    cp "$work/std/$rust_target/release/deps"/*.rlib "$libs/"
    rm "$libs"/libsysroot-*.rlib
}
