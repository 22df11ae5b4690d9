//! Text that runs from right to left, within lines that run from left to right.
//!
//! A prompt is a Latin sentence, and a volume's name in Hebrew or Arabic is a part of it. So a small
//! part of the Unicode Bidirectional Algorithm (UAX #9) does: the direction of a line is always left
//! to right, and nothing is nested. A run begins and ends with letters from right to left or with
//! numbers after them, and takes in what has no direction between them. It is drawn backwards, its
//! numbers forwards, its brackets mirrored. Arabic letters are not joined: they look as on keys.

use core::ops::RangeInclusive;

use zeroize::Zeroizing;

/// Scripts from right to left: Hebrew to Arabic Extended-A, presentation forms, ancient and African
/// ones.
const SCRIPTS: [RangeInclusive<char>; 5] = [
    '\u{590}'..='\u{8ff}',
    '\u{fb1d}'..='\u{fdff}',
    '\u{fe70}'..='\u{fefe}',
    '\u{10800}'..='\u{10fff}',
    '\u{1e800}'..='\u{1efff}',
];
/// Signs that are drawn on the letter before them.
const MARKS: [RangeInclusive<char>; 6] = [
    '\u{300}'..='\u{36f}',
    '\u{591}'..='\u{5bd}',
    '\u{5bf}'..='\u{5c7}',
    '\u{610}'..='\u{61a}',
    '\u{64b}'..='\u{65f}',
    '\u{6d6}'..='\u{6dc}',
];
const DIGITS: [RangeInclusive<char>; 3] = ['0'..='9', '\u{660}'..='\u{669}', '\u{6f0}'..='\u{6f9}'];
const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Left,
    Right,
    Digit,
    Mark,
    /// Spaces and punctuation: of no direction.
    Neutral,
}

fn class(character: char) -> Class {
    let in_one = |ranges: &[RangeInclusive<char>]| ranges.iter().any(|range| range.contains(&character));
    match character {
        _ if in_one(&DIGITS) => Class::Digit,
        _ if in_one(&MARKS) => Class::Mark,
        _ if in_one(&SCRIPTS) => Class::Right,
        _ if character.is_alphabetic() => Class::Left,
        _ => Class::Neutral,
    }
}

/// A line in the order in which it is drawn from the left.
pub fn visual(line: &str) -> String {
    let mut drawn = String::with_capacity(line.len());
    drawn.extend(order(line).iter().map(|(character, ..)| *character));
    drawn
}

/// The characters of a line in the order in which they are drawn from the left: each with its number
/// in the line, and whether what is typed after it is drawn to its left.
pub fn order(line: &str) -> Zeroizing<Vec<(char, usize, bool)>> {
    let count = line.chars().count();
    // Never more than that: what grows leaves a copy behind.
    let mut characters = Zeroizing::new(Vec::with_capacity(count));
    characters.extend(line.chars());
    let mut drawn = Zeroizing::new(Vec::with_capacity(count));
    let mut rest = &characters[..];
    while let Some((first, after)) = rest.split_first() {
        let number = count - rest.len();
        if class(*first) == Class::Right {
            let (run, after) = rest.split_at(run(rest));
            backwards(run, number, &mut drawn);
            rest = after;
        } else {
            drawn.push((*first, number, false));
            rest = after;
        }
    }
    drawn
}

/// Characters of the run that begins here.
fn run(characters: &[char]) -> usize {
    let mut end = 0;
    for (at, character) in characters.iter().enumerate() {
        match class(*character) {
            Class::Left => break,
            Class::Neutral => {}
            Class::Right | Class::Digit | Class::Mark => end = at + 1,
        }
    }
    end
}

/// Appends a run from its end to its start. Numbers stay whole, and marks with their letters.
/// `first` is the number of the first one.
fn backwards(run: &[char], first: usize, drawn: &mut Vec<(char, usize, bool)>) {
    let mut rest = run;
    while let Some((last, before)) = rest.split_last() {
        let start = match class(*last) {
            Class::Digit => number(rest),
            Class::Mark => before.iter().rposition(|character| class(*character) != Class::Mark).unwrap_or(0),
            _ => before.len(),
        };
        let (before, cluster) = rest.split_at(start);
        // The caret stands at the left of a letter and of its marks, and at the right of a digit.
        let is_number = cluster.first().is_some_and(|character| class(*character) == Class::Digit);
        let place = |(at, character): (usize, &char)| (mirrored(*character), first + before.len() + at, !is_number);
        drawn.extend(cluster.iter().enumerate().map(place));
        rest = before;
    }
}

/// Where the number begins that these end with. A point or the like is a part of it if a digit is
/// before it, too.
fn number(characters: &[char]) -> usize {
    let digit = |at: usize| characters.get(at).is_some_and(|character| class(*character) == Class::Digit);
    let mut start = characters.len() - 1;
    while start > 0 {
        let joint = characters.get(start - 1).is_some_and(|character| ".,:/".contains(*character));
        if digit(start - 1) {
            start -= 1;
        } else if joint && start > 1 && digit(start - 2) {
            start -= 2;
        } else {
            break;
        }
    }
    start
}

fn mirrored(character: char) -> char {
    let pair = BRACKETS.iter().find(|(left, right)| [*left, *right].contains(&character));
    pair.map_or(character, |(left, right)| if character == *left { *right } else { *left })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::noise::Noise;

    #[test]
    fn text_from_left_to_right_stays() {
        for text in ["", "Unlock /dev/sda2", "Ωμέγα (1.5)", "Диск", "a\u{301}b", "12:30"] {
            assert_eq!(visual(text), text);
        }
    }

    #[test]
    fn runs_are_drawn_backwards() {
        for (typed, drawn) in [
            ("Unlock אבג", "Unlock גבא"),
            ("אבג דה", "הד גבא"),
            // What has no direction belongs to a run only between two of its letters.
            ("Unlock אב - next", "Unlock בא - next"),
            ("\u{5d0}-\u{5d1}.", "\u{5d1}-\u{5d0}."),
            ("סלאם x سلام", "םאלס x مالس"),
            // Brackets open towards the text.
            ("א(ב)ג", "ג(ב)א"),
            ("א[ב", "ב]א"),
        ] {
            assert_eq!(visual(typed), drawn, "{typed}");
        }
    }

    #[test]
    fn numbers_stay_whole() {
        assert_eq!(visual("כרך 12"), "12 ךרכ");
        assert_eq!(visual("א 1.5:20 ב"), "ב 1.5:20 א");
        assert_eq!(visual("12 א"), "12 א");
        assert_eq!(visual("א/1"), "1/א");
    }

    #[test]
    fn marks_stay_on_their_letters() {
        assert_eq!(visual("ש\u{5b8}\u{5c1}ל"), "לש\u{5b8}\u{5c1}");
    }

    #[test]
    fn every_character_keeps_its_number() {
        let placed = |line: &str| order(line).iter().map(|(_, number, back)| (*number, *back)).collect::<Vec<_>>();
        assert_eq!(placed("ab"), [(0, false), (1, false)]);
        assert_eq!(placed("a\u{5d0}\u{5d1}"), [(0, false), (2, true), (1, true)]);
        assert_eq!(placed("\u{5d0} 12"), [(2, false), (3, false), (1, true), (0, true)]);
        let line = "x \u{5d0}\u{5b8}\u{5d1} 7.5 y";
        let mut numbers: Vec<usize> = order(line).iter().map(|(_, number, _)| *number).collect();
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(0..line.chars().count()));
    }

    #[test]
    fn nothing_is_lost() {
        let signs = ['a', ' ', '(', '.', '7', '/', 'א', 'ב', '\u{5b8}', 'س', '٣', ':', '…'];
        let mut noise = Noise::new(0x1234_5678);
        for _ in 0..5000 {
            let text: Vec<char> = (0..12).map(|_| signs[noise.below(signs.len() as u64) as usize]).collect();
            let mut drawn: Vec<char> = visual(&text.iter().collect::<String>()).chars().collect();
            let same = |text: &mut Vec<char>| text.iter_mut().for_each(|c| *c = if *c == ')' { '(' } else { *c });
            let mut typed = text.clone();
            for text in [&mut drawn, &mut typed] {
                same(text);
                text.sort_unstable();
            }
            assert_eq!(drawn, typed);
        }
    }
}
