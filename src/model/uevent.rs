//! What the kernel tells when a device comes, goes or changes: a header, then `NAME=value` words, each
//! ended by a zero byte (lib/kobject_uevent.c).

/// What messages were about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Something of a display changed: a monitor was plugged into a card, or pulled out
    /// (`drm_sysfs_hotplug_event`, drivers/gpu/drm/drm_sysfs.c). Displays that come and go have nodes, which are
    /// watched.
    pub plug: bool,
    /// A mapping of device-mapper came, or got its table.
    pub mapping: bool,
}

impl News {
    /// And what one more message says.
    #[must_use]
    pub fn with(self, message: &[u8]) -> Self {
        let words = || message.split(|byte| *byte == 0);
        let has = |wanted: &[u8]| words().any(|word| word == wanted);
        let is_change = has(b"ACTION=change");
        let is_mapping = has(b"SUBSYSTEM=block") && words().any(|word| word.starts_with(b"DEVNAME=dm-"));
        Self {
            plug: self.plug || (is_change && has(b"SUBSYSTEM=drm")),
            mapping: self.mapping || (is_mapping && !has(b"ACTION=remove")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_plug(message: &[u8]) -> bool {
        News::default().with(message).plug
    }

    #[test]
    fn a_plug_is_a_change_of_a_card() {
        let plug = b"change@/devices/pci0000:00/0000:00:02.0/drm/card0\0ACTION=change\0DEVPATH=/devices/pci0000:00/\
            0000:00:02.0/drm/card0\0SUBSYSTEM=drm\0HOTPLUG=1\0DEVNAME=/dev/dri/card0\0DEVTYPE=drm_minor\0SEQNUM=1\0";
        assert!(is_plug(plug));
        assert_eq!(News::default().with(plug).with(b""), News { plug: true, mapping: false });
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

    #[test]
    fn a_mapping_is_a_block_device_of_its_name() {
        let is_mapping = |message: &[u8]| News::default().with(message).mapping;
        assert!(is_mapping(b"change@/devices/virtual/block/dm-0\0ACTION=change\0SUBSYSTEM=block\0DEVNAME=dm-0\0"));
        assert!(is_mapping(b"add@/x\0ACTION=add\0SUBSYSTEM=block\0DEVNAME=dm-12\0"));
        for other in [
            &b"remove@/x\0ACTION=remove\0SUBSYSTEM=block\0DEVNAME=dm-0\0"[..],
            b"add@/x\0ACTION=add\0SUBSYSTEM=block\0DEVNAME=sda\0",
            b"add@/x\0ACTION=add\0SUBSYSTEM=bdi\0DEVNAME=dm-0\0",
        ] {
            assert!(!is_mapping(other), "{}", other.escape_ascii());
        }
    }
}
