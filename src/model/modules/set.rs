//! Which modules an image holds when nobody says otherwise, and companions that no table names.

/// Names and aliases that make ordinary hardware work, in loading order: what draws, what types,
/// what stores, what opens. Absent ones are skipped; kernels differ in what they build in.
///
/// Drivers that need firmware files are not among them: an image holds none, and the firmware's
/// framebuffer (efifb, simplefb) draws until the real root brings them.
pub const DEFAULT: &[&str] = &[
    // Displays of virtual machines, and the generic one.
    "simpledrm",
    "virtio_gpu",
    "bochs",
    "cirrus",
    "cirrus_qemu",
    "hyperv_drm",
    // Buses that both sides hang on.
    "virtio_pci",
    "virtio_mmio",
    "hv_vmbus",
    "xhci_pci",
    "xhci_plat_hcd",
    "ehci_pci",
    "ehci_platform",
    "ohci_pci",
    "ohci_platform",
    "uhci_hcd",
    "intel_lpss_pci",
    "intel_lpss_acpi",
    "i2c_designware_platform",
    "i2c_designware_pci",
    // Keyboards, pointers, touch.
    "evdev",
    "hid_generic",
    "usbhid",
    "i2c_hid",
    "i2c_hid_acpi",
    "i2c_hid_of",
    "hid_multitouch",
    // Those that hid-generic leaves alone once their driver is configured (hid-quirks.c,
    // hid_have_special_driver), and keyboards that type wrong without it.
    "hid_apple",
    "hid_asus",
    "hid_cherry",
    "hid_chicony",
    "hid_corsair",
    "hid_google_hammer",
    "hid_ite",
    "hid_lenovo",
    "hid_logitech",
    "hid_logitech_dj",
    "hid_logitech_hidpp",
    "hid_microsoft",
    "hid_rmi",
    // Pens, and screens of tablets with one.
    "wacom",
    "i8042",
    "atkbd",
    "psmouse",
    "gpio_keys",
    // Touch controllers on I2C that work without firmware files.
    "atmel_mxt_ts",
    "edt_ft5x06",
    "elants_i2c",
    "goodix_ts",
    "usbtouchscreen",
    "virtio_input",
    "hyperv_keyboard",
    "hid_hyperv",
    // Disks.
    "virtio_blk",
    "virtio_scsi",
    "nvme",
    "vmd",
    "ahci",
    "ahci_platform",
    "ata_piix",
    "sd_mod",
    "mmc_block",
    "sdhci_pci",
    "sdhci_acpi",
    "sdhci_of_arasan",
    "sdhci_of_dwcmshc",
    "sdhci_msm",
    "sdhci_iproc",
    "sdhci_tegra",
    "mtk_sd",
    "meson_gx_mmc",
    "sunxi_mmc",
    "dw_mmc_rockchip",
    // Phones' flash.
    "ufshcd_pci",
    "ufs_qcom",
    "ufs_exynos",
    "ufs_mediatek",
    "ufs_hisi",
    "ufs_rockchip",
    "usb_storage",
    "uas",
    "hv_storvsc",
    "dm_crypt",
];

/// The file systems a root has if its type is not given.
pub const ROOT_DEFAULT: &str = "ext4";

/// What a module asks the kernel for by name at run time, so that neither modules.dep nor
/// modules.softdep says it. An alias stands for all who carry it: of several implementations the
/// kernel takes the fastest that loads on this CPU.
pub(super) fn companions(module: &str) -> &'static [&'static str] {
    match module {
        // aes-xts-plain64, LUKS's default; 6.1's xts asks for ecb (crypto/xts.c, init_tfm). sha256
        // and hmac serve key derivation, algif_skcipher keyslots whose cipher only the kernel has.
        "dm_crypt" => &[
            "crypto-xts",
            "crypto-ecb",
            "crypto-aes",
            "crypto-xts(aes)",
            "aes_ce_cipher",
            "aes_ce_blk",
            "aes_neon_bs",
            "crypto-sha256",
            "crypto-hmac",
            "algif_skcipher",
        ],
        // What is inside adiantum(xchacha12,aes).
        "adiantum" => &["crypto-xchacha12", "crypto-nhpoly1305"],
        // aes-cbc-essiv:sha256, which older cryptsetup makes.
        "essiv" => &["crypto-cbc", "crypto-sha256"],
        // Its hash.
        "dm_verity" => &["crypto-sha256"],
        // Their checksum. Kernels that call it as a library have no such alias and need none.
        "ext4" | "btrfs" | "f2fs" | "xfs" | "libcrc32c" | "jbd2" => &["crypto-crc32c"],
        _ => &[],
    }
}

/// The lists themselves.
#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn default_names_are_spelled_as_the_kernel_does_and_listed_once() {
        let names: BTreeSet<&str> = DEFAULT.iter().copied().collect();
        assert_eq!(names.len(), DEFAULT.len());
        assert!(DEFAULT.iter().all(|name| !name.contains('-')));
    }
}
