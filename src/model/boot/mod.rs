//! What a boot through `fbunlock init` does: which volume, which root, what after a failure.
//!
//! The same names are keys in the config file, flags of `fbunlock image` and words of the kernel
//! command line; one function, [`Boot::set`], knows them all.

pub mod cmdline;
pub mod config;
pub mod filesystem;
pub mod setting;

use crate::error::Exit;
use crate::model::prompt::calibration::Calibration;
use crate::model::prompt::showing::Showing;
use crate::model::scanout::selection::Selection;
use crate::model::scanout::{orientation, refresh};
use crate::model::theme;
use crate::model::volume::policy::Choice;
use crate::model::volume::spec::Spec;

pub use setting::{KEYS, Refusal, SWITCHES};

/// Where the config file lies in the initramfs.
pub const CONFIG_FILE: &str = "/etc/fbunlock/config";

/// Where the user's own layouts lie: files `NAME.layout`.
pub const LAYOUTS_DIR: &str = "/etc/fbunlock/layouts";

/// Where a keymap file lies in the initramfs, if there is one.
pub const KEYMAP_FILE: &str = "/etc/fbunlock/keymap";

/// Where the list of modules lies: one absolute path a line, in loading order.
pub const MODULES_FILE: &str = "/etc/fbunlock/modules";

/// Where the picture for above the title lies.
pub const LOGO_FILE: &str = "/etc/fbunlock/logo";

/// Programs tried as the new root's PID 1, in this order (init/main.c, `kernel_init`).
pub const INITS: &[&str] = &["/sbin/init", "/etc/init", "/bin/init", "/bin/sh"];

/// What PID 1 does when the root cannot be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// Ask again.
    #[default]
    Retry,
    /// Stand still and leave the message on the screen.
    Wait,
    /// Switch the machine off.
    PowerOff,
    /// Start the machine again.
    Reboot,
}

impl OnFailure {
    /// What can really be done: without the files of the initramfs there is no prompt to go back to.
    pub const fn possible(self, initramfs_gone: bool) -> Self {
        match self {
            Self::Retry if initramfs_gone => Self::Wait,
            action => action,
        }
    }
}

/// Seconds between a failure and the next try: time to read, and no race through failures that come
/// at once. People who mistyped, or came late, have waited already.
pub const fn retry_pause_s(exit: Exit) -> u64 {
    match exit {
        Exit::Passphrase | Exit::Cancelled | Exit::TimedOut => 1,
        _ => 5,
    }
}

/// The settings of one boot. `None` and the defaults stand for "not set".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boot {
    /// The device that holds the volume: a path, or a tag such as `UUID=…`.
    pub device: Option<String>,
    /// The name of the mapping under `/dev/mapper`; see [`Boot::name`].
    pub name: Option<String>,
    /// A file with the passphrase, as for `unlock --key-file`.
    pub key_file: Option<String>,
    /// Open the mapping read-only.
    pub readonly: Option<bool>,
    /// Let discards through to the device.
    pub allow_discards: Option<bool>,
    /// dm-crypt's `no_read_workqueue`.
    pub no_read_workqueue: Option<Choice>,
    /// dm-crypt's `no_write_workqueue`.
    pub no_write_workqueue: Option<Choice>,
    /// Words of crypttab's fourth field, for every volume.
    pub options: Option<String>,
    /// Wrong passphrases allowed; 0 means no limit.
    pub tries: Option<u32>,
    /// Seconds without an opened volume after which the prompt gives up; 0 means never.
    pub timeout_s: Option<u32>,
    /// Seconds to wait for the device to appear.
    pub device_timeout_s: Option<u32>,
    /// The framebuffer to draw on.
    pub framebuffer: Option<Selection>,
    /// Which way up the picture is.
    pub rotate: Option<orientation::Wish>,
    /// How the driver is told of a new picture.
    pub refresh: Option<refresh::Wish>,
    /// Seconds to wait for a display where there is no console either.
    pub display_timeout_s: Option<u32>,
    /// Seconds without input after which the light is dimmed; 0 means never.
    pub dim_after_s: Option<u32>,
    /// Seconds without input after which the display is switched off; 0 means never.
    pub blank_after_s: Option<u32>,
    /// Seconds without input after which the machine is switched off; 0 means never.
    pub power_off_after_s: Option<u32>,
    /// Names of the layouts of the keyboard on the screen, with commas between.
    pub layout: Option<String>,
    /// Whether that keyboard is shown.
    pub keyboard: Option<Showing>,
    /// Whether what was typed can be shown.
    pub reveal: Option<bool>,
    /// Whether nobody is to see how much was typed.
    pub hide_length: Option<bool>,
    /// Whether Esc ends the prompt.
    pub cancel: Option<bool>,
    /// What is done about input devices that do not behave.
    pub input: Calibration,
    /// Whether a press can be felt, where a device can do that.
    pub haptics: Option<bool>,
    /// The colours.
    pub theme: theme::Wish,
    /// A picture for above the title, QOI or BMP.
    pub logo: Option<String>,
    /// A keymap file to use in place of the kernel's keymap.
    pub keymap: Option<String>,
    /// What is mounted as the root; see [`Boot::root`].
    pub root: Option<String>,
    /// File system types to try, separated by commas.
    pub rootfstype: Option<String>,
    /// Mount options, separated by commas.
    pub rootflags: Option<String>,
    /// Mount the root read-write.
    pub rw: Option<bool>,
    /// The new root's PID 1.
    pub init: Option<String>,
    /// What to do when the root cannot be reached.
    pub on_failure: Option<OnFailure>,
}

impl Boot {
    /// The name of the mapping: `root` if nobody says otherwise.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("root")
    }

    /// The device to mount as the root, where `root` names one.
    pub fn root(&self) -> Option<Spec> {
        self.root.as_deref().and_then(Spec::parse)
    }

    /// The mapping of the volume that the settings name.
    pub fn mapping(&self) -> Option<&str> {
        self.device.as_ref().map(|_| self.name())
    }

    /// Programs to try as the new root's PID 1, the wanted one first.
    pub fn inits(&self) -> Vec<String> {
        let wanted = self.init.as_deref().into_iter();
        wanted.chain(INITS.iter().copied()).map(str::to_owned).collect()
    }
}

/// What follows from the settings.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_retry_without_files() {
        assert_eq!(OnFailure::Retry.possible(false), OnFailure::Retry);
        assert_eq!(OnFailure::Retry.possible(true), OnFailure::Wait);
        assert_eq!(OnFailure::Reboot.possible(true), OnFailure::Reboot);
    }

    #[test]
    fn root_is_a_device_of_any_name() {
        let mut boot = Boot::default();
        assert_eq!((boot.root(), boot.mapping()), (None, None));
        boot.set("device", "UUID=ab").unwrap();
        assert_eq!(boot.mapping(), Some("root"));
        boot.set("name", "crypt").unwrap();
        assert_eq!(boot.mapping(), Some("crypt"));
        for (root, device) in [("UUID=0000", Some("UUID=0000")), ("/dev/vg/root", Some("/dev/vg/root")), ("zfs", None)]
        {
            boot.set("root", root).unwrap();
            assert_eq!(boot.root().map(|device| device.to_string()).as_deref(), device);
        }
    }

    #[test]
    fn inits_begin_with_the_wanted_one() {
        let mut boot = Boot::default();
        assert_eq!(boot.inits(), INITS);
        boot.set("init", "/usr/lib/systemd/systemd").unwrap();
        assert_eq!(boot.inits().len(), 5);
        assert_eq!(boot.inits()[0], "/usr/lib/systemd/systemd");
    }
}
