//! The keymap of a console that was told nothing: a US keyboard and the accents of Latin-1. What keys
//! mean is by rule; the kernel's own tables (drivers/tty/vt/defkeymap.map) say the same.

use super::{ALT, ALTGR, Accent, CTRL, KEYS, Keymap, SHIFT, Table};

/// Runs of neighbouring keys: the code of the first one, what they type, and what they type with shift.
const KEYS_OF_TEXT: [(usize, &str, &str); 6] = [
    (2, "1234567890-=", "!@#$%^&*()_+"),
    (16, "qwertyuiop[]", "QWERTYUIOP{}"),
    (30, "asdfghjkl;'`", "ASDFGHJKL:\"~"),
    (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
    (57, " ", " "),
    (86, "<", ">"),
];
/// What the right Alt key makes of some of them.
const WITH_ALTGR: [(usize, &str); 6] = [(3, "@"), (5, "$"), (8, "{[]}\\"), (27, "~"), (57, " "), (86, "|")];
/// Keys that mean the same whatever is held, but for shift and the like: Escape, Backspace, Tab, Enter,
/// modifiers, locks, arrows and their neighbours.
const ALWAYS: [(usize, u16); 28] = [
    (1, 0x001b),
    (14, 0x007f),
    (15, 0x0009),
    (28, 0x0201),
    (29, 0x0702),
    (42, 0x0700),
    (54, 0x0700),
    (56, 0x0703),
    (58, 0x0207),
    (69, 0x0208),
    (97, 0x0702),
    (100, 0x0701),
    (102, 0x0114),
    (103, 0x0603),
    (104, 0x0118),
    (105, 0x0601),
    (106, 0x0602),
    (107, 0x0117),
    (108, 0x0600),
    (109, 0x0119),
    (110, 0x0115),
    (111, 0x0116),
    // The keypad's own.
    (55, 0x030c),
    (74, 0x030b),
    (78, 0x030a),
    (83, 0x0310),
    (96, 0x030e),
    (98, 0x030d),
];
/// The keypad's digits.
const DIGITS: [(usize, u8); 10] =
    [(82, 0), (79, 1), (80, 2), (81, 3), (75, 4), (76, 5), (77, 6), (71, 7), (72, 8), (73, 9)];
/// What is pressed with the right Alt key for a hexadecimal digit.
const HEXADECIMAL: &str = "abcdef";

const PAD: u16 = 0x0300;
const ASCII: u16 = 0x0900;
const LETTER: u16 = 0x0b00;
/// K_HOLE: no meaning.
const HOLE: u16 = 0x0200;

/// An accent, and runs of pairs: what it is put on, and what comes of that.
const ACCENTS: [(char, &str); 17] = [
    ('`', "AÀaàEÈeèIÌiìOÒoòUÙuù"),
    ('\'', "AÁaáEÉeéIÍiíOÓoóUÚuúYÝyý"),
    ('^', "AÂaâEÊeêIÎiîOÔoôUÛuû"),
    ('~', "AÃaãNÑnñOÕoõ"),
    ('"', "AÄaäEËeëIÏiïOÖoöUÜuüyÿ"),
    (',', "CÇcç"),
    ('-', "DÐdð"),
    ('/', "OØoø"),
    ('0', "AÅaå"),
    ('A', "AÅEÆ"),
    ('O', "AÅ"),
    ('T', "HÞ"),
    ('a', "aåeæ"),
    ('o', "aå"),
    ('t', "hþ"),
    ('s', "sßzß"),
    ('i', "jÿ"),
];

/// The tables and the accents.
pub(super) fn keymap() -> Keymap {
    let mut keymap = Keymap::empty();
    for modifiers in [0, SHIFT, ALTGR, CTRL, SHIFT | CTRL, ALT, CTRL | ALT] {
        keymap.set(modifiers, &table(modifiers));
    }
    keymap.with_accents(accents())
}

fn table(modifiers: u8) -> Table {
    let mut table = [HOLE; KEYS];
    let mut set = |code: usize, value: u16| {
        if let Some(place) = table.get_mut(code) {
            *place = value;
        }
    };
    let digit = if modifiers & (ALT | ALTGR) == 0 { PAD } else { ASCII };
    DIGITS.iter().for_each(|(code, number)| set(*code, digit | u16::from(*number)));
    ALWAYS.iter().for_each(|(code, value)| set(*code, *value));
    for (first, plain, shifted) in KEYS_OF_TEXT {
        for (code, (plain, shifted)) in (first..).zip(plain.chars().zip(shifted.chars())) {
            set(code, typed(modifiers, plain, shifted));
        }
    }
    if modifiers == ALTGR {
        for (first, text) in WITH_ALTGR {
            (first..).zip(text.chars()).for_each(|(code, character)| set(code, character as u16));
        }
    }
    table
}

/// What a key types: its two characters are known.
fn typed(modifiers: u8, plain: char, shifted: char) -> u16 {
    let value = |character: char| {
        if character.is_ascii_alphabetic() { LETTER | character as u16 } else { character as u16 }
    };
    match modifiers {
        0 => value(plain),
        SHIFT => value(shifted),
        ALTGR => match HEXADECIMAL.find(plain) {
            Some(digit) => ASCII | (20 + digit as u16),
            None if plain.is_ascii_alphabetic() => value(plain),
            None => HOLE,
        },
        // Control takes the upper bits away.
        CTRL if plain.is_ascii_alphabetic() || "[\\]".contains(plain) => plain as u16 & 0x1f,
        _ if modifiers == SHIFT | CTRL && plain.is_ascii_alphabetic() => plain as u16 & 0x1f,
        _ => HOLE,
    }
}

/// The kernel's own accents.
pub(super) fn accents() -> Vec<Accent> {
    let mut accents = Vec::new();
    for (accent, pairs) in ACCENTS {
        let mut characters = pairs.chars();
        while let (Some(base), Some(result)) = (characters.next(), characters.next()) {
            accents.push(Accent { accent, base, result });
        }
    }
    accents
}
