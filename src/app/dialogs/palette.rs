//! The palette: every command by its name, and whatever else has one: sessions, groups, profiles, themes.

use std::cmp::Reverse;

use super::{Dialog, Line, Step, inner, lines_left, moved_choice, paragraph};
use crate::app::commands::{self, Command};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Role, role_of, span};
use crate::app::state::Model;
use crate::domain::fuzzy::Query;
use crate::domain::text;
use crate::domain::tree::RowKey;

/// Finds a command or something else by its name.
#[derive(Debug, Default)]
pub struct Palette {
    line: Line,
    at: usize,
}

/// Rows of the dialog that are not offers: its edges and header, the field, two rules, the sentence.
const TAKEN: u16 = 9;
/// The width it would like, in cells.
const WIDTH: u16 = 112;
/// Cells of a name.
const NAME: usize = 16;

/// What can be chosen.
#[derive(Debug, Clone)]
enum Offer {
    /// A command, and whether it can be used now.
    Command(&'static Command, bool),
    Row(RowKey),
    Profile(crate::domain::id::ProfileName),
    Theme(String),
}

impl Palette {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// What fits what was typed; commands that can be used now first, then what else has the name. What was typed decides the
    /// order, else what was run last. Without anything typed there are commands alone.
    fn offered(&self, model: &Model) -> Vec<Offer> {
        let query = Query::new(self.line.text());
        let is_empty = self.line.text().trim().is_empty();
        let rank = |c: &'static Command| {
            let (score, now) = (query.score(c.title, &[c.doc])?, (c.applies)(model));
            let ran = model.app.recent.iter().position(|id| *id == c.id).filter(|_| is_empty);
            let order = (ran.unwrap_or(usize::MAX), is_empty && c.moves());
            Some(((!now, Reverse(score), 0, order), Offer::Command(c, now)))
        };
        let mut all: Vec<_> = commands::all().filter_map(rank).collect();
        if !is_empty {
            let named = |kind: usize, name: &str, offer: Offer| {
                let score = query.score(name, &[])?;
                Some(((false, Reverse(score), kind, (usize::MAX, false)), offer))
            };
            let session = |s: &crate::domain::session::Session| {
                named(1, &s.title, Offer::Row(RowKey::Session(s.id.clone())))
            };
            all.extend(model.record().live_sessions().filter_map(session));
            let group = |g: &crate::domain::group::Group| {
                named(2, g.path.as_str(), Offer::Row(RowKey::Group(g.path.clone())))
            };
            all.extend(model.record().live_groups().filter_map(group));
            let shell = |s: &crate::ops::shell::ShellState| {
                named(2, s.shell.label(), Offer::Row(RowKey::Shell(s.shell.session_id.clone())))
            };
            all.extend(model.profile.shells.all().iter().filter_map(shell));
            let others = model.app.profiles.iter().filter(|p| **p != model.profile.name);
            all.extend(others.filter_map(|p| named(3, p.as_str(), Offer::Profile(p.clone()))));
            let themes = model.app.settings.themes.iter();
            all.extend(themes.filter_map(|t| named(4, t, Offer::Theme(t.clone()))));
        }
        all.sort_by_key(|(key, _)| *key);
        all.into_iter().map(|(_, offer)| offer).collect()
    }
}

impl Offer {
    fn name(&self, model: &Model) -> String {
        match self {
            Self::Command(command, _) => command.title.to_owned(),
            Self::Row(RowKey::Session(id)) => {
                model.record().session(id).map(|s| text::clean(&s.title)).unwrap_or_default()
            }
            Self::Row(RowKey::Group(path)) => path.to_string(),
            Self::Row(RowKey::Shell(id)) => {
                let shell = model.profile.shells.get(id);
                shell.map(|s| text::clean(s.shell.label())).unwrap_or_default()
            }
            Self::Row(RowKey::Shells) => "shells".to_owned(),
            Self::Profile(name) => name.to_string(),
            Self::Theme(name) => text::clean(name),
        }
    }

    /// What choosing it does.
    fn does(&self, model: &Model) -> String {
        match self {
            Self::Command(command, true) => command.doc.to_owned(),
            Self::Command(command, false) => format!("unavailable: {}", command.needs_here(model)),
            Self::Row(RowKey::Session(_)) => "Go to the session.".to_owned(),
            Self::Row(RowKey::Group(_)) => "Go to the group.".to_owned(),
            Self::Row(RowKey::Shell(_) | RowKey::Shells) => "Go to the headless shell.".to_owned(),
            Self::Profile(_) => "Switch to the profile.".to_owned(),
            Self::Theme(_) => "Use the theme.".to_owned(),
        }
    }

    /// What is at the end of its row: a command's keys, or what it is.
    fn right(&self, model: &Model) -> crate::app::Span {
        match self {
            Self::Command(command, _) => span(Role::Key, model.app.keymap.keys_of(command).join("  ")),
            Self::Row(RowKey::Session(id)) => match model.state(id) {
                Some(state) => {
                    let kind = state.verdict.kind();
                    span(role_of(kind), format!("{} session", model.glyph(kind)))
                }
                None => span(Role::Dim, "session"),
            },
            Self::Row(RowKey::Group(_)) => span(Role::Dim, "group"),
            Self::Row(RowKey::Shell(_) | RowKey::Shells) => span(Role::Dim, "headless shell"),
            Self::Profile(_) => span(Role::Dim, "profile"),
            Self::Theme(_) => span(Role::Dim, "theme"),
        }
    }

    fn choose(self) -> Step {
        match self {
            Self::Command(command, true) => Step::Run(command),
            Self::Command(_, false) => Step::Stay(Vec::new()),
            Self::Row(key) => Step::Select(key),
            Self::Profile(name) => Step::Answer(vec![Effect::Profile(name)]),
            Self::Theme(name) => Step::Answer(vec![Effect::Set("ui.theme".to_owned(), format!("{name:?}"))]),
        }
    }
}

impl Dialog for Palette {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        let offered = self.offered(model);
        let last = offered.len().saturating_sub(1);
        match key {
            Key { code: KeyCode::Esc, .. } => return Step::Close,
            Key { code: KeyCode::Enter, .. } => {
                let chosen = offered.into_iter().nth(self.at.min(last));
                return chosen.map_or_else(|| Step::Stay(Vec::new()), Offer::choose);
            }
            key => match moved_choice(key, self.at, last) {
                Some(at) => self.at = at,
                None if self.line.key(key) => self.at = 0,
                None => {}
            },
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let offered = self.offered(model);
        let at = self.at.min(offered.len().saturating_sub(1));
        let room = super::room_for(model.app.size.1, TAKEN);
        let first = (at + 1).saturating_sub(room);
        let below = offered.len().saturating_sub(first + room);
        let mut blocks =
            vec![
                Block::Field {
                    label: String::new(),
                    text: self.line.text().to_owned(),
                    caret: Some(self.line.caret()),
                    note: self.line.text().is_empty().then(|| {
                        span(Role::Dim, "type the name of a command, session, group, profile or theme")
                    }),
                },
                Block::Rule,
            ];
        for (i, offer) in offered.iter().enumerate().skip(first).take(room) {
            let usable = !matches!(offer, Offer::Command(_, false));
            let (name, does) = (offer.name(model), offer.does(model));
            blocks.push(Block::Item {
                spans: vec![
                    span(if usable { Role::Text } else { Role::Faint }, format!("{name:<NAME$} ")),
                    span(if usable { Role::Dim } else { Role::Faint }, does),
                ],
                right: vec![offer.right(model)],
                selected: i == at,
            });
        }
        match offered.get(at) {
            None => blocks.push(Block::Line(vec![span(Role::Dim, "no match")])),
            Some(offer) => {
                // What a row may cut is shown whole here.
                blocks.push(Block::Rule);
                let does = [span(Role::Text, offer.does(model))];
                blocks.extend(paragraph(&does, inner(WIDTH, model), lines_left(&blocks, model)));
            }
        }
        // A list that gets shorter doesn't move its field.
        let whole = room + 4;
        blocks.resize_with(blocks.len().max(whole), || Block::Gap);
        Panel {
            title: "Commands".to_owned(),
            keys: super::with_more(below, &[("enter", "run"), ("esc", "close")]),
            blocks,
            width: WIDTH,
            one_line: true,
            ..Panel::default()
        }
    }
}
