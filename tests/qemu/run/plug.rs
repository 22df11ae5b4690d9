//! What is plugged in and pulled out while the machine runs.

use std::path::Path;

use serde_json::json;

use super::Run;
use crate::case::Display;
use crate::disk;
use crate::failure::Result;

impl Run<'_> {
    /// Plugs a device into the socket that the case has.
    pub(crate) fn plug(&mut self, driver: &str, id: &str) -> Result<()> {
        self.step = "plug a device in";
        let mut words = driver.split(',');
        let mut device = json!({ "driver": words.next(), "id": id, "bus": "socket" });
        for (key, value) in words.filter_map(|word| word.split_once('=')) {
            device[key] = value.parse().map_or_else(|_| json!(value), |number: u64| json!(number));
        }
        self.vm.qmp.execute("device_add", device).map(drop)
    }

    /// Pulls a device out, and waits until the guest has let it go.
    pub(crate) fn unplug(&mut self, id: &str) -> Result<()> {
        self.step = "pull a device out";
        self.vm.qmp.execute("device_del", json!({ "id": id }))?;
        self.vm.qmp.deleted(id)
    }

    /// Pulls a display out. QEMU keeps what is left of it, so nothing tells that the guest has let go.
    pub(crate) fn unplug_display(&mut self, id: &str) -> Result<()> {
        self.step = "pull a display out";
        self.vm.qmp.execute("device_del", json!({ "id": id }))?;
        self.shows_on(Display::Absent);
        self.says("the display is gone; asking on the console")?;
        self.prompt()
    }

    /// Plugs a disk into the socket that the case has, with the image of the case's own.
    pub(crate) fn plug_disk(&mut self) -> Result<()> {
        let image = self.image.clone();
        self.plug_image(&image)
    }

    /// The same with another disk of the table.
    pub(crate) fn plug_other(&mut self, name: &str) -> Result<()> {
        let proof = self.bench.kit(self.arch)?.proof();
        let image = disk::recipe(name)?.image(&self.bench.tools, &proof)?;
        self.plug_image(&image)
    }

    fn plug_image(&mut self, image: &Path) -> Result<()> {
        self.step = "plug a disk in";
        let image = image.display();
        let drive = format!("drive_add 0 if=none,id=late,format=raw,snapshot=on,file={image}");
        self.vm.qmp.execute("human-monitor-command", json!({ "command-line": drive }))?;
        let disk = json!({ "driver": "virtio-blk-pci", "id": "late-disk", "bus": "socket", "drive": "late" });
        self.vm.qmp.execute("device_add", disk).map(drop)
    }
}
