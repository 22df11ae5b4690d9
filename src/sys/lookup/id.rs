//! The names that udev's rules would give links under `/dev/disk/by-id`, as far as sysfs tells them.
//!
//! Source: rules.d/60-persistent-storage.rules of systemd and 13-dm-disk.rules of lvm2. Names that
//! only a question to the disk gives (`scsi-…`, `usb-…`) are not among them.

use super::disk::Disk;

/// All names that are known.
pub(super) fn of(disk: &Disk) -> Vec<String> {
    if let Some(name) = disk.attribute("dm/name") {
        let uuid = disk.attribute("dm/uuid").map(|uuid| format!("dm-uuid-{uuid}"));
        return [Some(format!("dm-name-{name}")), uuid].into_iter().flatten().collect();
    }
    let Some(whole) = disk.whole() else { return Vec::new() };
    let suffix = disk.partition.map_or_else(String::new, |number| format!("-part{number}"));
    whole_disk(&whole).into_iter().map(|name| name + &suffix).collect()
}

fn whole_disk(disk: &Disk) -> Vec<String> {
    let of = |names: [&str; 2]| {
        let [one, two] = names.map(|name| disk.attribute(name).map(|text| link_part(&text)));
        Some(format!("{}_{}", one?, two?))
    };
    let serial = disk.attribute("serial");
    let wwid = disk.attribute("wwid").or_else(|| disk.attribute("device/wwid")).map(|text| link_part(&text));
    let names = if disk.name.starts_with("nvme") {
        let by_serial = of(["device/model", "device/serial"]);
        let space = by_serial.clone().zip(disk.attribute("nsid")).map(|(name, space)| format!("{name}_{space}"));
        [wwid, by_serial, space].map(|name| name.map(|name| format!("nvme-{name}")))
    } else if disk.name.starts_with("vd") {
        [serial.map(|text| format!("virtio-{}", link_part(&text))), None, None]
    } else if disk.name.starts_with("mmcblk") {
        [of(["device/name", "device/serial"]).map(|name| format!("mmc-{name}")), None, None]
    } else {
        let number = wwid.as_deref().and_then(|wwid| wwid.strip_prefix("naa.").or_else(|| wwid.strip_prefix("eui.")));
        let ata = disk.bytes("device/vpd_pg83").as_deref().and_then(ata);
        [number.map(|number| format!("wwn-0x{number}")), ata.map(|name| format!("ata-{name}")), None]
    };
    names.into_iter().flatten().collect()
}

/// Model and serial number of an ATA disk, from the designator that libata makes of them: 68 bytes of
/// vendor, model and number (drivers/ata/libata-scsi.c, `ata_scsiop_inq_83`).
fn ata(page: &[u8]) -> Option<String> {
    let mut rest = page.get(4..)?;
    while let Some([code, kind, _, length, ..]) = rest.first_chunk::<4>().copied() {
        let end = 4 + usize::from(length);
        let text = rest.get(4..end)?;
        // ASCII, by the vendor (T10).
        if code & 0xf == 2 && kind & 0xf == 1 && text.len() == 68 && text.starts_with(b"ATA     ") {
            let part = |range| text.get(range).and_then(|part| core::str::from_utf8(part).ok()).map(link_part);
            return Some(format!("{}_{}", part(8..48)?, part(48..68)?));
        }
        rest = rest.get(end..)?;
    }
    None
}

/// Text as udev puts it into a link: blanks at the ends go, others and what is not plain become `_`.
fn link_part(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c == '\0').filter(|word| !word.is_empty()).collect();
    let plain = |c: char| c.is_ascii_alphanumeric() || "#+-.:=@_".contains(c) || !c.is_ascii();
    words.join("_").chars().map(|c| if plain(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ata_disk_tells_its_name() {
        let mut page = vec![0, 0x83, 0, 0];
        // The serial number alone, then all of it, then the WWN.
        page.extend([2, 0, 0, 4, b'S', b'3', b'Z', b'1']);
        page.extend([2, 1, 0, 68]);
        page.extend(format!("{:8}{:40}{:>20}", "ATA", "Samsung SSD 860 EVO 500GB", "S3Z1NB0K/123456A").bytes());
        page.extend([1, 3, 0, 8, 5, 0, 2, 5, 3, 8, 14, 4]);
        assert_eq!(ata(&page).as_deref(), Some("Samsung_SSD_860_EVO_500GB_S3Z1NB0K_123456A"));
        for length in 0..page.len() - 12 {
            assert_eq!(ata(&page[..length]), None);
        }
        page[13] = 3;
        assert_eq!(ata(&page), None);
    }
}
