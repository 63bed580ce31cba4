//! The path of a new session: how it is written, and the folders that are offered for it.
//!
//! Invariant: what is on the disk comes from the loop, as the answer to an effect.

use std::path::PathBuf;

use super::super::{Dialog, Step};
use super::{Field, NewSession};
use crate::app::done::Folders;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Role, span};
use crate::app::panel_layout::{LABEL, PAD};
use crate::app::state::Model;
use crate::domain::text;

/// The most folders that are offered at once.
const MOST: usize = 6;

/// What is offered for the path.
#[derive(Debug, Default)]
pub(super) struct Offer {
    /// What was found on the disk, and for which text.
    found: Option<(String, Folders)>,
    picked: Option<usize>,
    /// Keys that wait for what is on the disk: one that goes to the list, and what was typed after it.
    waiting: Vec<Key>,
    /// Whether the path was proposed or taken from the list, and not written.
    is_whole: bool,
}

/// A folder that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    path: String,
    is_recent: bool,
}

impl Offer {
    /// For a path that nobody has typed.
    pub fn whole() -> Self {
        Self { is_whole: true, ..Self::default() }
    }

    /// After the path has changed: what was found is kept until the next answer, so that nothing flickers.
    fn typed(&mut self) {
        (self.picked, self.is_whole) = (None, false);
    }

    /// Leaves the list.
    pub fn leave(&mut self) {
        self.picked = None;
    }

    /// The answer would be to something else: what was typed for it is of no use.
    pub fn stop_waiting(&mut self) {
        self.waiting.clear();
    }

    /// Whether the disk is waited for.
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Why what was typed can't be looked at.
    pub fn trouble(&self, typed: &str) -> Option<&str> {
        self.answer(typed)?.trouble.as_deref()
    }

    fn answer(&self, typed: &str) -> Option<&Folders> {
        self.found.as_ref().filter(|(text, _)| text == typed).map(|(_, found)| found)
    }
}

impl NewSession {
    /// Folders that were used before, latest first.
    fn recent(model: &Model) -> Vec<String> {
        let mut sessions: Vec<_> = model.record().sessions.iter().collect();
        sessions.sort_by_key(|s| std::cmp::Reverse(s.created_at));
        let mut all: Vec<String> = Vec::new();
        for session in sessions {
            let path = tilde(session.project_path.trim_end_matches('/'), model);
            if !path.is_empty() && !all.contains(&path) {
                all.push(path);
            }
        }
        all
    }

    /// The folders that are offered, and how many more there are.
    fn offered(&self, model: &Model) -> (Vec<Row>, usize) {
        let most = room(model);
        let typed = self.path.text();
        let recent = Self::recent(model).into_iter().map(|path| Row { path, is_recent: true });
        if typed.is_empty() || self.offer.is_whole {
            return (recent.filter(|r| r.path != typed).take(most).collect(), 0);
        }
        let known = self.offer.found.as_ref().map(|(_, found)| found.names.as_slice()).unwrap_or_default();
        let mut on_disk: Vec<&String> = known.iter().filter(|n| n.starts_with(typed)).collect();
        // The folder itself is no choice, unless others begin like it.
        on_disk.retain(|n| *n != typed || known.len() > 1);
        // A name alone finds a recent folder wherever it is; a path those of the folder that it is in.
        let begins = |path: &str| match typed.contains('/') {
            true => path.starts_with(typed) && folder_of(path) == folder_of(typed),
            false => {
                let last = path.rsplit('/').next().unwrap_or_default();
                last.to_lowercase().starts_with(&typed.to_lowercase())
            }
        };
        // They leave room for what is on the disk.
        let for_recent = most.saturating_sub(on_disk.len()).max(most / 2);
        let mut rows: Vec<Row> =
            recent.filter(|r| r.path != typed && begins(&r.path)).take(for_recent).collect();
        on_disk.retain(|name| rows.iter().all(|r| r.path != **name));
        let left = most.saturating_sub(rows.len());
        rows.extend(on_disk.iter().take(left).map(|name| Row { path: (*name).clone(), is_recent: false }));
        let total = self.offer.answer(typed).map_or(0, |found| found.total);
        let is_beside = |r: &&Row| folder_of(&r.path) == folder_of(typed);
        let beside = rows.iter().filter(is_beside).count();
        // What is no choice is none that could be shown.
        let hidden = usize::from(total == 1 && known.iter().any(|n| n == typed));
        (rows, total.saturating_sub(beside + hidden))
    }

    /// What is below the path while it has the focus. As soon as it is typed these are always as many lines: the field
    /// stays where it is.
    pub(super) fn folder_list(&self, model: &Model) -> Vec<Block> {
        let most = room(model);
        let inner = usize::from(model.app.size.0.saturating_sub(2 * PAD));
        if let Some(mut lines) = self.folder_lines(inner.saturating_sub(LABEL.into()), model) {
            lines.truncate(most);
            let indent = || span(Role::Text, " ".repeat(LABEL.into()));
            let line = |words| Block::Line([vec![indent()], words].concat());
            let mut blocks: Vec<Block> = lines.into_iter().map(line).collect();
            blocks.resize(most, Block::Gap);
            return blocks;
        }
        let (rows, more) = self.offered(model);
        let typed = self.path.text();
        let mixed = !typed.is_empty() && !self.offer.is_whole;
        let last = rows.len().saturating_sub(1);
        let block = |(i, row): (usize, &Row)| {
            let path = text::clean(&row.path);
            let name = match path.rsplit_once('/') {
                Some((_, name)) if mixed && folder_of(&row.path) == folder_of(typed) => format!("{name}/"),
                _ => path,
            };
            let recent = (mixed && row.is_recent).then(|| "recent".to_owned());
            let more = (i == last && more > 0).then(|| format!("{more} more"));
            let right: Vec<String> = recent.into_iter().chain(more).collect();
            let right = right.join(" · ");
            let room = inner.saturating_sub(usize::from(LABEL) + text::cells(&right) + 1);
            // The list is below the text of the field; a row has a mark of two cells.
            let indent = " ".repeat(usize::from(LABEL).saturating_sub(2));
            Block::Item {
                spans: vec![span(Role::Text, indent + &text::fit_end(&name, room))],
                right: if right.is_empty() { Vec::new() } else { vec![span(Role::Dim, right)] },
                selected: self.offer.picked == Some(i),
            }
        };
        let mut blocks: Vec<Block> = rows.iter().enumerate().map(block).collect();
        if !self.offer.is_whole {
            blocks.resize(most, Block::Gap);
        }
        blocks
    }

    /// Takes a key that is for the list.
    pub(super) fn list_key(&mut self, key: Key, model: &Model) -> Option<Step> {
        if self.field() != Field::Path {
            return None;
        }
        let goes_there = matches!(key.code, KeyCode::Tab | KeyCode::Down);
        if self.offer.waits() || goes_there && self.is_unknown() {
            return Some(self.wait(key));
        }
        let (rows, _) = self.offered(model);
        let picked = self.offer.picked.filter(|at| *at < rows.len());
        match (key.code, picked) {
            (KeyCode::Down, None) if !rows.is_empty() => self.offer.picked = Some(0),
            (KeyCode::Down, Some(at)) if at + 1 < rows.len() => self.offer.picked = Some(at + 1),
            (KeyCode::Up, Some(at)) => self.offer.picked = at.checked_sub(1),
            (KeyCode::Esc, Some(_)) => self.offer.picked = None,
            (KeyCode::Enter, Some(at)) => return rows.get(at).map(|row| self.take_folder(&row.path, model)),
            (KeyCode::Tab, Some(at)) => return rows.get(at).map(|row| self.go_deeper(&row.path, model)),
            (KeyCode::Tab, None) => return Some(self.tab(&rows, model)),
            _ => return None,
        }
        Some(Step::Stay(Vec::new()))
    }

    /// Whether it is not known yet what is on the disk for the path.
    fn is_unknown(&self) -> bool {
        let typed = self.path.text();
        !typed.is_empty() && !self.offer.is_whole && self.offer.answer(typed).is_none()
    }

    /// Keeps a key until that is known; esc stops waiting.
    fn wait(&mut self, key: Key) -> Step {
        if key.code == KeyCode::Esc {
            self.offer.waiting.clear();
            return Step::Stay(Vec::new());
        }
        let first = !self.offer.waits();
        self.offer.waiting.push(key);
        Step::Stay(first.then(|| self.look()).into_iter().collect())
    }

    /// Takes the row of the list that is so many rows down.
    pub(super) fn click_folder(&mut self, at: usize, model: &Model) -> Step {
        let (rows, _) = self.offered(model);
        rows.get(at).map_or_else(|| Step::Stay(Vec::new()), |row| self.take_folder(&row.path, model))
    }

    fn take_folder(&mut self, path: &str, model: &Model) -> Step {
        self.path.set(path);
        self.offer = Offer::whole();
        Step::Stay(self.changed(model))
    }

    fn go_deeper(&mut self, path: &str, model: &Model) -> Step {
        self.path.set(&format!("{}/", path.trim_end_matches('/')));
        Step::Stay(self.path_typed(model))
    }

    /// After the path was typed or completed.
    pub(super) fn path_typed(&mut self, model: &Model) -> Vec<Effect> {
        self.offer.typed();
        let mut effects = self.changed(model);
        if !self.path.text().is_empty() {
            effects.push(self.look());
        }
        effects
    }

    fn look(&self) -> Effect {
        Effect::CompletePath(self.number, self.path.text().to_owned())
    }

    /// Tab completes as far as it is clear, then goes to the list; from a path that is whole it goes to the next field.
    fn tab(&mut self, rows: &[Row], model: &Model) -> Step {
        if self.path.text().is_empty()
            && let Some(first) = rows.first()
        {
            return self.take_folder(&first.path, model);
        }
        if self.path.text().is_empty() || self.offer.is_whole {
            self.go(1);
            return Step::Stay(Vec::new());
        }
        let typed = self.path.text().to_owned();
        let found = self.offer.answer(&typed).cloned().unwrap_or_default();
        // These stand for folders with other names; all others are whole, with or without a slash.
        let is_short = typed == "~" || folder_of(&typed).len() + 2 == typed.len() && typed.ends_with("..");
        let is_itself = found.total == 1 && !is_short && found.start.trim_end_matches('/') == typed;
        if found.total > 0 && !is_itself && found.start.len() > typed.len() {
            self.path.set(&found.start);
            return Step::Stay(self.path_typed(model));
        }
        if rows.is_empty() {
            self.go(1);
        } else {
            self.offer.picked = Some(0);
        }
        Step::Stay(Vec::new())
    }

    /// What is on the disk for the path is known.
    pub(super) fn found(&mut self, found: &Folders, model: &Model) -> Step {
        self.offer.found = Some((self.path.text().to_owned(), found.clone()));
        let mut all = Vec::new();
        for key in std::mem::take(&mut self.offer.waiting) {
            match self.key(key, model) {
                Step::Stay(effects) => all.extend(effects),
                Step::Answer(effects) => return Step::Answer([all, effects].concat()),
                ended => return ended,
            }
        }
        Step::Stay(all)
    }
}

/// How many folders a terminal has room for.
fn room(model: &Model) -> usize {
    usize::from(model.app.size.1 / 4).clamp(2, MOST)
}

/// The folder that a path is in, as it is written.
fn folder_of(path: &str) -> &str {
    path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or_default()
}

/// A path as it is typed, in full.
pub(super) fn expand(typed: &str, model: &Model) -> PathBuf {
    let home = model.app.settings.home.as_deref().unwrap_or("/");
    let typed = typed.trim();
    let path = match typed.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(rest) if rest.starts_with('/') => format!("{home}{rest}"),
        _ => typed.to_owned(),
    };
    let joined = model.app.settings.cwd.join(path);
    // A trailing slash is how completion ends; it is not part of the path.
    joined.components().collect()
}

/// A path with the user's home as `~`.
pub(super) fn tilde(path: &str, model: &Model) -> String {
    model.app.settings.tilde(path)
}
