# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# What differs from one target to the next. Everything else reads these variables.
#
#   rust_target   name for cargo and rustup
#   clang_target  the same for clang
#   gnu_triplet   Debian's folder name, for the kernel headers
#   deb_arch      Debian's name of the architecture
#   musl_arch     folder under arch/ in musl's sources
#   cpu_family    meson's name of the processor
#   sse_argon2    whether libcryptsetup's opt.c (SSE2) can replace its ref.c
#   arch_cflags   compiler flags of this target alone

target_select() {
    rust_target=$1
    arch_cflags=()
    case $rust_target in
    x86_64-unknown-linux-musl)
        clang_target=x86_64-linux-musl gnu_triplet=x86_64-linux-gnu deb_arch=amd64
        musl_arch=x86_64 cpu_family=x86_64 sse_argon2=true
        ;;
    aarch64-unknown-linux-musl)
        clang_target=aarch64-linux-musl gnu_triplet=aarch64-linux-gnu deb_arch=arm64
        musl_arch=aarch64 cpu_family=aarch64 sse_argon2=false
        # The helpers of outlined atomics live in libgcc, which is not linked.
        arch_cflags=(-mno-outline-atomics)
        ;;
    *)
        die "unknown target '$rust_target'; known: x86_64-unknown-linux-musl, aarch64-unknown-linux-musl"
        ;;
    esac
}
