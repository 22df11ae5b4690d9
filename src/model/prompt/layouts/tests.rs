//! Every layout can type what it is for.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// Every layout: its name, the letters of its languages beside ASCII, and their signs. The letters are
/// those that CLDR calls the main exemplar characters.
const LAYOUTS: [(&str, &str, &str); 49] = [
    ("ara", "ًٌٍَُِّْٰءأؤإئاآبةتثجحخدذرزسشصضطظعغفقكلمنهوىي", "٠١٢٣٤٥٦٧٨٩،؛؟٪٫ـ"),
    ("at", "äöüß", "„“§°€"),
    ("be", "àâæçéèêëîïôœùûüÿáäíóöú", "«»§°²³µ£€"),
    ("bg", "абвгдежзийклмнопрстуфхцчшщъьюя", "„“№§€–"),
    ("br", "áàâãçéêíóòôõú", "ºª§¢£"),
    ("by", "абвгдеёжзійклмнопрстуўфхцчшыьэюя", "«»№ʼ"),
    ("ch", "äöüàâéèêëçîïôœû", "§°£¢€«»"),
    ("ch-fr", "àâæçéèêëîïôœùûüÿ", "§°£¢€«»"),
    ("colemak", "", "€"),
    ("cz", "áčďéěíňóřšťúůýž", "§„“€"),
    ("de", "äöüß", "„“§°€²³µ"),
    ("dk", "æøåéáü", "½§¤£€"),
    ("dvorak", "", "€"),
    ("ee", "šžõäöü", "½§¤€"),
    ("es", "áéíñóúü", "¿¡ºª·€¬"),
    ("fi", "åäöšž", "½§¤€"),
    ("fr", "àâæçéèêëîïôœùûüÿ", "«»§°²µ€¤£"),
    ("fr-bepo", "àâæçéèêëîïôœùûüÿ", "«»§°–—€"),
    ("gb", "", "£€¬¦"),
    ("gr", "αάβγδεέζηήθιίϊΐκλμνξοόπρσςτυύϋΰφχψωώ", "«»€·"),
    ("hr", "čćđšž", "„“€"),
    ("hu", "áéíóöőúüű", "„”§€ß"),
    ("il", "אבגדהוזחטיכךלמםנןסעפףצץקרשת", "₪־׳״"),
    ("in", "़ॐंँःअआइईउऊऋऌऍएऐऑओऔकखगघङचछजझञटठडढणतथदधनपफबभमयरलळवशषसहऽािीुूृॅेैॉोौ्\u{95c}\u{95d}", "₹।॥०१२३४५६७८९"),
    ("ir", "ًٌٍَُِّْٔآاءأؤئبپتثجچحخدذرزژسشصضطظعغفقکگلمنوهةی", "﷼۰۱۲۳۴۵۶۷۸۹،؛؟٪٫«»"),
    ("is", "áðéíóúýþæö", "°€"),
    ("it", "àéèìíîóòùú", "§°£€"),
    ("jp", "", "¥"),
    ("kr", "", "₩"),
    ("latam", "áéíñóúü", "¿¡°¬"),
    ("lt", "ąčęėįšųūž", "„“€–"),
    ("lv", "āčēģīķļņšūž", "€„“"),
    ("nl", "áäéëíïĳóöúü", "€°§±"),
    ("no", "åæøàéèêóòô", "§¤£€"),
    ("pin", "", ""),
    ("pl", "ąćęłńóśźż", "€„”"),
    ("pt", "áàâãçéêíóòôõú", "«»ºª§€£"),
    ("ro", "ăâîșț", "„”€«»"),
    ("rs", "абвгдђежзијклљмнњопрстћуфхцчџш", "„“"),
    ("rs-latin", "čćđšž", "„“€"),
    ("ru", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "№«»₽"),
    ("se", "åäöàé", "½§¤£€"),
    ("si", "čšžćđ", "€"),
    ("sk", "áäčďéíĺľňóôŕšťúýž", "§„“€"),
    ("th", "ฯๆ์็่้๊๋กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรฤลฦวศษสหฬอฮะัาๅำิีึืุูเแโใไํฺ", "฿๐๑๒๓๔๕๖๗๘๙"),
    ("tr", "çğıİöşüâîû", "₺€½"),
    ("tr-f", "çğıİöşüâîû", "₺€"),
    ("ua", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", "№₴«»ʼ"),
    ("us", "", "€£"),
];

/// A layer, as its rows of words.
#[derive(Clone, Default)]
struct Layer {
    shift: Option<String>,
    rows: Vec<Vec<String>>,
}

/// What a layout's text says.
#[derive(Default)]
struct Board {
    first: Option<String>,
    layers: BTreeMap<String, Layer>,
    holds: BTreeMap<char, Vec<char>>,
}

fn capital(word: &str) -> String {
    let upper = word.to_uppercase();
    if word.chars().count() == 1 && upper.chars().count() == 1 { upper } else { word.to_owned() }
}

impl Board {
    fn of(name: &str) -> Self {
        let mut board = Self::default();
        board.read(name);
        board
    }

    fn read(&mut self, name: &str) {
        let text = find(name).unwrap_or_else(|| panic!("{name} is included and is not there"));
        let mut current = String::new();
        for (at, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["name", _, ..] => assert_eq!(at, 0, "{name}: {line}"),
                ["include", file] => self.read(file),
                ["hold", letter, ref found @ ..] if !found.is_empty() => {
                    let held = self.holds.entry(one(letter)).or_default();
                    held.extend(found.iter().map(|word| one(word)));
                }
                ["layer", layer, _, "=", source] => {
                    let source = self.layers[source].clone();
                    let rows = source.rows.iter().map(|row| row.iter().map(|word| capital(word)).collect()).collect();
                    self.layers.insert(layer.into(), Layer { shift: None, rows });
                }
                ["layer", layer, _, ref shift @ ..] => {
                    assert!(shift.len() < 2, "{name}: {line}");
                    current = layer.into();
                    self.first.get_or_insert(layer.into());
                    let shift = shift.first().map(|shift| (*shift).to_owned());
                    self.layers.insert(layer.into(), Layer { shift, rows: Vec::new() });
                }
                _ => {
                    let layer = self.layers.get_mut(&current).unwrap_or_else(|| panic!("{name}: {line}"));
                    layer.rows.push(words.iter().map(|word| (*word).to_owned()).collect());
                }
            }
        }
    }

    /// The layers that keys of a layer lead to.
    fn ways(&self, name: &str) -> BTreeSet<String> {
        let layer = &self.layers[name];
        let words = layer.rows.iter().flatten().map(|word| face(word).to_owned());
        let mut ways: BTreeSet<String> = words.filter(|word| self.layers.contains_key(word)).collect();
        if layer.rows.iter().flatten().any(|word| face(word) == "shift") {
            let back = self.layers.iter().filter(|(_, other)| other.shift.as_deref() == Some(name));
            ways.extend(back.map(|(name, _)| name.clone()));
            ways.extend(layer.shift.clone());
        }
        ways
    }

    /// The layers that can be reached from one.
    fn reached(&self, from: &str) -> BTreeSet<String> {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(name) = next.pop() {
            if reached.insert(name.clone()) {
                next.extend(self.ways(&name));
            }
        }
        reached
    }

    /// What can be typed. Rows that may be hidden do not count.
    fn typed(&self) -> BTreeSet<char> {
        let rows = self.layers.values().flat_map(|layer| &layer.rows).filter(|row| row[0] != "?" || row.len() == 1);
        let mut typed: BTreeSet<char> = rows.flatten().filter_map(|word| character(face(word))).collect();
        for key in typed.clone() {
            let small = key.to_lowercase().next().unwrap();
            typed.extend(self.holds.get(&key).into_iter().flatten());
            let capitals = self.holds.get(&small).into_iter().flatten().filter(|_| small != key);
            typed.extend(capitals.filter_map(|held| character(&capital(&held.to_string()))));
        }
        typed
    }
}

/// A word without its width.
fn face(word: &str) -> &str {
    word.rsplit_once(':').map_or(word, |(face, _)| if face.is_empty() { word } else { face })
}

fn columns(word: &str) -> f32 {
    word.rsplit_once(':').filter(|(face, _)| !face.is_empty()).map_or(1.0, |(_, width)| width.parse().unwrap())
}

/// What a word types.
fn character(word: &str) -> Option<char> {
    let mut characters = word.chars();
    match (word, characters.next(), characters.next()) {
        ("space", ..) => Some(' '),
        (_, character, None) => character,
        _ => None,
    }
}

fn one(word: &str) -> char {
    character(word).unwrap_or_else(|| panic!("{word} is no character"))
}

#[test]
fn all_are_there_and_have_titles() {
    let expected: Vec<&str> = LAYOUTS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names().collect::<Vec<_>>(), expected);
    assert_eq!(title("de"), Some("German"));
    assert_eq!(title("symbols"), None);
    assert_eq!(find("xx"), None);
    let titles: BTreeSet<&str> = names().filter_map(title).collect();
    assert_eq!(titles.len(), expected.len(), "{titles:?}");
}

#[test]
fn ascii_letters_and_signs_can_be_typed() {
    for (name, letters, signs) in LAYOUTS {
        let typed = Board::of(name).typed();
        let missing =
            |wanted: &mut dyn Iterator<Item = char>| -> String { wanted.filter(|c| !typed.contains(c)).collect() };
        assert_eq!(missing(&mut (' '..='~')), "", "{name}");
        assert_eq!(missing(&mut letters.chars()), "", "{name}");
        let capitals = letters.chars().filter_map(|letter| character(&capital(&letter.to_string())));
        assert_eq!(missing(&mut capitals.clone()), "", "{name}");
        assert_eq!(missing(&mut signs.chars()), "", "{name}");
    }
}

#[test]
fn every_layer_can_be_reached_and_left() {
    for name in names() {
        let board = Board::of(name);
        let first = board.first.clone().unwrap();
        assert_eq!(first, "lower", "{name}");
        for layer in board.layers.keys() {
            assert!(board.reached(&first).contains(layer), "{name}: nothing leads to {layer}");
            assert!(board.reached(layer).contains(&first), "{name}: no way back from {layer}");
        }
    }
}

#[test]
fn rows_are_few_and_short_and_can_end_a_passphrase() {
    for name in names() {
        for (layer, Layer { rows, .. }) in Board::of(name).layers {
            for row in &rows {
                let keys = row.iter().skip(usize::from(row[0] == "?" && row.len() > 1));
                let wide: f32 = keys.map(|word| columns(word)).sum();
                assert!(wide <= 12.0, "{name}: {layer}: {row:?} is {wide} columns wide");
                assert!(row.iter().all(|word| columns(word) >= 1.0), "{name}: {layer}: {row:?}");
            }
            assert!((4..=5).contains(&rows.len()), "{name}: {layer}");
            let has = |wanted: &str| rows.iter().flatten().any(|word| face(word) == wanted);
            assert!(has("enter") && has("backspace") && (has("next")), "{name}: {layer}");
        }
    }
}

#[test]
fn words_are_keys() {
    for name in names() {
        let board = Board::of(name);
        for word in board.layers.values().flat_map(|layer| layer.rows.iter().flatten()) {
            let known = ["shift", "backspace", "space", "enter", "next"].contains(&face(word));
            let is_key = known || board.layers.contains_key(face(word)) || character(face(word)).is_some();
            assert!(is_key, "{name}: {word}");
        }
    }
}

#[test]
fn alternatives_are_of_keys_and_not_of_themselves() {
    for name in names() {
        let board = Board::of(name);
        let keys: BTreeSet<char> = board
            .layers
            .values()
            .flat_map(|layer| layer.rows.iter().flatten())
            .filter_map(|word| character(face(word)))
            .collect();
        for (letter, held) in &board.holds {
            assert!(!held.contains(letter), "{name}: {letter}");
            assert!(keys.contains(letter), "{name}: there is no key {letter}");
        }
    }
}
