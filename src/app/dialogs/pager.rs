//! Reading a long text: scrolled, searched, copied.

use super::{Dialog, Line, Step, keys};
use crate::app::done::Done;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::markdown;
use crate::app::panel::{Block, Panel, Role, Span, span};
use crate::app::state::Model;
use crate::app::talk_work::{PageText, TalkPage, TalkWork, Whose};
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
    /// Its lines, each with the number of the message that it is of; 0 where there are none.
    fn broken(&self, width: usize) -> Vec<(usize, Vec<Span>)> {
        let plain = |lines: Vec<Vec<Span>>| lines.into_iter().map(|line| (0, line)).collect();
        match self {
            Self::Lines(lines, hang) => {
                plain(lines.iter().flat_map(|l| markdown::wrapped(l, width, *hang)).collect())
            }
            Self::Talk(said) => markdown::talk(said, width),
            Self::Markdown(text) => plain(markdown::render(text, width)),
        }
    }
}

/// Where the words come from that are read, where they can be read in several ways.
#[derive(Debug)]
struct Reading {
    whose: Whose,
    page: TalkPage,
    /// Whether the page that is shown is the one that was asked for.
    is_there: bool,
}

/// What asks for a page.
fn asks(whose: &Whose, page: TalkPage) -> Effect {
    Effect::Talk(TalkWork::Read(whose.clone(), page))
}

/// A text to be read.
#[derive(Debug)]
pub struct Pager {
    title: String,
    source: Source,
    /// The lines as wrapped for this width; for another width they are wrapped again.
    broken: (usize, Vec<(usize, Vec<Span>)>),
    /// What is copied.
    copy: Option<String>,
    top: usize,
    /// Whether the end is shown until the reader scrolls.
    at_end: bool,
    find: Option<Line>,
    is_typing: bool,
    /// Whose words it shows, or will.
    reads: Option<Reading>,
    /// The message that is marked.
    marked: Option<usize>,
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
            reads: None,
            marked: None,
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

    /// One whose text will come: a page of what was said, and what asks for it.
    pub fn reading(title: &str, whose: Whose, page: TalkPage, model: &Model) -> (Self, Effect) {
        let wait = vec![vec![span(Role::Dim, "reading…")]];
        let mut pager = Self::new(title, wait, 0, page == TalkPage::Messages, model);
        let asks = asks(&whose, page);
        pager.reads = Some(Reading { whose, page, is_there: false });
        (pager, asks)
    }

    /// Goes to another page.
    fn turn_to(&mut self, page: TalkPage) -> Step {
        let Some(reading) = &mut self.reads else { return Step::Stay(Vec::new()) };
        (reading.page, reading.is_there) = (page, false);
        (self.marked, self.find) = (None, None);
        Step::Stay(vec![asks(&reading.whose, page)])
    }

    /// Shows a page, or why it can't be shown.
    fn put(&mut self, text: &Result<PageText, String>, model: &Model) {
        let is_new =
            self.reads.as_mut().is_some_and(|reading| !std::mem::replace(&mut reading.is_there, true));
        self.copy = None;
        let marked = self.marked.and_then(|at| self.words_of(at));
        self.source = match text {
            Ok(PageText::Said(said)) if said.is_empty() => {
                let words = "the conversation is empty, or deck can't read it";
                Source::Lines(vec![vec![span(Role::Dim, words)]], 0)
            }
            Ok(PageText::Said(said)) => {
                let last = said.iter().rev().find(|s| s.who == Who::Agent);
                self.copy = last.map(|s| s.text.clone());
                Source::Talk(said.clone())
            }
            Ok(PageText::Markdown(text)) => Source::Markdown(text.clone()),
            Err(why) => Source::Lines(vec![vec![span(Role::Error, why.clone())]], 0),
        };
        // What was marked may be elsewhere by now, or gone.
        self.marked = marked.and_then(|words| {
            self.messages().into_iter().rev().find(|at| self.words_of(*at).as_ref() == Some(&words))
        });
        if is_new {
            self.top = 0;
            self.at_end = matches!(self.source, Source::Talk(_));
        }
        self.broken = (0, Vec::new());
        self.fit(model);
    }

    /// The messages that can be marked: those of the user and of the agent.
    fn messages(&self) -> Vec<usize> {
        match &self.source {
            Source::Talk(said) => {
                said.iter().enumerate().filter(|(_, one)| one.who != Who::Tool).map(|(n, _)| n).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a message says.
    fn words_of(&self, at: usize) -> Option<String> {
        match &self.source {
            Source::Talk(said) => said.get(at).map(|one| one.text.clone()),
            _ => None,
        }
    }

    /// Marks the message before or behind the marked one, at first the last one that is shown.
    fn mark(&mut self, forward: bool, model: &Model) {
        let all = self.messages();
        let top = if self.at_end { self.last_top(model) } else { self.top };
        let bottom = (top + Self::height(model)).min(self.lines().len()).saturating_sub(1);
        let last_shown = self.lines().get(bottom).map(|(owner, _)| *owner);
        let next = match (self.marked, forward) {
            (Some(at), true) => all.iter().find(|n| **n > at).copied().or(Some(at)),
            (Some(at), false) => all.iter().rev().find(|n| **n < at).copied().or(Some(at)),
            (None, _) => last_shown.and_then(|shown| all.iter().rev().find(|n| **n <= shown).copied()),
        };
        self.marked = next.or_else(|| all.last().copied());
        self.fit(model);
        let Some(marked) = self.marked else { return };
        let owned = |(_, (owner, _)): &(usize, &(usize, Vec<Span>))| *owner == marked;
        let lines: Vec<usize> = self.lines().iter().enumerate().filter(owned).map(|(at, _)| at).collect();
        let (Some(first), Some(end)) = (lines.first().copied(), lines.last().copied()) else { return };
        let height = Self::height(model);
        let top = if self.at_end { self.last_top(model) } else { self.top };
        if first < top || end >= top + height {
            self.top = if first < top { first } else { (end + 1).saturating_sub(height).min(first) };
            self.top = self.top.min(self.last_top(model));
            self.at_end = false;
        }
    }

    /// Pins the marked message, or the last one.
    fn pin(&self) -> Step {
        let all = self.messages();
        let at = self.marked.or_else(|| all.last().copied());
        let (Some(reading), Some(text)) = (&self.reads, at.and_then(|at| self.words_of(at))) else {
            return Step::Stay(Vec::new());
        };
        Step::Stay(vec![Effect::Talk(TalkWork::Pin(reading.whose.clone(), text))])
    }

    /// The cells of a line.
    fn width(model: &Model) -> usize {
        usize::from(model.app.size.0.min(WIDTH)).saturating_sub(6)
    }

    /// The cells of a line of text: a mark takes two.
    fn text_width(&self, model: &Model) -> usize {
        Self::width(model).saturating_sub(if self.marked.is_some() { 2 } else { 0 })
    }

    /// Breaks the lines for the TUI's width.
    fn fit(&mut self, model: &Model) {
        let width = self.text_width(model);
        if self.broken.0 != width {
            self.broken = (width, self.source.broken(width));
        }
    }

    fn lines(&self) -> &[(usize, Vec<Span>)] {
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
            .filter(|i| self.lines().get(*i).is_some_and(|(_, l)| self.fits(l, &words)))
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
            (KeyCode::Char('}'), _) => self.mark(true, model),
            (KeyCode::Char('{'), _) => self.mark(false, model),
            (KeyCode::Tab, _) => {
                if let Some(page) = self.reads.as_ref().map(|reading| reading.page.next()) {
                    return self.turn_to(page);
                }
            }
            (KeyCode::Char('c'), false) => return self.turn_to(TalkPage::Checkpoint),
            (KeyCode::Char('p'), false) => return self.pin(),
            (KeyCode::Char('y'), _) => {
                let all = || {
                    self.lines()
                        .iter()
                        .map(|(_, l)| l.iter().map(|s| s.text.as_str()).collect::<String>() + "\n")
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
        let Some(reading) = &self.reads else { return Step::Stay(Vec::new()) };
        match done {
            Done::TalkPage(whose, page, text) if *whose == reading.whose && *page == reading.page => {
                self.put(text, model);
            }
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn moved(&self, session: &SessionId) -> Option<Effect> {
        let reading = self.reads.as_ref().filter(|reading| reading.page == TalkPage::Messages)?;
        (reading.whose == Whose::Session(session.clone())).then(|| asks(&reading.whose, reading.page))
    }

    fn panel(&self, model: &Model) -> Panel {
        let height = Self::height(model);
        let top = if self.at_end { self.last_top(model) } else { self.top.min(self.last_top(model)) };
        let words = self.words();
        let width = self.text_width(model);
        // A window that was resized since: the next key keeps them.
        let rewrapped = (self.broken.0 != width).then(|| self.source.broken(width));
        let lines = rewrapped.as_deref().unwrap_or(self.lines());
        let top = if rewrapped.is_some() { top.min(lines.len().saturating_sub(height)) } else { top };
        let line = |(owner, spans): &(usize, Vec<Span>)| {
            let mark = self.marked.map(|marked| {
                let sign = if model.app.settings.ascii { "> " } else { "▌ " };
                span(Role::Accent, if marked == *owner { sign } else { "  " })
            });
            if self.fits(spans, &words) {
                let all: String = spans.iter().map(|s| s.text.as_str()).collect();
                let found = span(Role::Match, text::fit(&all, width));
                return Block::Line(mark.into_iter().chain([found]).collect());
            }
            let mut room = width;
            let cut = spans.iter().map(|s| {
                let shown = text::fit(&text::clean(&s.text), room);
                room = room.saturating_sub(text::cells(&shown));
                span(s.role, shown)
            });
            Block::Line(mark.into_iter().chain(cut).collect())
        };
        let mut blocks: Vec<Block> = lines.iter().skip(top).take(height).map(line).collect();
        blocks.resize_with(height, || Block::Gap);
        if let (Some(find), Some(last)) = (&self.find, blocks.last_mut()) {
            let caret = self.is_typing.then(|| find.caret());
            let hits = lines.iter().filter(|(_, l)| self.fits(l, &words)).count();
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
        let page = match &self.reads {
            Some(reading) if reading.page != TalkPage::Messages => format!(" · {}", reading.page.word()),
            _ => String::new(),
        };
        let mut all = keys(&[("/", "find"), ("y", "copy"), ("esc", "close")]);
        if let Some(reading) = &self.reads {
            let pins = keys(&[("p", "pin"), ("{ }", "mark")]);
            let more = keys(&[("tab", reading.page.next().word()), ("c", "checkpoint")]);
            let pins = pins.into_iter().filter(|_| reading.page == TalkPage::Messages);
            let more = more.into_iter().filter(|(_, word)| *word != reading.page.word());
            let mut first: Vec<(String, String)> = more.chain(pins).collect();
            // Both lead there.
            first.retain(|(key, _)| key != "c" || reading.page == TalkPage::Request);
            all.splice(0..0, first);
        }
        Panel {
            title: format!("{}{page}{place}", self.title),
            keys: all,
            blocks,
            width: WIDTH,
            ..Panel::default()
        }
    }
}
