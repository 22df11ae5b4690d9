//! What is made of what drivers say: true, odd and false.

use super::*;
use crate::model::pixel::{RGB565, XRGB8888};

const XRGB: [Field; 3] = [Field::new(16, 8), Field::new(8, 8), Field::new(0, 8)];
const FB_VISUAL_PSEUDOCOLOR: u32 = 3;
const FB_VISUAL_STATIC_PSEUDOCOLOR: u32 = 5;

/// A panel of 800x480 in true colour.
fn panel(bits: u32, [red, green, blue]: [Field; 3], line_length: u32) -> Description {
    Description {
        xres: 800,
        yres: 480,
        xres_virtual: 800,
        bits_per_pixel: bits,
        red,
        green,
        blue,
        visual: FB_VISUAL_TRUECOLOR,
        line_length,
        ..Description::default()
    }
}

fn format(description: &Description) -> Format {
    description.choose(Rotation::Upright).unwrap().scanout.format
}

fn swapped([red, green, blue]: [Field; 3]) -> [Field; 3] {
    [blue, green, red]
}

fn five_six_five() -> [Field; 3] {
    [Field::new(11, 5), Field::new(5, 6), Field::new(0, 5)]
}

#[test]
fn common_panels_are_taken_as_they_are() {
    let choice = panel(32, XRGB, 3200).choose(Rotation::Clockwise).unwrap();
    let scanout = Scanout {
        format: XRGB8888,
        size: Size::new(800, 480),
        stride: 3200,
        offset: (0, 0),
        rotation: Rotation::Clockwise,
    };
    assert_eq!(choice.scanout, scanout);
    assert_eq!((choice.load, choice.read), (None, None));
    assert_eq!(format(&panel(16, five_six_five(), 1600)), RGB565);
    // SPI panels say that they are not standard.
    assert_eq!(format(&Description { nonstd: 1, ..panel(16, five_six_five(), 1600) }), RGB565);
    assert_eq!(format(&Description { grayscale: 16, ..panel(16, five_six_five(), 1600) }), RGB565);
    // Some never set the visual, which is then black and white.
    assert_eq!(format(&Description { visual: FB_VISUAL_MONO01, ..panel(32, XRGB, 3200) }), XRGB8888);
}

#[test]
fn a_lie_about_the_depth_is_seen_by_the_row() {
    // Creality AD5M.
    assert_eq!(format(&panel(16, five_six_five(), 3200)), XRGB8888);
    assert_eq!(format(&panel(16, XRGB, 3200)), XRGB8888);
    assert_eq!(format(&panel(24, XRGB, 3200)), XRGB8888);
    assert_eq!(format(&panel(32, XRGB, 1600)), RGB565);
    let flipped = format(&panel(16, swapped(five_six_five()), 3200));
    assert_eq!(flipped, Format::fields(4, swapped(XRGB), Field::default()));
}

#[test]
fn fields_that_make_no_sense_are_replaced() {
    let none = [Field::default(); 3];
    let same = [Field::new(0, 8); 3];
    let beyond = [Field::new(u32::MAX, 8), Field::new(8, u32::MAX), Field::new(0, 33)];
    for fields in [none, same, beyond] {
        assert_eq!(format(&panel(32, fields, 3200)), XRGB8888, "{fields:?}");
        assert_eq!(format(&panel(16, fields, 1600)), RGB565, "{fields:?}");
        // Without fields, pixels that are not standard may be YUV.
        assert!(Description { nonstd: 1, ..panel(16, none, 1600) }.choose(Rotation::Upright).is_err());
    }
    // Alpha that overlaps a colour or does not fit is none.
    for transp in [Field::new(16, 8), Field::new(28, 8), Field::new(0, 32)] {
        assert_eq!(format(&Description { transp, ..panel(32, XRGB, 3200) }), XRGB8888, "{transp:?}");
    }
}

#[test]
fn rows_are_computed_where_the_driver_does_not_tell() {
    for (bits, stride) in [(32, 3200), (24, 2400), (16, 1600), (15, 1600), (8, 800), (4, 400), (1, 100)] {
        let told = Description { xres_virtual: 0, ..panel(bits, XRGB, 0) };
        assert_eq!(told.choose(Rotation::Upright).unwrap().scanout.stride, stride, "{bits} bits");
    }
}

#[test]
fn maps_are_loaded_where_pixels_go_through_one() {
    let number = |bits, visual| Description { visual, ..panel(bits, [Field::new(0, bits); 3], 800) };
    let choose = |description: Description| description.choose(Rotation::Upright).unwrap();

    let direct = choose(Description { visual: FB_VISUAL_DIRECTCOLOR, ..panel(32, XRGB, 3200) });
    assert_eq!(direct.load, Some(ColorMap::linear(XRGB)));
    assert_eq!((direct.read, direct.scanout.format), (None, XRGB8888));

    let colors = choose(number(8, FB_VISUAL_PSEUDOCOLOR));
    assert_eq!((colors.load, colors.read), (Some(ColorMap::colors()), Some(256)));
    let greys = choose(number(4, FB_VISUAL_PSEUDOCOLOR));
    assert_eq!((greys.load, greys.read), (Some(ColorMap::greys(16)), Some(16)));
    let grey = choose(Description { grayscale: 1, ..number(8, FB_VISUAL_PSEUDOCOLOR) });
    assert_eq!(grey.load, Some(ColorMap::greys(256)));
    for (visual, read) in [(FB_VISUAL_STATIC_PSEUDOCOLOR, Some(256)), (FB_VISUAL_TRUECOLOR, None), (1, None)] {
        let fixed = choose(number(8, visual));
        assert_eq!((fixed.load, fixed.read), (None, read), "visual {visual}");
    }
    // A field that is shorter than the pixel tells how many entries there are.
    let few = choose(panel(8, [Field::new(2, 6); 3], 800));
    let mut row = [0; 2];
    few.scanout.format.put(&[0xffffff, 0], &mut row, 0);
    assert_eq!(row, [0b1111_1100, 0]);
}

#[test]
fn a_map_that_is_there_is_used() {
    let description = Description { visual: FB_VISUAL_STATIC_PSEUDOCOLOR, ..panel(8, [Field::new(0, 8); 3], 800) };
    let mut choice = description.choose(Rotation::Upright).unwrap();
    choice.use_map(&ColorMap { red: vec![u16::MAX, 0, 0], green: vec![0, u16::MAX, 0], blue: vec![0; 3] });
    let mut row = [9; 3];
    choice.scanout.format.put(&[0x00ff00, 0xff0000, 0], &mut row, 0);
    assert_eq!(row, [1, 0, 2]);
    // Numbers begin where the field does.
    let mut shifted = Description { visual: FB_VISUAL_STATIC_PSEUDOCOLOR, ..panel(8, [Field::new(4, 4); 3], 800) }
        .choose(Rotation::Upright)
        .unwrap();
    shifted.use_map(&ColorMap::greys(16));
    shifted.scanout.format.put(&[0xffffff, 0x111111, 0], &mut row, 0);
    assert_eq!(row, [0xf0, 0x10, 0]);
    // A map of a true-colour display is none that its pixels go through.
    let mut plain = panel(32, XRGB, 3200).choose(Rotation::Upright).unwrap();
    plain.use_map(&ColorMap::greys(4));
    assert_eq!(plain.scanout.format, XRGB8888);
}

#[test]
fn formats_that_name_themselves() {
    let named = |letters: &[u8; 4]| Description {
        kind: FB_TYPE_FOURCC,
        grayscale: u32::from_le_bytes(*letters),
        visual: 6,
        ..panel(16, XRGB, 3200)
    };
    assert_eq!(format(&named(b"RGBP")), RGB565);
    assert_eq!(format(&named(b"GREY")), Format::shades(8, Order::LowFirst, |shade| shade));
    let mut row = [0; 4];
    for (letters, meant) in
        [(b"RGB3", [1, 2, 3, 0]), (b"BGR3", [3, 2, 1, 0]), (b"BGR4", [3, 2, 1, 255]), (b"AR24", [3, 2, 1, 255])]
    {
        row.fill(0);
        format(&named(letters)).put(&[0x010203], &mut row, 0);
        assert_eq!(row, meant, "{}", letters.escape_ascii());
    }
    let refused = named(b"NV12").choose(Rotation::Upright).unwrap_err();
    assert!(refused.to_string().contains("its format is NV12"), "{refused}");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let grey = [Field::new(0, 4); 3];
    for (what, description) in [
        ("planes", Description { kind: 1, ..panel(4, grey, 400) }),
        ("text", Description { kind: 3, ..panel(1, grey, 100) }),
        ("VGA planes", Description { kind: 4, ..panel(4, grey, 100) }),
        ("a format without a name", Description { kind: FB_TYPE_FOURCC, ..panel(32, XRGB, 3200) }),
        ("hold and modify", Description { nonstd: 1, visual: FB_VISUAL_PSEUDOCOLOR, ..panel(8, grey, 800) }),
        ("no depth", panel(0, XRGB, 3200)),
        ("64 bits", panel(64, XRGB, 6400)),
        ("nonsense", panel(u32::MAX, XRGB, u32::MAX)),
    ] {
        let error = description.choose(Rotation::Upright).unwrap_err();
        assert_eq!(error.exit(), Exit::NoDisplay, "{what}");
    }
    assert!(Description { kind: 1, ..panel(1, grey, 100) }.choose(Rotation::Upright).is_ok(), "one plane");
}

#[test]
fn fields_that_lie_on_each_other_are_a_lie() {
    let upper = Field::new(16, 16);
    let lie = Description { transp: upper, ..panel(32, [upper; 3], 3200) };
    assert_eq!(format(&lie), XRGB8888);
}

#[test]
fn no_numbers_make_it_stumble() {
    let mut seed = 1_u32;
    let mut next = |small: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed.is_multiple_of(5) { seed } else { (seed >> 8) % small }
    };
    for _ in 0..20_000 {
        let mut field = || Field { offset: next(34), length: next(18), msb_right: next(2) == 1 };
        let (red, green, blue, transp) = (field(), field(), field(), field());
        let description = Description {
            xres: next(2000),
            yres: next(2000),
            xres_virtual: next(4000),
            xoffset: next(9),
            yoffset: next(9),
            bits_per_pixel: next(34),
            grayscale: next(6),
            red,
            green,
            blue,
            transp,
            nonstd: next(3),
            kind: next(6),
            visual: next(7),
            line_length: next(9000),
        };
        let Ok(mut choice) = description.choose(Rotation::Upright) else { continue };
        choice.use_map(&ColorMap::greys(4));
        let mut row = [0; 16];
        choice.scanout.format.put(&[0, 0xffffff, 0x123456], &mut row, 1);
        let _ = choice.scanout.check(1 << 20);
    }
}
