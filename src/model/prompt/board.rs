//! The keyboard on a panel: the layout that is used, and where its keys are.

use super::catalogue::Catalogue;
use super::ground::Ground;
use super::layout::Layout;
use super::plan::{Panel, Plan};
use super::view::Sheet;
use crate::error::Result;

/// Layouts, and the plan of the one that is used.
pub struct Board {
    catalogue: Catalogue,
    panel: Option<Panel>,
    plan: Option<Plan>,
    /// How often it was laid out: what is drawn of another one is no use.
    edition: u32,
}

impl Board {
    /// Without a panel.
    pub fn new(catalogue: Catalogue) -> Self {
        Self { catalogue, panel: None, plan: None, edition: 0 }
    }

    /// The layout that is used.
    pub fn layout(&self) -> &Layout {
        self.catalogue.current()
    }

    /// Where everything sits; `None` without a panel.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// Changes whenever a plan is made.
    pub fn edition(&self) -> u32 {
        self.edition
    }

    /// What can be pressed of a sheet; `None` without a panel.
    pub fn ground(&self, sheet: Sheet, layer: usize) -> Option<Ground<'_>> {
        Some(Ground { plan: self.plan.as_ref()?, layout: self.layout(), sheet, layer })
    }

    /// Lays the layout out on a panel.
    ///
    /// # Errors
    /// [`Exit::NoDisplay`](crate::error::Exit::NoDisplay) when the panel is too small.
    pub fn lay_out(&mut self, panel: Panel) -> Result<()> {
        (self.panel, self.plan) = (Some(panel), None);
        self.plan = Some(Plan::new(panel, self.catalogue.current(), &self.catalogue.names())?);
        self.edition = self.edition.wrapping_add(1);
        Ok(())
    }

    /// Goes on to the next layout, or to the one of a number; false where there is none.
    pub fn turn(&mut self, to: Option<usize>) -> bool {
        let turned = match to {
            Some(number) => self.catalogue.pick(number),
            None => self.catalogue.go_on(),
        };
        // A panel that had room for one has room for all: what is too small is so for any.
        if let Some(panel) = self.panel.filter(|_| turned) {
            let _ = self.lay_out(panel);
        }
        turned
    }
}
