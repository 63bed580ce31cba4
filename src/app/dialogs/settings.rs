//! Every setting with its value and its doc, changed in place.

use super::{Dialog, Line, Step, keys, moved_choice};
use crate::app::effect::{Done, Effect};
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Role, span};
use crate::app::state::Model;

/// One setting as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub key: String,
    /// Its value, as TOML.
    pub value: String,
    /// What it does.
    pub doc: String,
    /// The values that it is switched between; empty for a text.
    pub choices: Vec<String>,
}

#[derive(Debug, Default)]
pub struct SettingsList {
    at: usize,
    edit: Option<Line>,
    error: Option<String>,
}

impl SettingsList {
    /// The list, its first setting chosen.
    pub fn new() -> Self {
        Self::default()
    }

    fn set(&mut self, setting: &Setting, value: String) -> Step {
        self.error = None;
        Step::Stay(vec![Effect::Set(setting.key.clone(), value)])
    }
}

/// A value as it is read: a text without its quotes.
fn plain(value: &str) -> String {
    let inside = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    inside.filter(|v| !v.is_empty() && !v.contains(['"', '\\'])).unwrap_or(value).to_owned()
}

impl Dialog for SettingsList {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        let all = &model.app.settings.all;
        let last = all.len().saturating_sub(1);
        let Some(setting) = all.get(self.at.min(last)) else { return Step::Close };
        if let Some(line) = &mut self.edit {
            return match key.code {
                KeyCode::Esc => {
                    self.edit = None;
                    Step::Stay(Vec::new())
                }
                KeyCode::Enter => {
                    let value = line.text().to_owned();
                    self.edit = None;
                    self.set(setting, value)
                }
                _ => {
                    line.key(key);
                    Step::Stay(Vec::new())
                }
            };
        }
        match (key.code, key.ctrl) {
            (KeyCode::Esc | KeyCode::Char('q' | ','), _) => return Step::Close,
            (KeyCode::Enter | KeyCode::Char(' '), _) if !setting.choices.is_empty() => {
                let now = setting.choices.iter().position(|c| *c == setting.value).map_or(0, |i| i + 1);
                let next = setting.choices.get(now % setting.choices.len()).cloned().unwrap_or_default();
                return self.set(setting, next);
            }
            (KeyCode::Enter, _) => self.edit = Some(Line::new(&setting.value)),
            (KeyCode::Char('j'), false) => self.at = (self.at + 1).min(last),
            (KeyCode::Char('k'), false) => self.at = self.at.saturating_sub(1),
            _ => {
                if let Some(to) = moved_choice(key, self.at, last) {
                    self.at = to;
                }
            }
        }
        Step::Stay(Vec::new())
    }

    fn answer(&mut self, done: &Done, _: &Model) -> Step {
        if let Done::NotSet(why) = done {
            self.error = Some(why.clone());
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let all = &model.app.settings.all;
        let room = usize::from(model.app.size.1).saturating_sub(11).max(3);
        let first = (self.at + 1).saturating_sub(room);
        let mut blocks = Vec::new();
        for (i, setting) in all.iter().enumerate().skip(first).take(room) {
            let selected = i == self.at;
            if let (true, Some(line)) = (selected, &self.edit) {
                blocks.push(Block::Field {
                    label: String::new(),
                    text: line.text().to_owned(),
                    caret: Some(line.caret()),
                    note: Some(span(Role::Dim, format!("{} · as TOML", setting.key))),
                });
                continue;
            }
            blocks.push(Block::Item {
                spans: vec![
                    span(Role::Text, format!("{:<20} ", setting.key)),
                    span(Role::Accent, plain(&setting.value)),
                ],
                right: Vec::new(),
                selected,
            });
        }
        blocks.push(Block::Rule);
        let doc = all.get(self.at).map(|s| s.doc.clone()).unwrap_or_default();
        blocks.extend(doc.lines().map(|l| Block::Line(vec![span(Role::Dim, l)])));
        if let Some(error) = &self.error {
            blocks.push(Block::Line(vec![span(Role::Error, error.clone())]));
        }
        Panel {
            title: format!("Settings · {} of {}", (self.at + 1).min(all.len()), all.len()),
            keys: keys(&[("enter", "change"), ("esc", "close")]),
            blocks,
            width: 100,
            spares_picture: false,
        }
    }
}
