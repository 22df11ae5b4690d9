//! Rounded rectangles with smooth corners.

use embedded_graphics::Pixel;
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::ink::Ink;

/// Fills `area` with the ink's text colour. The edge of its round corners fades into the paper
/// colour; what is outside of them is left as it is.
pub fn rounded<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    area: Rectangle,
    radius: u32,
    ink: Ink,
) -> Result<(), D::Error> {
    let shown = target.bounding_box().intersection(&area);
    if shown.is_zero_sized() {
        return Ok(());
    }
    let (width, height) = (area.size.width, area.size.height);
    let radius = radius.min(width / 2).min(height / 2);
    let middle = Rectangle::new(area.top_left + Point::new(0, radius as i32), Size::new(width, height - 2 * radius));
    target.fill_solid(&middle, ink.text)?;
    // The colours of a corner's edge in one row, which all four corners have.
    let mut edge = Vec::with_capacity(radius as usize);
    for row in 0..radius {
        let covered = |x: &u32| coverage(radius, *x, row);
        let outside = (0..radius).take_while(|x| covered(x) == 0).count() as u32;
        edge.clear();
        edge.extend((outside..radius).map(|x| covered(&x)).take_while(|c| *c < 255).map(|c| ink.blend(c, 255)));
        let (faded, full) = (edge.len() as u32, outside + edge.len() as u32);
        for y in [row, height - 1 - row] {
            if !shown.rows().contains(&(area.top_left.y + y as i32)) {
                continue;
            }
            let row_of = |x: u32, width: u32| {
                Rectangle::new(area.top_left + Point::new(x as i32, y as i32), Size::new(width, 1))
            };
            target.fill_contiguous(&row_of(outside, faded), edge.iter().copied())?;
            target.fill_solid(&row_of(full, width - 2 * full), ink.text)?;
            target.fill_contiguous(&row_of(width - full, faded), edge.iter().rev().copied())?;
        }
    }
    Ok(())
}

/// Draws the edge of a rounded rectangle, `stroke` pixels wide, and leaves what is inside of it.
pub fn ring<D: DrawTarget<Color = Rgb888>>(
    target: &mut D,
    area: Rectangle,
    (radius, stroke): (u32, u32),
    ink: Ink,
) -> Result<(), D::Error> {
    let Size { width, height } = area.size;
    let covered = |width: u32, height: u32, radius: u32, x: u32, y: u32| match (width, height) {
        _ if x >= width || y >= height => 0,
        _ => coverage(radius.min(width / 2).min(height / 2), x.min(width - 1 - x), y.min(height - 1 - y)),
    };
    let (inner_width, inner_height) = (width.saturating_sub(2 * stroke), height.saturating_sub(2 * stroke));
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).filter_map(|(x, y)| {
        let outer = covered(width, height, radius, x, y);
        let inner = match (x.checked_sub(stroke), y.checked_sub(stroke)) {
            (Some(x), Some(y)) => covered(inner_width, inner_height, radius.saturating_sub(stroke), x, y),
            _ => 0,
        };
        let edge = outer.saturating_sub(inner);
        (edge > 0).then(|| Pixel(area.top_left + Point::new(x as i32, y as i32), ink.blend(edge, 255)))
    });
    target.draw_iter(pixels)
}

/// How much of a corner's pixel is inside the circle, 0..=255.
fn coverage(radius: u32, x: u32, y: u32) -> u32 {
    if x >= radius || y >= radius {
        return 255;
    }
    let from_centre = |place: u32| radius as f32 - place as f32 - 0.5;
    let (dx, dy) = (from_centre(x), from_centre(y));
    // Not `hypot`: C libraries round it each in their own way, and screens are compared pixel by pixel.
    let distance = (dx * dx + dy * dy).sqrt();
    ((radius as f32 - distance + 0.5).clamp(0.0, 1.0) * 255.0) as u32
}

#[cfg(test)]
mod tests {
    use embedded_graphics::pixelcolor::RgbColor;
    use embedded_graphics::prelude::PointsIter;

    use super::*;
    use crate::model::frame::Frame;

    const INK: Ink = Ink { text: Rgb888::WHITE, paper: Rgb888::BLACK, smooth: true };

    #[test]
    fn corners_fade_and_edges_are_full() {
        let mut frame = Frame::new(Size::new(20, 20));
        rounded(&mut frame, Rectangle::new(Point::new(2, 2), Size::new(16, 16)), 6, INK).unwrap();
        assert_eq!(frame.row(2, 2, 1), [0]);
        assert_eq!(frame.row(10, 2, 1), [0xffffff]);
        assert_eq!(frame.row(2, 10, 1), [0xffffff]);
        assert_eq!(frame.row(2, 17, 1), [0]);
        let grey = frame.row(2, 3, 8).iter().filter(|pixel| **pixel != 0 && **pixel != 0xffffff).count();
        assert!(grey > 0, "no smooth corner");
    }

    #[test]
    fn a_ring_leaves_what_is_inside() {
        let (area, stroke) = (Rectangle::new(Point::new(2, 2), Size::new(16, 12)), 3);
        let mut frame = Frame::new(Size::new(20, 16));
        ring(&mut frame, area, (5, stroke), INK).unwrap();
        for at in area.points() {
            let from_edge = |at: i32, from: i32, length: u32| (at - from).min(from + length as i32 - 1 - at);
            let x = from_edge(at.x, 2, 16);
            let y = from_edge(at.y, 2, 12);
            let pixel = frame.row(at.x as usize, at.y as usize, 1)[0];
            match (x.min(y), x.max(y)) {
                (..3, 5..) => assert_eq!(pixel, 0xff_ffff, "{at}"),
                (3.., 5..) => assert_eq!(pixel, 0, "{at}"),
                _ => {}
            }
        }
        let mirrored: Vec<u32> = frame.pixels().iter().rev().copied().collect();
        assert_eq!(frame.pixels(), mirrored);
        assert_eq!(frame.take_damage(), [area]);
        ring(&mut frame, Rectangle::new(Point::zero(), Size::new(3, 2)), (9, 9), INK).unwrap();
        assert_eq!(frame.row(1, 1, 1), [0xff_ffff]);
    }

    #[test]
    fn symmetric_and_inside_for_any_size() {
        for (width, height) in [(1, 1), (2, 9), (9, 2), (13, 12)] {
            let mut frame = Frame::new(Size::new(width + 2, height + 2));
            rounded(&mut frame, Rectangle::new(Point::new(1, 1), Size::new(width, height)), 5, INK).unwrap();
            let mirrored: Vec<u32> = frame.pixels().iter().rev().copied().collect();
            assert_eq!(frame.pixels(), mirrored);
            assert!(frame.row(0, 0, 99).iter().all(|pixel| *pixel == 0));
        }
    }
}
