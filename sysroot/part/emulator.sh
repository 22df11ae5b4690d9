# shellcheck shell=bash disable=SC2154 # the parts share variables
# Runs programs of a target on this machine: as they are where the processor can, else by QEMU's user
# mode, which passes system calls on to the kernel of this machine. Nothing is registered with the
# kernel, so a program that starts others of its target must be told how.

# emulator_command: prints the words to put before a program of the target; none where it runs as it is.
emulator_command() {
    local name
    ! emulator_needless || return 0
    for name in "qemu-$qemu_arch-static" "qemu-$qemu_arch"; do
        if command -v "$name"; then
            return
        fi
    done
}

# emulator_ready: installs what emulator_command() wants.
emulator_ready() {
    emulator_needless || [ -n "$(emulator_command)" ] || apt_install qemu-user
}

emulator_needless() {
    case $(uname -m)-${rust_target%%-*} in
    x86_64-x86_64 | x86_64-i686 | aarch64-aarch64) true ;;
    *) false ;;
    esac
}
