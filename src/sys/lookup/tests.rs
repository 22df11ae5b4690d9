//! A machine of files: sysfs as old and new kernels show it, and images that the real tools made for
//! nodes.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use super::*;

const A: &str = "3f1a0000-1111-2222-3333-444455556666";
const B: &str = "b0b00000-1111-2222-3333-444455556666";

/// Of the header in [`gpt`], as zlib's crc32 computes it.
const CHECKSUM: u32 = 0xc98c_0673;

/// A folder with `devices`, `class` and `dev`, gone with the test.
struct Machine(PathBuf);

impl Machine {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("fbunlock-lookup-{name}-{}", std::process::id()));
        for folder in ["devices", "class", "dev/disk/by-id"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        Self(root.canonicalize().unwrap())
    }

    fn lookup(&self) -> Lookup {
        Lookup { pause: Duration::from_millis(1), ..Lookup::at(self.0.join("class"), self.0.join("dev")) }
    }

    /// Adds a device with its attributes; the path of a partition has its disk before it.
    fn device(&self, path: &str, image: &[u8], attributes: &[(&str, &str)]) {
        let folder = self.0.join("devices").join(path);
        fs::create_dir_all(folder.join("holders")).unwrap();
        let name = path.rsplit('/').next().unwrap();
        let size = (image.len() / 512).to_string();
        let uevent = format!("MAJOR=8\nDEVNAME={}\n", name.replace('!', "/"));
        for (file, text) in [("dev", "8:1\n"), ("size", &size), ("uevent", &uevent)].iter().chain(attributes) {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let _ = symlink(&folder, self.0.join("class").join(name));
        let node = self.node(&name.replace('!', "/"));
        fs::create_dir_all(node.parent().unwrap()).unwrap();
        fs::write(node, image).unwrap();
    }

    /// `above` is made of `below`.
    fn stack(&self, below: &str, above: &str) {
        fs::create_dir_all(self.0.join("devices").join(below).join("holders").join(above)).unwrap();
    }

    fn node(&self, name: &str) -> PathBuf {
        self.0.join("dev").join(name)
    }

    fn find(&self, spec: &str) -> Option<PathBuf> {
        self.lookup().find(&Spec::parse(spec).unwrap()).map(|found| found.path)
    }

    /// Runs a tool on an image file of its own, and gives what it wrote.
    fn image(&self, size: usize, tool: &str, arguments: &[&str]) -> Vec<u8> {
        let path = self.0.join("image");
        fs::write(&path, vec![0; size]).unwrap();
        let search = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new(tool);
        command.env("PATH", search).args(arguments).arg(&path).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut running = command.spawn().unwrap_or_else(|error| panic!("{tool}: {error}"));
        // Those that want no secret may be done already.
        let _ = running.stdin.take().unwrap().write_all(b"secret");
        assert!(running.wait().unwrap().success(), "{tool}");
        fs::read(&path).unwrap()
    }

    fn luks(&self, uuid: &str, label: &str) -> Vec<u8> {
        let pbkdf = ["--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000", "--luks2-keyslots-size=256k"];
        let name = ["--uuid", uuid, "--label", label, "--luks2-metadata-size=16k"];
        let fixed = ["luksFormat", "--batch-mode", "--key-file=-", "--type=luks2"];
        self.image(1 << 20, "cryptsetup", &[fixed.as_slice(), &pbkdf, &name].concat())
    }

    fn ext4(&self, label: &str) -> Vec<u8> {
        self.image(1 << 20, "mke2fs", &["-q", "-F", "-t", "ext4", "-O", "^has_journal", "-L", label, "-U", B])
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A disk with a GPT of one partition, whose name is no ASCII.
fn gpt() -> Vec<u8> {
    let mut disk = vec![0; 64 << 10];
    let name: Vec<u8> = "zwölf".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let parts: [(usize, &[u8]); 10] = [
        (450, &[0xee, 0, 0, 0, 1]),
        (510, &[0x55, 0xaa]),
        (512, b"EFI PART\x00\x00\x01\x00\x5c\x00\x00\x00"),
        (528, &CHECKSUM.to_le_bytes()),
        (536, &[1]),
        (584, &[2]),
        (592, &[4, 0, 0, 0, 128]),
        (1024, &[1; 16]),
        (1040, &[0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff]),
        (1080, &name),
    ];
    for (at, bytes) in parts {
        disk[at..at + bytes.len()].copy_from_slice(bytes);
    }
    disk
}

#[test]
fn by_what_is_on_it() {
    let machine = Machine::new("content");
    machine.device("sda", &[0; 4096], &[]);
    machine.device("sda/sda1", &machine.ext4("KEYS"), &[("partition", "1\n")]);
    machine.device("nvme0n1", &machine.luks(A, "my disk"), &[]);
    let node = |name: &str| Some(machine.node(name));
    assert_eq!(machine.find(&format!("UUID={}", A.to_uppercase())), node("nvme0n1"));
    assert_eq!(machine.find(&format!("/dev/disk/by-uuid/{A}")), node("nvme0n1"));
    assert_eq!(machine.find("LABEL=my disk"), node("nvme0n1"));
    assert_eq!(machine.find("LABEL=KEYS"), node("sda1"));
    assert_eq!(machine.find(&format!("UUID={B}")), node("sda1"));
    assert_eq!(machine.find("LABEL=keys"), None);
    let start = |text: &str| machine.lookup().find(&Spec::LuksUuid(text.into())).map(|found| found.path);
    assert_eq!(start("3f1a"), node("nvme0n1"));
    // A beginning counts for LUKS alone.
    assert_eq!(start("b0b0"), None);
    let (one, two) = (Spec::parse("LABEL=my disk").unwrap(), Spec::Uuid(A.into()));
    let (keys, absent) = (Spec::Label("KEYS".into()), Spec::Label("absent".into()));
    let lookup = machine.lookup();
    let all = [&one, &two, &keys, &absent];
    let same = Sameness::found(all.into_iter(), Duration::from_secs(20), &|spec| lookup.identity(spec));
    assert_eq!(
        (same.tell(&one, &two), same.tell(&one, &keys), same.tell(&one, &absent)),
        (Some(true), Some(false), None)
    );
    let superblock = Lookup::superblock(&machine.node("nvme0n1")).unwrap();
    assert_eq!((superblock.kind, superblock.uuid.as_deref()), (Kind::Luks2, Some(A)));
}

#[test]
fn by_its_partition() {
    let machine = Machine::new("partition");
    machine.device("mmcblk0", &gpt(), &[("queue/logical_block_size", "512\n")]);
    // Up to 6.12: number and name, in seven bits; the UUID stands in the table.
    let old = "DEVNAME=mmcblk0p1\nPARTN=1\nPARTNAME=zwvlf\n";
    machine.device("mmcblk0/mmcblk0p1", &[1; 4096], &[("partition", "1\n"), ("uevent", old)]);
    // Of 6.13.
    let new = "DEVNAME=vda2\nPARTN=2\nPARTNAME=data\nPARTUUID=0A0B0C0D-02\n";
    machine.device("vda", &[0; 4096], &[]);
    machine.device("vda/vda2", &[1; 4096], &[("partition", "2\n"), ("uevent", new)]);
    // An MBR on a kernel of either age.
    let mut mbr = vec![0; 4096];
    mbr[440..444].copy_from_slice(&[0x78, 0x56, 0x34, 0x12]);
    mbr[510..512].copy_from_slice(&[0x55, 0xaa]);
    machine.device("sdb", &mbr, &[]);
    machine.device("sdb/sdb5", &[1; 4096], &[("partition", "5\n")]);
    let node = |name: &str| Some(machine.node(name));
    assert_eq!(machine.find("PARTUUID=00112233-4455-6677-8899-AABBCCDDEEFF"), node("mmcblk0p1"));
    assert_eq!(machine.find("PARTLABEL=zwölf"), node("mmcblk0p1"));
    assert_eq!(machine.find("/dev/disk/by-partlabel/zw\\xc3\\xb6lf"), node("mmcblk0p1"));
    assert_eq!(machine.find("PARTLABEL=data"), node("vda2"));
    assert_eq!(machine.find("PARTUUID=0a0b0c0d-02"), node("vda2"));
    assert_eq!(machine.find("PARTUUID=12345678-05"), node("sdb5"));
    assert_eq!(machine.find("PARTUUID=12345678-06"), None);
    assert_eq!(machine.find("PARTLABEL=zwolf"), None);
}

#[test]
fn by_path_without_links() {
    let machine = Machine::new("path");
    machine.device("dm-0", &[0; 4096], &[("dm/name", "vg--1-lv--2\n"), ("dm/uuid", "LVM-x\n"), ("dev", "254:0\n")]);
    machine.device("cciss!c0d0", &machine.luks(A, ""), &[]);
    let node = |name: &str| Some(machine.node(name));
    assert_eq!(machine.find("/dev/mapper/vg--1-lv--2"), node("dm-0"));
    assert_eq!(machine.find("/dev/vg-1/lv-2"), node("dm-0"));
    assert_eq!(machine.find("/dev/block/254:0"), node("dm-0"));
    assert_eq!(machine.find("/dev/vg/lv"), None);
    assert_eq!(machine.find(&format!("UUID={A}")), node("cciss/c0d0"));
    let there = machine.node("dm-0");
    assert_eq!(machine.find(there.to_str().unwrap()), Some(there));
    // The node that bears its name goes before the other.
    fs::create_dir(machine.node("mapper")).unwrap();
    fs::write(machine.node("mapper/vg--1-lv--2"), []).unwrap();
    assert_eq!(machine.find("/dev/block/254:0"), node("mapper/vg--1-lv--2"));
}

#[test]
fn by_id_with_and_without_links() {
    let machine = Machine::new("id");
    let nvme = [
        ("wwid", "eui.0025385b71b0a1b2\n"),
        ("nsid", "1\n"),
        ("device/model", "Samsung SSD 970 EVO       \n"),
        ("device/serial", "S466NX0K  \n"),
    ];
    machine.device("nvme0n1", &[0; 4096], &nvme);
    machine.device("nvme0n1/nvme0n1p2", &[0; 4096], &[("partition", "2\n")]);
    machine.device("vda", &[0; 4096], &[("serial", "disk one\n")]);
    machine.device("mmcblk0", &[0; 4096], &[("device/name", "SC16G\n"), ("device/serial", "0x1a2b\n")]);
    machine.device("sda", &[0; 4096], &[("device/wwid", "naa.5002538e40a1b2c3\n")]);
    machine.device("dm-0", &[0; 4096], &[("dm/name", "root\n"), ("dm/uuid", "CRYPT-LUKS2-ab-root\n")]);
    symlink(machine.node("sda"), machine.node("disk/by-id/usb-stick")).unwrap();
    let cases = [
        ("nvme-eui.0025385b71b0a1b2", "nvme0n1"),
        ("nvme-eui.0025385b71b0a1b2-part2", "nvme0n1p2"),
        ("nvme-Samsung_SSD_970_EVO_S466NX0K", "nvme0n1"),
        ("nvme-Samsung_SSD_970_EVO_S466NX0K_1-part2", "nvme0n1p2"),
        ("virtio-disk_one", "vda"),
        ("mmc-SC16G_0x1a2b", "mmcblk0"),
        ("wwn-0x5002538e40a1b2c3", "sda"),
        ("dm-name-root", "dm-0"),
        ("dm-uuid-CRYPT-LUKS2-ab-root", "dm-0"),
        ("usb-stick", "sda"),
    ];
    for (id, name) in cases {
        assert_eq!(machine.find(&format!("/dev/disk/by-id/{id}")), Some(machine.node(name)), "{id}");
    }
    assert_eq!(machine.find("ID=wwn-0x5002538e40a1b2c3-part1"), None);
}

#[test]
fn mirrors_stand_for_their_parts_and_copies_are_told() {
    let machine = Machine::new("mirror");
    let luks = machine.luks(A, "");
    for name in ["sda", "sdb", "md0"] {
        machine.device(name, &luks, &[]);
    }
    machine.device("dm-0", &[0; 4096], &[]);
    machine.stack("sda", "md0");
    machine.stack("sdb", "md0");
    // Opened already: what is on it is another matter.
    machine.stack("md0", "dm-0");
    let found = machine.lookup().find(&Spec::Uuid(A.into())).unwrap();
    assert_eq!(found, Found { path: machine.node("md0"), others: vec![] });
    machine.device("sdaa", &luks, &[]);
    let found = machine.lookup().find(&Spec::Uuid(A.into())).unwrap();
    assert_eq!(found, Found { path: machine.node("md0"), others: vec![machine.node("sdaa")] });
    // Holders that hold one another end.
    machine.stack("dm-0", "dm-0");
    assert!(machine.lookup().find(&Spec::Uuid(A.into())).is_some());
}

#[test]
fn a_part_of_a_raid_is_not_the_whole() {
    let machine = Machine::new("member");
    let whole = machine.luks(A, "");
    let member = |at: usize, bytes: &[(usize, &[u8])]| {
        let mut image = whole.clone();
        for (field, bytes) in bytes {
            image[at + field..at + field + bytes.len()].copy_from_slice(bytes);
        }
        image
    };
    let (magic, size) = (0xa92b_4efc_u32.to_le_bytes(), whole.len());
    let new = member(size - 8192, &[(0, &magic), (4, &[1]), (144, &((size as u64 - 8192) / 512).to_le_bytes())]);
    let old = member(size - 65536, &[(0, &magic), (8, &[90])]);
    let intel = member(size - 1024, &[(0, b"Intel Raid ISM Cfg Sig. 1.1.00")]);
    let uuid = format!("UUID={A}");
    for image in [&new, &old, &intel] {
        machine.device("sda", image, &[]);
        machine.device("sdb", image, &[]);
        assert_eq!(machine.find(&uuid), None);
        // By its path it is what was asked for.
        assert_eq!(machine.find(machine.node("sda").to_str().unwrap()), Some(machine.node("sda")));
    }
    // What lies elsewhere says so.
    let copy = member(size - 8192, &[(0, &magic), (4, &[1]), (144, &[8])]);
    machine.device("sdc", &copy, &[]);
    assert_eq!(machine.find(&uuid), Some(machine.node("sdc")));
    fs::remove_file(machine.0.join("class/sdc")).unwrap();
    machine.stack("sda", "md0");
    machine.stack("sdb", "md0");
    machine.device("md0", &whole, &[]);
    let found = machine.lookup().find(&Spec::Uuid(A.into())).unwrap();
    assert_eq!(found, Found { path: machine.node("md0"), others: vec![] });
}

#[test]
fn partitions_of_paths_are_below_those_of_the_whole() {
    let machine = Machine::new("paths");
    let luks = machine.luks(A, "");
    for disk in ["sda", "sdb"] {
        machine.device(disk, &[0; 4096], &[]);
        machine.device(&format!("{disk}/{disk}2"), &luks, &[("partition", "2\n")]);
        machine.stack(disk, "dm-0");
        machine.stack(disk, "md126");
    }
    // Multipath: the partition is a mapping over the mapping.
    machine.device("dm-0", &[0; 4096], &[]);
    machine.device("dm-1", &luks, &[]);
    machine.stack("dm-0", "dm-1");
    let found = machine.lookup().find(&Spec::Uuid(A.into())).unwrap();
    assert_eq!(found, Found { path: machine.node("dm-1"), others: vec![] });
    // RAID by firmware: the array has partitions of its own.
    fs::remove_file(machine.0.join("class/dm-1")).unwrap();
    machine.device("md126", &[0; 4096], &[]);
    machine.device("md126/md126p2", &luks, &[("partition", "2\n")]);
    let found = machine.lookup().find(&Spec::Uuid(A.into())).unwrap();
    assert_eq!(found, Found { path: machine.node("md126p2"), others: vec![] });
}

#[test]
fn what_cannot_be_read_is_passed_over() {
    let machine = Machine::new("idle");
    let luks = machine.luks(A, "");
    machine.device("zram0", &luks, &[]);
    machine.device("fd0", &luks, &[]);
    machine.device("dm-0", &luks, &[("dm/suspended", "1\n")]);
    machine.device("sr0", &luks, &[]);
    machine.device("sdb", &luks, &[("size", "0\n")]);
    machine.device("nvme0c0n1", &luks, &[]);
    fs::remove_file(machine.0.join("devices/nvme0c0n1/dev")).unwrap();
    machine.device("sdx", &luks, &[]);
    fs::remove_file(machine.node("sdx")).unwrap();
    assert_eq!(machine.find(&format!("UUID={A}")), None);
    machine.device("dm-0", &luks, &[("dm/suspended", "0\n")]);
    assert_eq!(machine.find(&format!("UUID={A}")), Some(machine.node("dm-0")));
}

#[test]
fn late_devices_and_new_media_are_seen() {
    let machine = Machine::new("late");
    let lookup = machine.lookup();
    let (one, two) = (Spec::Uuid(A.into()), Spec::Uuid(B.into()));
    assert_eq!(lookup.find(&one), None);
    machine.device("sda", &machine.luks(A, ""), &[("uevent", "DEVNAME=sda\nDISKSEQ=1\n")]);
    assert!(lookup.find(&one).is_some());
    // The same device is not read again.
    fs::write(machine.node("sda"), machine.luks(B, "")).unwrap();
    assert!(lookup.find(&one).is_some() && lookup.find(&two).is_none());
    machine.device("sda", &machine.luks(B, ""), &[("uevent", "DEVNAME=sda\nDISKSEQ=2\n")]);
    assert!(lookup.find(&one).is_none() && lookup.find(&two).is_some());
    // One that could not be read yet is.
    machine.device("sdb", &machine.luks(A, ""), &[]);
    let node = machine.node("sdb");
    let bytes = fs::read(&node).unwrap();
    fs::remove_file(&node).unwrap();
    for _ in 0..8 {
        assert!(lookup.find(&one).is_none());
        std::thread::sleep(Duration::from_millis(1));
    }
    fs::write(&node, &bytes).unwrap();
    // It is looked at the less often, the longer it fails, and never given up.
    let ends = Instant::now() + Duration::from_secs(5);
    while lookup.find(&one).is_none() {
        assert!(Instant::now() < ends);
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn this_machine_is_looked_at_without_harm() {
    let lookup = Lookup::default();
    assert_eq!(lookup.find(&Spec::Uuid("00000000-0000-0000-0000-000000000000".into())), None);
    assert_eq!(lookup.find(&Spec::Path("/nonexistent".into())), None);
}
