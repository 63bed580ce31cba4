//! The fields of the form: which of them there are, the one that the keys are on, and what a key does to it.

use super::super::{Line, Step};
use super::NewSession;
use crate::app::key::{Key, KeyCode};
use crate::app::state::Model;

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Path,
    Branch,
    Tool,
    Title,
    Group,
    Options,
    Servers,
    Prompt,
}

impl Field {
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Path => "Path",
            Self::Branch => "Branch",
            Self::Tool => "Tool",
            Self::Title => "Title",
            Self::Group => "Group",
            Self::Options => "Options",
            Self::Servers => "MCP",
            Self::Prompt => "Prompt",
        }
    }
}

pub(super) const FIELDS: [Field; 8] = [
    Field::Path,
    Field::Branch,
    Field::Tool,
    Field::Title,
    Field::Group,
    Field::Options,
    Field::Servers,
    Field::Prompt,
];

impl NewSession {
    pub(super) fn field(&self) -> Field {
        FIELDS.get(self.at).copied().unwrap_or(Field::Path)
    }

    /// Whether the choice behind all tools is taken: a command of the user's own.
    pub(super) fn is_custom(&self, model: &Model) -> bool {
        self.tool >= model.app.settings.tools.len()
    }

    pub(super) fn reset_options(&mut self, model: &Model) {
        let tool = model.app.settings.tools.get(self.tool);
        self.options = tool.map_or_else(Vec::new, |t| t.options.iter().map(|switch| switch.on).collect());
        self.option = 0;
        self.takes_servers = tool.is_some_and(|t| t.takes_servers);
    }

    pub(super) fn go(&mut self, by: isize) {
        let last = FIELDS.len();
        self.at = (self.at + last).saturating_add_signed(by) % last;
        while !self.has(self.field()) {
            self.at = (self.at + last).saturating_add_signed(by) % last;
        }
        self.completions.clear();
        self.offer.leave();
    }

    /// Whether the form has this field now.
    pub(super) fn has(&self, field: Field) -> bool {
        match field {
            Field::Options => !self.options.is_empty(),
            Field::Servers => self.takes_servers && self.servers.are_there(),
            Field::Branch => self.in_repository || !self.branch.text().is_empty(),
            _ => true,
        }
    }

    pub(super) fn focus(&mut self, field: Field) {
        self.at = FIELDS.iter().position(|f| *f == field).unwrap_or(self.at);
    }

    /// Left and right choose; space switches.
    pub(super) fn choose(&mut self, key: Key, model: &Model) -> bool {
        let count = model.app.settings.tools.len() + 1;
        self.chosen |= self.field() == Field::Tool;
        match (self.field(), key.code) {
            (Field::Tool, KeyCode::Right) => self.next_tool(1, count, model),
            (Field::Tool, KeyCode::Left) => self.next_tool(count - 1, count, model),
            (Field::Tool, KeyCode::Char(' ')) if !self.is_custom(model) => self.next_tool(1, count, model),
            (Field::Group, KeyCode::Right) if self.group.caret() == self.group.text().chars().count() => {
                self.next_group(model);
            }
            (Field::Options, KeyCode::Right) => self.option = (self.option + 1) % self.options.len().max(1),
            (Field::Options, KeyCode::Left) => {
                let last = self.options.len().max(1);
                self.option = (self.option + last - 1) % last;
            }
            (Field::Options, KeyCode::Char(' ')) => {
                if let Some(on) = self.options.get_mut(self.option) {
                    *on = !*on;
                }
            }
            (Field::Servers, KeyCode::Right) => self.servers.go(1),
            (Field::Servers, KeyCode::Left) => self.servers.go(-1),
            (Field::Servers, KeyCode::Char(' ')) => self.servers.toggle(self.group.text(), model),
            _ => return false,
        }
        true
    }

    /// The next tool that is installed, or the command of one's own.
    fn next_tool(&mut self, by: usize, count: usize, model: &Model) {
        for _ in 0..count {
            self.tool = (self.tool + by) % count;
            if model.app.settings.tools.get(self.tool).is_none_or(|t| t.found) {
                break;
            }
        }
        self.reset_options(model);
    }

    pub(super) fn line(&mut self, model: &Model) -> Option<&mut Line> {
        match self.field() {
            Field::Path => Some(&mut self.path),
            Field::Branch => Some(&mut self.branch),
            Field::Tool if self.is_custom(model) => Some(&mut self.command),
            Field::Title => Some(&mut self.title),
            Field::Group => Some(&mut self.group),
            Field::Prompt => Some(&mut self.prompt),
            Field::Tool | Field::Options | Field::Servers => None,
        }
    }

    pub(super) fn edit(&mut self, model: &Model, act: impl FnOnce(&mut Line) -> bool) -> Step {
        if self.field() == Field::Tool && !self.is_custom(model) {
            // Typing here means a custom command.
            self.tool = model.app.settings.tools.len();
            self.reset_options(model);
        }
        let field = self.field();
        let touched = self.line(model).is_some_and(act);
        if !touched {
            return Step::Stay(Vec::new());
        }
        self.titled |= field == Field::Title;
        self.completions.clear();
        Step::Stay(if field == Field::Path { self.path_typed(model) } else { self.changed(model) })
    }
}
