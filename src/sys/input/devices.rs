//! All input devices there are.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::{fs, mem};

use super::{Device, FOLDER};
use crate::model::prompt::census::Census;
use crate::model::prompt::hardware::Hardware;
use crate::model::prompt::lamp::Lamp;

/// All devices in [`FOLDER`]. A place without a device is one of no use, so that it is not opened
/// again and again.
#[derive(Default)]
pub struct Devices {
    hardware: Hardware,
    known: Vec<(OsString, Option<Device>)>,
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
        let mut nodes: Vec<OsString> = fs::read_dir(FOLDER)
            .map(|entries| entries.flatten().map(|entry| entry.file_name()).collect())
            .unwrap_or_default();
        nodes.retain(|name| name.as_encoded_bytes().starts_with(b"event"));
        nodes.sort_unstable();
        self.known.retain(|(name, device)| device.is_some() || nodes.contains(name));
        for name in nodes {
            if self.known.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let path = Path::new(FOLDER).join(&name);
            let Ok(mut device) = Device::open(&path, self.next, &self.hardware) else { continue };
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
            self.known.push((name, device));
        }
    }

    /// Whether Caps Lock is on, by the lamp of a keyboard, the first time that there is one.
    pub fn first_caps_lock(&mut self) -> Option<bool> {
        let lamp = self.devices().find_map(|device| device.lamp);
        self.caps_lock.find(lamp)
    }

    /// Sets the lamps of Caps Lock, those of keyboards that are still to come as well.
    pub fn set_caps_lock(&mut self, on: bool) {
        self.caps_lock.set(on);
        for device in self.devices_mut() {
            device.set_caps_lock(on);
        }
    }

    /// Lets all that can be felt be felt for a moment.
    pub fn pulse(&mut self) {
        for device in self.devices_mut() {
            device.pulse();
        }
    }

    /// The device of a number.
    pub fn find(&mut self, number: u32) -> Option<&mut Device> {
        self.devices_mut().find(|device| device.number == number)
    }

    /// Forgets a node that is gone; gives back the device that was behind it. Another one may come
    /// under the same name.
    pub fn take(&mut self, name: &OsStr) -> Option<Device> {
        let at = self.known.iter().position(|(known, _)| known == name)?;
        self.known.remove(at).1
    }

    /// Forgets the device of a number, and gives it back.
    pub fn take_number(&mut self, number: u32) -> Option<Device> {
        let is_it = |device: &Option<Device>| device.as_ref().is_some_and(|device| device.number == number);
        let at = self.known.iter().position(|(_, device)| is_it(device))?;
        self.known.remove(at).1
    }

    /// Forgets the keyboards, and gives them back: dropped, they type on the console again.
    pub fn take_keyboards(&mut self) -> Vec<Device> {
        let is_keyboard = |device: &Option<Device>| device.as_ref().is_some_and(|device| device.role.keyboard);
        let (keyboards, others) = mem::take(&mut self.known).into_iter().partition(|(_, device)| is_keyboard(device));
        self.known = others;
        keyboards.into_iter().filter_map(|(_, device)| device).collect()
    }

    /// How many there are of each kind.
    pub fn count(&self) -> Census {
        let mut census = Census::default();
        self.devices().for_each(|device| census.add(&device.role));
        census
    }

    fn devices(&self) -> impl Iterator<Item = &Device> {
        self.known.iter().filter_map(|(_, device)| device.as_ref())
    }

    fn devices_mut(&mut self) -> impl Iterator<Item = &mut Device> {
        self.known.iter_mut().filter_map(|(_, device)| device.as_mut())
    }
}
