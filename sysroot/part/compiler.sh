# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# The C compiler and linker for a target.
#
# One clang makes code for every target, and bindgen wants its library on the build host anyway;
# Debian has no cross gcc for musl, and zig would come from one more registry with a libc of its
# own. clang lacks a libc: the headers are musl's own, and what configure checks link against is
# the libc.a beside Rust's standard library, so what they find is what the program gets. The linker is
# the rust-lld that comes with rustup.

# compiler_write FILE: a command that compiles and links for the target. It finds the sysroot
# by its own place, because that is built under another name than it is used.
compiler_write() {
    local libs
    # shellcheck disable=SC2016 # for the command to expand
    libs=$(std_libs '$root')
    mkdir -p "${1%/*}"
    cat >"$1" <<EOF
#!/bin/sh
# Compiles and links C for $rust_target: see sysroot/part/compiler.sh.
root=\$(dirname "\$(dirname "\$(readlink -f "\$0")")")
set -- --target=$clang_target --sysroot="\$root" ${arch_cflags[*]} ${base_cflags[*]} "\$@"
for word; do
    case \$word in
    -c | -S | -E | -M | -MM | -print-* | --print-* | -dump* | --version) exec clang "\$@" ;;
    esac
done
rust=\$(rustc --print sysroot)/lib/rustlib
libs=$libs crt=\$libs/self-contained
lld=\$(echo "\$rust"/*/bin/gcc-ld/ld.lld)
# Rust's compiler_builtins stands for libgcc; the personalities are for unwinding, which C does not do.
exec clang "\$@" --ld-path="\$lld" -nostdlib -static -Wno-unused-command-line-argument \\
    -Wl,--defsym=rust_eh_personality=0 -Wl,--defsym=__aeabi_unwind_cpp_pr0=0 \\
    "\$crt/crt1.o" "\$crt/crti.o" "\$crt/libc.a" "\$libs"/libcompiler_builtins-*.rlib "\$crt/crtn.o"
EOF
    chmod +x "$1"
}

# -fPIC: the program is a static-pie. Sections: the linker drops what nobody calls. Unwind tables
# serve nobody, since no exception passes through C.
base_cflags=(
    -fPIC -ffunction-sections -fdata-sections
    -fno-asynchronous-unwind-tables -fno-unwind-tables -fstack-protector-strong
)
# Most of it runs once per boot, so small wins; archive.mk and meson raise it for the loops over
# passphrases and sectors.
small=-Oz
fast=-O2

# archive OUT FROM SMALL FAST FLAGS...: compiles sources of the folder FROM into the archive OUT.
# SMALL and FAST are words: file names without .c.
archive() {
    local out=$1 from=$2 small_files=$3 fast_files=$4 objects
    objects=$work/objects/$(basename "$out" .a)
    shift 4
    mkdir -p "$objects"
    make -s -j "$jobs" -C "$objects" -f "$here/archive.mk" CC="$cc" OUT="$out" FROM="$from" \
        SMALL="$small_files" FAST="$fast_files" SMALL_LEVEL="$small" FAST_LEVEL="$fast" \
        FLAGS="-Werror=implicit-function-declaration -Werror=int-conversion -ffile-prefix-map=$work/= $*"
}
