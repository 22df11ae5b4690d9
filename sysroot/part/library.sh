# shellcheck shell=bash disable=SC2034,SC2154 # the parts share variables
# How each library is made and put into the sysroot. In: $work (scratch), $root (the sysroot to
# be), $cc, $jobs and the target's variables.
#
# Where a library's own build system finds out things that matter (lvm2, cryptsetup) it runs;
# where it would only ask what is known of musl (json-c, libuuid, mbedtls) the files are compiled
# as they are, which spares cmake, perl and two minutes of checks.

library_headers() {
    source_unpack musl
    # Its sources serve library_libc() too.
    make -s -C "$work/musl" ARCH="$musl_arch" prefix="$root/usr" install-headers
    local folders
    read -ra folders <<<"$(kernel_headers)"
    local include=$root/usr/include
    cp -rL "${folders[0]}/linux" "${folders[0]}/asm-generic" "${folders[1]}/asm" "$include/"
}

# library_pc NAME VERSION LIBS: a pkg-config file that finds itself, so the sysroot can move.
library_pc() {
    cat >"$root/usr/lib/pkgconfig/$1.pc" <<EOF
prefix=\${pcfiledir}/../..
Name: $1
Description: $1, static
Version: $2
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib $3
EOF
}

library_json_c() {
    source_unpack json-c
    local from=$work/json-c
    cp "$here/config/json-c.h" "$from/config.h"
    cp "$here/config/json-c.h" "$from/json_config.h"
    # json_patch and json_pointer have no caller here.
    sed '/@JSON_H_JSON_P/d' "$from/json.h.cmakein" >"$from/json.h"
    archive "$root/usr/lib/libjson-c.a" "$from" "arraylist debug json_c_version json_object \
        json_object_iterator json_tokener json_util json_visit linkhash printbuf random_seed \
        strerror_override" "" -D_GNU_SOURCE "-I$from"
    mkdir "$root/usr/include/json-c"
    cp "$from"/*.h "$root/usr/include/json-c/"
    rm "$root/usr/include/json-c/config.h"
    library_pc json-c "$(library_version json-c)" -ljson-c
}

library_uuid() {
    source_unpack util-linux
    local from=$work/util-linux
    archive "$root/usr/lib/libuuid.a" "$from" "libuuid/src/clear libuuid/src/compare \
        libuuid/src/copy libuuid/src/gen_uuid libuuid/src/isnull libuuid/src/pack \
        libuuid/src/parse libuuid/src/predefined libuuid/src/unpack libuuid/src/unparse \
        libuuid/src/uuid_time lib/randutils lib/md5 lib/sha1" "" \
        -D_GNU_SOURCE -include "$here/config/libuuid.h" "-I$from/include" "-I$from/libuuid/src"
    mkdir "$root/usr/include/uuid"
    cp "$from/libuuid/src/uuid.h" "$root/usr/include/uuid/"
    library_pc uuid "$(library_version util-linux)" -luuid
}

library_mbedtls() {
    source_unpack mbedtls
    local from=$work/mbedtls
    cp "$here/config/mbedtls.h" "$from/include/mbedtls/mbedtls_config.h"
    archive "$root/usr/lib/libmbedcrypto.a" "$from/library" "cipher cipher_wrap constant_time \
        ctr_drbg entropy entropy_poll md pkcs5 platform platform_util version" \
        "aes aesce aesni block_cipher ccm ripemd160 sha1 sha256 sha512" \
        "-I$from/include" "-I$from/library"
    cp -r "$from/include/mbedtls" "$from/include/psa" "$root/usr/include/"
}

# Not beside the others: only the program is linked with it, in cargo_build(), because tests unwind.
library_unwind() {
    mkdir "$root/usr/lib/abort"
    archive "$root/usr/lib/abort/libunwind.a" "$here/config" unwind ""
}

# silence FILE MACROS: what these macros say nobody hears; the words would be 60 kB of the program. MACROS is a basic
# regular expression of their names.
silence() {
    sed -i "s/^\(#define $2([a-z, ]*\.\.\.)\) \(.*\)\$/\1 do { if (0) \3; } while (0)/" "$1"
    grep -q 'do { if (0)' "$1"
}

library_devmapper() {
    source_unpack lvm2
    # Of the whole only libdevmapper.a: it speaks to the kernel itself (interface ioctl), and
    # without udev sync it waits for no cookie. AC_FUNC_MALLOC cannot ask across. Nobody sets its
    # folders, so room for longer paths would be 8 kB of zeros in the file.
    (
        cd "$work/lvm2" || exit
        sed -i 's/^\(static char _[a-z]*_dir\)\[PATH_MAX\] = /\1[] = /' libdm/libdm-common.c
        silence lib/log/log.h 'log_\(debug[a-z_]*\|notice\|info\)'
        CC=$cc CFLAGS=$small ac_cv_func_malloc_0_nonnull=yes ac_cv_func_realloc_0_nonnull=yes \
            ./configure --quiet --host="$clang_target" --build="$(cc -dumpmachine)" \
            --enable-static_link --disable-udev_sync --disable-udev_rules --disable-selinux \
            --disable-readline --disable-dmeventd --disable-blkid_wiping --without-systemd-run
        make -s -j "$jobs" -C include
        make -s -j "$jobs" -C libdm ioctl/libdevmapper.a
    )
    cp "$work/lvm2/libdm/ioctl/libdevmapper.a" "$root/usr/lib/"
    cp "$work/lvm2/libdm/libdevmapper.h" "$root/usr/include/"
    library_pc devmapper "$(library_version lvm2)" -ldevmapper
}

library_cryptsetup() {
    source_unpack cryptsetup
    local from=$work/cryptsetup option
    cp "$here/config/fvault2.c" "$from/lib/fvault2/"
    silence "$from/lib/internal.h" 'log_\(dbg\|verbose\)'
    # The kernel's ciphers as well, where mbed TLS lacks one.
    sed -i 's/\bcrypt_cipher\(\|_init\|_destroy\|_crypt\|_encrypt\|_decrypt\|_kernel_only\)\b/own_cipher\1/g' \
        "$from/lib/crypto_backend/crypto_mbedtls.c"
    cat "$here/config/cipher.c" >>"$from/lib/crypto_backend/crypto_mbedtls.c"
    # Volumes without header are made by the function that formats all others: of those only dm-verity's, too, are
    # ever asked for. 18 kB.
    sed -i '/^static int _crypt_format(/,/^}/s/else if (\(isLUKS\|isLOOPAES\|isINTEGRITY\)/else if (0 \&\& \1/' \
        "$from/lib/setup.c"
    grep -q 'else if (0 && is' "$from/lib/setup.c"
    # All but the words that tell of a repaired header, which have no other way out: see src/sys/crypt/handle.rs.
    sed -i '0,/^#include "luks2_internal.h"/s//&\n#undef log_dbg\n#define log_dbg(c, x...) crypt_logf(c, CRYPT_LOG_DEBUG, x)/' \
        "$from/lib/luks2/luks2_disk_metadata.c"
    cryptsetup_popt
    cryptsetup_machine >"$work/machine.ini"
    local -a options=()
    for option in asciidoc=disabled argon-implementation=internal crypto-backend=mbedtls \
        internal-sse-argon2="$sse_argon2" kernel_crypto=true keyring=true luks2-reencryption=true \
        default-luks2-lock-path=/run/cryptsetup enable-static=true tmpfilesdir=/nowhere \
        blkid=false cryptsetup=false external-tokens=false hw-opal=false integritysetup=false \
        nls=false ssh-token=false udev=false veritysetup=false; do
        options+=("-D$option")
    done
    meson setup --cross-file "$work/machine.ini" --prefix /usr --libdir lib -Doptimization=s \
        -Ddebug=false "${options[@]}" "$work/cryptsetup-build" "$from"
    ninja -C "$work/cryptsetup-build" -j "$jobs" lib/libcryptsetup.a
    cp "$work/cryptsetup-build/lib/libcryptsetup.a" "$root/usr/lib/"
    cp "$from/lib/libcryptsetup.h" "$root/usr/include/"
    # Which Argon2 it holds: opt.c is SSE2, ref.c plain C. Neither is an error, none is.
    ar t "$root/usr/lib/libcryptsetup.a" | sed -n 's/^\(argon2_\)\?\(opt\|ref\)\.c\.o$/argon2 \2.c/p' >>"$root/versions"
    grep -q '^argon2' "$root/versions"
    library_pc libcryptsetup "$(library_version cryptsetup)" \
        "-lcryptsetup -ldevmapper -luuid -ljson-c -lmbedcrypto"
}

# Only the tools use popt, and they are off, yet meson asks for it. This satisfies the question
# and gives nothing that could be linked.
cryptsetup_popt() {
    mkdir "$work/popt"
    echo 'static inline int poptConfigFileToString(void) { return 0; }' >"$work/popt/popt.h"
    printf '%s\n' 'Name: popt' 'Description: stub' 'Version: 1.19' "Cflags: -I$work/popt" \
        >"$work/popt/popt.pc"
}

cryptsetup_machine() {
    cat <<EOF
[binaries]
c = '$cc'
ar = 'ar'
pkgconfig = 'pkg-config'
[built-in options]
c_args = ['-I$root/usr/include']
c_link_args = ['-L$root/usr/lib']
[properties]
needs_exe_wrapper = true
pkg_config_libdir = ['$root/usr/lib/pkgconfig', '$work/popt']
[host_machine]
system = 'linux'
cpu_family = '$cpu_family'
cpu = '$cpu_family'
endian = 'little'
EOF
}

# library_version NAME: the version of the archive that was unpacked.
library_version() {
    local file
    file=$(awk -v name="$1" '$1 == name { print $2 }' "$root/versions")
    { source_lines "$1" && source_substitute "$1"; } | awk -v file="$file" '$3 == file { print $2 }'
}
