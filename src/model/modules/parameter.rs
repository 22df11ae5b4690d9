//! Words of the kernel command line that are meant for modules: `NAME.param=value`, which
//! modprobe(8) hands on and which the kernel itself reads only for what is built in.

use super::name;
use crate::model::boot::cmdline::Word;

/// The parameters of `module` as `finit_module(2)` wants them: `param=value` separated by spaces,
/// values with blanks in quotes, in the order of the command line.
pub fn parameters(words: &[Word<'_>], module: &str) -> String {
    let mut text = String::new();
    for word in words {
        let Some((owner, parameter)) = word.key.split_once('.') else {
            continue;
        };
        if name(owner) != name(module) || parameter.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(parameter);
        if let Some(value) = word.value {
            text.push('=');
            let quoted = value.contains(char::is_whitespace);
            text.push_str(if quoted { "\"" } else { "" });
            text.push_str(value);
            text.push_str(if quoted { "\"" } else { "" });
        }
    }
    text
}

/// Whether `modprobe.blacklist=NAME,NAME` keeps `module` from loading: the way out when a driver
/// hangs the machine.
pub fn blacklisted(words: &[Word<'_>], module: &str) -> bool {
    words
        .iter()
        .filter(|word| word.key == "modprobe.blacklist")
        .filter_map(|word| word.value)
        .flat_map(|value| value.split(','))
        .any(|entry| name(entry) == name(module))
}

/// What goes to which module.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::boot::cmdline::words;

    #[test]
    fn parameters_reach_their_module_only() {
        let line = "quiet psmouse.proto=imps drm-kms-helper.overalloc=200 a.b=\"x y\" a.flag .z=1";
        let words = words(line);
        assert_eq!(parameters(&words, "psmouse"), "proto=imps");
        assert_eq!(parameters(&words, "drm_kms_helper"), "overalloc=200");
        assert_eq!(parameters(&words, "a"), "b=\"x y\" flag");
        assert_eq!(parameters(&words, "drm"), "");
        assert_eq!(parameters(&words, ""), "z=1");
    }

    #[test]
    fn blacklist_is_a_comma_list() {
        let words = words("modprobe.blacklist=a,b-c modprobe.blacklist=d");
        for module in ["a", "b_c", "d"] {
            assert!(blacklisted(&words, module), "{module}");
        }
        assert!(!blacklisted(&words, "e"));
    }
}
