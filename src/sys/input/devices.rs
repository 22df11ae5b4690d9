//! All input devices there are.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;

use super::{Device, FOLDER};
use crate::model::prompt::hardware::Hardware;
use crate::model::prompt::lamp::Lamp;

/// All devices in [`FOLDER`]. A place without a device is one of no use, so that it is not opened
/// again and again.
#[derive(Default)]
pub struct Devices {
    hardware: Hardware,
    known: BTreeMap<OsString, Option<Device>>,
    next: u32,
    caps_lock: Lamp,
}

impl Devices {
    /// None yet.
    pub fn new(hardware: Hardware) -> Self {
        Self { hardware, ..Self::default() }
    }

    /// Looks for new devices and hands each to `add`; forgets those whose node is gone.
    /// Without `keyboards`, those are left to the console.
    pub fn scan(&mut self, keyboards: bool, mut add: impl FnMut(&Device)) {
        let nodes: Vec<PathBuf> = fs::read_dir(FOLDER)
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        let is_event =
            |path: &&PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"event"));
        let nodes: BTreeMap<OsString, &PathBuf> =
            nodes.iter().filter(is_event).filter_map(|path| Some((path.file_name()?.to_owned(), path))).collect();
        self.known.retain(|name, device| device.is_some() || nodes.contains_key(name));
        for (name, path) in nodes {
            if self.known.contains_key(&name) {
                continue;
            }
            let Ok(mut device) = Device::open(path, self.next, &self.hardware) else { continue };
            if device.as_ref().is_some_and(|device| device.role.keyboard && !keyboards) {
                continue;
            }
            if let Some(device) = &mut device {
                device.grab();
                if let Some(on) = self.caps_lock.shown() {
                    device.set_caps_lock(on);
                }
                self.next = self.next.wrapping_add(1);
                add(device);
            }
            self.known.insert(name, device);
        }
    }

    /// Whether Caps Lock is on, by the lamp of a keyboard, the first time that there is one.
    pub fn first_caps_lock(&mut self) -> Option<bool> {
        self.caps_lock.find(self.known.values().flatten().find_map(|device| device.lamp))
    }

    /// Sets the lamps of Caps Lock, those of keyboards that are still to come as well.
    pub fn set_caps_lock(&mut self, on: bool) {
        self.caps_lock.set(on);
        for device in self.known.values_mut().flatten() {
            device.set_caps_lock(on);
        }
    }

    /// Lets all that can be felt be felt for a moment.
    pub fn pulse(&mut self) {
        for device in self.known.values_mut().flatten() {
            device.pulse();
        }
    }

    /// The device of a number.
    pub fn find(&mut self, number: u32) -> Option<&mut Device> {
        self.known.values_mut().flatten().find(|device| device.number == number)
    }

    /// Forgets a node that is gone; gives back the device that was behind it. Another one may come
    /// under the same name.
    pub fn take(&mut self, name: &OsStr) -> Option<Device> {
        self.known.remove(name).flatten()
    }

    /// Forgets the device of a number, and gives it back.
    pub fn take_number(&mut self, number: u32) -> Option<Device> {
        let is_it = |device: &Option<Device>| device.as_ref().is_some_and(|device| device.number == number);
        let name = self.known.iter().find_map(|(name, device)| is_it(device).then(|| name.clone()))?;
        self.take(&name)
    }

    /// Forgets the keyboards, and gives them back: dropped, they type on the console again.
    pub fn take_keyboards(&mut self) -> Vec<Device> {
        let is_keyboard = |device: &Option<Device>| device.as_ref().is_some_and(|device| device.role.keyboard);
        let names: Vec<OsString> =
            self.known.iter().filter(|(_, device)| is_keyboard(device)).map(|(name, _)| name.clone()).collect();
        names.iter().filter_map(|name| self.take(name)).collect()
    }

    /// How many can point or move a focus, and how many can type.
    pub fn count(&self) -> (usize, usize) {
        let devices = || self.known.values().flatten();
        let pointing = devices().filter(|device| device.role.points()).count();
        (pointing, devices().filter(|device| device.role.keyboard).count())
    }
}
