//! Adding, changing, restarting, stopping and deleting sessions.

use super::{A_SESSION, Command, always, on_session, on_targets};
use crate::app::dialogs::{Ask, Confirm, McpServers, NewSession};
use crate::app::diff;
use crate::app::effect::Effect;
use crate::app::effect::Outside;
use crate::app::marks;
use crate::app::state::Model;
use crate::domain::id::SessionId;
use crate::domain::slug::numbered_title;
use crate::domain::status::Status;
use crate::ops;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "new",
        title: "new",
        doc: "Add a session.",
        keys: &["n"],
        footer: Some(3),
        applies: always,
        needs: "",
        run: new,
    },
    Command {
        id: "new-like",
        title: "new like this",
        doc: "Add a session like the selected one.",
        keys: &["N"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: new_like,
    },
    Command {
        id: "mark",
        title: "mark",
        doc: "Mark the session, or all of the group; commands and messages then go to all marked ones (esc clears).",
        keys: &["v"],
        footer: Some(9),
        applies: |m| on_session(m) || on_targets(m),
        needs: A_SESSION,
        run: marks::toggle,
    },
    Command {
        id: "mark-all",
        title: "mark all",
        doc: "Mark all sessions; with a filter, those that match.",
        keys: &["V"],
        footer: None,
        applies: |m| m.record().live_sessions().next().is_some(),
        needs: "no sessions",
        run: marks::mark_all,
    },
    Command {
        id: "invert-marks",
        title: "invert marks",
        doc: "Mark what isn't marked, and unmark what is; with a filter, among those that match.",
        keys: &["ctrl-v"],
        footer: None,
        applies: |m| m.record().live_sessions().next().is_some(),
        needs: "no sessions",
        run: marks::invert,
    },
    Command {
        id: "restart",
        title: "restart",
        doc: "Restart the session, or all of the group, resuming its conversation; start it if stopped.",
        keys: &["R"],
        footer: Some(5),
        applies: on_targets,
        needs: A_SESSION,
        run: restart,
    },
    Command {
        id: "mcp-servers",
        title: "MCP servers",
        doc: "Attach and detach MCP servers of the session, of all marked ones, or of all of the group.",
        keys: &["C"],
        footer: None,
        applies: on_targets,
        needs: A_SESSION,
        run: mcp_servers,
    },
    Command {
        id: "stop",
        title: "stop",
        doc: "Stop the session, or all of the group (it and its conversation are kept).",
        keys: &["x"],
        footer: Some(10),
        applies: |m| marks::targets(m).iter().any(|id| m.state(id).is_none_or(|l| l.row.is_some())),
        needs: "select a running session",
        run: stop,
    },
    Command {
        id: "fork",
        title: "fork",
        doc: "Fork the session from its conversation.",
        keys: &["f"],
        footer: Some(4),
        applies: on_session,
        needs: A_SESSION,
        run: |m| m.selected().cloned().map(|id| Effect::Fork(id, None)).into_iter().collect(),
    },
    Command {
        id: "fork-as",
        title: "fork as",
        doc: "Fork with a title.",
        keys: &["F"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: fork_as,
    },
    Command {
        id: "revive",
        title: "revive all",
        doc: "Restart all lost sessions, resuming their conversations.",
        keys: &[],
        footer: None,
        applies: |m| !ops::lost(&m.profile.snapshot).is_empty(),
        needs: "no lost sessions",
        run: |m| vec![Effect::Revive(ops::lost(&m.profile.snapshot).iter().map(|s| s.id.clone()).collect())],
    },
    Command {
        id: "diff",
        title: "diff",
        doc: "Show what changed in the session's folder, and comment on it.",
        keys: &["D"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: diff::open,
    },
    Command {
        id: "shell",
        title: "shell",
        doc: "Open a shell in the session's folder.",
        keys: &["b"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: |m| outside(m, Outside::Shell),
    },
    Command {
        id: "editor",
        title: "editor",
        doc: "Open your editor in the session's folder.",
        keys: &["e"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: |m| outside(m, Outside::Editor),
    },
];

fn new(model: &mut Model) -> Vec<Effect> {
    let (form, effects) = NewSession::open(model);
    model.dialogs.push(Box::new(form));
    effects
}

pub(super) fn is_alive(model: &Model, id: &SessionId) -> bool {
    model.status(id).is_some_and(|s| !matches!(s, Status::Stopped | Status::Error))
}

/// What a command works on, without those to which something is being done already: once is enough.
fn free_targets(model: &mut Model) -> Vec<SessionId> {
    let all = marks::targets(model);
    let free: Vec<SessionId> = all.iter().filter(|id| !model.app.working.contains_key(id)).cloned().collect();
    if let (true, Some((word, _))) =
        (free.is_empty(), all.first().and_then(|id| model.app.working.get(id)).copied())
    {
        model.notify(format!("already {word}"));
    }
    free
}

/// Asks first where something would be interrupted or lost.
pub(super) fn ask(
    model: &mut Model,
    verb: &str,
    ids: &[SessionId],
    lines: Vec<String>,
    effects: Vec<Effect>,
) -> Vec<Effect> {
    let mut title = verb.to_owned();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let title = format!("{title} {}?", marks::words(model, ids));
    model.dialogs.push(Box::new(Confirm::new(&title, lines, verb, effects)));
    Vec::new()
}

fn mcp_servers(model: &mut Model) -> Vec<Effect> {
    let (dialog, effect) = McpServers::new(marks::targets(model));
    model.dialogs.push(Box::new(dialog));
    vec![effect]
}

fn restart(model: &mut Model) -> Vec<Effect> {
    let ids = free_targets(model);
    let busy = ids.iter().filter(|id| model.status(id) == Some(Status::Running)).count();
    let effects: Vec<Effect> = ids.iter().map(|id| Effect::Restart(id.clone(), false)).collect();
    let what = match (busy, ids.len()) {
        (0, _) if !marks::is_on_group(model) || ids.is_empty() => return effects,
        (0, _) => format!("These are all sessions of the group {}.", group_of(model)),
        (_, 1) => "It's busy; its current work will be interrupted.".to_owned(),
        (n, _) => format!("{n} of them are busy; their current work will be interrupted."),
    };
    ask(model, "restart", &ids, vec![what, "The conversation is kept.".to_owned()], effects)
}

fn group_of(model: &Model) -> String {
    model.group().map(ToString::to_string).unwrap_or_default()
}

fn stop(model: &mut Model) -> Vec<Effect> {
    if model.terminal().is_some() && model.profile.marked.is_empty() {
        return super::workers::remove(model);
    }
    let mut ids = free_targets(model);
    if let [one] = &ids[..]
        && model.state(one).is_some_and(|l| l.row.is_none())
    {
        model.notify(format!("{} is not running", marks::words(model, &ids)));
        return Vec::new();
    }
    ids.retain(|id| model.state(id).is_none_or(|l| l.row.is_some()));
    let effects: Vec<Effect> = ids.iter().cloned().map(Effect::Stop).collect();
    if !ids.iter().any(|id| is_alive(model, id)) {
        return effects;
    }
    let key = model.app.keymap.key("restart");
    let what = if ids.len() == 1 {
        format!("This ends the agent. The session and its conversation are kept; {key} starts it again.")
    } else {
        format!(
            "This ends the agents. The sessions and their conversations are kept; {key} starts them again."
        )
    };
    let lines = vec![what];
    ask(model, "stop", &ids, lines, effects)
}

fn new_like(model: &mut Model) -> Vec<Effect> {
    let (form, effects) = NewSession::like(model);
    model.dialogs.push(Box::new(form));
    effects
}

fn fork_as(model: &mut Model) -> Vec<Effect> {
    let Some(session) = model.session() else { return Vec::new() };
    let id = session.id.clone();
    let profile = model.record().clone();
    let taken: Vec<&str> = profile.live_sessions().map(|s| s.title.as_str()).collect();
    let start = numbered_title(&format!("{} fork", session.title), &taken);
    let titles: Vec<String> = taken.into_iter().map(str::to_owned).collect();
    let dialog = Ask::new("Fork", "Title", &start, move |title| {
        if title.trim().is_empty() {
            return Err("a title is required".to_owned());
        }
        if titles.iter().any(|t| t == title.trim()) {
            return Err("that title is taken".to_owned());
        }
        Ok(vec![Effect::Fork(id.clone(), Some(title.to_owned()))])
    });
    model.dialogs.push(Box::new(dialog));
    Vec::new()
}

fn outside(model: &mut Model, what: Outside) -> Vec<Effect> {
    model.selected().cloned().map(|id| Effect::Outside(id, what)).into_iter().collect()
}
