# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# What differs from one target to the next. Everything else reads these variables.
#
#   rust_target   name for cargo and rustup
#   clang_target  the same for clang
#   gnu_triplet   Debian's folder name, for the kernel headers
#   deb_arch      Debian's name of the architecture
#   musl_arch     folder under arch/ in musl's sources
#   cpu_family    meson's name of the processor
#   qemu_arch     QEMU's name of it
#   sse_argon2    whether libcryptsetup's opt.c (SSE2) can replace its ref.c
#   arch_cflags   compiler flags of this target alone
#   bindgen_cflags  the same for bindgen alone

target_select() {
    rust_target=$1
    arch_cflags=()
    bindgen_cflags=()
    case $rust_target in
    x86_64-unknown-linux-musl)
        clang_target=x86_64-linux-musl gnu_triplet=x86_64-linux-gnu deb_arch=amd64
        musl_arch=x86_64 cpu_family=x86_64 qemu_arch=x86_64 sse_argon2=true
        ;;
    aarch64-unknown-linux-musl)
        clang_target=aarch64-linux-musl gnu_triplet=aarch64-linux-gnu deb_arch=arm64
        musl_arch=aarch64 cpu_family=aarch64 qemu_arch=aarch64 sse_argon2=false
        # The helpers of outlined atomics live in libgcc, which is not linked.
        arch_cflags=(-mno-outline-atomics)
        ;;
    armv7-unknown-linux-musleabihf)
        clang_target=arm-linux-musleabihf gnu_triplet=arm-linux-gnueabihf deb_arch=armhf
        musl_arch=arm cpu_family=arm qemu_arch=arm sse_argon2=false
        # What the Rust target takes for granted, and no more: ARMv7 without NEON. Thumb halves C's size.
        arch_cflags=(-march=armv7-a -mfpu=vfpv3-d16 -mfloat-abi=hard -mthumb)
        ;;
    i686-unknown-linux-musl)
        # The kernel headers of x86 serve both widths.
        clang_target=i686-linux-musl gnu_triplet=x86_64-linux-gnu deb_arch=amd64
        musl_arch=i386 cpu_family=x86 qemu_arch=i386 sse_argon2=true
        # The Rust target is a Pentium 4.
        arch_cflags=(-march=pentium4)
        # bindgen gives the 12 bytes of a long double 16. No function that is called here takes one.
        bindgen_cflags=(-mlong-double-64)
        ;;
    *)
        die "unknown target '$rust_target'; known: $(target_names)"
        ;;
    esac
}

# target_names: all of them, as they stand above.
target_names() {
    sed -n 's/^    \([a-z0-9_]*-unknown-linux-[a-z]*\))$/\1/p' "$here/part/target.sh" | paste -sd ' '
}
