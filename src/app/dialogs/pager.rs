//! Reading a long text: scrolled, searched, copied.

use super::{Dialog, Line, Step, keys};
use crate::app::effect::{Done, Effect};
use crate::app::key::{Key, KeyCode};
use crate::app::markdown;
use crate::app::panel::{Block, Panel, Role, Span, span};
use crate::app::state::Model;
use crate::domain::conversation::{Said, Who};
use crate::domain::id::SessionId;
use crate::domain::text;

/// Rows of the TUI that are not for the text.
const AROUND: u16 = 7;
/// The width it would like, in cells.
const WIDTH: u16 = 110;

/// Where the lines come from.
#[derive(Debug)]
enum Source {
    /// Lines, and how far those that are too long are indented where they continue.
    Lines(Vec<Vec<Span>>, usize),
    /// A conversation.
    Talk(Vec<Said>),
    /// A text as agents and people write it.
    Markdown(String),
}

impl Source {
    fn broken(&self, width: usize) -> Vec<Vec<Span>> {
        match self {
            Self::Lines(lines, hang) => {
                lines.iter().flat_map(|l| markdown::wrapped(l, width, *hang)).collect()
            }
            Self::Talk(said) => markdown::talk(said, width),
            Self::Markdown(text) => markdown::render(text, width),
        }
    }
}

/// A text to be read.
#[derive(Debug)]
pub struct Pager {
    title: String,
    source: Source,
    /// The lines as wrapped for this width; for another width they are wrapped again.
    broken: (usize, Vec<Vec<Span>>),
    /// What is copied.
    copy: Option<String>,
    top: usize,
    /// Whether the end is shown until the reader scrolls.
    at_end: bool,
    find: Option<Line>,
    is_typing: bool,
    /// The session whose conversation it shows, or will.
    awaits: Option<SessionId>,
}

impl Pager {
    /// Shows these lines from their beginning, or from their end. Where one is too long it continues
    /// indented by `hang` cells.
    pub fn new(title: &str, lines: Vec<Vec<Span>>, hang: usize, at_end: bool, model: &Model) -> Self {
        let source = Source::Lines(lines, hang);
        let mut pager = Self {
            title: title.to_owned(),
            source,
            broken: (0, Vec::new()),
            copy: None,
            top: 0,
            at_end,
            find: None,
            is_typing: false,
            awaits: None,
        };
        pager.fit(model);
        pager
    }

    /// Shows a text of markdown.
    pub fn of_markdown(title: &str, text: String, model: &Model) -> Self {
        let mut pager = Self::new(title, Vec::new(), 0, false, model);
        pager.source = Source::Markdown(text);
        pager.broken = (0, Vec::new());
        pager.fit(model);
        pager
    }

    /// One whose text will come.
    pub fn awaiting(title: &str, session: SessionId, model: &Model) -> Self {
        let wait = vec![vec![span(Role::Dim, "reading…")]];
        Self { awaits: Some(session), ..Self::new(title, wait, 0, true, model) }
    }

    /// The cells of a line.
    fn width(model: &Model) -> usize {
        usize::from(model.app.size.0.min(WIDTH)).saturating_sub(6)
    }

    /// Breaks the lines for the TUI's width.
    fn fit(&mut self, model: &Model) {
        let width = Self::width(model);
        if self.broken.0 != width {
            self.broken = (width, self.source.broken(width));
        }
    }

    fn lines(&self) -> &[Vec<Span>] {
        &self.broken.1
    }

    fn height(model: &Model) -> usize {
        usize::from(model.app.size.1.saturating_sub(AROUND)).max(1)
    }

    fn last_top(&self, model: &Model) -> usize {
        self.lines().len().saturating_sub(Self::height(model))
    }

    fn scroll(&mut self, by: isize, model: &Model) {
        let from = if self.at_end { self.last_top(model) } else { self.top };
        self.top = from.saturating_add_signed(by).min(self.last_top(model));
        self.at_end = self.top == self.last_top(model);
    }

    fn words(&self) -> String {
        self.find.as_ref().map(|f| f.text().to_lowercase()).unwrap_or_default()
    }

    fn fits(&self, line: &[Span], words: &str) -> bool {
        !words.is_empty()
            && line.iter().map(|s| s.text.as_str()).collect::<String>().to_lowercase().contains(words)
    }

    /// Goes to the next line with the words, in this direction.
    fn seek(&mut self, forward: bool, model: &Model) {
        let words = self.words();
        let top = if self.at_end { self.last_top(model) } else { self.top };
        let hits: Vec<usize> = (0..self.lines().len())
            .filter(|i| self.lines().get(*i).is_some_and(|l| self.fits(l, &words)))
            .collect();
        let hit = if forward {
            hits.iter().find(|i| **i > top).or(hits.first())
        } else {
            hits.iter().rev().find(|i| **i < top).or(hits.last())
        };
        if let Some(hit) = hit {
            self.top = (*hit).min(self.last_top(model));
            self.at_end = false;
        }
    }

    fn type_find(&mut self, key: Key, model: &Model) {
        match key.code {
            KeyCode::Esc => (self.find, self.is_typing) = (None, false),
            KeyCode::Enter => {
                self.is_typing = false;
                self.seek(true, model);
            }
            _ => {
                if let Some(line) = &mut self.find {
                    line.key(key);
                }
            }
        }
    }
}

impl Dialog for Pager {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        self.fit(model);
        if self.is_typing {
            self.type_find(key, model);
            return Step::Stay(Vec::new());
        }
        let page = isize::try_from(Self::height(model)).unwrap_or(1);
        match (key.code, key.ctrl) {
            (KeyCode::Esc, _) if self.find.is_some() => self.find = None,
            (KeyCode::Esc | KeyCode::Char('q' | 'o' | 'M'), false) => return Step::Close,
            (KeyCode::Char('j') | KeyCode::Down, _) => self.scroll(1, model),
            (KeyCode::Char('k') | KeyCode::Up, _) => self.scroll(-1, model),
            (KeyCode::Char('d'), true) => self.scroll(page / 2, model),
            (KeyCode::Char('u'), true) => self.scroll(-page / 2, model),
            (KeyCode::PageDown | KeyCode::Char(' '), _) => self.scroll(page, model),
            (KeyCode::PageUp, _) => self.scroll(-page, model),
            (KeyCode::Char('g') | KeyCode::Home, _) => self.scroll(isize::MIN, model),
            (KeyCode::Char('G') | KeyCode::End, _) => self.scroll(isize::MAX, model),
            (KeyCode::Char('/'), _) => (self.find, self.is_typing) = (Some(Line::new("")), true),
            (KeyCode::Char('n'), _) => self.seek(true, model),
            (KeyCode::Char('N'), _) => self.seek(false, model),
            (KeyCode::Char('y'), _) => {
                let all = || {
                    self.lines()
                        .iter()
                        .map(|l| l.iter().map(|s| s.text.as_str()).collect::<String>() + "\n")
                        .collect()
                };
                let text = self.copy.clone().unwrap_or_else(all);
                return Step::Stay(vec![Effect::Copy(text)]);
            }
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn answer(&mut self, done: &Done, model: &Model) -> Step {
        if let Done::Said(id, said) = done
            && self.awaits.as_ref() == Some(id)
        {
            let last =
                |said: &[Said]| said.iter().rev().find(|s| s.who == Who::Agent).map(|s| s.text.clone());
            self.copy = said.as_deref().ok().and_then(last);
            self.source = match said {
                Ok(said) if said.is_empty() => {
                    let words = "the conversation is empty, or deck can't read it";
                    Source::Lines(vec![vec![span(Role::Dim, words)]], 0)
                }
                Ok(said) => Source::Talk(said.clone()),
                Err(why) => Source::Lines(vec![vec![span(Role::Error, why.clone())]], 0),
            };
            self.broken = (0, Vec::new());
            self.fit(model);
        }
        Step::Stay(Vec::new())
    }

    fn moved(&self, session: &SessionId) -> Option<Effect> {
        (self.awaits.as_ref() == Some(session)).then(|| Effect::Read(session.clone()))
    }

    fn panel(&self, model: &Model) -> Panel {
        let height = Self::height(model);
        let top = if self.at_end { self.last_top(model) } else { self.top.min(self.last_top(model)) };
        let words = self.words();
        let width = Self::width(model);
        // A window that was resized since: the next key keeps them.
        let rewrapped = (self.broken.0 != width).then(|| self.source.broken(width));
        let lines = rewrapped.as_deref().unwrap_or(self.lines());
        let top = if rewrapped.is_some() { top.min(lines.len().saturating_sub(height)) } else { top };
        let line = |spans: &Vec<Span>| {
            if self.fits(spans, &words) {
                let all: String = spans.iter().map(|s| s.text.as_str()).collect();
                return Block::Line(vec![span(Role::Match, text::fit(&all, width))]);
            }
            let mut room = width;
            let cut = spans.iter().map(|s| {
                let shown = text::fit(&text::clean(&s.text), room);
                room = room.saturating_sub(text::cells(&shown));
                span(s.role, shown)
            });
            Block::Line(cut.collect())
        };
        let mut blocks: Vec<Block> = lines.iter().skip(top).take(height).map(line).collect();
        blocks.resize_with(height, || Block::Gap);
        if let (Some(find), Some(last)) = (&self.find, blocks.last_mut()) {
            let caret = self.is_typing.then(|| find.caret());
            let hits = lines.iter().filter(|l| self.fits(l, &words)).count();
            let note = match hits {
                _ if words.is_empty() => None,
                0 => Some(span(Role::Error, "no match")),
                1 => Some(span(Role::Dim, "1 match")),
                n => Some(span(Role::Dim, format!("{n} matches · n next · N previous"))),
            };
            *last = Block::Field { label: "find".into(), text: find.text().to_owned(), caret, note };
        }
        let place = match lines.len() {
            all if all <= height => String::new(),
            all => format!(" · {} %", (top + height) * 100 / all),
        };
        Panel {
            title: format!("{}{place}", self.title),
            keys: keys(&[("/", "find"), ("y", "copy"), ("esc", "close")]),
            blocks,
            width: WIDTH,
            ..Panel::default()
        }
    }
}
