//! What the kernel tells when a device comes, goes or changes: a header, then `NAME=value` words, each
//! ended by a zero byte (lib/kobject_uevent.c).

/// Whether a message says that something of a display changed: a monitor was plugged into a card, or
/// pulled out (`drm_sysfs_hotplug_event`, drivers/gpu/drm/drm_sysfs.c). Displays that come and go have
/// nodes, which are watched.
pub fn is_plug(message: &[u8]) -> bool {
    let has = |wanted: &[u8]| message.split(|byte| *byte == 0).any(|word| word == wanted);
    has(b"ACTION=change") && has(b"SUBSYSTEM=drm")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plug_is_a_change_of_a_card() {
        let plug = b"change@/devices/pci0000:00/0000:00:02.0/drm/card0\0ACTION=change\0DEVPATH=/devices/pci0000:00/\
            0000:00:02.0/drm/card0\0SUBSYSTEM=drm\0HOTPLUG=1\0DEVNAME=/dev/dri/card0\0DEVTYPE=drm_minor\0SEQNUM=1\0";
        assert!(is_plug(plug));
        for other in [
            &b"add@/devices/x/drm/card0\0ACTION=add\0SUBSYSTEM=drm\0"[..],
            b"change@/devices/x\0ACTION=change\0SUBSYSTEM=power_supply\0",
            b"change@/devices/x\0ACTION=change\0SUBSYSTEM=drm_dp_aux_dev\0",
            b"change@/devices/x\0ACTION=change\0NAME=SUBSYSTEM=drm\0",
            b"libudev\0\xfe\xed\xca\xfe",
            b"\0\0",
            b"",
        ] {
            assert!(!is_plug(other), "{}", other.escape_ascii());
        }
    }
}
