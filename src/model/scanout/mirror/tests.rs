//! Pictures on displays of other sizes, compared with means that are computed the slow way.

use super::*;
use crate::model::scanout::turn::{Rotation, Turn};

/// Where a picture is on a display.
fn place(from: Size, size: Size) -> Rectangle {
    let mirror = Mirror::new(from, size);
    Rectangle::new(mirror.corner, mirror.scale.size())
}

/// Neighbours that differ, so that a pixel in a wrong place is seen.
fn picture(size: Size, seed: u32) -> Frame {
    let mut frame = Frame::new(size);
    let color = |at: u32| {
        let [red, green, blue, _] = (at ^ seed).wrapping_mul(0x9e37_79b1).rotate_left(13).to_le_bytes();
        Rgb888::new(red, green, blue)
    };
    frame.fill_contiguous(&Rectangle::new(Point::zero(), size), (0..size.width * size.height).map(color)).unwrap();
    frame.take_damage();
    frame
}

/// What a pixel of the display should be: each pixel of the picture is cut into as many as the display
/// has, so that the mean is one of whole pieces.
fn meant(picture: &Frame, to: Rectangle, at: Point) -> u32 {
    if !to.contains(at) {
        return 0;
    }
    let at = at - to.top_left;
    let (from, to) = (picture.size(), to.size);
    let pieces = |at: i32, from: u32, to: u32| (at as u32 * from..(at as u32 + 1) * from).map(move |piece| piece / to);
    let (mut sums, mut count) = ([0_u64; 4], 0);
    for y in pieces(at.y, from.height, to.height) {
        for x in pieces(at.x, from.width, to.width) {
            let pixel = picture.row(x as usize, y as usize, 1)[0];
            for (sum, color) in sums.iter_mut().zip(pixel.to_be_bytes()) {
                *sum += u64::from(color);
            }
            count += 1;
        }
    }
    u32::from_be_bytes(sums.map(|sum| ((sum + count / 2) / count) as u8))
}

fn assert_shows(shown: &Frame, picture: &Frame, to: Rectangle) {
    for (at, pixel) in shown.pixels().iter().enumerate() {
        let width = shown.size().width as usize;
        let at = Point::new((at % width) as i32, (at / width) as i32);
        assert_eq!(*pixel, meant(picture, to, at), "{:?} on {:?} at {at}", picture.size(), shown.size());
    }
}

const SIZES: [(u32, u32); 9] = [(1, 1), (3, 3), (7, 5), (5, 7), (13, 9), (16, 8), (1, 11), (31, 17), (40, 60)];

#[test]
fn each_pixel_is_the_mean_of_what_it_covers() {
    for from in SIZES.map(|(width, height)| Size::new(width, height)) {
        for size in SIZES.map(|(width, height)| Size::new(width, height)) {
            let (first, to) = (picture(from, 0), place(from, size));
            let mut mirror = Mirror::new(from, size);
            let (shown, damage) = mirror.follow(&first, &[]);
            assert_shows(shown, &first, to);
            assert_eq!(damage, [Rectangle::new(Point::zero(), size)], "the first picture is whole");
        }
    }
}

#[test]
fn what_changed_is_all_that_is_drawn() {
    let from = Size::new(31, 17);
    for size in SIZES.map(|(width, height)| Size::new(width, height)) {
        let (first, second) = (picture(from, 0), picture(from, 77));
        for (x, y, width, height) in [(0, 0, 1, 1), (30, 16, 1, 1), (5, 3, 9, 7), (-4, 12, 50, 50), (40, 3, 2, 2)] {
            let area = Rectangle::new(Point::new(x, y), Size::new(width, height));
            let mut mixed = first.clone();
            let part = area.intersection(&Rectangle::new(Point::zero(), from));
            let colors =
                part.rows().flat_map(|y| second.row(part.top_left.x as usize, y as usize, part.size.width as usize));
            let colors: Vec<Rgb888> = colors
                .map(|pixel| {
                    let [_, red, green, blue] = pixel.to_be_bytes();
                    Rgb888::new(red, green, blue)
                })
                .collect();
            mixed.fill_contiguous(&part, colors).unwrap();

            let mut mirror = Mirror::new(from, size);
            mirror.follow(&first, &[]);
            let before = mirror.frame.clone();
            let (shown, damage) = mirror.follow(&mixed, &[area]);
            let told = format!("{area:?} on {size:?}");
            assert_shows(shown, &mixed, place(from, size));
            for (at, (old, new)) in before.pixels().iter().zip(shown.pixels()).enumerate() {
                let at = Point::new(at as i32 % size.width as i32, at as i32 / size.width as i32);
                assert!(old == new || damage.iter().any(|area| area.contains(at)), "{told}: {at} is not told");
            }
            // No more than a pixel on each side.
            let all: u32 = damage.iter().map(|area| area.size.width * area.size.height).sum();
            let to = place(from, size).size;
            let most = (part.size.width * to.width / from.width + 2) * (part.size.height * to.height / from.height + 2);
            assert!(all <= if part.is_zero_sized() { 0 } else { most }, "{told}: {all} pixels");
        }
    }
}

#[test]
fn pictures_fill_what_they_can_and_keep_their_shape() {
    let place = |from: (u32, u32), size: (u32, u32)| {
        let to = place(from.into(), size.into());
        (to.top_left.x, to.top_left.y, to.size.width, to.size.height)
    };
    for (from, size, meant) in [
        ((800, 480), (800, 480), (0, 0, 800, 480)),
        ((800, 480), (1024, 600), (112, 60, 800, 480)),
        ((800, 480), (1920, 1080), (160, 60, 1600, 960)),
        ((1280, 800), (800, 480), (16, 0, 768, 480)),
        ((1080, 2400), (1280, 800), (460, 0, 360, 800)),
        ((1920, 1080), (720, 1440), (0, 517, 720, 405)),
        // A row is the least.
        ((4000, 1), (3, 3), (0, 1, 3, 1)),
    ] {
        assert_eq!(place(from, size), meant, "{from:?} on {size:?}");
    }
}

#[test]
fn white_stays_white_and_sums_do_not_overflow() {
    let from = Size::new(2, 16384);
    let mut white = Frame::new(from);
    white.clear(Rgb888::WHITE).unwrap();
    let mut mirror = Mirror::new(from, Size::new(5, 16381));
    let (shown, _) = mirror.follow(&white, &[]);
    let to = place(from, shown.size());
    assert!(shown.row(to.top_left.x as usize, 9000, to.size.width as usize).iter().all(|pixel| *pixel == 0xff_ffff));
}

#[test]
fn a_mirror_may_be_turned_otherwise() {
    // A landscape picture, on a portrait panel that is mounted on its side.
    let from = Size::new(16, 8);
    let turn = Turn::new(Rotation::Clockwise, Size::new(4, 8));
    let mut mirror = Mirror::new(from, turn.size());
    let first = picture(from, 0);
    let (shown, damage) = mirror.follow(&first, &[]);
    assert_eq!((shown.size(), damage), (Size::new(8, 4), vec![Rectangle::new(Point::zero(), turn.size())]));
    assert_shows(shown, &first, Rectangle::new(Point::zero(), Size::new(8, 4)));
}

#[test]
fn a_picture_of_another_size_is_not_taken() {
    let mut mirror = Mirror::new(Size::new(4, 4), Size::new(2, 2));
    let (_, damage) = mirror.follow(&picture(Size::new(5, 4), 0), &[Rectangle::new(Point::zero(), Size::new(5, 4))]);
    assert!(damage.is_empty());
}
