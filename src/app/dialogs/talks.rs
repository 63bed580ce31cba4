//! The conversations of a project and those that sessions carry.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{Compose, Dialog, Line, Pager, Step, inner, keys, moved_choice, room_for, with_more};
use crate::app::effect::{Done, Effect};
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Role, Span, role_of, span};
use crate::app::state::Model;
use crate::app::talk_work::{TalkName, TalkPage, TalkWork, Whose};
use crate::domain::age;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::text;
use crate::ops::talk::Listed;

/// The width it would like, in cells.
const WIDTH: u16 = 118;
/// Rows of the dialog that are not conversations: its edges, rules, the lines about the selected one, and the last one.
const TAKEN: u16 = 13;
/// How often they are listed while the list is open.
const AGAIN: SignedDuration = SignedDuration::from_secs(3);
/// Lines about the selected conversation's checkpoint.
const ABOUT: usize = 4;
/// Cells of the bar that says how full it is.
const BAR: u64 = 10;
/// From how many cells on there is room for all keys.
const WIDE: usize = 84;
/// From how many cells on there is room for a session's title beside the conversation.
const ROOMY: usize = 60;

/// What is being typed.
#[derive(Debug, Default)]
enum Typing {
    #[default]
    Nothing,
    Find,
    Pin(Line),
}

/// The conversations of a folder.
#[derive(Debug)]
pub struct Talks {
    /// The session of whose project they are; none for the folder that deck was started in.
    of: Option<SessionId>,
    all: Option<Result<Vec<Listed>, String>>,
    at: usize,
    find: Line,
    typing: Typing,
    /// When they were last asked for because time passed.
    listed_at: Timestamp,
    /// What is being compacted, and since when.
    compacts: BTreeMap<TalkName, Timestamp>,
    /// What came of the last thing that was done, or why it can't be done.
    last: Option<Result<String, String>>,
    /// What is over it: the reader, or the composer.
    over: Option<Box<dyn Dialog>>,
}

fn name_of(listed: &Listed) -> TalkName {
    TalkName { root: listed.talk.root.clone(), id: listed.talk.state.id.clone() }
}

/// The session that carries it.
fn carrier<'a>(listed: &Listed, model: &'a Model) -> Option<&'a Session> {
    let carrier = listed.talk.state.carrier.as_ref()?;
    model.record().live_sessions().find(|session| session.id.as_str() == carrier.session)
}

impl Talks {
    /// Those of a session's project, and what asks for them.
    pub fn new(of: Option<SessionId>) -> (Self, Effect) {
        let asks = Effect::Talk(TalkWork::List(of.clone()));
        let dialog = Self {
            of,
            all: None,
            at: 0,
            find: Line::new(""),
            typing: Typing::Nothing,
            listed_at: Timestamp::UNIX_EPOCH,
            compacts: BTreeMap::new(),
            last: None,
            over: None,
        };
        (dialog, asks)
    }

    fn again(&self) -> Effect {
        Effect::Talk(TalkWork::List(self.of.clone()))
    }

    /// Those that what is looked for is in.
    fn rows(&self) -> Vec<&Listed> {
        let words = self.find.text().to_lowercase();
        let fits = |listed: &&Listed| {
            let state = &listed.talk.state;
            let about = format!("{} {}", state.id, state.subject.words()).to_lowercase();
            words.split_whitespace().all(|word| about.contains(word))
        };
        match &self.all {
            Some(Ok(all)) => all.iter().filter(fits).collect(),
            _ => Vec::new(),
        }
    }

    fn selected(&self) -> Option<&Listed> {
        let rows = self.rows();
        rows.get(self.at.min(rows.len().saturating_sub(1))).copied()
    }

    fn refuse(&mut self, why: String) -> Step {
        self.last = Some(Err(why));
        Step::Stay(Vec::new())
    }

    fn open(&mut self, page: TalkPage, model: &Model) -> Step {
        let Some(listed) = self.selected() else { return Step::Stay(Vec::new()) };
        let whose = Whose::Talk(name_of(listed));
        let title = listed.talk.state.subject.words();
        let (pager, effect) = Pager::reading(&text::clean(&title), whose, page, model);
        self.over = Some(Box::new(pager));
        Step::Stay(vec![effect])
    }

    fn send(&mut self, model: &Model) -> Step {
        let Some(listed) = self.selected() else { return Step::Stay(Vec::new()) };
        match carrier(listed, model).map(|session| session.id.clone()) {
            Some(id) => {
                let draft = model.app.drafts.get(&vec![id.clone()]).cloned().unwrap_or_default();
                self.over = Some(Box::new(Compose::new(vec![id], &draft)));
                Step::Stay(Vec::new())
            }
            None => {
                let id = &listed.talk.state.id;
                let why = format!("no session carries it: `deck conversation carry {id} SESSION`");
                self.refuse(why)
            }
        }
    }

    fn compact(&mut self, model: &Model) -> Step {
        let Some(name) = self.selected().map(name_of) else { return Step::Stay(Vec::new()) };
        if self.compacts.contains_key(&name) {
            return self.refuse(format!("{} is being compacted already", name.id));
        }
        self.compacts.insert(name.clone(), model.app.now);
        self.last = None;
        Step::Stay(vec![Effect::Talk(TalkWork::Compact(name))])
    }

    /// Takes a key while something is typed.
    fn type_key(&mut self, key: Key) -> Step {
        match (&mut self.typing, key.code) {
            (Typing::Find, KeyCode::Esc) => {
                (self.find, self.typing) = (Line::new(""), Typing::Nothing);
            }
            (_, KeyCode::Esc) | (Typing::Find, KeyCode::Enter) => self.typing = Typing::Nothing,
            (Typing::Pin(line), KeyCode::Enter) => {
                let words = line.text().trim().to_owned();
                let name = self.selected().map(name_of);
                self.typing = Typing::Nothing;
                if let Some(name) = name.filter(|_| !words.is_empty()) {
                    return Step::Stay(vec![Effect::Talk(TalkWork::Pin(Whose::Talk(name), words))]);
                }
            }
            (Typing::Find, _) => {
                self.find.key(key);
                self.at = 0;
            }
            (Typing::Pin(line), _) => {
                line.key(key);
            }
            (Typing::Nothing, _) => {}
        }
        Step::Stay(Vec::new())
    }

    /// Has what is over it take something.
    fn pass(&mut self, act: impl FnOnce(&mut Box<dyn Dialog>) -> Step) -> Option<Step> {
        let mut over = self.over.take()?;
        Some(match act(&mut over) {
            Step::Stay(effects) => {
                self.over = Some(over);
                Step::Stay(effects)
            }
            Step::Close => Step::Stay(vec![self.again()]),
            // What was sent is in the conversation a moment later.
            Step::Answer(effects) => Step::Stay(effects),
            other => other,
        })
    }
}

impl Dialog for Talks {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        if let Some(step) = self.pass(|over| over.key(key, model)) {
            return step;
        }
        if !matches!(self.typing, Typing::Nothing) {
            return self.type_key(key);
        }
        let last = self.rows().len().saturating_sub(1);
        match key.code {
            KeyCode::Esc if !self.find.text().is_empty() => self.find = Line::new(""),
            KeyCode::Esc | KeyCode::Char('q') if !key.ctrl => return Step::Close,
            KeyCode::Char('j') if !key.ctrl => self.at = (self.at + 1).min(last),
            KeyCode::Char('k') if !key.ctrl => self.at = self.at.min(last).saturating_sub(1),
            KeyCode::Enter => return self.open(TalkPage::Messages, model),
            KeyCode::Char('p') if !key.ctrl => return self.open(TalkPage::Request, model),
            KeyCode::Char('c') if !key.ctrl => return self.compact(model),
            KeyCode::Char('s') if !key.ctrl => return self.send(model),
            KeyCode::Char('/') => self.typing = Typing::Find,
            KeyCode::Char('P') if self.selected().is_some() => self.typing = Typing::Pin(Line::new("")),
            KeyCode::Char('A') => {
                if let Some(name) = self.selected().map(name_of) {
                    return Step::Stay(vec![Effect::Talk(TalkWork::Archive(name))]);
                }
            }
            _ => {
                if let Some(at) = moved_choice(key, self.at, last) {
                    self.at = at;
                }
            }
        }
        Step::Stay(Vec::new())
    }

    fn paste(&mut self, pasted: &str, model: &Model) -> Step {
        if let Some(step) = self.pass(|over| over.paste(pasted, model)) {
            return step;
        }
        match &mut self.typing {
            Typing::Find => self.find.insert(&text::clean(pasted)),
            Typing::Pin(line) => line.insert(&text::clean(pasted)),
            Typing::Nothing => {}
        }
        Step::Stay(Vec::new())
    }

    fn answer(&mut self, done: &Done, model: &Model) -> Step {
        match done {
            Done::Talks(all) => {
                let at = self.selected().map(name_of);
                let is_first = self.all.is_none();
                self.all = Some(all.clone());
                if is_first {
                    let is_its =
                        |row: &&Listed| carrier(row, model).map(|session| &session.id) == self.of.as_ref();
                    self.at = self.rows().iter().position(is_its).unwrap_or_default();
                    return Step::Stay(Vec::new());
                }
                // The selection stays on what it was on.
                let place = at.and_then(|name| self.rows().iter().position(|row| name_of(row) == name));
                self.at = place.unwrap_or(self.at.min(self.rows().len().saturating_sub(1)));
            }
            Done::TalkChanged(name, result) => {
                self.compacts.remove(name);
                self.last = Some(result.clone());
                return Step::Stay(vec![self.again()]);
            }
            _ => {}
        }
        self.pass(|over| over.answer(done, model)).unwrap_or_else(|| Step::Stay(Vec::new()))
    }

    fn moved(&self, session: &SessionId) -> Option<Effect> {
        self.over.as_ref().and_then(|over| over.moved(session))
    }

    fn polled(&mut self, model: &Model) -> Option<Effect> {
        if let Some(over) = &mut self.over {
            return over.polled(model);
        }
        // It asks git, too.
        let is_due = model.app.now.duration_since(self.listed_at) >= AGAIN;
        is_due.then(|| {
            self.listed_at = model.app.now;
            self.again()
        })
    }

    fn ages(&self) -> bool {
        !self.compacts.is_empty()
    }

    fn panel(&self, model: &Model) -> Panel {
        if let Some(over) = &self.over {
            return over.panel(model);
        }
        let mut panel = Panel {
            title: "Conversations".to_owned(),
            keys: keys(&[("esc", "close")]),
            width: WIDTH,
            ..Panel::default()
        };
        let all = match &self.all {
            None => {
                panel.blocks.push(Block::Line(vec![span(Role::Dim, "reading…")]));
                return panel;
            }
            Some(Err(why)) => {
                panel.blocks.push(Block::Text(vec![span(Role::Error, text::clean(why))]));
                return panel;
            }
            Some(Ok(all)) => all,
        };
        if all.is_empty() {
            panel.blocks.extend(empty());
            return panel;
        }
        let rows = self.rows();
        let at = self.at.min(rows.len().saturating_sub(1));
        let room = room_for(model.app.size.1, TAKEN);
        let first = (at + 1).saturating_sub(room);
        let width = inner(WIDTH, model);
        if let Some(listed) = rows.get(at) {
            panel.blocks.push(Block::Line(heading(listed, width, model)));
            panel.blocks.push(Block::Rule);
        }
        for (n, listed) in rows.iter().enumerate().skip(first).take(room) {
            panel.blocks.push(self.item(listed, n == at, width, model));
        }
        if rows.is_empty() {
            panel.blocks.push(Block::Line(vec![span(Role::Dim, "no conversation matches")]));
        }
        panel.blocks.push(Block::Rule);
        if let Some(listed) = rows.get(at) {
            panel.blocks.extend(about(listed, width));
        }
        panel.blocks.push(self.last_line());
        let mut all = vec![
            ("enter", "read"),
            ("c", "compact"),
            ("p", "preview"),
            ("s", "send"),
            ("P", "pin"),
            ("A", "archive"),
            ("/", "find"),
            ("esc", "close"),
        ];
        // What closes it is seen in any case; what is rare isn't.
        all.retain(|(key, _)| *key != "A" || width >= WIDE);
        panel.one_line = true;
        panel.keys = with_more(rows.len().saturating_sub(first + room), &all);
        panel
    }
}

impl Talks {
    /// What is typed, or what came of what was done last.
    fn last_line(&self) -> Block {
        let field = |label: &str, line: &Line, focused: bool| Block::Field {
            label: label.to_owned(),
            text: line.text().to_owned(),
            caret: focused.then(|| line.caret()),
            note: None,
        };
        match (&self.typing, &self.last) {
            (Typing::Pin(line), _) => field("pin", line, true),
            (Typing::Find, _) => field("find", &self.find, true),
            (Typing::Nothing, _) if !self.find.text().is_empty() => field("find", &self.find, false),
            (Typing::Nothing, Some(Ok(words))) => Block::Line(vec![span(Role::Done, text::clean(words))]),
            (Typing::Nothing, Some(Err(why))) => Block::Line(vec![span(Role::Error, text::clean(why))]),
            (Typing::Nothing, None) => Block::Gap,
        }
    }

    fn item(&self, listed: &Listed, selected: bool, width: usize, model: &Model) -> Block {
        let state = &listed.talk.state;
        let session = carrier(listed, model);
        let compacts = self.compacts.get(&name_of(listed));
        let kind = session.and_then(|session| model.state(&session.id)).map(|l| l.verdict.kind());
        let lead = match (compacts.is_some() || state.compactions.lease.is_some(), kind) {
            (true, _) => span(Role::Starting, if model.app.settings.ascii { "~ " } else { "◔ " }),
            (false, Some(kind)) => span(role_of(kind), format!("{} ", model.glyph(kind))),
            (false, None) => span(Role::Faint, if model.app.settings.ascii { "  " } else { "○ " }),
        };
        let mut spans = vec![lead, span(Role::Accent, format!("{} ", text::clean(&state.subject.role)))];
        let about = state.subject.words();
        let about = about.split_once(" · ").map_or(about.as_str(), |(_, rest)| rest);
        spans.push(span(if selected { Role::Title } else { Role::Text }, text::clean(about)));
        let mut right = Vec::new();
        if let Some(since) = compacts {
            right.push(span(Role::Starting, format!("compacting {}  ", age::running(model.app.now, *since))));
        } else if state.compactions.lease.is_some() {
            right.push(span(Role::Starting, "compacting  "));
        } else if let Some(session) = session.filter(|_| width >= ROOMY) {
            let compacted = session.carries.as_ref().is_some_and(|carries| carries.compacted);
            let mark = if compacted { " compacted" } else { "" };
            right.push(span(
                Role::Dim,
                format!("{} ({})", text::clean(&session.title), text::clean(&session.tool)),
            ));
            right.push(span(Role::Waiting, format!("{mark}  ")));
        }
        right.push(span(Role::Dim, format!("{:>5}", size(listed))));
        Block::Item { spans, right, selected }
    }
}

/// How large it is: `~61k`, or what its agent says, without the sign of an estimate.
fn size(listed: &Listed) -> String {
    let sign = if listed.is_estimated { "~" } else { "" };
    format!("{sign}{}", text::thousands(listed.size))
}

/// `12 messages · ~61k of 100k ▰▰▰▰▰▰▱▱▱▱ · checkpoint 3, 2h ago`
fn heading(listed: &Listed, width: usize, model: &Model) -> Vec<Span> {
    let state = &listed.talk.state;
    let messages = usize::try_from(state.stats.total_messages).unwrap_or(usize::MAX);
    let limit = listed.limit.max(1);
    let full = (listed.size.saturating_mul(BAR) / limit).min(BAR);
    let (on, off) = if model.app.settings.ascii { ("#", "-") } else { ("▰", "▱") };
    let bar = |sign: &str, n: u64| sign.repeat(usize::try_from(n).unwrap_or_default());
    let role = if listed.size >= limit * 9 / 10 { Role::Waiting } else { Role::Done };
    let ago =
        listed.checkpoint.compaction_info.compacted_at.as_ref().and_then(|at| at.parse::<Timestamp>().ok());
    let ago = ago.map(|at| format!(", {} ago", age::age(model.app.now, at))).unwrap_or_default();
    let mut spans = vec![span(
        Role::Dim,
        format!("{} · {} of {} ", text::counted(messages, "message"), size(listed), text::thousands(limit)),
    )];
    if width >= ROOMY {
        spans.push(span(role, bar(on, full)));
        spans.push(span(Role::Faint, bar(off, BAR - full)));
        spans.push(span(Role::Dim, " "));
    }
    spans.push(span(Role::Dim, format!("· checkpoint {}{ago}", state.version)));
    spans
}

/// What the checkpoint and the pins of the selected one say, in a few lines.
fn about(listed: &Listed, width: usize) -> Vec<Block> {
    let summary = &listed.checkpoint.summary;
    let pins: Vec<String> = listed.talk.state.pins.iter().map(|pin| pin.text.clone()).collect();
    let lists = [
        ("pinned", &pins),
        ("now", &summary.in_progress),
        ("next", &summary.pending),
        ("blocked", &summary.blockers),
        ("decided", &summary.decisions),
        ("done", &summary.completed),
    ];
    let line = |(name, list): (&str, &Vec<String>)| {
        let words: Vec<String> = list.iter().map(|item| text::clean(item)).collect();
        let words = text::fit(&words.join(" · "), width.saturating_sub(10));
        Block::Line(vec![span(Role::Dim, format!("{name:<9} ")), span(Role::Text, words)])
    };
    let mut lines: Vec<Block> =
        lists.into_iter().filter(|(_, list)| !list.is_empty()).take(ABOUT).map(line).collect();
    if lines.is_empty() {
        let words = "Nothing was compacted yet: all that was said is in its messages.";
        lines.push(Block::Line(vec![span(Role::Dim, words)]));
    }
    if let Some(why) = &listed.talk.state.compactions.error {
        let words = text::fit(&format!("last compaction: {}", text::clean(why)), width);
        lines.push(Block::Line(vec![span(Role::Error, words)]));
    }
    lines.resize_with(ABOUT.max(lines.len()), || Block::Gap);
    lines
}

/// What there is to do where there are none.
fn empty() -> Vec<Block> {
    let words = "There are no conversations here yet. This opens one, and starts an agent that talks in it:";
    let example = "deck conversation open --role dev --feature auth --task login --start -c claude";
    vec![
        Block::Text(vec![span(Role::Text, words)]),
        Block::Text(vec![span(Role::Dim, "$ "), span(Role::Title, example)]),
    ]
}
