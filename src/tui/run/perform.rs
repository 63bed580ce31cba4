//! What effects do, as far as that needs no terminal. Blocking; never on the loop itself.

use super::{complete, mcp_servers, sent, shells, talk, workers};
use crate::app::{
    Asked, Done, Effect, Keymap, NotPrepared, Prepared, PreparedWorktree, Settings, error_words, restart_hint,
};
use crate::domain::conversation::Found;
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::status::StatusKind;
use crate::domain::{age, text};
use crate::ops::{self, Candidate, Cx, OpError, Pick, Question, Unsent};

/// Does what the loop needs no terminal for. Blocking; never on the loop itself.
pub(super) fn perform(cx: &Cx, settings: &Settings, keymap: &Keymap, effect: Effect) -> Done {
    let worked_on = effect.work().and_then(|_| effect.session().cloned());
    let result = match effect {
        Effect::Create(new) => ops::create(cx, &new).map(|created| {
            let id = created.session.id.clone();
            let prompt = created.launched.and_then(|l| l.plan.paste);
            Done::CreatedPane(id, format!("started {}", created.session.title), prompt)
        }),
        Effect::Prompt(id, text) => return first_prompt(cx, keymap, &id, &text),
        Effect::Prepare(number, new) => {
            let plan = ops::prepare(cx, &new).map(|prepared| prepared_form(cx, &new, prepared));
            return Done::Prepared(number, plan.map_err(|e| not_prepared(&e, keymap)));
        }
        Effect::McpServers => return Done::McpServers(cx.mcp_servers.catalogue()),
        Effect::Mcp(id, work) => mcp_servers::perform(cx, keymap, id, work),
        Effect::Versions => return Done::Versions(ops::versions(cx)),
        Effect::CompletePath(number, text) => {
            return Done::Folders(number, complete::folders(&cx.caller.cwd, settings.home.as_deref(), &text));
        }
        Effect::MakeFolder(number, path) => {
            let made = ops::make_folder(cx, &path);
            return Done::FolderMade(number, made.map_err(|e| error_words(&e, keymap)));
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
        Effect::Send(id, text, unsent) => return send(cx, keymap, &id, text, unsent),
        Effect::KeepDraft(id, text) => ops::keep_draft(cx, &id, Some(&text)).map(|()| Done::Ok(None)),
        Effect::KeepSent(all) => return sent::keep(cx, &all),
        Effect::CompleteFile(number, folder, typed) => {
            return Done::Completed(number, complete::files(&folder, &typed));
        }
        Effect::Worker(id, work) => return workers::perform(cx, keymap, id, work),
        Effect::Talk(work) => return talk::perform(cx, keymap, work),
        Effect::Packet(id, wish) => {
            let ready = ops::handoff::ready(cx, &id, &wish, false);
            return Done::Packet(
                id,
                wish,
                ready.map(|ready| ready.packet).map_err(|e| error_words(&e, keymap)),
            );
        }
        Effect::HandOver(id, wish) => return talk::hand_over(cx, keymap, id, &wish),
        Effect::Diff(id, number, against, lines) => {
            let read = cx.session(&id).and_then(|session| ops::diff(cx, &session, &against, &lines));
            return Done::Diff(id, number, Box::new(read.map_err(|e| error_words(&e, keymap))));
        }
        Effect::CopyAnswer(id) => {
            ops::digest(cx, &id).map(|digest| match digest.and_then(|d| d.last_response) {
                Some(text) => Done::Clip(text),
                None => Done::Failed(
                    None,
                    format!("no answer found; {} copies the screen", keymap.key("copy-screen")),
                ),
            })
        }
        Effect::FindImports(conversations) => {
            imports(cx, conversations).map(|(found, skipped)| match (&found[..], &skipped, conversations) {
                ([], None, true) => {
                    Done::Ok(Some("every conversation on this machine is in deck already".to_owned()))
                }
                ([], None, false) => Done::Ok(Some("no other agents found in tmux".to_owned())),
                _ => Done::Imports(found, skipped),
            })
        }
        Effect::Adopt(found) => ops::adopt(cx, &found, None, &GroupPath::root()).map(|s| {
            Done::CreatedPane(
                s.id.clone(),
                format!("adopted {}; it stays in its own tmux session", s.title),
                None,
            )
        }),
        Effect::Import(found) => ops::import(cx, &found, None, &GroupPath::root()).map(|s| {
            Done::CreatedPane(
                s.id.clone(),
                format!("imported {}; {}", s.title, restart_hint(&s, keymap)),
                None,
            )
        }),
        Effect::Archive(id) => ops::archive(cx, &id).map(|s| {
            Done::WellFor(id, format!("archived {}; {} restores it", s.title, keymap.key("unarchive")))
        }),
        Effect::Unarchive(id) => ops::unarchive(cx, &id).map(|s| {
            Done::CreatedPane(id, format!("restored {}; {}", s.title, restart_hint(&s, keymap)), None)
        }),
        Effect::Restore(id) => ops::undo(cx, Some(id.as_str()))
            .map(|u| Done::CreatedPane(id, format!("restored {}", u.titles.join(", ")), None)),
        Effect::Fork(id, title) => ops::fork(cx, &id, title.as_deref())
            .map(|child| Done::Forked(id, child.id, format!("forked as {}", child.title))),
        Effect::Stop(id) => ops::stop(cx, &id, ops::Terminals::Keep).and_then(|stopped| {
            let title = cx.session(&id)?.title;
            let stays = match &stopped.terminals[..] {
                [] => String::new(),
                names => format!("; terminals keep running: {}", names.join(", ")),
            };
            Ok(Done::WellFor(id, format!("stopped {title}{stays}")))
        }),
        Effect::Delete(ids) => ops::delete(cx, &ids, true).map(|d| {
            let titles: Vec<_> = d.sessions.iter().map(|s| s.title.clone()).collect();
            Done::Ok(Some(format!(
                "deleted {}; {} restores {}",
                titles.join(", "),
                keymap.key("undo"),
                if titles.len() == 1 { "it" } else { "them" }
            )))
        }),
        Effect::Undo if let Some(done) = shells::bring_back(cx, keymap) => return done,
        Effect::Undo => ops::undo(cx, None).map(|u| {
            if let Some(words) = &u.change {
                let failed = u.worktrees.iter().find_map(|w| w.error.as_ref().map(|why| (&w.path, why)));
                let more = failed.map(|(path, why)| format!("; couldn't restore the worktree {path}: {why}"));
                return Done::Ok(Some(text::clean(&format!("undid: {words}{}", more.unwrap_or_default()))));
            }
            let groups = u.restored.groups.iter().map(|g| format!("group {g}"));
            let all: Vec<_> = u.titles.iter().cloned().chain(groups).collect();
            let text = format!("restored {}", all.join(", "));
            match u.restored.sessions.first() {
                Some(id) => {
                    let hint = cx.session(id).map(|s| format!("; {}", restart_hint(&s, keymap)));
                    let hint = hint.unwrap_or_default();
                    Done::CreatedPane(id.clone(), format!("{text}{hint}"), None)
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
            .map(|()| Done::Ok(Some(format!("deleted group {path}; {} restores it", keymap.key("undo"))))),
        Effect::Fold(paths, open) => ops::set_expanded(cx, &paths, open).map(|()| Done::Ok(None)),
        Effect::Answer(id, pick, shown) => answer(cx, keymap, id, pick, &shown),
        Effect::Acknowledge(id) => ops::acknowledge(cx, &id).map(|()| Done::Ok(None)),
        Effect::Left(id, client) => {
            ops::left(cx, &id, client).map(|last| last.map_or(Done::Ok(None), |last| Done::Left(id, last)))
        }
        Effect::Shell(id, work) => return shells::perform(cx, keymap, &id, work),
        // These are the loop's own.
        Effect::Attach(_)
        | Effect::WatchShells(_)
        | Effect::Edit(_)
        | Effect::StopDiff
        | Effect::Copy(_)
        | Effect::Outside(..)
        | Effect::Revive(_)
        | Effect::Type(..)
        | Effect::AttachTerminal(..)
        | Effect::Watch(_)
        | Effect::Refresh
        | Effect::Profile(_)
        | Effect::Set(..)
        | Effect::Notify(_)
        | Effect::TryTheme(_)
        | Effect::Suspend
        | Effect::Quit => Ok(Done::Ok(None)),
    };
    result.unwrap_or_else(|error| Done::Failed(worked_on, error_words(&error, keymap)))
}

/// What the form shows of a session that can be added.
fn prepared_form(cx: &Cx, new: &ops::New, prepared: ops::Prepared) -> Prepared {
    let (plan, now) = (prepared.launch, cx.clock.now());
    let worktree = prepared.worktree.map(|worktree| PreparedWorktree {
        path: worktree.path.to_string_lossy().into_owned(),
        what: worktree.what(now),
        details: worktree.details(now),
        asks: worktree.is_to_be_allowed().then(|| Asked {
            repository: worktree.repository.name.clone(),
            sha256: worktree.content.sha256(),
            text: worktree.content.text(),
        }),
    });
    Prepared {
        brief: plan.outline.brief(),
        full: plan.outline.full(),
        before: plan.outline.before,
        sends: plan.paste,
        in_repository: cx.git.common_folder(&new.path).is_some(),
        worktree,
    }
}

fn not_prepared(error: &OpError, keymap: &Keymap) -> NotPrepared {
    let no_folder = matches!(error, OpError::NoFolder(_));
    // The form itself offers to make the folder.
    let why = if no_folder { error.to_string() } else { error_words(error, keymap) };
    NotPrepared { why, no_folder }
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
fn first_prompt(cx: &Cx, keymap: &Keymap, id: &SessionId, text: &str) -> Done {
    let title = cx.session(id).map(|s| s.title).unwrap_or_default();
    let kept = |why: String| {
        let words = format!("{why}; the prompt is kept as a draft ({})", keymap.key("send"));
        Done::Failed(Some(id.clone()), words)
    };
    match ops::paste_when_ready(cx, id, text, ops::SendOptions::default()) {
        Ok(ops::Receipt::NotConfirmed) => kept(format!("prompt for {title}: not confirmed")),
        Ok(receipt) => Done::Ok(Some(format!("prompt for {title}: {}", receipt.words()))),
        Err(error) => kept(error_words(&error, keymap)),
    }
}

/// Sends a message, and returns the receipt.
fn send(cx: &Cx, keymap: &Keymap, id: &SessionId, text: String, unsent: Unsent) -> Done {
    let title = cx.session(id).map(|s| s.title).unwrap_or_default();
    let options = ops::SendOptions { unsent, ..ops::SendOptions::default() };
    // Two words, where the user had no say in what is between them.
    let sent = if unsent == Unsent::Append { format!(" {text}") } else { text.clone() };
    match ops::send(cx, id, &sent, options) {
        Ok(ops::Receipt::NotConfirmed) => {
            let words = format!("{title}: not confirmed; check whether it's still in the prompt");
            Done::Failed(Some(id.clone()), words)
        }
        Ok(receipt) => Done::Receipt(id.clone(), format!("{title}: {}", receipt.words())),
        Err(error) => {
            let (id, words) = (id.clone(), error_words(&error, keymap));
            match error {
                OpError::Unsent { text: typed, .. } => Done::Unsent { id, message: text, typed, words },
                _ => Done::NotSent(id, text, words),
            }
        }
    }
}

/// Answers a question. What was written for it is not lost where it was not taken.
fn answer(cx: &Cx, keymap: &Keymap, id: SessionId, pick: Pick, shown: &Question) -> ops::OpResult<Done> {
    match (ops::answer(cx, &id, &pick, Some(shown)), pick) {
        (Ok(answered), _) => {
            let title = cx.session(&id)?.title;
            let asks = answered.state.is_some_and(|l| l.verdict.kind() == StatusKind::Asks);
            Ok(Done::Answered(id, format!("answered {title}: {}", answered.choice.words()), asks))
        }
        (Err(error), Pick::Text(text) | Pick::Into(_, text)) => {
            Ok(Done::NotSent(id, text, error_words(&error, keymap)))
        }
        (Err(error), Pick::Number(_) | Pick::Words(_)) => Err(error),
    }
}

/// Brings lost sessions back, a few at a time, and reports each as soon as it is done. Blocking.
pub(super) fn revive(cx: &Cx, keymap: &Keymap, ids: &[SessionId], tell: impl Fn(Done) + Send + Sync) {
    ops::revive(cx, ids, |id, result| {
        let error = match result {
            ops::Revived::Failed(error) => Some(error_words(&error, keymap)),
            ops::Revived::Started(_) | ops::Revived::Running => None,
        };
        tell(Done::Revived(id.clone(), error));
    });
}
