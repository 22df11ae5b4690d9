//! Words and what they mean.

use super::*;
use crate::model::prompt::showing::Showing;
use crate::model::scanout::demand::Demand;
use crate::model::scanout::selection::Selection;
use crate::model::scanout::turn::Rotation;
use crate::model::scanout::{orientation, refresh};
use crate::model::volume::key::{Key, Place};
use crate::model::volume::option;

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

#[test]
fn the_kernels_words_are_no_commands() {
    for line in ["/init", "/init splash", "init unlock", "/fbunlock", "/fbunlock splash"] {
        assert!(!is_command(&words(line)), "{line}");
    }
    for line in ["/fbunlock unlock --device x", "fbunlock --help", "fbunlock -V"] {
        assert!(is_command(&words(line)), "{line}");
    }
    assert!(!is_command(&[]));
}

#[cfg(feature = "host")]
#[test]
fn image_takes_settings_as_flags() {
    let line = "fbunlock image --modules-dir m --output o --module a --module b --device /dev/x --rw";
    let Ok(Command::Image(options)) = parse(words(line)) else { panic!() };
    assert_eq!(options.modules, ["a", "b"]);
    let settings = [("device", "/dev/x"), ("rw", "yes")];
    assert_eq!(options.settings, settings.map(|(key, value)| (key.to_owned(), value.to_owned())));
    let prompt = "--hide-length --reveal=no --cancel --power-off-after 60 --keyboard show";
    let Ok(Command::Image(options)) = parse(words(&format!("fbunlock image --modules-dir m --output o {prompt}")))
    else {
        panic!()
    };
    let wanted = "hide_length=yes reveal=no cancel=yes power_off_after=60 keyboard=show";
    let settings: Vec<String> = options.settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(settings.join(" "), wanted);
    for line in ["image", "image --output o", "image --modules-dir m", "image --colour red"] {
        let error = parse(words(&format!("fbunlock {line}"))).unwrap_err();
        assert_eq!(error.exit(), Exit::Parameters);
    }
}

#[test]
fn what_is_asked_of_the_display() {
    let unlock = |flags: &str| parse(words(&format!("fbunlock unlock --device x --name y {flags}")));
    let flags = "--framebuffer all --rotate 270 --refresh on --display-timeout 3 --dim-after 4 --blank-after 5";
    let Ok(Command::Unlock(options)) = unlock(flags) else { panic!() };
    let expected = Demand {
        framebuffer: Selection::All,
        rotate: orientation::Wish::Fixed(Rotation::Counterclockwise),
        refresh: refresh::Wish::On,
        timeout_s: 3,
    };
    assert_eq!(options.display, expected);
    assert_eq!((options.dim_after_s, options.blank_after_s), (4, 5));
    for wrong in ["--rotate 45", "--rotate left", "--refresh yes", "--framebuffer fb0", "--display-timeout -1"] {
        assert_eq!(unlock(wrong).unwrap_err().exit(), Exit::Parameters, "{wrong}");
    }
}

#[test]
fn what_is_asked_of_the_prompt() {
    let unlock = |flags: &str| parse(words(&format!("fbunlock unlock --device x --name y {flags}")));
    let flags = "--layout de,./my.layout --keyboard hide --reveal=no --hide-length --power-off-after 600 --cancel";
    let Ok(Command::Unlock(options)) = unlock(flags) else { panic!() };
    assert_eq!(options.layout, ["de", "./my.layout"]);
    assert_eq!((options.keyboard, options.power_off_after_s), (Showing::Hide, 600));
    assert_eq!((options.reveal, options.hide_length, options.cancel), (false, true, true));
    let Ok(Command::Unlock(options)) = unlock("--layout us --layout fr") else { panic!() };
    assert_eq!(options.layout, ["us", "fr"]);
    assert_eq!((options.reveal, options.hide_length, options.cancel), (true, false, false));
    for wrong in ["--keyboard yes", "--reveal=maybe", "--power-off-after never", "--cancel=2", "--layout de,,fr"] {
        assert_eq!(unlock(wrong).unwrap_err().exit(), Exit::Parameters, "{wrong}");
    }
}

#[test]
fn what_is_asked_of_input_devices() {
    let unlock = |flags: &str| parse(words(&format!("fbunlock unlock --device x --name y {flags}")));
    let Ok(Command::Unlock(options)) = unlock("--input a:swap --input b:ignore --haptics") else { panic!() };
    let hardware = &options.hardware;
    assert_eq!((hardware.input.to_string().as_str(), hardware.haptics), ("a:swap; b:ignore", true));
    for wrong in ["--input turn", "--input ignore", "--haptics=much"] {
        assert_eq!(unlock(wrong).unwrap_err().exit(), Exit::Parameters, "{wrong}");
    }
}

#[test]
fn colours_are_chosen() {
    let unlock = |flags: &str| parse(words(&format!("fbunlock unlock --device x --name y {flags}")));
    let Ok(Command::Unlock(options)) = unlock("--color key=#102030 --theme light") else { panic!() };
    assert_eq!((options.theme.base(), options.theme.color("key").as_deref()), (Some("light"), Some("#102030")));
    for (flags, reason) in [
        ("--theme blue", "\"blue\" must be auto, dark"),
        ("--color key", "\"key\" must be NAME=#RRGGBB"),
        ("--color key=red", "must be a colour such as"),
        ("--color shadow=#000000", "must be one of background"),
    ] {
        let error = unlock(flags).unwrap_err();
        assert_eq!(error.exit(), Exit::Parameters);
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[cfg(feature = "host")]
#[test]
fn preview_takes_any_screen() {
    use crate::cmd::preview::State;
    use crate::model::scanout::turn::Rotation;

    let line = "fbunlock preview --size 480x800 --rotate 270 --theme mono --state no-input --battery 7+ --keys x.png";
    let Ok(Command::Preview(options)) = parse(words(line)) else { panic!() };
    assert_eq!((options.size.width, options.size.height, options.state), (480, 800, State::NoInput));
    assert_eq!((options.rotation, options.theme.base()), (Rotation::Counterclockwise, Some("mono")));
    assert_eq!(options.battery.map(|battery| (battery.percent, battery.charging)), Some((7, true)));
    assert_eq!((options.keys, options.output), (true, Some("x.png".into())));
    for (flags, reason) in [
        ("", "preview needs OUT.png or --keys"),
        ("a.png b.png", "unexpected argument \"b.png\""),
        ("a.png --size 5", "\"5\" is not WIDTHxHEIGHT"),
        ("a.png --rotate 45", "\"45\" is not 0, 90"),
        ("a.png --state asleep", "\"asleep\" is not one of waiting, prompt"),
        ("a.png --battery 101", "\"101\" is not a percentage"),
    ] {
        let error = parse(words(format!("fbunlock preview {flags}").trim())).unwrap_err();
        assert_eq!(error.exit(), Exit::Parameters);
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn of_two_devices_none_is_left_out_silently() {
    let error = unlock("--device /dev/a --device /dev/b").unwrap_err();
    assert!(error.to_string().contains("--device DEVICE is for one volume"), "{error}");
}

#[test]
fn names_that_cannot_be_mappings_are_refused() {
    for name in ["a/b", "..", &"n".repeat(128)] {
        let error = parse(words(&format!("fbunlock unlock --device x --name {name}"))).unwrap_err();
        assert_eq!(error.exit(), Exit::Parameters, "{name}");
    }
}

fn unlock(line: &str) -> Result<Box<cmd::unlock::Options>> {
    match parse(words(&format!("fbunlock unlock {line}")))? {
        Command::Unlock(options) => Ok(options),
        _ => panic!("{line}"),
    }
}

#[test]
fn which_volumes() {
    let options = unlock("home UUID=AB /dev/sda2").unwrap();
    assert_eq!(options.names, ["home"]);
    let devices: Vec<String> = options.said.entries.iter().map(|entry| entry.device.to_string()).collect();
    assert_eq!(devices, ["UUID=ab", "/dev/sda2"]);
    let options = unlock("--device disk.img --name x --key-file -").unwrap();
    let entry = &options.said.entries[0];
    assert_eq!((entry.device.to_string().as_str(), entry.name.as_deref()), ("disk.img", Some("x")));
    assert_eq!((options.key.clone(), options.asks), (Some(Key::File(Place::file("-"))), false));
    assert!(unlock("").unwrap().asks);
    for wrong in ["--name x", "--device a --name a/b", "/dev/a /dev/b --name x", "home --name x", "--key-file k"] {
        assert_eq!(unlock(wrong).unwrap_err().exit(), Exit::Parameters, "{wrong}");
    }
}

#[test]
fn cryptsetups_flags_are_crypttabs_words() {
    let flags = "-r -S 3 -T 0 -t 90 --device-timeout 0 --keyfile-offset 512 --keyfile-size 64 --header /h --type tcrypt \
                 --veracrypt-pim 485 --tcrypt-hidden --perf-no_read_workqueue=off --perf-high_priority --allow-discards \
                 -o cipher=aes-xts-plain64,size=512 --nofail";
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let options = unlock(&format!("/dev/a {}", flags.join(" "))).unwrap().said.options;
    let text = "readonly,keyslot=3,tries=0,timeout=90,x-systemd.device-timeout=0,keyfile-offset=512,keyfile-size=64,\
                header=/h,tcrypt,veracrypt-pim=485,tcrypt-hidden,no-read-workqueue=off,high-priority,discard,\
                cipher=aes-xts-plain64,size=512,nofail";
    assert_eq!(options, option::Options::read(&text.replace(' ', "")).0);
    let wrong = |flags: &str| unlock(&format!("/dev/a {flags}")).unwrap_err().to_string();
    assert!(wrong("--tries many").contains("--tries \"many\" must be a whole number"));
    assert!(wrong("--type zfs").contains("\"zfs\" is no option of a volume"));
    assert!(wrong("--sector-size 77").contains("512, 1024, 2048 or 4096"));
    assert!(wrong("--perf-no_read_workqueue=maybe").contains("yes or no"));
}
