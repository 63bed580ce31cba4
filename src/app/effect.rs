//! Effects: what the loop does for the model, as data. Each answers with [`Done`].

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::pass_through::PaneInput;
use super::state::Settings;
use crate::domain::conversation::{Found, Said};
use crate::domain::group::GroupPath;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::session::Session;
use crate::domain::tree::{DeleteMode, Slot};
use crate::domain::{age, text};
use crate::ops::{self, Candidate, Cx, New, OpError, Question};

/// Something to be done outside of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Hand the terminal to a session.
    Attach(SessionId),
    /// Show this session's capture; none to show none.
    Watch(Option<SessionId>),
    /// Type into a session's terminal.
    Type(SessionId, PaneInput),
    /// Poll all sessions now.
    Refresh,
    /// Add a session.
    Create(Box<New>),
    /// Give a session its first prompt as soon as it is ready.
    Prompt(SessionId, String),
    /// Report what adding it would run; the number distinguishes answers.
    Prepare(u64, Box<New>),
    /// Ask the tools for their versions.
    Versions,
    /// Complete a path; the number distinguishes answers.
    CompletePath(u64, String),
    /// Start a session.
    Start(SessionId),
    /// Restart a session; with a new conversation if asked to.
    Restart(SessionId, bool),
    /// Start another session from the same conversation, under a title if one is given.
    Fork(SessionId, Option<String>),
    /// Send a message.
    Send(SessionId, String),
    /// Keep another text as a session's first prompt that was not sent; empty to discard it.
    KeepDraft(SessionId, String),
    /// Keep what was sent for the next deck.
    KeepSent(Vec<String>),
    /// Complete the name of a file in a folder; the number reports answers apart.
    CompleteFile(u64, String, String),
    /// Have a text edited in the user's editor.
    Edit(String),
    /// Put a text on the clipboard.
    Copy(String),
    /// Put the agent's last answer on the clipboard.
    CopyAnswer(SessionId),
    /// Read a session's conversation.
    Read(SessionId),
    /// Put a session away.
    Archive(SessionId),
    /// Restore an archived session.
    Unarchive(SessionId),
    /// Find what could be imported: agents in the user's own tmux, or conversations.
    FindImports(bool),
    /// Adopt an agent.
    Adopt(Box<Candidate>),
    /// Make a session of a conversation.
    Import(Box<Found>),
    /// Bring back one deleted session.
    Restore(SessionId),
    /// Hand the terminal to another program in the session's folder.
    Outside(SessionId, Outside),
    /// Bring back sessions that were lost.
    Revive(Vec<SessionId>),
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
    /// Put a session beside another one, or into a group.
    Place(SessionId, Slot),
    /// Give all sessions this order, and say so in these words.
    Arrange(Vec<SessionId>, String),
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
    /// Answer the question that a session asks: which choice or text, and the question as it was shown.
    Answer(SessionId, ops::Pick, Box<Question>),
    /// Note that the user knows about a session.
    Acknowledge(SessionId),
    /// Notify the user through the terminal.
    Notify(String),
    /// Change a setting: its key and its value as TOML.
    Set(String, String),
    /// Go to another profile.
    Profile(ProfileName),
    /// Suspend deck until the shell brings it back.
    Suspend,
    /// Quit; sessions keep running.
    Quit,
}

/// A program that takes the terminal for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// Compare the folder with its last commit.
    Diff,
    /// Show the changes that were found.
    Changes,
    /// The user's shell.
    Shell,
    /// The user's editor.
    Editor,
}

/// How an effect ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    /// Well, with a sentence for the user if there is something to say.
    Ok(Option<String>),
    /// Well, and this session is the one to look at; its first prompt, if it must still get one.
    CreatedPane(SessionId, String, Option<String>),
    /// What became of a message.
    Receipt(SessionId, String),
    /// Sessions have another order; the one they had, and words for the user.
    Arranged(Vec<SessionId>, String),
    /// A message that was not sent, and why.
    NotSent(SessionId, String, String),
    /// For the session named, whose work is over.
    WellFor(SessionId, String),
    /// One that was to be brought back is, or why it isn't.
    Revived(SessionId, Option<String>),
    /// Badly: what could not be done, for which session, and why, with what to do.
    Failed(Option<SessionId>, String),
    /// The command that a new session would run, or why it can't be made.
    Prepared(u64, Result<String, String>),
    /// What the user's editor made of a text.
    Edited(String),
    /// What could be imported: words and what each would do; and what was skipped, in words.
    Imports(Vec<(String, Effect)>, Option<String>),
    /// Whether anything changed in a session's folder since the last commit, or why git can't compare.
    Compared(SessionId, Result<bool, String>),
    /// What was said in a session's conversation.
    Said(SessionId, Vec<Said>),
    /// Why a setting was not changed.
    NotSet(String),
    /// Versions of tools, by their names.
    Versions(BTreeMap<String, String>),
    /// A text for the clipboard.
    Clip(String),
    /// What a path may be completed to.
    Completed(u64, Vec<String>),
}

/// Does what the loop needs no terminal for. Blocking; never on the loop itself.
pub fn perform(cx: &Cx, settings: &Settings, effect: Effect) -> Done {
    let session = session_of(&effect);
    let result = match effect {
        Effect::Create(new) => ops::create(cx, &new).map(|created| {
            let id = created.session.id.clone();
            let prompt = created.launched.and_then(|l| l.plan.paste);
            Done::CreatedPane(id, format!("started {}", created.session.title), prompt)
        }),
        Effect::Prompt(id, text) => return first_prompt(cx, &id, &text),
        Effect::Prepare(number, new) => {
            let plan = ops::prepare(cx, &new).map(|(_, plan)| plan.command_line());
            return Done::Prepared(number, plan.map_err(|e| e.to_string()));
        }
        Effect::Versions => return Done::Versions(ops::versions(cx)),
        Effect::CompletePath(number, text) => {
            return Done::Completed(number, complete_path(cx, settings, &text));
        }
        Effect::Start(id) => ops::start(cx, &id, false, None)
            .and_then(|l| ops::verify_resume_of(cx, &id).map(|()| l))
            .map(|l| Done::WellFor(id, format!("started {}", l.session.title))),
        Effect::Restart(id, fresh) => {
            ops::restart(cx, &id, fresh).and_then(|r| ops::verify_resume_of(cx, &id).map(|()| r)).map(|r| {
                let how = if r.resumed { "and resumed its conversation" } else { "with a new conversation" };
                Done::WellFor(id, format!("restarted {} {how}", r.launched.session.title))
            })
        }
        Effect::Send(id, text) => return send(cx, &id, &text),
        Effect::KeepDraft(id, text) => ops::keep_draft(cx, &id, Some(&text)).map(|()| Done::Ok(None)),
        Effect::KeepSent(all) => return keep_sent(cx, &all),
        Effect::CompleteFile(number, folder, typed) => {
            return Done::Completed(number, complete_file(&folder, &typed));
        }
        Effect::Read(id) => {
            return match ops::said(cx, &id) {
                Ok(said) => Done::Said(id, said),
                Err(error) => Done::Failed(Some(id), told(&error)),
            };
        }
        Effect::CopyAnswer(id) => {
            ops::digest(cx, &id).map(|digest| match digest.and_then(|d| d.last_response) {
                Some(text) => Done::Clip(text),
                None => Done::Failed(None, "no answer found; Y copies the screen".to_owned()),
            })
        }
        Effect::FindImports(conversations) => {
            imports(cx, conversations).map(|(found, skipped)| Done::Imports(found, skipped))
        }
        Effect::Adopt(found) => ops::adopt(cx, &found, None, &GroupPath::root()).map(|s| {
            Done::CreatedPane(
                s.id.clone(),
                format!("adopted {}; it stays in its own tmux session", s.title),
                None,
            )
        }),
        Effect::Import(found) => ops::import(cx, &found, None, &GroupPath::root())
            .map(|s| Done::CreatedPane(s.id.clone(), format!("imported {}; R resumes it", s.title), None)),
        Effect::Archive(id) => {
            ops::archive(cx, &id).map(|s| Done::WellFor(id, format!("archived {}; U restores it", s.title)))
        }
        Effect::Unarchive(id) => ops::unarchive(cx, &id)
            .map(|s| Done::CreatedPane(id, format!("restored {}; {}", s.title, restart_hint(&s)), None)),
        Effect::Restore(id) => ops::undo(cx, Some(id.as_str()))
            .map(|u| Done::CreatedPane(id, format!("restored {}", u.titles.join(", ")), None)),
        Effect::Fork(id, title) => ops::fork(cx, &id, title.as_deref())
            .map(|child| Done::CreatedPane(child.id, format!("forked as {}", child.title), None)),
        Effect::Stop(id) => ops::stop(cx, &id).and_then(|_| {
            let title = cx.session(&id)?.title;
            Ok(Done::WellFor(id, format!("stopped {title}")))
        }),
        Effect::Delete(ids) => ops::delete(cx, &ids, true).map(|d| {
            let titles: Vec<_> = d.sessions.iter().map(|s| s.title.clone()).collect();
            Done::Ok(Some(format!(
                "deleted {}; u restores {}",
                titles.join(", "),
                if titles.len() == 1 { "it" } else { "them" }
            )))
        }),
        Effect::Undo => ops::undo(cx, None).map(|u| {
            let groups = u.restored.groups.iter().map(|g| format!("group {g}"));
            let all: Vec<_> = u.titles.iter().cloned().chain(groups).collect();
            let text = format!("restored {}", all.join(", "));
            match u.restored.sessions.first() {
                Some(id) => {
                    let hint = cx.session(id).map_or("R starts it", |s| restart_hint(&s));
                    Done::CreatedPane(id.clone(), format!("{text}; {hint}"), None)
                }
                None => Done::Ok(Some(text)),
            }
        }),
        Effect::Rename(id, title) => ops::rename(cx, &id, &title).map(|_| Done::Ok(None)),
        Effect::MoveTo(id, group) => ops::move_to(cx, &[id], &group).map(|()| Done::Ok(None)),
        Effect::Reorder(id, by) => ops::reorder(cx, &id, by).map(|()| Done::Ok(None)),
        Effect::Place(id, slot) => ops::place(cx, &id, &slot).map(|()| Done::Ok(None)),
        Effect::Arrange(ids, words) => ops::arrange(cx, &ids).map(|before| Done::Arranged(before, words)),
        Effect::AddGroup(path) => ops::add_group(cx, &path, None).map(|()| Done::Ok(None)),
        Effect::RenameGroup(path, name) => ops::rename_group(cx, &path, &name).map(|_| Done::Ok(None)),
        Effect::MoveGroup(path, to) => ops::move_group(cx, &path, &to).map(|_| Done::Ok(None)),
        Effect::ReorderGroup(path, by) => ops::reorder_group(cx, &path, by).map(|()| Done::Ok(None)),
        Effect::RemoveGroup(path, mode) => ops::remove_group(cx, &path, mode, true)
            .map(|()| Done::Ok(Some(format!("deleted group {path}; u restores it")))),
        Effect::Fold(paths, open) => ops::set_expanded(cx, &paths, open).map(|()| Done::Ok(None)),
        Effect::Answer(id, pick, shown) => ops::answer(cx, &id, &pick, Some(&shown)).and_then(|answered| {
            let title = cx.session(&id)?.title;
            Ok(Done::WellFor(id, format!("answered {title}: {}", answered.choice.words())))
        }),
        Effect::Acknowledge(id) => ops::acknowledge(cx, &id).map(|()| Done::Ok(None)),
        // These are the loop's own.
        Effect::Attach(_)
        | Effect::Edit(_)
        | Effect::Copy(_)
        | Effect::Outside(..)
        | Effect::Revive(_)
        | Effect::Type(..)
        | Effect::Watch(_)
        | Effect::Refresh
        | Effect::Profile(_)
        | Effect::Set(..)
        | Effect::Notify(_)
        | Effect::Suspend
        | Effect::Quit => Ok(Done::Ok(None)),
    };
    result.unwrap_or_else(|error| Done::Failed(session, told(&error)))
}

/// What R does with a stopped session: only one with a conversation can be resumed.
pub(crate) fn restart_hint(session: &Session) -> &'static str {
    if session.resume.id.is_some() { "R resumes it" } else { "R starts it" }
}

/// Things that could be imported: words and what each would do.
type Imports = Vec<(String, Effect)>;

/// What could be imported, and what was skipped, in words.
fn imports(cx: &Cx, conversations: bool) -> ops::OpResult<(Imports, Option<String>)> {
    if !conversations {
        let one = |c: Candidate| {
            let words = format!("{}:{}  {}  {}", c.pane.server(), c.pane.name, c.tool, c.folder.display());
            (words, Effect::Adopt(Box::new(c)))
        };
        let found = ops::candidates(cx)?;
        let skipped = found.skipped();
        return Ok((found.agents.into_iter().map(one).collect(), skipped));
    }
    let now = cx.clock.now();
    let known_conversations = ops::known_conversations(cx)?;
    let one = |f: Found| {
        let age = f.used_at.map(|at| age::age(now, at)).unwrap_or_default();
        let prompt = text::clean(f.first_prompt.as_deref().unwrap_or_default());
        let words = format!("{age:>4}  {}  {}  {prompt}", f.tool, f.folder.as_deref().unwrap_or_default());
        (words, Effect::Import(Box::new(f)))
    };
    Ok((ops::conversations(cx, None, None, &known_conversations)?.into_iter().map(one).collect(), None))
}

/// Sends a first prompt. One that isn't known to have arrived stays the session's draft.
fn first_prompt(cx: &Cx, id: &SessionId, text: &str) -> Done {
    let title = cx.session(id).map(|s| s.title).unwrap_or_default();
    let kept =
        |why: String| Done::Failed(Some(id.clone()), format!("{why}; the prompt is kept as a draft (s)"));
    match ops::paste_when_ready(cx, id, text, ops::SendOptions::default()) {
        Ok(ops::Receipt::NotConfirmed) => kept(format!("prompt for {title}: not confirmed")),
        Ok(receipt) => Done::Ok(Some(format!("prompt for {title}: {}", receipt.words()))),
        Err(error) => kept(told(&error)),
    }
}

/// Sends a message, and returns the receipt.
fn send(cx: &Cx, id: &SessionId, text: &str) -> Done {
    let title = cx.session(id).map(|s| s.title).unwrap_or_default();
    match ops::send(cx, id, text, ops::SendOptions::default()) {
        Ok(ops::Receipt::NotConfirmed) => {
            let words = format!("{title}: not confirmed; check whether it's still in the prompt");
            Done::Failed(Some(id.clone()), words)
        }
        Ok(receipt) => Done::Receipt(id.clone(), format!("{title}: {}", receipt.words())),
        Err(error) => Done::NotSent(id.clone(), text.to_owned(), told(&error)),
    }
}

/// Where sent messages are kept.
pub fn sent_file(cx: &Cx) -> PathBuf {
    cx.caller.files.with_file_name("sent.json")
}

fn keep_sent(cx: &Cx, all: &[String]) -> Done {
    let text = serde_json::to_string(all).unwrap_or_default();
    match cx.host.put(&sent_file(cx), &text) {
        Ok(()) => Done::Ok(None),
        Err(error) => Done::Failed(None, format!("can't save the message history: {error}")),
    }
}

/// Files and folders below a folder that begin as typed.
fn complete_file(folder: &str, typed: &str) -> Vec<String> {
    let (shown, start) = typed.rsplit_once('/').map_or((String::new(), typed), |(f, s)| (format!("{f}/"), s));
    let entries = std::fs::read_dir(PathBuf::from(folder).join(&shown)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|e| {
            let name = e.file_name().into_string().ok()?;
            let slash = if e.path().is_dir() { "/" } else { "" };
            let fits = name.starts_with(start) && (start.starts_with('.') || !name.starts_with('.'));
            fits.then(|| format!("{shown}{name}{slash}"))
        })
        .collect();
    names.sort();
    names
}

/// Brings lost sessions back, a few at a time, and reports each as soon as it is done. Blocking.
pub fn revive(cx: &Cx, ids: &[SessionId], tell: impl Fn(Done) + Send + Sync) {
    ops::revive(cx, ids, |id, result| {
        let error = match result {
            ops::Revived::Failed(error) => Some(told(&error)),
            ops::Revived::Started | ops::Revived::Running => None,
        };
        tell(Done::Revived(id.clone(), error));
    });
}

/// The session an effect works on, whose row shows the work.
pub(crate) fn session_of(effect: &Effect) -> Option<SessionId> {
    match effect {
        Effect::Start(id)
        | Effect::Restart(id, _)
        | Effect::Stop(id)
        | Effect::Fork(id, _)
        | Effect::Send(id, _)
        | Effect::Archive(id)
        | Effect::Answer(id, ..) => Some(id.clone()),
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
    if let Some(hint) = key_for(error).map(str::to_owned).or_else(|| error.hint()) {
        text.push_str(&format!(" ({hint})"));
    }
    text
}

/// What to press where the command line names a command to type.
const fn key_for(error: &OpError) -> Option<&'static str> {
    Some(match error {
        OpError::NotRunning(_) => "R starts it",
        OpError::Running(_) => "enter attaches",
        OpError::Blocked { has_choices: true, .. } => "a answers",
        OpError::Blocked { .. } => "enter attaches",
        OpError::Unsent { .. } => "i shows the input: send or clear it there",
        OpError::NothingAsked(_) | OpError::NotAChoice { .. } | OpError::NotTaken { .. } => "enter attaches",
        OpError::DialogChanged(_) => "a shows the new question",
        OpError::ResumeDied { .. } => "its conversation is kept; R retries",
        _ => return None,
    })
}

/// Folders that a path may be completed to, as the user writes them.
fn complete_path(cx: &Cx, settings: &Settings, text: &str) -> Vec<String> {
    let (folder, start) = text.rsplit_once('/').map_or(("", text), |(f, s)| (f, s));
    let shown = if text.contains('/') { format!("{folder}/") } else { String::new() };
    let real = match shown.strip_prefix('~') {
        Some(rest) => PathBuf::from(format!("{}{rest}", settings.home.as_deref().unwrap_or("/"))),
        None => cx.caller.cwd.join(&shown),
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
