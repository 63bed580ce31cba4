//! The conversations of a project and those that sessions carry.

mod show;

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{Compose, Dialog, Line, Pager, Step, moved_choice};
use crate::app::done::Done;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::Panel;
use crate::app::state::Model;
use crate::app::talk_work::{TalkName, TalkPage, TalkWork, Whose};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::text;
use crate::ops::talk::Listed;

/// How often they are listed while the list is open.
const AGAIN: SignedDuration = SignedDuration::from_secs(3);

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
        match &self.over {
            Some(over) => over.panel(model),
            None => self.shown(model),
        }
    }
}
