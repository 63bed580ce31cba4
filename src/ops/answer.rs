//! Answering the question that an agent asks.
//!
//! Invariants: the answer is for the dialog that was shown: one that changed meanwhile is not answered;
//! keys go to a dialog that has been unchanged for a moment, since agents lose keys that come too soon; an
//! answer counts when the dialog is seen to be gone. A dialog that only asks to confirm the choice belongs to it.

use std::time::Duration;

use super::answer_text;
use super::panes::find_row;
use super::watch::{SessionState, Watcher};
use super::{Cx, OpError, OpResult, foreground_agent, guard};
use crate::domain::id::SessionId;
use crate::domain::screen::{AgentDialog, Choice, Lines, Press};
use crate::domain::session::Session;
use crate::domain::status::Reason;
use crate::domain::text;
use crate::ports::mux::{MuxInput, PaneRef, PaneRow, Tag, TagName};

/// How long a dialog must have been unchanged.
pub(super) const STANDS: Duration = Duration::from_millis(300);
/// Between two polls for the effect.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// After how many polls Enter follows a digit that only moved the cursor.
const ENTER: u32 = 5;
/// After how many polls to give up.
const GIVE_UP: u32 = 30;

/// After how many polls what follows an answer has settled.
const SETTLES: u32 = 10;

/// Which choice is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pick {
    Number(u32),
    /// By its words, or the start of them.
    Words(String),
    /// Any text, where one may be typed: at a prompt, or into the one choice that takes some.
    Text(String),
    /// Text for the choice that is meant.
    Into(Box<Pick>, String),
}

impl Pick {
    /// A number, or words.
    pub fn parse(text: &str) -> Self {
        text.trim().parse().map_or_else(|_| Self::Words(text.trim().to_owned()), Self::Number)
    }
}

impl std::fmt::Display for Pick {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Words(words) | Self::Text(words) => f.write_str(words),
            Self::Into(choice, text) => write!(f, "{choice}: {text}"),
        }
    }
}

/// A question as it is shown: its words, and its choices. A key that is pressed for it carries it, so that
/// it answers no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What is asked: in the agent's own words if known, else from its screen.
    pub asks: Option<String>,
    /// The choices.
    pub dialog: AgentDialog,
}

impl Question {
    /// What a session asks, if it has choices that can be read.
    pub fn of(state: &SessionState) -> Option<Self> {
        let dialog = state.dialog.clone()?;
        Some(Self { asks: state.verdict.asks.clone().or_else(|| dialog.asks.clone()), dialog })
    }

    /// Whether it is the same question with the same choices, wherever the cursor is.
    pub fn is_same(&self, other: &Self) -> bool {
        self.asks == other.asks && self.dialog.is_same(&other.dialog)
    }
}

/// What became of an answer.
#[derive(Debug)]
pub struct Answered {
    /// The choice that was taken.
    pub choice: Choice,
    /// What was seen then.
    pub state: Option<SessionState>,
}

/// Answers the question that a session asks. With `shown`, only if it is still that one.
///
/// # Errors
/// [`OpError::NothingAsked`], [`OpError::DialogChanged`], [`OpError::NoChoice`], [`OpError::NotAChoice`]
/// when nothing was pressed; [`OpError::NotTaken`] when nothing came of it.
pub fn answer(cx: &Cx, id: &SessionId, pick: &Pick, shown: Option<&Question>) -> OpResult<Answered> {
    let session = cx.session(id)?;
    let row = find_row(cx, &session)?.filter(|r| r.facts.dead.is_none());
    let Some(row) = row else { return Err(OpError::NotRunning(session.name())) };
    guard::check_answer(cx, &session, &row, pick)?;
    let before = asked(cx, &session, &row)?;
    let changed = || OpError::DialogChanged(session.name());
    if shown.is_some_and(|s| !s.dialog.is_same(&before)) {
        return Err(changed());
    }
    let (choice, text) = chosen(&session, &before, pick)?;
    cx.pause(STANDS)?;
    if let Some(shown) = shown {
        // The choices may be the same and the question another one: its words come from other sources, too.
        let snapshot = Watcher::of([id.clone()]).tick(cx)?;
        let asked = snapshot.state(id).and_then(Question::of);
        if !asked.is_some_and(|q| q.is_same(shown)) {
            return Err(changed());
        }
    }
    // Once more: the cursor may have moved, too.
    let seen = read(cx, &session, &row)?.filter(|s| s.dialog == before).ok_or_else(changed)?;
    complete(cx, &session, &row, &seen, (&choice, text.as_deref()))?;
    let mut watcher = Watcher::of([id.clone()]);
    let mut state = watcher.tick(cx)?.state(id).cloned();
    // A screen that looks ready may be one between the dialog and the work that follows.
    for _ in 0..SETTLES {
        if state.as_ref().is_none_or(|l| l.verdict.memory.pending.is_none()) {
            break;
        }
        cx.pause(POLL_INTERVAL).map_err(|_| OpError::CancelledAnswered(session.name()))?;
        state = watcher.tick(cx)?.state(id).cloned();
    }
    Ok(Answered { choice, state })
}

/// Takes a choice, and what confirms it. A caller who no longer waits doesn't end it halfway.
fn complete(
    cx: &Cx,
    session: &Session,
    row: &PaneRow,
    seen: &Seen,
    (choice, text): (&Choice, Option<&str>),
) -> OpResult<()> {
    let _whole = cx.cancel.hold_off();
    cx.check_cancelled()?;
    let cx = &cx.uncancelled();
    let mut pressed_at = cx.clock.now();
    match text {
        Some(text) => answer_text::write(cx, session, row, seen, choice, text)?,
        None => take(cx, session, row, seen, choice)?,
    }
    if let Some((seen, second)) = second_half(cx, session, row, choice)? {
        pressed_at = cx.clock.now();
        take(cx, session, row, &seen, &second)?;
    }
    // What was reported of the question before it was answered counts no more.
    let at = pressed_at.as_millisecond().to_string();
    Ok(cx.mux.tag(&row.session, &[Tag::new(TagName::Answered, at)])?)
}

/// Presses a choice, and waits until its dialog is gone.
fn take(cx: &Cx, session: &Session, row: &PaneRow, seen: &Seen, choice: &Choice) -> OpResult<()> {
    press(&*cx.mux, &row.pane, choice, &seen.dialog)?;
    super::acknowledge(cx, &session.id)?;
    for n in 1..=GIVE_UP {
        cx.pause(POLL_INTERVAL)?;
        let after = read(cx, session, row)?;
        let after = match choice.press {
            Press::Line => after.filter(|s| !line_went(cx, &row.pane, seen, s)),
            _ => after.filter(|s| s.dialog.is_same(&seen.dialog) && !came_again(seen, s)),
        };
        let Some(same) = after else { return Ok(()) };
        let is_there = same.dialog.choices.iter().any(|c| c.here && c.number == choice.number);
        if n == ENTER && is_there && choice.press == Press::Number {
            cx.mux.keys(&row.pane, &["Enter"])?;
        }
    }
    Err(OpError::NotTaken { session: session.name(), choice: choice.label.clone() })
}

/// The dialog that asks to confirm what was just chosen, with the choice that does: it is the same decision. Any
/// other dialog is the user's to answer.
fn second_half(
    cx: &Cx,
    session: &Session,
    row: &PaneRow,
    choice: &Choice,
) -> OpResult<Option<(Seen, Choice)>> {
    let known =
        foreground_agent::tool_of(cx, session, row).is_some_and(|entry| entry.rules().is_confirmed(choice));
    for _ in 0..if known { DRAWN } else { 0 } {
        let seen = read(cx, session, row)?;
        if let Some(seen) = seen.filter(|s| s.dialog.confirmation(choice).is_some()) {
            cx.pause(STANDS)?;
            let again = read(cx, session, row)?.filter(|s| s.dialog == seen.dialog);
            let second = again.as_ref().and_then(|s| s.dialog.confirmation(choice)).cloned();
            return Ok(again.zip(second));
        }
        cx.pause(POLL_INTERVAL)?;
    }
    Ok(None)
}

/// Whether what looks like the dialog from before is the next one: its cursor is where it was, but what
/// else is on the screen is not what it was. Enter must not answer that one.
fn came_again(before: &Seen, now: &Seen) -> bool {
    now.dialog == before.dialog && now.screen != before.screen
}

/// Whether a line of text left its prompt: the cursor is below, or something else is, or the prompt
/// came again.
fn line_went(cx: &Cx, pane: &PaneRef, before: &Seen, now: &Seen) -> bool {
    let asks = before.dialog.asks.as_deref().unwrap_or_default();
    let lines = Lines::of(&now.screen).text;
    let Some(at) = lines.iter().rposition(|l| l.contains(asks)) else { return true };
    let below = lines.iter().skip(at + 1).any(|l| !l.trim().is_empty());
    let is_bare = lines.get(at).is_some_and(|l| l.trim_end().ends_with(asks));
    let cursor = cx.mux.capture(pane, 0).ok().flatten().and_then(|p| p.cursor);
    below || cursor.is_some_and(|c| usize::from(c.1) > at) || (is_bare && now.screen != before.screen)
}

/// How often a dialog that was announced is looked for, until it is drawn.
const DRAWN: u32 = 10;

/// The question that a session asks, with its choices.
///
/// # Errors
/// [`OpError::NotRunning`], [`OpError::NothingAsked`].
pub fn question(cx: &Cx, id: &SessionId) -> OpResult<AgentDialog> {
    let session = cx.session(id)?;
    let row = find_row(cx, &session)?.filter(|r| r.facts.dead.is_none());
    let Some(row) = row else { return Err(OpError::NotRunning(session.name())) };
    asked(cx, &session, &row)
}

/// The dialog on a session's screen. An agent may report that it asks before it draws what.
fn asked(cx: &Cx, session: &Session, row: &PaneRow) -> OpResult<AgentDialog> {
    let mut watcher = Watcher::of([session.id.clone()]);
    for _ in 0..DRAWN {
        if let Some(seen) = read(cx, session, row)? {
            return Ok(seen.dialog);
        }
        let snapshot = watcher.tick(cx)?;
        let reason = snapshot.state(&session.id).and_then(|l| l.verdict.reason.clone());
        if !matches!(reason, Some(Reason::Blocked(_))) {
            break;
        }
        cx.pause(POLL_INTERVAL)?;
    }
    Err(OpError::NothingAsked(session.name()))
}

/// A dialog, and the screen that shows it.
pub(super) struct Seen {
    pub dialog: AgentDialog,
    pub screen: String,
}

/// The dialog on a session's screen at this moment.
pub(super) fn read(cx: &Cx, session: &Session, row: &PaneRow) -> OpResult<Option<Seen>> {
    let Some(entry) = foreground_agent::tool_of(cx, session, row) else { return Ok(None) };
    let screen = cx.mux.screens(std::slice::from_ref(&row.pane))?.into_iter().next().flatten();
    Ok(screen.and_then(|screen| {
        let lines = Lines::of(&screen);
        let reading = entry.rules().read_part(&lines, &row.facts.title, false);
        let dialog = entry.rules().dialog(&lines, &reading)?;
        Some(Seen { dialog, screen })
    }))
}

/// The choice that is meant, if it can be taken, and the text to write into its field.
fn chosen(session: &Session, dialog: &AgentDialog, pick: &Pick) -> OpResult<(Choice, Option<String>)> {
    let no_text = || OpError::NoText(session.name());
    let typed = |choice: &Choice| OpError::NotAChoice {
        session: session.name(),
        choice: choice.label.clone(),
        is_text: choice.is_text && !dialog.several,
    };
    match pick {
        Pick::Text(text) if dialog.takes_text => {
            // A line break would be an answer of its own.
            let label = text::clean(text);
            let line = Choice { number: 0, label, is_text: false, here: false, press: Press::Line };
            Ok((line, None))
        }
        Pick::Text(text) => {
            let mut fields = dialog.choices.iter().filter(|c| c.is_text);
            match (fields.next(), fields.next()) {
                (Some(one), None) => {
                    chosen(session, dialog, &Pick::Into(Box::new(Pick::Number(one.number)), text.clone()))
                }
                _ => Err(no_text()),
            }
        }
        Pick::Into(which, text) => {
            let choice = meant(session, dialog, which)?;
            let text = text::clean(text).trim().to_owned();
            if dialog.several || (choice.is_text && text.is_empty()) {
                return Err(typed(choice));
            }
            if choice.is_text { Ok((choice.clone(), Some(text))) } else { Err(no_text()) }
        }
        Pick::Number(_) | Pick::Words(_) => {
            let choice = meant(session, dialog, pick)?;
            if choice.is_text || dialog.several { Err(typed(choice)) } else { Ok((choice.clone(), None)) }
        }
    }
}

/// The choice of this number, or with these words.
fn meant<'a>(session: &Session, dialog: &'a AgentDialog, pick: &Pick) -> OpResult<&'a Choice> {
    let all = &dialog.choices;
    let words = match pick {
        Pick::Number(n) => n.to_string(),
        Pick::Words(words) | Pick::Text(words) | Pick::Into(_, words) => words.clone(),
    };
    let is_meant = |c: &&Choice| match pick {
        Pick::Number(n) => c.number == *n,
        Pick::Words(words) => c.is_called(words) || is_long_for(c, words),
        Pick::Text(_) | Pick::Into(..) => false,
    };
    let begins = |c: &&Choice| matches!(pick, Pick::Words(w) if !w.is_empty() && c.starts_with(w));
    if let Some(exact) = all.iter().find(is_meant) {
        return Ok(exact);
    }
    let named = |c: &Choice| format!("{} {}", c.number, c.label);
    match all.iter().filter(begins).collect::<Vec<_>>()[..] {
        [one] => Ok(one),
        [] => {
            let choices = all.iter().map(named).collect();
            Err(OpError::NoChoice { session: session.name(), pick: words, choices })
        }
        ref several => {
            let choices = several.iter().map(|c| named(c)).collect();
            Err(OpError::SeveralChoices { session: session.name(), pick: words, choices })
        }
    }
}

/// Whether a word is what one letter of a `[y/n]` stands for.
fn is_long_for(choice: &Choice, word: &str) -> bool {
    let word = word.to_lowercase();
    choice.press == Press::Line
        && matches!((choice.label.as_str(), word.as_str()), ("y", "yes") | ("n", "no"))
}

fn press(mux: &dyn MuxInput, pane: &PaneRef, choice: &Choice, dialog: &AgentDialog) -> OpResult<()> {
    match choice.press {
        Press::Line => {
            if !dialog.typed.is_empty() {
                mux.keys(pane, &["C-u"])?;
            }
            mux.type_text(pane, &choice.label)?;
            mux.keys(pane, &["Enter"])?;
        }
        Press::Number => mux.keys(pane, &[&choice.number.to_string()])?,
        Press::Steps(steps) => {
            let way = if steps < 0 { "Up" } else { "Down" };
            let mut keys = vec![way; usize::try_from(steps.unsigned_abs()).unwrap_or(0)];
            keys.push("Enter");
            mux.keys(pane, &keys)?;
        }
        Press::Key(key) => mux.type_text(pane, &key.to_string())?,
        // SGR mouse mode (xterm, mode 1006): a press and a release of the left button.
        Press::At(column, row) => {
            mux.type_text(pane, &format!("\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m"))?;
        }
    }
    Ok(())
}
