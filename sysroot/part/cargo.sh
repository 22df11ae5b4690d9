# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# What cargo must know to build for the target: environment only, so that a plain `cargo build`
# for the host stays as it is.

# cargo_env SYSROOT: prints `export NAME=VALUE` lines.
cargo_env() {
    local sysroot=$1 rust host under=${rust_target//-/_} flags
    rust=$(rustc --print sysroot)
    host=$(rustc -vV | sed -n 's/^host: //p')
    # static-pie: no libc to find, yet the kernel chooses the address.
    # noseparate-code, relr: pages and relocations packed, which is half of what they cost.
    flags="-C target-feature=+crt-static -C relocation-model=pic"
    flags+=" -C link-arg=-znoseparate-code -C link-arg=--pack-dyn-relocs=relr -C link-arg=--icf=all"
    cargo_export "CARGO_TARGET_${under^^}_LINKER" "$rust/lib/rustlib/$host/bin/rust-lld"
    cargo_export "CARGO_TARGET_${under^^}_RUSTFLAGS" "$flags"
    cargo_export "CC_$under" "$sysroot/bin/cc"
    cargo_export "BINDGEN_EXTRA_CLANG_ARGS_$under" "--target=$clang_target --sysroot=$sysroot"
    cargo_export "PKG_CONFIG_LIBDIR_$under" "$sysroot/usr/lib/pkgconfig"
    cargo_export "PKG_CONFIG_ALLOW_CROSS" 1
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
