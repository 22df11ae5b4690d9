//! Formats by themselves; their place in memory is tested with the scan-out.

use super::*;

const NONE: Field = Field::new(0, 0);

#[test]
fn greys_are_counted() {
    let greys = |bits, number: fn(u8) -> u8| Format::shades(bits, Order::LowFirst, number).greys();
    assert_eq!(greys(4, |shade| shade >> 4), Some(16));
    assert_eq!(greys(8, |shade| shade), Some(256));
    // Eight bits, of which only the ends are used.
    assert_eq!(greys(8, |shade| if shade < 128 { 0 } else { 255 }), Some(2));
    assert_eq!(XRGB8888.greys(), None);
}

#[test]
fn common_formats_have_their_bytes() {
    let put = |format: &Format| {
        let mut row = [0; 8];
        format.put(&[0x010203, 0xfefdfc], &mut row, 0);
        row
    };
    let colors = |red, green, blue| [Field::new(red, 8), Field::new(green, 8), Field::new(blue, 8)];
    let alpha = Field::new(24, 8);
    assert_eq!(put(&XRGB8888), [3, 2, 1, 0, 0xfc, 0xfd, 0xfe, 0]);
    assert_eq!(Format::fields(4, colors(16, 8, 0), NONE), XRGB8888);
    assert_eq!(put(&Format::fields(4, colors(16, 8, 0), alpha)), [3, 2, 1, 0xff, 0xfc, 0xfd, 0xfe, 0xff]);
    assert_eq!(put(&Format::fields(4, colors(0, 8, 16), alpha)), [1, 2, 3, 0xff, 0xfe, 0xfd, 0xfc, 0xff]);
    assert_eq!(put(&Format::fields(4, colors(24, 16, 8), Field::new(0, 8))), [0xff, 3, 2, 1, 0xff, 0xfc, 0xfd, 0xfe]);
    assert_eq!(put(&Format::fields(3, colors(16, 8, 0), NONE)), [3, 2, 1, 0xfc, 0xfd, 0xfe, 0, 0]);
    assert_eq!(put(&Format::fields(3, colors(0, 8, 16), NONE)), [1, 2, 3, 0xfe, 0xfd, 0xfc, 0, 0]);
}

#[test]
fn vector_code_rounds_as_tables_do() {
    let fields = [Field::new(11, 5), Field::new(5, 6), Field::new(0, 5)];
    assert_eq!(Format::fields(2, fields, NONE), RGB565);
    let table = Fields::new(16, fields, 0);
    for value in 0..=255 {
        for pixel in [value << 16, value << 8, value, value * 0x010101] {
            let fast = u16::from_le_bytes(rgb565(pixel));
            assert_eq!(u32::from(fast), table.pack(pixel), "{pixel:06x}");
        }
    }
}

#[test]
fn a_short_row_takes_what_fits() {
    let mut row = [7; 5];
    RGB565.put(&[0xffffff, 0, 0xffffff], &mut row, 0);
    assert_eq!(row, [0xff, 0xff, 0, 0, 7]);
    RGB565.put(&[0x0000ff], &mut row, 1);
    assert_eq!(row, [0xff, 0xff, 0x1f, 0, 7]);
    for format in [XRGB8888, RGB565, Format::shades(4, Order::LowFirst, |shade| shade >> 4)] {
        format.put(&[0xffffff; 4], &mut row, 100);
        format.put(&[0xffffff; 4], &mut row, usize::MAX / 8);
        format.put(&[], &mut row, 0);
        assert_eq!(row, [0xff, 0xff, 0x1f, 0, 7], "{} bits", format.bits());
    }
}

#[test]
fn pixels_that_share_a_byte_leave_each_other_alone() {
    let numbers = |bits, order| Format::shades(bits, order, move |shade| shade >> (8 - bits));
    let cases = [
        // Left pixel black, the others white.
        (numbers(4, Order::LowFirst), 0, vec![0, 0xffffff], [0xf0, 0x99]),
        (numbers(4, Order::HighFirst), 0, vec![0, 0xffffff], [0x0f, 0x99]),
        // One white pixel on the second place.
        (numbers(4, Order::LowFirst), 1, vec![0xffffff], [0xf9, 0x99]),
        (numbers(4, Order::HighFirst), 1, vec![0xffffff], [0x9f, 0x99]),
        (numbers(2, Order::LowFirst), 1, vec![0xffffff, 0], [0b1000_1101, 0x99]),
        (numbers(2, Order::HighFirst), 1, vec![0xffffff, 0], [0b1011_0001, 0x99]),
        (numbers(1, Order::LowFirst), 6, vec![0xffffff, 0, 0xffffff, 0], [0b0101_1001, 0b1001_1001]),
        (numbers(1, Order::HighFirst), 6, vec![0, 0xffffff, 0, 0xffffff], [0b1001_1001, 0b0101_1001]),
    ];
    for (format, x, pixels, meant) in cases {
        let mut row = [0x99; 2];
        format.put(&pixels, &mut row, x);
        assert_eq!(row, meant, "{} bits, from {x}", format.bits());
    }
}

#[test]
fn numbers_too_large_for_their_pixel_are_cut() {
    let mut row = [0];
    Format::shades(4, Order::LowFirst, |_| 0xff).put(&[0], &mut row, 0);
    assert_eq!(row, [0x0f]);
}

#[test]
fn rows_round_up_to_bytes() {
    let mono = Format::shades(1, Order::LowFirst, |shade| shade >> 7);
    assert_eq!(mono.row_bytes(9), Some(2));
    assert_eq!(XRGB8888.row_bytes(9), Some(36));
    assert_eq!(XRGB8888.row_bytes(usize::MAX), None);
    assert_eq!(RGB565.bytes(Size::new(3, 5)), Some(30));
}

#[test]
fn shades_keep_black_and_white() {
    assert_eq!([luma(0), luma(0xffffff), luma(0x808080)], [0, 255, 128]);
    assert!(luma(0x00ff00) > luma(0xff0000) && luma(0xff0000) > luma(0x0000ff));
}
