//! The MCP servers that the session will have: check boxes, with what its group and the settings give it.

use std::sync::Arc;

use crate::app::panel::{BETWEEN, Role, Span, span};
use crate::app::state::Model;
use crate::domain::group::GroupPath;
use crate::domain::mcp_servers::Attaching;
use crate::domain::mcp_servers::{Catalogue, McpChoice};
use crate::domain::text;

/// How many servers are beside each other: of more, those around the one that the keys are on.
const SHOWN: usize = 6;

/// What is chosen.
#[derive(Debug, Default)]
pub(super) struct Servers {
    pub catalogue: Option<Arc<Catalogue>>,
    /// What the session itself says.
    pub own: McpChoice,
    at: usize,
}

impl Servers {
    /// Whether there are any to choose from.
    pub fn are_there(&self) -> bool {
        self.catalogue.as_ref().is_some_and(|catalogue| !catalogue.servers.is_empty())
    }

    /// The servers, and whether a session of this group has them with a choice of its own.
    fn all(&self, own: &McpChoice, group: &str, model: &Model) -> Vec<(String, bool)> {
        let Some(catalogue) = &self.catalogue else { return Vec::new() };
        let lineage = GroupPath::parse(group).map(|path| path.lineage()).unwrap_or_default();
        let groups = lineage.iter().filter_map(|path| model.record().group(path));
        let chosen = catalogue.chosen(groups.map(|group| (&group.path, &group.mcps)), own);
        let is_on = |name: &String| chosen.iter().any(|c| c.name == *name);
        catalogue.servers.keys().map(|name| (name.clone(), is_on(name))).collect()
    }

    /// Goes to another one.
    pub fn go(&mut self, by: isize) {
        let count = self.catalogue.as_ref().map_or(0, |c| c.servers.len()).max(1);
        self.at = (self.at + count).saturating_add_signed(by) % count;
    }

    /// Goes to the one that is shown at this place, and switches it.
    pub fn click(&mut self, piece: usize, group: &str, model: &Model) {
        self.at = self.first() + piece;
        self.toggle(group, model);
    }

    /// Switches the one that the keys are on.
    pub fn toggle(&mut self, group: &str, model: &Model) {
        let all = self.all(&self.own, group, model);
        let Some((name, on)) = all.into_iter().nth(self.at) else { return };
        let mut own = self.own.clone();
        if on {
            own.detach(&name, |rest| self.all(rest, group, model).contains(&(name.clone(), true)));
        } else {
            own.attach(&[name], Attaching::default());
        }
        self.own = own;
    }

    fn first(&self) -> usize {
        (self.at + 1).saturating_sub(SHOWN)
    }

    pub fn shown(&self, has_keys: bool, group: &str, model: &Model) -> Vec<Span> {
        let all = self.all(&self.own, group, model);
        let one = |(i, (name, on)): (usize, &(String, bool))| {
            let role = if has_keys && i == self.at {
                Role::Accent
            } else if *on {
                Role::Text
            } else {
                Role::Dim
            };
            span(role, format!("[{}] {}{BETWEEN}", if *on { 'x' } else { ' ' }, text::clean(name)))
        };
        let mut spans: Vec<Span> = all.iter().enumerate().skip(self.first()).take(SHOWN).map(one).collect();
        let more = all.len().saturating_sub(self.first() + SHOWN);
        if more > 0 {
            spans.push(span(Role::Dim, format!("{more} more")));
        }
        spans
    }
}
