//! The keymap of a console that was told nothing: a US keyboard and the accents of Latin-1. What keys
//! mean is by rule; the kernel's own tables (drivers/tty/vt/defkeymap.map) say the same.

use super::{ALT, ALTGR, Accent, CTRL, KEYS, Keymap, SHIFT, Table};

/// Runs of neighbouring keys: the code of the first one, what they type, and what they type with shift.
const KEYS_OF_TEXT: [(usize, &str, &str); 5] = [
    (2, "1234567890-=", "!@#$%^&*()_+"),
    (16, "qwertyuiop[]", "QWERTYUIOP{}"),
    (30, "asdfghjkl;'`", "ASDFGHJKL:\"~"),
    (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
    (86, "<", ">"),
];
/// What the right Alt key makes of some of them.
const WITH_ALTGR: [(usize, &str); 5] = [(3, "@"), (5, "$"), (8, "{[]}\\"), (27, "~"), (86, "|")];
/// Keys that mean the same whatever is held: Enter, modifiers, locks, arrows and their neighbours, and
/// what is not a digit on the keypad.
const ALWAYS: [(usize, u16); 26] = [
    (28, 0x0201),
    (29, 0x0702),
    (42, 0x0700),
    (54, 0x0700),
    (55, 0x030c),
    (56, 0x0703),
    (58, 0x0207),
    (69, 0x0208),
    (74, 0x030b),
    (78, 0x030a),
    (83, 0x0310),
    (96, 0x030e),
    (97, 0x0702),
    (98, 0x030d),
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
    (118, 0x0311),
];
/// What some keys mean otherwise while just these modifiers are held: Escape, Backspace, Tab and the
/// space bar, control characters, Compose.
const SOMETIMES: [(u8, &[(usize, u16)]); 6] = [
    (0, &[(1, 0x1b), (14, 0x7f), (15, 0x09), (57, 0x20), (99, 0x1c)]),
    (SHIFT, &[(1, 0x1b), (14, 0x7f), (15, 0x09), (57, 0x20)]),
    (
        CTRL,
        &[
            (3, 0),
            (4, 0x1b),
            (5, 0x1c),
            (6, 0x1d),
            (7, 0x1e),
            (8, 0x1f),
            (9, 0x7f),
            (12, 0x1f),
            (14, 0x08),
            (40, 0x07),
            (41, 0),
            (52, 0x020e),
            (53, 0x7f),
            (57, 0),
            (99, 0x1c),
        ],
    ),
    (SHIFT | CTRL, &[(3, 0), (12, 0x1f)]),
    (ALT, &[(28, HOLE), (99, 0x1c), (105, HOLE), (106, HOLE)]),
    (CTRL | ALT, &[(83, HOLE), (111, HOLE)]),
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
    let digit = match modifiers {
        ALT => ASCII,
        // Hexadecimal digits.
        ALTGR => ASCII | 10,
        _ => PAD,
    };
    DIGITS.iter().for_each(|(code, number)| set(*code, digit + u16::from(*number)));
    ALWAYS.iter().for_each(|(code, value)| set(*code, *value));
    for (first, plain, shifted) in KEYS_OF_TEXT {
        for (code, (plain, shifted)) in (first..).zip(plain.chars().zip(shifted.chars())) {
            set(code, typed(modifiers, plain, shifted));
        }
    }
    let sometimes = SOMETIMES.iter().filter(|(held, _)| *held == modifiers);
    sometimes.flat_map(|(_, keys)| keys.iter()).for_each(|(code, value)| set(*code, *value));
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
            Some(digit) => ASCII + 20 + digit as u16,
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
