//! What is to be done about input devices that do not behave: left alone, or their surface turned,
//! stretched and mirrored. One setting, `input`:
//!
//! ```text
//! [NAME:] WORD…[; [NAME:] WORD…]…
//! ```
//!
//! `NAME` is a part of the kernel's name of the device, in capitals or not; without it, all surfaces are
//! meant. The words are `ignore`, `use`, or any of `swap`, `invert-x`, `invert-y` and `matrix` with six
//! numbers, each working on what the one before has made. Commas stand for blanks, too.

use std::fmt;

/// Of the fixed-point numbers: the value of one.
const ONE: i64 = 1 << 20;
/// The largest number in a matrix: places, and products of two numbers, stay inside of 64 bits.
const LIMIT: i64 = 1000;
/// A whole surface, as [`super::device::Range::normalise`] has it.
const WHOLE: i64 = 65535;

/// An affine map of the unit square, as libinput's calibration matrix: the rows `a b c` and `d e f` of
/// `x' = a x + b y + c` and `y' = d x + e y + f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix([i64; 6]);

impl Default for Matrix {
    fn default() -> Self {
        Self([ONE, 0, 0, 0, ONE, 0])
    }
}

impl Matrix {
    const SWAP: Self = Self([0, ONE, 0, ONE, 0, 0]);
    const INVERT_X: Self = Self([-ONE, 0, ONE, 0, ONE, 0]);
    const INVERT_Y: Self = Self([ONE, 0, 0, 0, -ONE, ONE]);

    /// A place of the surface, 0..=65535 each, moved; what falls outside is moved to the nearest edge.
    pub fn apply(&self, x: u16, y: u16) -> (u16, u16) {
        let Self([a, b, c, d, e, f]) = *self;
        let (x, y) = (i64::from(x), i64::from(y));
        let place = |by_x: i64, by_y: i64, offset: i64| {
            let sum = by_x * x + by_y * y + offset * WHOLE;
            ((sum + ONE / 2) / ONE).clamp(0, WHOLE) as u16
        };
        (place(a, b, c), place(d, e, f))
    }

    /// First `self`, then `next`. `None` where the numbers become too large.
    fn then(self, next: Self) -> Option<Self> {
        let (Self([a, b, c, d, e, f]), Self(by)) = (self, next);
        let row = |[p, q, r]: [i64; 3]| -> Option<[i64; 3]> {
            // Products of two numbers have the point twice as far left.
            let sum = |x: i64, y: i64, more: i64| {
                let value = (p * x + q * y) / ONE + more;
                (value.abs() <= LIMIT * ONE).then_some(value)
            };
            Some([sum(a, d, 0)?, sum(b, e, 0)?, sum(c, f, r)?])
        };
        let ([p, q, r], [s, t, u]) = (row([by[0], by[1], by[2]])?, row([by[3], by[4], by[5]])?);
        Some(Self([p, q, r, s, t, u]))
    }
}

/// What is done about a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It is left alone.
    Ignore,
    /// Its surface is moved by this.
    Use(Matrix),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    /// As it was written.
    text: String,
    /// In small letters; empty for all surfaces.
    name: String,
    treatment: Treatment,
}

/// All that is to be done. The last rule that fits a device counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calibration {
    rules: Vec<Rule>,
}

impl Calibration {
    /// Takes the rules of a setting in, behind those there are.
    ///
    /// # Errors
    /// What the value must be; nothing of it was taken.
    pub fn add(&mut self, text: &str) -> Result<(), &'static str> {
        if text.contains('"') || text.contains(|c: char| c.is_control()) {
            return Err("a text without quotes");
        }
        let rules = text.split(';').map(|part| Rule::parse(part.trim()));
        let rules = rules.collect::<Result<Vec<_>, _>>()?;
        self.rules.extend(rules);
        Ok(())
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What is done about the device of this name.
    pub fn of(&self, name: &str) -> Treatment {
        let name = name.to_ascii_lowercase();
        let rule = self.rules.iter().rev().find(|rule| name.contains(&rule.name));
        rule.map_or(Treatment::Use(Matrix::default()), |rule| rule.treatment)
    }
}

/// As [`Calibration::add`] takes it.
impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, rule) in self.rules.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { "; " }, rule.text)?;
        }
        Ok(())
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Self, &'static str> {
        // The last one: names have colons, words have none.
        let (name, words) = text.rsplit_once(':').unwrap_or(("", text));
        let name = name.trim().to_ascii_lowercase();
        let words: Vec<&str> =
            words.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()).collect();
        let treatment = match words.as_slice() {
            [] => return Err("NAME: ignore, use, swap, invert-x, invert-y or matrix with six numbers"),
            ["ignore"] if name.is_empty() => return Err("NAME: ignore, since without any device nobody could type"),
            ["ignore"] => Treatment::Ignore,
            ["use"] => Treatment::Use(Matrix::default()),
            words => Treatment::Use(matrix(words)?),
        };
        Ok(Self { text: text.to_owned(), name, treatment })
    }
}

fn matrix(words: &[&str]) -> Result<Matrix, &'static str> {
    let mut matrix = Matrix::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let next = match *word {
            "swap" => Matrix::SWAP,
            "invert-x" => Matrix::INVERT_X,
            "invert-y" => Matrix::INVERT_Y,
            "matrix" => {
                let mut numbers = [0; 6];
                for number in &mut numbers {
                    let word = words.next().ok_or("matrix and six numbers")?;
                    *number = fixed(word).ok_or("matrix and six numbers such as -1 or 0.25, up to 1000")?;
                }
                Matrix(numbers)
            }
            "ignore" | "use" => return Err("ignore or use alone, without other words"),
            _ => return Err("made of ignore, use, swap, invert-x, invert-y or matrix with six numbers"),
        };
        matrix = matrix.then(next).ok_or("a matrix with smaller numbers")?;
    }
    Ok(matrix)
}

/// Reads a decimal number such as `-1` or `0.25` as a multiple of 1 / [`ONE`].
fn fixed(word: &str) -> Option<i64> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, word),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + part.len() == 0 || whole.len() > 4 || !is_number(whole) || !is_number(part) {
        return None;
    }
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    // Nine digits are finer than the fixed point.
    let part = part.bytes().chain(core::iter::repeat(b'0')).take(9);
    let part = part.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    let value = whole * ONE + (part * ONE + 500_000_000) / 1_000_000_000;
    (value <= LIMIT * ONE).then_some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::noise::Noise;

    fn rules(text: &str) -> Calibration {
        let mut calibration = Calibration::default();
        calibration.add(text).unwrap();
        calibration
    }

    /// Where the words move a place, in tenths of the surface.
    fn moved(words: &str, x: u16, y: u16) -> (u16, u16) {
        let Treatment::Use(matrix) = rules(words).of("any") else { panic!("ignored") };
        let (x, y) = matrix.apply((u32::from(x) * 65535 / 10) as u16, (u32::from(y) * 65535 / 10) as u16);
        let tenths = |value: u16| ((u32::from(value) * 10 + 32767) / 65535) as u16;
        (tenths(x), tenths(y))
    }

    #[test]
    fn matrices_of_libinputs_documentation_turn() {
        for (words, expected) in [
            ("use", (1, 3)),
            ("matrix 1 0 0 0 1 0", (1, 3)),
            ("matrix 0 -1 1 1 0 0", (7, 1)),
            ("matrix -1 0 1 0 -1 1", (9, 7)),
            ("matrix 0 1 0 -1 0 1", (3, 9)),
            ("matrix -1 0 1 0 1 0", (9, 3)),
            ("matrix 4.00 0 0 0 1.80 0", (4, 5)),
            ("matrix 0.5 0 .25 0 1 -0.1", (3, 2)),
            ("swap", (3, 1)),
            ("invert-x", (9, 3)),
            ("invert-y", (1, 7)),
        ] {
            assert_eq!(moved(words, 1, 3), expected, "{words}");
        }
    }

    #[test]
    fn words_work_one_after_the_other() {
        assert_eq!(moved("swap invert-x", 1, 3), (7, 1));
        assert_eq!(moved("invert-x,swap", 1, 3), (3, 9));
        assert_eq!(moved("invert-x swap", 1, 3), moved("matrix -1 0 1 0 1 0 matrix 0 1 0 1 0 0", 1, 3));
        assert_eq!(moved("matrix 0 -1 1 1 0 0 matrix 0 1 0 -1 0 1", 1, 3), (1, 3));
    }

    #[test]
    fn corners_stay_corners_and_nothing_leaves_the_surface() {
        for words in ["use", "swap", "invert-x", "matrix 0 -1 1 1 0 0"] {
            let Treatment::Use(matrix) = rules(words).of("") else { panic!("ignored") };
            for corner in [(0, 0), (65535, 0), (0, 65535), (65535, 65535)] {
                let (x, y) = matrix.apply(corner.0, corner.1);
                assert!([0, 65535].contains(&x) && [0, 65535].contains(&y), "{words}: {corner:?} to {x},{y}");
            }
        }
        let Treatment::Use(wild) = rules("matrix 1000 1000 1000 -1000 -1000 -1000").of("") else { panic!("ignored") };
        assert_eq!(wild.apply(65535, 65535), (65535, 0));
    }

    #[test]
    fn names_choose_and_the_last_rule_counts() {
        let mut calibration = rules("swap; Goodix: invert-x; ELAN0732:00 04F3:2839: ignore");
        calibration.add("goodix:use").unwrap();
        let swapped = Treatment::Use(Matrix::SWAP);
        assert_eq!(calibration.of("ft5x06"), swapped);
        assert_eq!(calibration.of("Goodix Capacitive TouchScreen"), Treatment::Use(Matrix::default()));
        assert_eq!(calibration.of("elan0732:00 04f3:2839 Stylus"), Treatment::Ignore);
        assert_eq!(Calibration::default().of("x"), Treatment::Use(Matrix::default()));
        let again = rules(&calibration.to_string());
        assert_eq!(again, calibration);
    }

    #[test]
    fn what_is_wrong_is_told_and_nothing_is_taken() {
        for (text, wanted) in [
            ("", "NAME: ignore"),
            ("ft5x06:", "NAME: ignore"),
            ("ignore", "NAME: ignore, since"),
            ("a: ignore swap", "ignore or use alone"),
            ("rotate", "made of"),
            ("matrix 1 0 0 0 1", "matrix and six numbers"),
            ("matrix 1 0 0 0 1 x", "numbers such as"),
            ("matrix 1 0 0 0 1 --1", "numbers such as"),
            ("matrix 1 0 0 0 1 1e3", "numbers such as"),
            ("matrix 1 0 0 0 1 1001", "up to 1000"),
            ("matrix . 0 0 0 1 0", "numbers such as"),
            ("matrix 999 0 0 0 1 0 matrix 9 0 0 0 1 0", "smaller numbers"),
            ("swap; rotate", "made of"),
            ("a\"b: swap", "without quotes"),
            ("a\nb: swap", "without quotes"),
        ] {
            let mut calibration = Calibration::default();
            let refusal = calibration.add(text).unwrap_err();
            assert!(refusal.contains(wanted), "{text:?}: {refusal}");
            assert!(calibration.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn random_settings_never_panic_and_read_back() {
        let mut noise = Noise::new(0x2545_f491_4f6c_dd1d);
        let mut next = move |below: usize| noise.below(below as u64) as usize;
        const PIECES: [&str; 18] = [
            "matrix",
            "swap",
            "invert-x",
            "invert-y",
            "ignore",
            "use",
            " ",
            " ",
            ",",
            ";",
            ":",
            "1",
            "-0.5",
            ".",
            "999",
            "é",
            "\"",
            "1 0 0 0 1 0",
        ];
        let mut taken = 0;
        for _ in 0..30_000 {
            let text: String = (0..next(14)).flat_map(|_| [PIECES[next(PIECES.len())], " "]).collect();
            let mut calibration = Calibration::default();
            if calibration.add(&text).is_ok() {
                taken += 1;
                assert_eq!(rules(&calibration.to_string()), calibration, "{text:?}");
                if let Treatment::Use(matrix) = calibration.of("é 1") {
                    matrix.apply(next(65536) as u16, next(65536) as u16);
                }
            }
        }
        assert!(taken > 300, "{taken}");
    }
}
