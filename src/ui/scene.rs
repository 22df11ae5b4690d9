//! What a picture is made from.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{Point, Size};
use embedded_graphics::primitives::Rectangle;

use super::ink::Ink;
use crate::model::logo::Logo;
use crate::model::prompt::layout::Layout;
use crate::model::prompt::plan::Plan;
use crate::model::prompt::view::View;
use crate::model::theme::Theme;

/// A view, and where and in which colours its parts are.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) theme: &'a Theme,
    /// A picture that somebody wants.
    pub(super) logo: Option<&'a Logo>,
    pub(super) plan: &'a Plan,
    pub(super) layout: &'a Layout,
    pub(super) view: &'a View,
}

impl Scene<'_> {
    /// A colour on another one.
    pub(super) fn ink(self, text: Rgb888, paper: Rgb888) -> Ink {
        Ink { text, paper, smooth: self.theme.smooth }
    }

    /// Everything that the keyboard does not cover.
    pub(super) fn above(self) -> Rectangle {
        let Size { width, height } = self.plan.size;
        // Round corners of a sheet let see what is behind.
        let behind = if self.has_sheet() { 0 } else { self.plan.keyboard.size.height };
        Rectangle::new(Point::zero(), Size::new(width, height - behind))
    }

    /// Whether the keyboard does not reach the panel's edges.
    pub(super) fn has_sheet(self) -> bool {
        self.plan.keyboard.size.width < self.plan.size.width
    }
}

/// An area without `dx` pixels at the left and right, and `dy` at the top and bottom.
pub(super) fn shrink(area: Rectangle, dx: u32, dy: u32) -> Rectangle {
    let (dx, dy) = (dx.min(area.size.width / 2), dy.min(area.size.height / 2));
    let size = Size::new(area.size.width - 2 * dx, area.size.height - 2 * dy);
    Rectangle::new(area.top_left + Point::new(dx as i32, dy as i32), size)
}

/// The smallest rectangle that holds both; an empty one adds nothing.
pub(super) fn around(one: Rectangle, other: Rectangle) -> Rectangle {
    if one.is_zero_sized() || other.is_zero_sized() {
        return if one.is_zero_sized() { other } else { one };
    }
    let end = |area: Rectangle| area.top_left + area.size;
    let (min, max) = (one.top_left.component_min(other.top_left), end(one).component_max(end(other)));
    Rectangle::new(min, Size::new((max.x - min.x) as u32, (max.y - min.y) as u32))
}
