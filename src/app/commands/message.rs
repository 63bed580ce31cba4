//! Talking with sessions: typing, sending, answering, reading, copying.

use super::{A_SESSION, Command, always, on_session};
use crate::app::dialogs::{Answer, Compose, Explain, Pager};
use crate::app::effect::Effect;
use crate::app::panel::{Role, span};
use crate::app::state::Model;
use crate::app::talk_work::{TalkPage, Whose};
use crate::app::{marks, pass_through};
use crate::domain::id::SessionId;
use crate::domain::screen::Lines;
use crate::domain::session::Session;
use crate::domain::status::StatusKind;
use crate::domain::{age, text};

/// The words for commands that need an agent to talk to.
const RUNNING: &str = "select a running session";

/// The command that answers a question.
pub(super) const ANSWER: &str = "answer";

/// The command that writes a message.
pub(super) const SEND: &str = "send";

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: ANSWER,
        title: "answer",
        doc: "Answer the session's question: by number, or a prompt by text.",
        keys: &["a"],
        footer: Some(1),
        applies: |m| asking(m).is_some(),
        needs: A_SESSION,
        run: answer,
    },
    Command {
        id: "type",
        title: "type",
        doc: "Type into the session; keys go to its agent until ctrl-q.",
        keys: &["i"],
        footer: Some(2),
        applies: |m| m.terminal().is_some() || m.selected().is_some_and(|id| pass_through::lives(m, id)),
        needs: RUNNING,
        run: pass_through::begin,
    },
    Command {
        id: SEND,
        title: "send",
        doc: "Write a message to the session, to all marked ones (v), or to all of the group.",
        keys: &["s"],
        footer: Some(2),
        applies: |m| marks::targets(m).iter().any(|id| pass_through::lives(m, id)),
        needs: RUNNING,
        run: send,
    },
    Command {
        id: "seen",
        title: "mark seen",
        doc: "Mark a finished turn as seen, or all of the group (attaching or typing does too).",
        keys: &["."],
        footer: Some(1),
        applies: |m| !finished(m).is_empty(),
        needs: "no finished turn here",
        run: |m| finished(m).into_iter().map(Effect::Acknowledge).collect(),
    },
    Command {
        id: "read",
        title: "read",
        doc: "Read the session's conversation.",
        keys: &["o"],
        footer: Some(7),
        applies: on_session,
        needs: A_SESSION,
        run: read,
    },
    Command {
        id: "copy-answer",
        title: "copy answer",
        doc: "Copy the agent's last answer to the clipboard.",
        keys: &["y"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: |m| m.selected().cloned().map(Effect::CopyAnswer).into_iter().collect(),
    },
    Command {
        id: "copy-screen",
        title: "copy screen",
        doc: "Copy the session's screen to the clipboard.",
        keys: &["Y"],
        footer: None,
        applies: |m| m.capture().is_some(),
        needs: "the session's screen is empty",
        run: copy_screen,
    },
    Command {
        id: "explain",
        title: "explain",
        doc: "Show why the session has its status.",
        keys: &["E"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: explain,
    },
    Command {
        id: "log",
        title: "messages",
        doc: "Show past messages.",
        keys: &["M"],
        footer: None,
        applies: always,
        needs: "",
        run: log,
    },
];

/// The session whose question is answered: the selected one, or the first of the selected group that asks.
fn asking(model: &Model) -> Option<SessionId> {
    if let Some(group) = model.group() {
        let is_in = |s: &Session| s.group_path.is_within(group);
        let mut asking = model.attention().into_iter().filter(|(s, l)| l.dialog.is_some() && is_in(s));
        return asking.next().map(|(s, _)| s.id.clone());
    }
    model.selected().filter(|id| model.state(id).is_some_and(|l| l.dialog.is_some())).cloned()
}

/// Why there is nothing to answer here.
pub(super) fn nothing_to_answer(model: &Model) -> String {
    let asks = model.selected().and_then(|id| model.state(id)).map(|s| s.verdict.kind() == StatusKind::Asks);
    let title = model.session().map(|s| text::clean(&s.title)).unwrap_or_default();
    match asks {
        Some(true) => {
            let key = model.app.keymap.key("open");
            format!("{title} asks on its screen only; {key} attaches")
        }
        Some(false) => format!("{title} asks nothing right now"),
        None if model.group().is_some() => "no question to answer in this group".to_owned(),
        None => A_SESSION.to_owned(),
    }
}

fn answer(model: &mut Model) -> Vec<Effect> {
    let Some(id) = asking(model) else { return Vec::new() };
    // What it asks is seen beside the dialog.
    let effects = if model.selected() == Some(&id) { Vec::new() } else { model.go_to(&id) };
    model.dialogs.push(Box::new(Answer::new(id)));
    effects
}

fn explain(model: &mut Model) -> Vec<Effect> {
    if let Some(session) = model.session() {
        let dialog = Explain::new(session.id.clone());
        model.dialogs.push(Box::new(dialog));
    }
    Vec::new()
}

/// What a command works on, as far as it is finished and not seen yet.
fn finished(model: &Model) -> Vec<SessionId> {
    let is_finished = |id: &SessionId| model.state(id).is_some_and(|l| l.verdict.kind() == StatusKind::Done);
    marks::targets(model).into_iter().filter(is_finished).collect()
}

fn send(model: &mut Model) -> Vec<Effect> {
    let mut to = marks::targets(model);
    if marks::is_on_group(model) {
        to.retain(|id| pass_through::lives(model, id));
    }
    // What was not sent at the start is on disk.
    let first = match &to[..] {
        [one] => model.record().session(one).and_then(|s| s.draft.clone()),
        _ => None,
    };
    let draft = model.app.drafts.remove(&to).or(first).unwrap_or_default();
    let dialog = Compose::new(to, &draft);
    model.dialogs.push(Box::new(dialog));
    Vec::new()
}

fn read(model: &mut Model) -> Vec<Effect> {
    let Some(session) = model.session() else { return Vec::new() };
    let (id, title) = (session.id.clone(), text::clean(&session.title));
    let (pager, asks) = Pager::reading(&title, Whose::Session(id), TalkPage::Messages, model);
    model.dialogs.push(Box::new(pager));
    vec![asks]
}

fn copy_screen(model: &mut Model) -> Vec<Effect> {
    let Some(capture) = model.capture() else { return Vec::new() };
    let raw: Vec<_> = capture.lines.iter().map(|l| String::from_utf8_lossy(l).into_owned()).collect();
    let plain: String =
        Lines::of(&raw.join("\n")).raw.iter().map(|l| format!("{}\n", l.trim_end())).collect();
    vec![Effect::Copy(plain.trim_end().to_owned())]
}

/// Cells before a message: its age.
const AGES: usize = 6;

fn log(model: &mut Model) -> Vec<Effect> {
    let line = |(at, toast): &(jiff::Timestamp, crate::app::Toast)| {
        let role = if toast.is_error { Role::Error } else { Role::Text };
        vec![
            span(Role::Dim, format!("{:>4}  ", age::age(model.app.now, *at))),
            span(role, text::clean(&toast.text)),
        ]
    };
    let mut lines: Vec<_> = model.app.messages.log.iter().map(line).collect();
    if lines.is_empty() {
        lines.push(vec![span(Role::Dim, "no messages yet")]);
    }
    let pager = Pager::new("Messages", lines, AGES, true, model);
    model.dialogs.push(Box::new(pager));
    Vec::new()
}
