//! `fbunlock image`: writes an initramfs that holds fbunlock and the kernel modules it needs.
