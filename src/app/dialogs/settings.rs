//! Every setting with its name, its value and its doc, changed in place.

use super::{Dialog, Line, Step, inner, moved_choice, paragraph, room_for, with_more};
use crate::app::commands;
use crate::app::done::Done;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{BETWEEN, Block, Panel, Role, Span, span};
use crate::app::panel_layout::{LABEL, between_spans, wrap_spans};
use crate::app::state::Model;
use crate::domain::text;

/// The width it would like, in cells.
const WIDTH: u16 = 100;
/// Columns from which on a row has room for the key and for all values.
const FOR_ALL: usize = 60;
/// The most values that a row shows.
const MOST: usize = 3;
/// Rows of the TUI that are not for the list and what is said of a setting.
const AROUND: u16 = 5;
/// Rows of the list that are always there.
const LEAST: usize = 3;
/// Cells of a name and of a key.
const NAME: usize = 23;
const KEY: usize = 20;
const TITLE: &str = "Settings · ";

/// One setting as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub key: String,
    /// Its name for people.
    pub name: String,
    /// Its value, as TOML.
    pub value: String,
    /// What it does.
    pub doc: String,
    /// The values that it is switched between; empty for a text.
    pub choices: Vec<String>,
}

#[derive(Debug)]
pub struct SettingsList {
    at: usize,
    edit: Option<Line>,
    error: Option<String>,
    /// What the selected setting was just set to: its file is read again in a moment.
    wanted: Option<String>,
}

impl SettingsList {
    /// The list, where it was left.
    pub fn new(model: &Model) -> Self {
        let last = model.app.settings.all.len().saturating_sub(1);
        Self { at: model.app.setting.min(last), edit: None, error: None, wanted: None }
    }

    fn set(&mut self, setting: &Setting, value: String) -> Step {
        self.error = None;
        self.wanted = setting.choices.contains(&value).then(|| value.clone());
        Step::Stay(vec![Effect::Set(setting.key.clone(), value)])
    }

    fn go(&mut self, to: usize) -> Step {
        if to != self.at {
            (self.error, self.wanted) = (None, None);
        }
        self.at = to;
        Step::Stay(Vec::new())
    }

    /// Sets the value that comes `by` places behind the present one.
    fn turn(&mut self, setting: &Setting, by: usize) -> Step {
        let count = setting.choices.len();
        let value = self.wanted.as_ref().unwrap_or(&setting.value);
        let at = setting.choices.iter().position(|c| c == value).unwrap_or(0);
        match setting.choices.get((at + by) % count.max(1)) {
            Some(value) => self.set(setting, value.clone()),
            None => Step::Stay(Vec::new()),
        }
    }

    fn change(&mut self, setting: &Setting) -> Step {
        if setting.key == "ui.theme" {
            return match commands::all().find(|c| c.id == commands::THEME) {
                Some(command) => Step::Run(command),
                None => Step::Close,
            };
        }
        if !setting.choices.is_empty() {
            return self.turn(setting, 1);
        }
        self.edit = Some(Line::new(&setting.value));
        Step::Stay(Vec::new())
    }
}

/// A value as it is read: a text without its quotes.
fn plain(value: &str) -> String {
    let inside = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    inside.filter(|v| !v.is_empty() && !v.contains(['"', '\\'])).unwrap_or(value).to_owned()
}

/// The values there are, the present one marked.
fn chips(setting: &Setting, value: &str) -> Vec<Span> {
    let chip = |choice: &String| {
        let (mark, role) = if *choice == value { ("●", Role::Accent) } else { ("○", Role::Dim) };
        span(role, format!("{mark} {}{BETWEEN}", plain(choice)))
    };
    setting.choices.iter().map(chip).collect()
}

/// Whether the values of a setting are in its row; else they are below, for the selected one.
fn in_row(setting: &Setting, model: &Model) -> bool {
    inner(WIDTH, model) >= FOR_ALL && setting.choices.len() <= MOST
}

impl SettingsList {
    fn row(&self, i: usize, setting: &Setting, model: &Model) -> Block {
        let wanted = self.wanted.as_ref().filter(|_| i == self.at);
        let value = wanted.unwrap_or(&setting.value);
        let mut spans = vec![span(Role::Text, text::pad(&setting.name, NAME))];
        if inner(WIDTH, model) >= FOR_ALL {
            spans.push(span(Role::Faint, text::pad(&setting.key, KEY)));
        }
        if in_row(setting, model) && !setting.choices.is_empty() {
            spans.extend(chips(setting, value));
        } else {
            spans.push(span(Role::Accent, plain(value)));
        }
        Block::Item { spans, right: Vec::new(), selected: i == self.at }
    }

    /// What is said of the selected setting, in as many lines as there is room for.
    fn about(&self, setting: &Setting, model: &Model, room: usize) -> Vec<Block> {
        let width = inner(WIDTH, model);
        let mut words = Vec::new();
        words.extend(self.error.iter().map(|error| vec![span(Role::Error, error.clone())]));
        words.extend(described(setting, model));
        // Where they would take all the room the list of them is a key away.
        let value = self.wanted.as_ref().unwrap_or(&setting.value);
        let below = Some(values_below(setting, value, model));
        let below = below.filter(|b| lines_of(b, width) <= room / 2).unwrap_or_default();
        let field = self.edit.as_ref().map(|line| Block::Field {
            label: "Value".to_owned(),
            text: line.text().to_owned(),
            caret: Some(line.caret()),
            note: Some(span(Role::Dim, "as TOML")),
        });
        let taken = lines_of(&below, width) + usize::from(field.is_some());
        let for_words = room.saturating_sub(taken).max(1);
        let mut blocks: Vec<Block> = field.into_iter().collect();
        let mut left = for_words;
        for words in &words {
            let lines = paragraph(words, width, left);
            left = left.saturating_sub(lines.len());
            blocks.extend(lines);
        }
        if !below.is_empty() {
            blocks.push(Block::Choices { label: "Values".to_owned(), spans: below, focused: false });
        }
        blocks
    }
}

/// What a setting is, in paragraphs.
fn described(setting: &Setting, model: &Model) -> Vec<Vec<Span>> {
    let key = (inner(WIDTH, model) < FOR_ALL).then(|| vec![span(Role::Faint, setting.key.clone())]);
    let doc = vec![span(Role::Dim, setting.doc.replace('\n', " "))];
    key.into_iter().chain([doc]).collect()
}

/// The values that have no room in the row.
fn values_below(setting: &Setting, value: &str, model: &Model) -> Vec<Span> {
    if in_row(setting, model) { Vec::new() } else { chips(setting, value) }
}

fn lines_of(chips: &[Span], width: usize) -> usize {
    match chips {
        [] => 0,
        chips => between_spans(chips, width.saturating_sub(LABEL.into())).len(),
    }
}

/// How many lines the setting takes that has the most to be said of: the dialog keeps its height.
fn most_lines(model: &Model) -> usize {
    let width = inner(WIDTH, model);
    let lines = |s: &Setting| {
        let words = described(s, model).iter().map(|w| wrap_spans(w, width).len()).sum::<usize>();
        words + lines_of(&values_below(s, &s.value, model), width)
    };
    model.app.settings.all.iter().map(lines).max().unwrap_or(0)
}

impl Dialog for SettingsList {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        let all = &model.app.settings.all;
        let last = all.len().saturating_sub(1);
        let Some(setting) = all.get(self.at.min(last)) else { return Step::Close };
        if let Some(mut line) = self.edit.take() {
            match key.code {
                KeyCode::Esc => {}
                KeyCode::Enter => return self.set(setting, line.text().to_owned()),
                _ => {
                    line.key(key);
                    self.edit = Some(line);
                }
            }
            return Step::Stay(Vec::new());
        }
        match (key.code, key.ctrl) {
            (KeyCode::Esc | KeyCode::Char('q' | ','), _) => Step::Close,
            (KeyCode::Enter | KeyCode::Char(' '), _) => self.change(setting),
            (KeyCode::Right | KeyCode::Char('l'), false) => self.turn(setting, 1),
            (KeyCode::Left | KeyCode::Char('h'), false) => {
                self.turn(setting, setting.choices.len().saturating_sub(1))
            }
            (KeyCode::Char('j'), false) => self.go((self.at + 1).min(last)),
            (KeyCode::Char('k'), false) => self.go(self.at.saturating_sub(1)),
            _ => self.go(moved_choice(key, self.at, last).unwrap_or(self.at)),
        }
    }

    fn click(&mut self, block: usize, piece: usize, model: &Model) -> Step {
        let panel = self.panel(model);
        let rows = |b: &&Block| matches!(b, Block::Item { .. });
        let (at, values_from) = match panel.blocks.get(block) {
            // The first pieces of a row are its name and its key.
            Some(Block::Item { .. }) => {
                (self.first(model) + panel.blocks.iter().take(block).filter(rows).count(), 2)
            }
            Some(Block::Choices { .. }) => (self.at, 0),
            _ => return Step::Stay(Vec::new()),
        };
        let Some(setting) = model.app.settings.all.get(at) else { return Step::Stay(Vec::new()) };
        let was_here = at == self.at;
        if !was_here {
            self.edit = None;
        }
        let moved = self.go(at);
        let has_values = values_from == 0 || in_row(setting, model);
        let value = piece.checked_sub(values_from).and_then(|piece| setting.choices.get(piece));
        match value.filter(|_| has_values) {
            Some(value) => self.set(setting, value.clone()),
            None if was_here && setting.choices.is_empty() => self.change(setting),
            None => moved,
        }
    }

    fn paste(&mut self, pasted: &str, _: &Model) -> Step {
        if let Some(line) = &mut self.edit {
            line.insert(&text::clean(pasted));
        }
        Step::Stay(Vec::new())
    }

    fn answer(&mut self, done: &Done, _: &Model) -> Step {
        if let Done::NotSet(why) = done {
            (self.error, self.wanted) = (Some(why.clone()), None);
        }
        Step::Stay(Vec::new())
    }

    fn left_at(&self) -> Option<usize> {
        Some(self.at)
    }

    fn panel(&self, model: &Model) -> Panel {
        let all = &model.app.settings.all;
        let (for_rows, for_words) = room(model);
        let first = self.first(model);
        let rows = all.iter().enumerate().skip(first).take(for_rows);
        let mut blocks: Vec<Block> = rows.map(|(i, setting)| self.row(i, setting, model)).collect();
        blocks.push(Block::Rule);
        let setting = all.get(self.at);
        let mut about = setting.map(|s| self.about(s, model, for_words)).unwrap_or_default();
        let used: usize = about.iter().map(|b| lines_in(b, model)).sum();
        about.extend((used..for_words).map(|_| Block::Gap));
        blocks.extend(about);
        let change = match setting {
            _ if self.edit.is_some() => vec![("enter", "set"), ("esc", "leave as it was")],
            Some(s) if s.key == "ui.theme" => vec![("←→", "change"), ("enter", "list"), ("esc", "close")],
            Some(s) if s.choices.is_empty() => vec![("enter", "edit"), ("esc", "close")],
            _ => vec![("←→", "change"), ("esc", "close")],
        };
        // Where there is little room the keys count for more.
        let below = all.len().saturating_sub(first + for_rows);
        let below = if inner(WIDTH, model) < FOR_ALL { 0 } else { below };
        let file = model.app.settings.tilde(&model.app.settings.file);
        let for_file = inner(WIDTH, model).saturating_sub(text::cells(TITLE));
        Panel {
            title: format!("{TITLE}{}", text::fit_end(&text::clean(&file), for_file)),
            keys: with_more(below, &change),
            blocks,
            width: WIDTH,
            one_line: true,
            ..Panel::default()
        }
    }
}

fn lines_in(block: &Block, model: &Model) -> usize {
    match block {
        Block::Choices { spans, .. } => lines_of(spans, inner(WIDTH, model)),
        _ => 1,
    }
}

/// How many rows of the list there is room for, and how many lines below it.
fn room(model: &Model) -> (usize, usize) {
    let all = model.app.settings.all.len();
    let lines = room_for(model.app.size.1, AROUND).max(2);
    let words = most_lines(model).min(lines.saturating_sub(all.min(LEAST)));
    (all.min(lines.saturating_sub(words)).max(1), words)
}

impl SettingsList {
    fn first(&self, model: &Model) -> usize {
        (self.at + 1).saturating_sub(room(model).0)
    }
}
