//! What is done to the workers of a session, and to its worktree.

use crate::app::{Done, Keymap, WorkerWork, error_words};
use crate::domain::id::SessionId;
use crate::domain::text;
use crate::domain::worker::Worker;
use crate::ops::worker::{self, NewWorker, WorkerName};
use crate::ops::worktree::{self, FinishWish, Finished};
use crate::ops::{self, Cx, McpWish, New, OpResult};

pub(super) fn perform(cx: &Cx, keymap: &Keymap, id: SessionId, work: WorkerWork) -> Done {
    let name = |worker| WorkerName { session: id.clone(), worker };
    let result = match work {
        WorkerWork::Add(new) => add(cx, &id, &new),
        WorkerWork::AddAgent(tool) => add_agent(cx, &id, tool),
        WorkerWork::Remove(worker, confirmed) => worker::remove(cx, &name(worker), confirmed)
            .map(|removed| Done::Ok(Some(format!("removed {}", text::clean(&removed.worker.name))))),
        WorkerWork::Restart(worker) => worker::restart(cx, &name(worker))
            .map(|worker| Done::Ok(Some(format!("restarted {}", text::clean(&worker.name))))),
        WorkerWork::Read(worker) => {
            return match read(cx, &id, worker.as_str()) {
                Ok((name, text)) => Done::File(id, name, Ok(text)),
                Err(error) => Done::File(id, String::new(), Err(error_words(&error, keymap))),
            };
        }
        WorkerWork::Worktrees => {
            let text = worktrees(cx, &id).map_err(|error| error_words(&error, keymap));
            return Done::File(id, "Worktrees".to_owned(), text);
        }
        WorkerWork::PlanFinish(number, wish) => {
            let plan = worktree::plan_finish(cx, id.as_str(), &wish).map_err(|e| error_words(&e, keymap));
            return Done::FinishPlanned(id, number, Box::new(plan));
        }
        WorkerWork::Finish(wish) => finish(cx, keymap, &id, &wish),
        WorkerWork::SetupAgain => {
            cx.session(&id).and_then(|session| worktree::want_setup(cx, &session)).map(|_| {
                Done::Ok(Some(format!(
                    "its setup runs at its next start; {} restarts it",
                    keymap.key("restart")
                )))
            })
        }
    };
    result.unwrap_or_else(|error| Done::Failed(Some(id), error_words(&error, keymap)))
}

fn add(cx: &Cx, id: &SessionId, new: &NewWorker) -> OpResult<Done> {
    let session = cx.session(id)?;
    let worker = worker::add(cx, &session, new)?;
    let shown = Worker::is_terminal(&worker).then(|| worker.id.clone());
    Ok(Done::WorkerAdded(id.clone(), shown, format!("added {}", text::clean(&worker.name))))
}

fn add_agent(cx: &Cx, id: &SessionId, tool: String) -> OpResult<Done> {
    let session = cx.session(id)?;
    let new = New {
        path: session.project_path.clone().into(),
        command: Some(tool),
        group: session.group_path.clone(),
        parent: Some(id.clone()),
        mcp: McpWish::ForTools(cx.installation.pass.clone()),
        worker_of: Some(id.clone()),
        start: true,
        ..New::default()
    };
    let created = ops::create(cx, &new)?.session;
    Ok(Done::CreatedPane(created.id.clone(), format!("started {}", created.title), None))
}

/// The name of a worker, and the text of its file.
fn read(cx: &Cx, id: &SessionId, worker: &str) -> OpResult<(String, String)> {
    let session = cx.session(id)?;
    let found = session.workers.iter().find(|w| w.id.as_str() == worker);
    let file = found.and_then(|w| w.file.clone()).unwrap_or_default();
    let name = found.map(|w| w.name.clone()).unwrap_or_default();
    Ok((name, worker::read_file(cx, &session, &file)?))
}

/// The worktrees of the repository that a session works in, as a text to be read.
fn worktrees(cx: &Cx, id: &SessionId) -> OpResult<String> {
    let profile = cx.profile.store.load()?.profile;
    let repository =
        profile.session(id).and_then(|s| s.place.as_ref()).map(|place| place.repository_id.clone());
    let (listed, _) = worktree::list(cx, repository.as_deref())?;
    let title = |id: &SessionId| profile.session(id).map(|s| s.title.clone()).unwrap_or_default();
    let line = |one: &worktree::Listed| {
        let name = one.entry.branch.clone().unwrap_or_else(|| "(no branch)".to_owned());
        let state = match worktree::state_of(cx, one) {
            Ok(Some(state)) if state.is_clean() => "clean".to_owned(),
            Ok(Some(state)) => format!("{} changed", state.uncommitted()),
            Ok(None) if one.is_missing => "folder is gone".to_owned(),
            Ok(None) => String::new(),
            Err(error) => format!("? {error}"),
        };
        let sessions: Vec<String> = one.sessions.iter().map(title).collect();
        let parts = [one.entry.path.display().to_string(), state, sessions.join(", ")];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("- **{name}**  {}\n", parts.join(" · "))
    };
    Ok(listed.iter().map(line).collect())
}

fn finish(cx: &Cx, keymap: &Keymap, id: &SessionId, wish: &FinishWish) -> OpResult<Done> {
    let done = worktree::finish(cx, id.as_str(), wish)?;
    Ok(Done::WellFor(id.clone(), text::clean(&words(&done, keymap))))
}

fn words(done: &Finished, keymap: &Keymap) -> String {
    let branch = done.branch.as_deref().unwrap_or("it");
    let mut all = Vec::new();
    if done.is_merged {
        all.push(format!("merged {branch} into {}", done.base.as_deref().unwrap_or_default()));
    }
    if let Some((remote, _)) = &done.pushed_to {
        all.push(format!("pushed {branch} to {remote}"));
    }
    all.push("removed the worktree".to_owned());
    all.extend(done.conversations.iter().map(|(ids, folder)| {
        format!("moved {} to {}", text::counted(ids.len(), "conversation"), folder.display())
    }));
    all.extend(done.leftover.iter().map(|why| format!("files are left: {why}")));
    match &done.branch_deleted {
        Ok(true) => all.push(format!("deleted {branch}")),
        Ok(false) => {}
        Err(why) => all.push(why.clone()),
    }
    format!("{}; {} restores it", all.join(", "), keymap.key("undo"))
}
