//! Every format at every stride, offset and rotation, read back by other code than wrote it.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::DrawTarget;

use super::description::{Choice, Description};
use super::*;
use crate::model::pixel::field::Field;
use crate::model::pixel::{RGB565, XRGB8888};

const MONO01: u32 = 0;
const MONO10: u32 = 1;
const TRUECOLOR: u32 = 2;
const PSEUDOCOLOR: u32 = 3;
const REVERSED: u32 = 2;

/// How a display reads a pixel's number.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// By the fields of the description.
    Fields,
    /// From black to white.
    Grey,
    /// From white to black.
    Inverted,
    /// White where all bits are set.
    White,
    /// Black where all bits are set.
    Black,
    /// By the colour map, which may be so far off in each colour.
    Map(u32),
    /// By the colour map, which is grey and may be so far off.
    GreyMap(u32),
}

type Case = (Description, Reading);

fn fields(bits: u32, [red, green, blue, transp]: [(u32, u32); 4]) -> Case {
    let field = |(offset, length)| Field::new(offset, length);
    let [red, green, blue, transp] = [red, green, blue, transp].map(field);
    let description = Description { bits_per_pixel: bits, red, green, blue, transp, ..Description::default() };
    (Description { visual: TRUECOLOR, ..description }, Reading::Fields)
}

fn mirrored((mut description, reading): Case) -> Case {
    description.green.msb_right = true;
    (description, reading)
}

fn number(bits: u32, visual: u32, grayscale: u32, nonstd: u32, reading: Reading) -> Case {
    let [red, green, blue] = [Field::new(0, bits); 3];
    let description = Description { bits_per_pixel: bits, red, green, blue, ..Description::default() };
    (Description { visual, grayscale, nonstd, ..description }, reading)
}

fn cases() -> Vec<Case> {
    vec![
        fields(32, [(16, 8), (8, 8), (0, 8), (0, 0)]),
        fields(32, [(16, 8), (8, 8), (0, 8), (24, 8)]),
        fields(32, [(0, 8), (8, 8), (16, 8), (24, 8)]),
        fields(32, [(24, 8), (16, 8), (8, 8), (0, 0)]),
        fields(32, [(8, 8), (16, 8), (24, 8), (0, 8)]),
        fields(32, [(20, 10), (10, 10), (0, 10), (30, 2)]),
        fields(30, [(0, 10), (10, 10), (20, 10), (0, 0)]),
        fields(24, [(16, 8), (8, 8), (0, 8), (0, 0)]),
        fields(24, [(0, 8), (8, 8), (16, 8), (0, 0)]),
        fields(24, [(12, 6), (6, 6), (0, 6), (18, 6)]),
        fields(18, [(12, 6), (6, 6), (0, 6), (0, 0)]),
        fields(16, [(11, 5), (5, 6), (0, 5), (0, 0)]),
        fields(16, [(0, 5), (5, 6), (11, 5), (0, 0)]),
        fields(16, [(10, 5), (5, 5), (0, 5), (15, 1)]),
        fields(16, [(8, 4), (4, 4), (0, 4), (12, 4)]),
        fields(15, [(10, 5), (5, 5), (0, 5), (0, 0)]),
        fields(15, [(0, 5), (5, 5), (10, 5), (0, 0)]),
        fields(8, [(5, 3), (2, 3), (0, 2), (0, 0)]),
        mirrored(fields(32, [(16, 8), (8, 8), (0, 8), (24, 8)])),
        mirrored(fields(16, [(11, 5), (5, 6), (0, 5), (0, 0)])),
        number(8, TRUECOLOR, 1, 0, Reading::Grey),
        number(8, TRUECOLOR, 2, 0, Reading::Inverted),
        number(8, MONO01, 1, 0, Reading::Inverted),
        number(4, TRUECOLOR, 1, 0, Reading::Grey),
        number(4, TRUECOLOR, 1, REVERSED, Reading::Grey),
        number(4, TRUECOLOR, 4, 0, Reading::Inverted),
        number(2, MONO10, 1, REVERSED, Reading::Grey),
        number(4, PSEUDOCOLOR, 0, 0, Reading::GreyMap(9)),
        number(4, PSEUDOCOLOR, 0, REVERSED, Reading::GreyMap(9)),
        number(1, PSEUDOCOLOR, 0, 0, Reading::GreyMap(128)),
        number(1, MONO01, 0, 0, Reading::Black),
        number(1, MONO10, 0, 0, Reading::White),
        number(1, MONO10, 0, REVERSED, Reading::White),
        number(8, MONO10, 0, 0, Reading::White),
        number(8, PSEUDOCOLOR, 0, 0, Reading::Map(50)),
    ]
}

fn luma([red, green, blue]: [u8; 3]) -> f64 {
    0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue)
}

/// Whether a display shows `meant` for a pixel's number, as well as the format can.
fn is_right((description, reading): Case, choice: &Choice, number: u64, meant: [u8; 3]) -> bool {
    let max = (1_u64 << description.bits_per_pixel) - 1;
    let grey = |value: u64| (value as f64 * 255.0 / max as f64 - luma(meant)).abs() <= 127.5 / max as f64 + 1.0;
    // In the very middle, either will do.
    let middle = (luma(meant) - 127.5).abs() < 1.0;
    let white = |value: u64| middle && [0, max].contains(&value) || value == if luma(meant) > 127.5 { max } else { 0 };
    match reading {
        Reading::Fields => {
            let Description { red, green, blue, transp, .. } = description;
            let value = |field: Field| {
                let mut bits: Vec<u64> = (0..field.length).map(|bit| number >> (field.offset + bit) & 1).collect();
                if field.msb_right {
                    bits.reverse();
                }
                (0..).zip(bits).map(|(place, bit)| bit << place).sum::<u64>()
            };
            let max = |field: Field| (1_u64 << field.length) - 1;
            let exact = |field, meant| f64::from(meant) * max(field) as f64 / 255.0;
            let near = |(field, meant)| (exact(field, meant) - value(field) as f64).abs() <= 0.5;
            // Bits of no field are ignored by most displays; by all, where they are 0.
            let padding =
                [red, green, blue, transp].iter().fold(number, |rest, field| rest & !(max(*field) << field.offset));
            let colors = [red, green, blue].into_iter().zip(meant);
            padding == 0 && value(transp) == max(transp) && colors.into_iter().all(near)
        }
        Reading::Grey => grey(number),
        Reading::Inverted => grey(max - number),
        Reading::White => white(number),
        Reading::Black => white(max - number),
        Reading::Map(most) | Reading::GreyMap(most) => {
            let map = choice.load.as_ref().unwrap();
            let shown = [&map.red, &map.green, &map.blue].map(|channel| (channel[number as usize] >> 8) as u8);
            let meant = if matches!(reading, Reading::GreyMap(_)) { [luma(meant) as u8; 3] } else { meant };
            shown.into_iter().zip(meant).all(|(shown, meant)| u32::from(shown.abs_diff(meant)) <= most)
        }
    }
}

/// Bits of the memory that hold a pixel, the most significant one last, found by what fb.h says of
/// a pixel's place alone.
fn bits(description: &Description, x: usize, y: usize) -> Vec<usize> {
    let told = description.bits_per_pixel as usize;
    let taken = if told > 8 { told.div_ceil(8) * 8 } else { told };
    let row = (y + description.yoffset as usize) * description.line_length as usize * 8;
    let first = (x + description.xoffset as usize) * taken;
    let bit = |place: usize| match description.nonstd {
        REVERSED => (first + taken - 1 - place) ^ 7,
        _ => first + place,
    };
    (0..taken).map(|place| row + bit(place)).collect()
}

fn read(memory: &[u8], bits: &[usize]) -> u64 {
    bits.iter().rev().fold(0, |sum, bit| sum << 1 | u64::from(memory[bit / 8] >> (bit % 8) & 1))
}

/// A frame in which no pixel is like its neighbours, and another one for each seed.
fn frame(size: Size, seed: u32) -> Frame {
    let mut frame = Frame::new(size);
    let color = |n: u32| {
        let [red, green, blue, _] = (n ^ seed).wrapping_mul(0x9e37_79b1).rotate_left(13).to_le_bytes();
        // Light and dark ones, so that panels of two shades have something to show.
        if n.is_multiple_of(3) { Rgb888::new(red / 16, green / 16, blue / 16) } else { Rgb888::new(red, green, blue) }
    };
    let area = Rectangle::new(Point::zero(), size);
    frame.fill_contiguous(&area, (0..size.width * size.height).map(color)).unwrap();
    frame
}

/// The pixel of the frame that a pixel of the panel shows: fbcon's four ways, written out.
fn source(rotation: Rotation, frame: &Frame, panel: Size, x: u32, y: u32) -> (u32, [u8; 3]) {
    let Size { width, height } = panel;
    let (column, row) = match rotation {
        Rotation::Upright => (x, y),
        Rotation::Clockwise => (y, width - 1 - x),
        Rotation::UpsideDown => (width - 1 - x, height - 1 - y),
        Rotation::Counterclockwise => (height - 1 - y, x),
    };
    let at = row * frame.size().width + column;
    let [blue, green, red, _] = frame.pixels()[at as usize].to_le_bytes();
    (at, [red, green, blue])
}

/// Copies a picture, then a part of another one, and looks at every bit of the memory.
fn prove(case: Case, panel: Size, rotation: Rotation) {
    let (description, _) = case;
    let choice = description.choose(rotation).unwrap();
    let scanout = &choice.scanout;
    let length = scanout.check(1 << 24).unwrap();
    let told = format!("{case:?} {rotation:?}");
    let size = scanout.turn().size();
    let (first, second) = (frame(size, 0), frame(size, 0x5bd1_e995));
    let part = Rectangle::new(Point::new(size.width as i32 / 4, 3), Size::new(size.width / 2 + 1, size.height / 2))
        .intersection(&Rectangle::new(Point::zero(), size));
    // Bits that are set, and bits that are cleared, show on one of the two.
    let pattern = if rotation.is_sideways() { 0x00 } else { 0xff };
    let mut memory = vec![pattern; length + 64];
    scanout.copy(&first, &[Rectangle::new(Point::zero(), size)], &mut memory);
    scanout.copy(&second, &[part], &mut memory);
    for y in 0..panel.height {
        for x in 0..panel.width {
            let (at, color) = source(rotation, &first, panel, x, y);
            let place = Point::new((at % size.width) as i32, (at / size.width) as i32);
            let meant = if part.contains(place) { source(rotation, &second, panel, x, y).1 } else { color };
            let bits = bits(&description, x as usize, y as usize);
            let number = read(&memory, &bits);
            assert!(is_right(case, &choice, number, meant), "{told}: {meant:?} at {x},{y} is {number:#x}");
            // So that what is left are the bits of no pixel.
            for bit in bits {
                memory[bit / 8] = memory[bit / 8] & !(1 << (bit % 8)) | pattern & 1 << (bit % 8);
            }
        }
    }
    let touched = memory.iter().position(|byte| *byte != pattern);
    assert_eq!(touched, None, "{told}: a byte of the padding was written");
}

#[test]
fn every_format_shows_what_was_drawn_wherever_it_lies() {
    for (description, reading) in cases() {
        for ((xres, yres), padding, (xoffset, yoffset)) in
            [((37, 41), 0, (0, 0)), ((37, 41), 13, (3, 5)), ((66, 67), 64, (0, 100)), ((1, 2), 7, (5, 0))]
        {
            let pixels = (xres + xoffset)
                * description.bits_per_pixel.next_multiple_of(match description.bits_per_pixel {
                    0..=8 => 1,
                    _ => 8,
                });
            let line_length = pixels.div_ceil(8) + padding;
            let place = Description { xres, yres, xoffset, yoffset, line_length, ..description };
            for rotation in Rotation::ALL {
                prove((place, reading), Size::new(xres, yres), rotation);
            }
        }
    }
}

#[test]
fn panels_with_rows_of_odd_lengths_hold_the_whole_picture() {
    // 1366 pixels in rows of 1376, as some panels have them.
    for (bits, channels) in [(32, [(16, 8), (8, 8), (0, 8), (0, 0)]), (16, [(11, 5), (5, 6), (0, 5), (0, 0)])] {
        let (description, reading) = fields(bits, channels);
        for line_length in [1366 * bits / 8, 1376 * bits / 8] {
            let place = Description { xres: 1366, yres: 5, line_length, ..description };
            for rotation in Rotation::ALL {
                prove((place, reading), Size::new(1366, 5), rotation);
            }
        }
    }
}

fn bytes(piece: Piece<'_>) -> Vec<u8> {
    match piece {
        Piece::Bytes(bytes) => bytes.to_vec(),
        Piece::Pixels(pixels) => pixels.iter().flat_map(|pixel| pixel.to_le_bytes()).collect(),
    }
}

/// A picture and parts of another one, once copied and once written by pieces: the same comes of both.
fn prove_writing(description: Description, rotation: Rotation) {
    let scanout = description.choose(rotation).unwrap().scanout;
    let length = scanout.check(1 << 24).unwrap();
    let size = scanout.turn().size();
    let (first, mut second) = (frame(size, 0), frame(size, 0));
    let whole = Rectangle::new(Point::zero(), size);
    let parts = [(3, 2, 9, 7), (0, 5, 1, 1), (8, 0, 16, 3), (-2, -2, 4, 4), (900, 900, 5, 5)]
        .map(|(x, y, width, height)| Rectangle::new(Point::new(x, y), Size::new(width, height)));
    for part in parts {
        second.fill_solid(&part, Rgb888::new(250, 130, 20)).unwrap();
    }
    let (mut copied, mut written, mut buffer) = (vec![0; length], vec![0; length], Vec::new());
    for (picture, damage) in [(&first, &[whole][..]), (&second, &parts)] {
        scanout.copy(picture, damage, &mut copied);
        let result: core::result::Result<(), ()> = scanout.write(picture, damage, &mut buffer, |at, piece| {
            let bytes = bytes(piece);
            written[at..at + bytes.len()].copy_from_slice(&bytes);
            Ok(())
        });
        result.unwrap();
        let differs = copied.iter().zip(&written).position(|(one, other)| one != other);
        assert_eq!(differs, None, "{description:?} {rotation:?}");
    }
}

#[test]
fn writing_by_pieces_is_copying() {
    for (description, _) in cases() {
        for (xres, yres, padding, xoffset, yoffset) in
            [(37, 141, 0, 0, 0), (37, 41, 13, 3, 5), (64, 67, 0, 0, 100), (72, 65, 64, 8, 0), (1, 2, 7, 5, 0)]
        {
            let bits = description.bits_per_pixel;
            let pixels = (xres + xoffset) * bits.next_multiple_of(if bits > 8 { 8 } else { 1 });
            let line_length = pixels.div_ceil(8) + padding;
            let place = Description { xres, yres, xoffset, yoffset, line_length, ..description };
            for rotation in Rotation::ALL {
                prove_writing(place, rotation);
            }
        }
    }
}

#[test]
fn whole_rows_are_written_at_once_and_errors_end_it() {
    let size = Size::new(720, 1440);
    let (picture, whole) = (frame(size, 0), [Rectangle::new(Point::zero(), size)]);
    let calls = |format, stride, area: &[Rectangle]| {
        let (mut calls, mut length) = (0, 0);
        let scanout = scanout(format, size, stride, (0, 0));
        let result: core::result::Result<(), ()> = scanout.write(&picture, area, &mut Vec::new(), |_, piece| {
            (calls, length) = (calls + 1, length + bytes(piece).len());
            Ok(())
        });
        result.unwrap();
        (calls, length)
    };
    assert_eq!(calls(XRGB8888, 2880, &whole), (1, 2880 * 1440));
    assert_eq!(calls(RGB565, 1440, &whole), (2, 1440 * 1440));
    // The padding is not ours.
    assert_eq!(calls(XRGB8888, 3072, &whole), (1440, 2880 * 1440));
    let key = [Rectangle::new(Point::new(30, 300), Size::new(70, 90))];
    assert_eq!(calls(XRGB8888, 2880, &key), (90, 70 * 90 * 4));
    assert_eq!(calls(RGB565, 1440, &key), (90, 70 * 90 * 2));
    assert_eq!(calls(XRGB8888, 2880, &[Rectangle::zero()]), (0, 0));
    let mut tried = 0;
    let refused = scanout(XRGB8888, size, 2880, (0, 0)).write(&picture, &whole, &mut Vec::new(), |_, _| {
        tried += 1;
        Err(tried)
    });
    assert_eq!(refused, Err(1));
}

fn scanout(format: crate::model::pixel::Format, size: Size, stride: usize, offset: (usize, usize)) -> Scanout {
    Scanout { format, size, stride, offset, rotation: Rotation::Upright }
}

#[test]
fn only_damage_is_copied() {
    let scanout = scanout(RGB565, Size::new(16, 10), 40, (1, 1));
    let mut memory = vec![0xaa; 40 * 11];
    let area = Rectangle::new(Point::new(2, 3), Size::new(4, 2));
    let mut white = Frame::new(Size::new(16, 10));
    white.clear(Rgb888::new(255, 255, 255)).unwrap();
    scanout.copy(&white, &[area], &mut memory);
    let touched = |y: usize| (0..40).filter(|x| memory[y * 40 + x] != 0xaa).collect::<Vec<_>>();
    for y in 0..11 {
        let expected: Vec<usize> = if (4..6).contains(&y) { (6..14).collect() } else { Vec::new() };
        assert_eq!(touched(y), expected, "row {y}");
    }
}

#[test]
fn what_does_not_fit_is_refused_or_left_out() {
    let size = Size::new(16, 10);
    let fits = scanout(XRGB8888, size, 64, (0, 0));
    assert_eq!(fits.check(640).unwrap(), 640);
    assert!(fits.check(639).is_err());
    assert!(scanout(XRGB8888, Size::new(17, 10), 64, (0, 0)).check(4096).is_err());
    assert!(scanout(XRGB8888, Size::zero(), 64, (0, 0)).check(4096).is_err());
    for offset in [(1, 0), (usize::MAX, 0), (0, usize::MAX)] {
        assert!(scanout(XRGB8888, size, 64, offset).check(4096).is_err());
    }
    for rotation in Rotation::ALL {
        let scanout = Scanout { rotation, ..fits.clone() };
        let beyond = Rectangle::new(Point::new(-3, -3), Size::new(1000, 1000));
        let empty = Rectangle::new(Point::new(5, 5), Size::zero());
        let far = Rectangle::new(Point::new(5000, 5000), Size::new(9, 9));
        // Shorter than the picture, and frames of other sizes than the panel's.
        for frame_size in [size, Size::new(1, 1), Size::new(40, 40), Size::zero()] {
            let mut short = vec![0xaa; 100];
            scanout.copy(&frame(frame_size, 0), &[beyond, empty, far], &mut short);
            let mut long = vec![0xaa; 640 + 64];
            scanout.copy(&frame(frame_size, 0), &[beyond, empty, far], &mut long);
            assert!(long[640..].iter().all(|byte| *byte == 0xaa), "{rotation:?} {frame_size:?}");
        }
    }
}
