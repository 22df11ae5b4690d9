//! What layouts mean, and what is refused.

use super::*;
use crate::model::noise::Noise;

/// A German keyboard, which includes the symbols of the one below.
const DE: &str = "name German\nlayer lower abc upper\n? 1 2 3 4 5 6 7 8 9 0\nq w e r t z u i o p ü\n\
    shift:1.5 y x c v b n m ß backspace:1.5\ndigits:1.5 , next space:5 . enter:1.5\n\
    layer upper ABC = lower\nhold a ä\nhold S ẞ\ninclude marks";
const MARKS: &str = "name Marks\nlayer digits ?123\n1 2 3 backspace\nlower space enter\n\
    layer lower wrong\na digits enter backspace\nhold a à ä\nhold s ß ś\nhold i ı í";

fn find(name: &str) -> Option<&'static str> {
    match name {
        "marks" => Some(MARKS),
        "loop" => Some("include loop"),
        "deep" => Some("include marks"),
        "end" => Some("layer one 1\ntwo enter backspace\nlayer two 2\na enter backspace"),
        "wide" => Some("layer a1 1\na enter backspace\nlayer a1 1\nb enter backspace"),
        _ => None,
    }
}

fn de() -> Layout {
    Layout::parse_with("de.layout", DE, find).unwrap()
}

fn presses(layout: &Layout, layer: &str, optional: bool) -> Vec<Vec<Press>> {
    let layer = &layout.layers()[layout.find(layer).unwrap()];
    layer.rows(optional).map(|row| row.iter().map(|key| key.press).collect()).collect()
}

#[test]
fn us_types_all_of_ascii() {
    let layout = Layout::parse("us", US).unwrap();
    for character in ' '..='~' {
        let press = Press::Character(character);
        let keys = |layer: &Layer| layer.rows(false).flatten().any(|key| key.press == press);
        assert!(layout.layers().iter().any(keys), "no key types {character:?}");
    }
    assert_eq!((layout.quarters(), layout.height(false), layout.height(true)), (40, 4, 5));
    assert_eq!((layout.name(), layout.title()), ("us", "US English"));
}

#[test]
fn every_layer_can_be_left() {
    for layout in [Layout::parse("us", US).unwrap(), de()] {
        for (at, layer) in layout.layers().iter().enumerate() {
            let leaves = |key: &Key| matches!(key.press, Press::Layer(to) if to != at) || key.press == Press::Shift;
            assert!(layer.rows(false).flatten().any(leaves), "{}", layer.name);
        }
    }
}

#[test]
fn layers_know_each_other_whatever_file_they_are_from() {
    let layout = de();
    assert_eq!((layout.name(), layout.title()), ("de", "German"));
    let names: Vec<_> = layout.layers().iter().map(|layer| (layer.name.as_str(), layer.label.as_str())).collect();
    // That of the including file counts.
    assert_eq!(names, [("lower", "abc"), ("upper", "ABC"), ("digits", "?123")]);
    let shifts: Vec<_> = layout.layers().iter().map(|layer| layer.shift).collect();
    assert_eq!(shifts, [Some(1), Some(0), None]);
    assert!(presses(&layout, "lower", false).iter().flatten().any(|press| *press == Press::Layer(2)));
    assert!(presses(&layout, "digits", false).iter().flatten().any(|press| *press == Press::Layer(0)));
}

#[test]
fn an_upper_layer_is_the_lower_one_in_upper_case() {
    let layout = de();
    let (lower, upper) = (presses(&layout, "lower", true), presses(&layout, "upper", true));
    assert_eq!((lower.len(), presses(&layout, "lower", false).len()), (4, 3));
    for (low, high) in lower.iter().flatten().zip(upper.iter().flatten()) {
        match (low, high) {
            (Press::Character(low), Press::Character(high)) if low.is_alphabetic() && *low != 'ß' => {
                assert_eq!(low.to_uppercase().to_string(), high.to_string());
            }
            _ => assert_eq!(low, high),
        }
    }
    assert_eq!(upper[1][10], Press::Character('Ü'));
    // A lower layer need not tell of a copy of it.
    let text = "layer one 1\nshift a enter backspace\nlayer two 2 = one";
    assert_eq!(Layout::parse("x", text).unwrap().layers()[0].shift, Some(1));
}

#[test]
fn alternatives_add_up_and_count_for_capitals() {
    let layout = de();
    assert_eq!(layout.alternatives('a'), ['ä', 'à']);
    assert_eq!(layout.alternatives('A'), ['Ä', 'À']);
    assert_eq!(layout.alternatives('s'), ['ß', 'ś']);
    assert_eq!(layout.alternatives('S'), ['ẞ', 'Ś'], "nothing in lower case, and none that was there");
    assert_eq!(layout.alternatives('I'), ['Í'], "not itself");
    assert_eq!(layout.alternatives('x'), []);
}

#[test]
fn without_another_layout_the_space_bar_is_wider() {
    let (with, without) = (de(), de().without_next());
    let last = |layout: &Layout| layout.layers()[0].rows(false).next_back().unwrap().to_vec();
    assert!(last(&with).iter().any(|key| key.press == Press::Next));
    assert!(last(&without).iter().all(|key| key.press != Press::Next));
    assert_eq!(quarters(&last(&with)), quarters(&last(&without)));
    let space = last(&without).into_iter().find(|key| key.press == Press::Character(' ')).unwrap();
    assert_eq!(space.quarters, 24);
}

#[test]
fn a_width_is_a_plain_number_in_quarters() {
    let width = |word: &str| {
        let layout = Layout::parse("test", &format!("layer one 1\nenter backspace x:{word}"));
        layout.map(|layout| layout.layers()[0].rows(false).flatten().last().map(|key| key.quarters)).ok().flatten()
    };
    for (word, quarters) in
        [("0.5", 2), (".5", 2), ("1", 4), ("1.", 4), ("01.25", 5), ("1.50000000000", 6), ("+2.75", 11), ("10.0", 40)]
    {
        assert_eq!(width(word), Some(quarters), "{word}");
    }
    let wrong = "NaN inf -inf -1 1e0 1.5e0 0x1 0 0.25 .25 1.1 1.250000001 10.25 11 1.5.0 1.-5 1_0 1,5 . - + \
        ٣ 1073741825 18446744073709551616";
    for word in wrong.split(' ').chain([&*"9".repeat(1000), &*format!("1.{}1", "0".repeat(1000))]) {
        assert_eq!(width(word), None, "{word}");
    }
}

#[test]
fn broken_files_name_file_line_and_reason() {
    let long = |line: &str, times: usize| format!("layer one 1\n{}", format!("{line}\n").repeat(times));
    let holds: String = (0..=600).map(|at| format!("hold {} x\n", char::from_u32(0x4e00 + at).unwrap())).collect();
    let cases = [
        ("", "no layer"),
        ("a b", "line 1: keys outside"),
        ("layer one", "line 1: `layer` takes"),
        ("layer one 1 2 3", "line 1: `layer` takes"),
        ("layer one 1 =", "line 1: `layer` takes"),
        ("layer one 1 two\nenter backspace", "line 1: there is no layer two"),
        ("layer one 1 = two", "line 1: there is no layer two"),
        ("layer one 1 = one", "line 1: one has no rows"),
        ("layer one 1\na enter backspace\n\nlayer two 2 = one\na", "line 5: a layer with `=`"),
        ("layer shift 1", "line 1: a layer cannot be called shift"),
        ("layer x 1", "line 1: a layer cannot be called x"),
        ("layer a:b 1", "line 1: a layer cannot be called a:b"),
        ("layer one 123456789", "line 1: a label has"),
        ("layer one 1\na enter backspace\nlayer one 1", "line 3: layer one is there twice"),
        ("include wide", "wide, line 3: layer a1 is there twice"),
        ("layer one 1\nenter", "line 1: layer one needs the keys enter and backspace"),
        ("layer one 1\n? enter backspace\na", "needs the keys enter and backspace"),
        ("layer one 1\nenter backspace two", "line 2: two is neither"),
        ("layer one 1\nenter backspace \u{7}", "line 2: \u{7} is neither"),
        ("layer one 1\nenter backspace x:99", "line 2: 99 is no width"),
        ("layer one 1\nenter backspace x:NaN", "line 2: NaN is no width"),
        ("layer one 1\nenter backspace shift", "line 1: layer one has shift"),
        (
            "layer one 1\ntwo enter backspace\nlayer two 2\nb enter backspace",
            "x.layout, line 3: no key of layer two leads back to one",
        ),
        // Two that lead to each other, and one that is reached by shift.
        (
            "layer one 1\na two enter backspace\nlayer two 2\nthree enter backspace\nlayer three 3\n\
             two enter backspace",
            "line 3: no key of layer two leads back to one",
        ),
        (
            "layer one 1 two\na shift enter backspace\nlayer two 2\nb enter backspace",
            "line 3: no key of layer two leads back to one",
        ),
        // Rows that may not be shown lead away, but not back.
        (
            "layer one 1\n? two\nenter backspace\nlayer two 2\n? one\nenter backspace",
            "line 4: no key of layer two leads back to one",
        ),
        ("include end", "end, line 3: no key of layer two leads back to one"),
        ("layer one 1\nenter:10 backspace:10", "line 2: wider than 16"),
        ("layer one 1\n?", "line 2: a row without keys"),
        ("layer one 1\na enter backspace\nname One", "line 3: `name` belongs"),
        ("name", "line 1: `name` takes"),
        ("hold a", "line 1: `hold` takes"),
        ("hold a bc", "line 1: bc is not one"),
        ("hold a b c d e f g h i j k l m n o p q r", "line 1: more than 16 alternatives"),
        ("\ninclude nowhere", "line 2: there is no layout nowhere"),
        ("include loop", "loop, line 1: too many includes"),
        (&long("a", 7), "line 8: more than 6 rows"),
        (&"x".repeat(70_000), "line 1: larger than 64 KiB"),
        (&"include marks\n".repeat(20), "line 17: too many includes"),
        (&(0..20).map(|at| format!("layer l{at} 1\n")).collect::<String>(), "line 17: more than 16 layers"),
        (&holds, "line 513: more than 512 characters"),
    ];
    for (text, reason) in cases {
        let error = Layout::parse_with("x.layout", text, find).unwrap_err();
        assert!(error.to_string().contains(reason), "{text:?}: {error}");
    }
    // What leads back by another layer, or cannot be come to, locks nobody out.
    let round = "layer one 1\ntwo enter backspace\nlayer two 2\nthree enter backspace\nlayer three 3\n\
        one enter backspace\nlayer four 4\nenter backspace";
    assert_eq!(Layout::parse("x", round).unwrap().layers().len(), 4);
    let deep = Layout::parse_with("x", "include deep", find);
    assert!(deep.is_ok(), "{deep:?}");
}

#[test]
fn punctuation_of_the_format_can_be_a_key() {
    let layout = Layout::parse("x", "layer one 1\n: # ::2 #:2 = ?:1 enter backspace").unwrap();
    let keys = layout.layers()[0].rows(false).next().unwrap();
    let found: Vec<_> = keys.iter().take(6).map(|key| (key.press, key.quarters)).collect();
    let (colon, hash) = (Press::Character(':'), Press::Character('#'));
    let rest = [(Press::Character('='), 4), (Press::Character('?'), 4)];
    assert_eq!(found, [(colon, 4), (hash, 4), (colon, 8), (hash, 8), rest[0], rest[1]]);
}

#[test]
fn random_files_never_panic_nor_go_on_for_ever() {
    let mut random = Noise::new(0x2545_f491);
    let mut good = 0;
    for round in 0..20_000 {
        let mut text = String::from(if round % 2 == 0 { "layer one 1\nenter backspace\n" } else { "" });
        for _ in 0..round % 60 {
            let noise = random.draw() as u32;
            let words = [
                "layer ",
                "a ",
                ":",
                "1.5 ",
                "\n",
                "enter ",
                "backspace ",
                "é",
                "shift ",
                "# ",
                "hold ",
                "include ",
                "loop\n",
                "marks\n",
                "= ",
                "one ",
                "two ",
                "? ",
                "next ",
                "name ",
                "\u{301} ",
                "\u{feff}",
                "\n",
                "\n",
            ];
            text.push_str(words[noise as usize % words.len()]);
        }
        if let Ok(layout) = Layout::parse_with("noise", &text, find) {
            good += 1;
            assert!(layout.without_next().quarters() > 0);
        }
    }
    assert!(good > 10, "{good}");
}
