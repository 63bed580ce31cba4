//! Effects: what the loop does for the model, as data. Each answers with [`Done`].

use std::path::PathBuf;

use super::model::Settings;
use crate::domain::group::GroupPath;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::tree::DeleteMode;
use crate::ops::{self, Deck, New, OpError};

/// Something to be done outside of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Hand the terminal to a session.
    Attach(SessionId),
    /// Show this session's picture; none to show none.
    Watch(Option<SessionId>),
    /// Look at all sessions now.
    Refresh,
    /// Add a session.
    Create(Box<New>),
    /// Give a session its first prompt as soon as it is ready.
    Prompt(SessionId, String),
    /// Say what adding it would run; the number tells answers apart.
    Prepare(u64, Box<New>),
    /// Complete a path; the number tells answers apart.
    CompletePath(u64, String),
    /// Start a session.
    Start(SessionId),
    /// Restart a session; with a new conversation if told so.
    Restart(SessionId, bool),
    /// Stop a session.
    Stop(SessionId),
    /// Delete sessions, stopping those that run.
    Delete(Vec<SessionId>),
    /// Bring back what was deleted last.
    Undo,
    /// Give a session another title.
    Rename(SessionId, String),
    /// Put a session into a group.
    MoveTo(SessionId, GroupPath),
    /// Move a session among its siblings.
    Reorder(SessionId, i64),
    /// Make a group.
    AddGroup(GroupPath),
    /// Give a group another name.
    RenameGroup(GroupPath, String),
    /// Put a group below another one.
    MoveGroup(GroupPath, GroupPath),
    /// Move a group among its siblings.
    ReorderGroup(GroupPath, i64),
    /// Delete a group.
    RemoveGroup(GroupPath, DeleteMode),
    /// Show or hide the rows of groups.
    Fold(Vec<GroupPath>, bool),
    /// Note that the user knows about a session.
    Acknowledge(SessionId),
    /// Go to another profile.
    Profile(ProfileName),
    /// Suspend deck until the shell brings it back.
    Suspend,
    /// Leave; sessions go on.
    Quit,
}

/// How an effect ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    /// Well, with a sentence for the user if there is something to say.
    Well(Option<String>),
    /// Well, and this session is the one to look at; its first prompt, if it must still get one.
    Made(SessionId, String, Option<String>),
    /// For the session named, whose work is over.
    WellFor(SessionId, String),
    /// Badly: what could not be done, for which session, and why, with what to do.
    Badly(Option<SessionId>, String),
    /// The command that a new session would run, or why it can't be made.
    Prepared(u64, Result<String, String>),
    /// What a path may be completed to.
    Completed(u64, Vec<String>),
}

/// Does what the loop needs no terminal for. Blocking; never on the loop itself.
pub fn perform(deck: &Deck, settings: &Settings, effect: Effect) -> Done {
    let session = session_of(&effect);
    let result = match effect {
        Effect::Create(new) => ops::create(deck, &new).map(|created| {
            let id = created.session.id.clone();
            let prompt = created.launched.and_then(|l| l.plan.paste);
            Done::Made(id, format!("started {}", created.session.title), prompt)
        }),
        Effect::Prompt(id, text) => ops::paste_when_ready(deck, &id, &text, ops::SendOptions::default())
            .and_then(|receipt| {
                let title = deck.session(&id)?.title;
                Ok(Done::Well(Some(format!("prompt for {title}: {}", receipt.words()))))
            }),
        Effect::Prepare(number, new) => {
            let plan = ops::prepare(deck, &new).map(|(_, plan)| plan.command_line());
            return Done::Prepared(number, plan.map_err(|e| e.to_string()));
        }
        Effect::CompletePath(number, text) => {
            return Done::Completed(number, complete_path(deck, settings, &text));
        }
        Effect::Start(id) => ops::start(deck, &id, false, None)
            .map(|l| Done::WellFor(id, format!("started {}", l.session.title))),
        Effect::Restart(id, fresh) => ops::restart(deck, &id, fresh).map(|r| {
            let how = if r.resumed { "with its conversation" } else { "with a new conversation" };
            Done::WellFor(id, format!("restarted {} {how}", r.launched.session.title))
        }),
        Effect::Stop(id) => ops::stop(deck, &id).and_then(|_| {
            let title = deck.session(&id)?.title;
            Ok(Done::WellFor(id, format!("stopped {title}")))
        }),
        Effect::Delete(ids) => ops::delete(deck, &ids, true).map(|d| {
            let titles: Vec<_> = d.sessions.iter().map(|s| s.title.clone()).collect();
            Done::Well(Some(format!("deleted {}; u brings it back", titles.join(", "))))
        }),
        Effect::Undo => ops::undo(deck, None).map(|u| {
            let groups = u.restored.groups.iter().map(|g| format!("group {g}"));
            let all: Vec<_> = u.titles.iter().cloned().chain(groups).collect();
            let text = format!("brought back {}", all.join(", "));
            match u.restored.sessions.first() {
                Some(id) => {
                    Done::Made(id.clone(), format!("{text}; R starts it with its conversation"), None)
                }
                None => Done::Well(Some(text)),
            }
        }),
        Effect::Rename(id, title) => ops::rename(deck, &id, &title).map(|_| Done::Well(None)),
        Effect::MoveTo(id, group) => ops::move_to(deck, &[id], &group).map(|()| Done::Well(None)),
        Effect::Reorder(id, by) => ops::reorder(deck, &id, by).map(|()| Done::Well(None)),
        Effect::AddGroup(path) => ops::add_group(deck, &path, None).map(|()| Done::Well(None)),
        Effect::RenameGroup(path, name) => ops::rename_group(deck, &path, &name).map(|_| Done::Well(None)),
        Effect::MoveGroup(path, to) => ops::move_group(deck, &path, &to).map(|_| Done::Well(None)),
        Effect::ReorderGroup(path, by) => ops::reorder_group(deck, &path, by).map(|()| Done::Well(None)),
        Effect::RemoveGroup(path, mode) => ops::remove_group(deck, &path, mode, true)
            .map(|()| Done::Well(Some(format!("deleted group {path}; u brings it back")))),
        Effect::Fold(paths, open) => ops::set_expanded(deck, &paths, open).map(|()| Done::Well(None)),
        Effect::Acknowledge(id) => ops::acknowledge(deck, &id).map(|()| Done::Well(None)),
        // These are the loop's own.
        Effect::Attach(_)
        | Effect::Watch(_)
        | Effect::Refresh
        | Effect::Profile(_)
        | Effect::Suspend
        | Effect::Quit => Ok(Done::Well(None)),
    };
    result.unwrap_or_else(|error| Done::Badly(session, told(&error)))
}

/// The session an effect works on, whose row shows the work.
pub(crate) fn session_of(effect: &Effect) -> Option<SessionId> {
    match effect {
        Effect::Start(id) | Effect::Restart(id, _) | Effect::Stop(id) => Some(id.clone()),
        _ => None,
    }
}

/// An error with its causes and what to do.
fn told(error: &OpError) -> String {
    let mut text = error.to_string();
    let mut at = std::error::Error::source(error);
    while let Some(cause) = at {
        text.push_str(&format!(": {cause}"));
        at = cause.source();
    }
    if let Some(hint) = error.hint() {
        text.push_str(&format!(" ({hint})"));
    }
    text
}

/// Folders that a path may be completed to, as the user writes them.
fn complete_path(deck: &Deck, settings: &Settings, text: &str) -> Vec<String> {
    let (folder, start) = text.rsplit_once('/').map_or(("", text), |(f, s)| (f, s));
    let shown = if text.contains('/') { format!("{folder}/") } else { String::new() };
    let real = match shown.strip_prefix('~') {
        Some(rest) => PathBuf::from(format!("{}{rest}", settings.home.as_deref().unwrap_or("/"))),
        None => deck.place.cwd.join(&shown),
    };
    let mut names: Vec<String> = std::fs::read_dir(real)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|e| e.path().is_dir())
        .filter_map(|e| e.file_name().into_string().ok())
        .filter(|n| n.starts_with(start) && (start.starts_with('.') || !n.starts_with('.')))
        .map(|n| format!("{shown}{n}/"))
        .collect();
    names.sort();
    names
}
