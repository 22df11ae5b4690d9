# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# What cargo must know to build for the target: environment only, so that a plain `cargo build`
# for the host stays as it is.

# cargo_env SYSROOT: prints `export NAME=VALUE` lines.
cargo_env() {
    local sysroot=$1 under=${rust_target//-/_} rust host
    rust=$(rustc --print sysroot)/lib/rustlib
    host=$(rustc -vV | sed -n 's/^host: //p')
    # These would take the place of the target's flags below, and the program would not be static.
    echo "unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS"
    cargo_export "CARGO_TARGET_${under^^}_LINKER" "$rust/$host/bin/rust-lld"
    cargo_export "CARGO_TARGET_${under^^}_RUSTFLAGS" "$(cargo_flags "$sysroot" "$rust")"
    cargo_export "CC_$under" "$sysroot/bin/cc"
    cargo_export "BINDGEN_EXTRA_CLANG_ARGS_$under" \
        "--target=$clang_target --sysroot=$sysroot${bindgen_cflags[*]:+ ${bindgen_cflags[*]}}"
    cargo_export "PKG_CONFIG_LIBDIR_$under" "$sysroot/usr/lib/pkgconfig"
    cargo_export "PKG_CONFIG_ALLOW_CROSS" 1
}

# A static-pie: no libc to find, yet the kernel chooses the address. rustc makes one by itself for
# x86_64 only and starts the others with crt1.o, which cannot relocate itself; so the start files are
# named here, rcrt1.o first, and rustc keeps its own out.
# noseparate-code, relr and icf pack pages, relocations and equal functions. Functions are inlined where
# it saves bytes or is worth some: the usual threshold of 225 makes the program 65 kB larger, and draws
# and copies nothing with fewer instructions; 25 saves 25 kB more, and draws with a seventh more of them.
cargo_flags() {
    local crt word
    crt=$(std_libs "$1")/self-contained
    printf '%s' "--sysroot=$1 -C target-feature=+crt-static -C relocation-model=pic"
    printf ' %s' "-C link-self-contained=no -L native=$crt -C llvm-args=-inline-threshold=75"
    # Paths of the builder's machine are nobody's business, and would make the program differ. The
    # compiler names the sources of its library where it finds them, else as its own build did.
    for word in "${CARGO_HOME:-$HOME/.cargo}=/cargo" "$(cd "$here/.." && pwd)=/fbunlock" \
        "$2/src/rust=/rustc/$(rustc -vV | sed -n 's/^commit-hash: //p')"; do
        case $word in
        *[[:space:]]*) ;; # RUSTFLAGS cannot quote
        *) printf ' %s' "--remap-path-prefix=$word" ;;
        esac
    done
    for word in "$crt/rcrt1.o" "$crt/crti.o" "$crt/crtn.o" -static -pie --no-dynamic-linker -ztext \
        -znoseparate-code --pack-dyn-relocs=relr --icf=all; do
        printf ' -C link-arg=%s' "$word"
    done
}

cargo_export() { printf 'export %s=%q\n' "$1" "$2"; }

# cargo_build SYSROOT: builds the program and prints its path.
cargo_build() {
    local sysroot=$1
    # The target folder can come from the environment or a configuration file: cargo knows.
    cargo rustc --release --target "$rust_target" --no-default-features --features static \
        --bin fbunlock --message-format json-render-diagnostics -- \
        -L "native=$sysroot/usr/lib/abort" \
        -C "link-arg=-T$here/config/unwind.ld" -C link-arg=--no-eh-frame-hdr |
        sed -n 's/.*"executable":"\([^"]*\/fbunlock\)".*/\1/p' | tail -n 1
}
