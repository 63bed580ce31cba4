//! Adding, changing, restarting, stopping and deleting sessions.

use super::{A_ROW, A_SESSION, Command, always, on_row, on_session};
use crate::app::dialogs::{Ask, Confirm, NewSession, Picker};
use crate::app::effect::Effect;
use crate::app::effect::Outside;
use crate::app::marks;
use crate::app::model::Model;
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::status::Status;
use crate::domain::tree::DeleteMode;
use crate::domain::{age, text};
use crate::ops;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "new",
        title: "new",
        doc: "Add a session.",
        keys: &["n"],
        footer: Some(2),
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
        doc: "Mark the session, for any command on many; esc takes all marks off.",
        keys: &["v"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: marks::toggle,
    },
    Command {
        id: "restart",
        title: "restart",
        doc: "End the agent and start it again with its conversation; start one that is stopped.",
        keys: &["R"],
        footer: Some(3),
        applies: on_session,
        needs: A_SESSION,
        run: restart,
    },
    Command {
        id: "stop",
        title: "stop",
        doc: "Stop the session; its record and conversation stay.",
        keys: &["x"],
        footer: Some(4),
        applies: on_session,
        needs: A_SESSION,
        run: stop,
    },
    Command {
        id: "fork",
        title: "fork",
        doc: "Start another session that goes on from the same conversation.",
        keys: &["f"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: |m| m.selected().cloned().map(|id| Effect::Fork(id, None)).into_iter().collect(),
    },
    Command {
        id: "fork-as",
        title: "fork as",
        doc: "Fork under a title of yours.",
        keys: &["F"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: fork_as,
    },
    Command {
        id: "revive",
        title: "revive all",
        doc: "Bring back all sessions that were lost with their server, with their conversations.",
        keys: &[],
        footer: None,
        applies: |m| !ops::lost(&m.snapshot).is_empty(),
        needs: "nothing is lost",
        run: |m| vec![Effect::Revive(ops::lost(&m.snapshot).iter().map(|s| s.id.clone()).collect())],
    },
    Command {
        id: "delete",
        title: "delete",
        doc: "Delete the session or group; u brings it back.",
        keys: &["d", "delete"],
        footer: Some(5),
        applies: on_row,
        needs: A_ROW,
        run: delete,
    },
    Command {
        id: "archive",
        title: "archive",
        doc: "Put the session away with its conversation; on a group: bring one back.",
        keys: &["A"],
        footer: None,
        applies: always,
        needs: "",
        run: archive,
    },
    Command {
        id: "trash",
        title: "trash",
        doc: "Bring back one of the sessions that were deleted in the last seven days.",
        keys: &[],
        footer: None,
        applies: |m| m.snapshot.profile.sessions.iter().any(|s| s.deleted_at.is_some()),
        needs: "the trash is empty",
        run: trash,
    },
    Command {
        id: "adopt",
        title: "adopt an agent",
        doc: "Adopt an agent that runs in a tmux session of yours; it stays where it is.",
        keys: &[],
        footer: None,
        applies: always,
        needs: "",
        run: |m| find_imports(m, false),
    },
    Command {
        id: "import",
        title: "import",
        doc: "Make a session of a conversation that is on this machine already.",
        keys: &[],
        footer: None,
        applies: always,
        needs: "",
        run: |m| find_imports(m, true),
    },
    Command {
        id: "diff",
        title: "diff",
        doc: "Show what changed in the session's folder since the last commit.",
        keys: &["D"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: |m| outside(m, Outside::Diff),
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
    Command {
        id: "undo",
        title: "undo",
        doc: "Bring back what was deleted last.",
        keys: &["u"],
        footer: None,
        applies: always,
        needs: "",
        run: |_| vec![Effect::Undo],
    },
    Command {
        id: "rename",
        title: "rename",
        doc: "Give the session or group another name.",
        keys: &["r"],
        footer: Some(7),
        applies: on_row,
        needs: A_ROW,
        run: rename,
    },
    Command {
        id: "move",
        title: "move",
        doc: "Put the session into a group, or the group below another one.",
        keys: &["m"],
        footer: Some(8),
        applies: on_row,
        needs: A_ROW,
        run: move_to,
    },
    Command {
        id: "reorder-down",
        title: "move down",
        doc: "Move the row down among its siblings.",
        keys: &["J"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: |m| reorder(m, 1),
    },
    Command {
        id: "reorder-up",
        title: "move up",
        doc: "Move the row up among its siblings.",
        keys: &["K"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: |m| reorder(m, -1),
    },
];

fn new(model: &mut Model) -> Vec<Effect> {
    let (form, effects) = NewSession::open(model);
    model.dialogs.push(Box::new(form));
    effects
}

fn is_alive(model: &Model, id: &SessionId) -> bool {
    model.status(id).is_some_and(|s| !matches!(s, Status::Stopped | Status::Error))
}

/// What a command works on, without those to which something is being done already: once is enough.
fn free_targets(model: &mut Model) -> Vec<SessionId> {
    let all = marks::targets(model);
    let free: Vec<SessionId> = all.iter().filter(|id| !model.working.contains_key(id)).cloned().collect();
    if let (true, Some((word, _))) =
        (free.is_empty(), all.first().and_then(|id| model.working.get(id)).copied())
    {
        model.say(format!("{word} already"));
    }
    free
}

/// Asks first where something would be broken off or lost.
fn ask(
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

fn restart(model: &mut Model) -> Vec<Effect> {
    let ids = free_targets(model);
    let busy = ids.iter().filter(|id| model.status(id) == Some(Status::Running)).count();
    let effects: Vec<Effect> = ids.iter().map(|id| Effect::Restart(id.clone(), false)).collect();
    let what = match (busy, ids.len()) {
        (0, _) => return effects,
        (_, 1) => "It is working right now: what it is doing is broken off.".to_owned(),
        (n, _) => format!("{n} of them are working right now: what they are doing is broken off."),
    };
    ask(model, "restart", &ids, vec![what, "The conversation goes on.".to_owned()], effects)
}

fn stop(model: &mut Model) -> Vec<Effect> {
    let mut ids = free_targets(model);
    if let [one] = &ids[..]
        && model.look(one).is_some_and(|l| l.row.is_none())
    {
        model.say(format!("{} is not running", marks::words(model, &ids)));
        return Vec::new();
    }
    ids.retain(|id| model.look(id).is_none_or(|l| l.row.is_some()));
    let effects: Vec<Effect> = ids.iter().cloned().map(Effect::Stop).collect();
    if !ids.iter().any(|id| is_alive(model, id)) {
        return effects;
    }
    let whose = if ids.len() == 1 { "Its agent ends" } else { "Their agents end" };
    let lines = vec![format!("{whose}. The record and the conversation stay; R starts it again.")];
    ask(model, "stop", &ids, lines, effects)
}

fn delete(model: &mut Model) -> Vec<Effect> {
    if let Some(path) = model.group().cloned().filter(|_| model.marked.is_empty()) {
        return delete_group(model, path);
    }
    let ids = marks::targets(model);
    let mut lines = Vec::new();
    match (ids.iter().filter(|id| is_alive(model, id)).count(), ids.len()) {
        (0, _) => {}
        (_, 1) => lines.push("Its agent will be stopped.".to_owned()),
        (n, _) => lines.push(format!("{n} agents will be stopped.")),
    }
    let is_child = |s: &&crate::domain::session::Session| {
        s.parent_id.as_ref().is_some_and(|p| ids.contains(p)) && !ids.contains(&s.id)
    };
    let children = model.snapshot.profile.live_sessions().filter(is_child).count();
    if children > 0 {
        lines.push(format!("{children} sub-sessions stay."));
    }
    lines.push(
        "The folder and the conversation are not touched. u brings it back within seven days.".to_owned(),
    );
    ask(model, "delete", &ids, lines, vec![Effect::Delete(ids.clone())])
}

fn new_like(model: &mut Model) -> Vec<Effect> {
    let (form, effects) = NewSession::like(model);
    model.dialogs.push(Box::new(form));
    effects
}

fn fork_as(model: &mut Model) -> Vec<Effect> {
    let Some(session) = model.session() else { return Vec::new() };
    let id = session.id.clone();
    let start = format!("{} fork", session.title);
    let dialog = Ask::new("Fork", "Title", &start, move |title| {
        if title.trim().is_empty() {
            return Err("a title is needed".to_owned());
        }
        Ok(vec![Effect::Fork(id.clone(), Some(title.to_owned()))])
    });
    model.dialogs.push(Box::new(dialog));
    Vec::new()
}

fn archive(model: &mut Model) -> Vec<Effect> {
    let ids = marks::targets(model);
    if ids.is_empty() {
        return archived(model);
    }
    let effects: Vec<Effect> = ids.iter().cloned().map(Effect::Archive).collect();
    if !ids.iter().any(|id| is_alive(model, id)) {
        return effects;
    }
    let lines = vec![
        "It is stopped and leaves the list; its conversation stays. A on a group brings it back.".to_owned(),
    ];
    ask(model, "archive", &ids, lines, effects)
}

fn archived(model: &mut Model) -> Vec<Effect> {
    let is_away = |s: &&crate::domain::session::Session| s.archived_at.is_some() && s.deleted_at.is_none();
    let all: Vec<_> = model.snapshot.profile.sessions.iter().filter(is_away).collect();
    let choices: Vec<_> =
        all.iter().map(|s| (text::clean(&s.title), vec![Effect::Unarchive(s.id.clone())])).collect();
    if choices.is_empty() {
        model.say("nothing is archived; A on a session puts it away");
        return Vec::new();
    }
    model.dialogs.push(Box::new(Picker::new("Bring back from the archive", choices)));
    Vec::new()
}

fn trash(model: &mut Model) -> Vec<Effect> {
    let mut all: Vec<_> = model.snapshot.profile.sessions.iter().filter(|s| s.deleted_at.is_some()).collect();
    all.sort_by_key(|s| std::cmp::Reverse(s.deleted_at));
    let now = model.now;
    let words = |s: &crate::domain::session::Session| {
        let age = s.deleted_at.map(|at| age::age(now, at)).unwrap_or_default();
        format!("{}  {}  deleted {age}", text::clean(&s.title), text::clean(&s.project_path))
    };
    let choices = all.iter().map(|s| (words(s), vec![Effect::Restore(s.id.clone())])).collect();
    model.dialogs.push(Box::new(Picker::new("Bring back from the trash", choices)));
    Vec::new()
}

fn find_imports(model: &mut Model, conversations: bool) -> Vec<Effect> {
    model.say("looking…");
    vec![Effect::FindImports(conversations)]
}

fn outside(model: &mut Model, what: Outside) -> Vec<Effect> {
    model.selected().cloned().map(|id| Effect::Outside(id, what)).into_iter().collect()
}

fn delete_group(model: &mut Model, path: GroupPath) -> Vec<Effect> {
    let sessions = model.snapshot.profile.live_sessions().filter(|s| s.group_path.is_within(&path)).count();
    if sessions == 0 {
        let lines = vec!["It holds no sessions. u brings it back.".to_owned()];
        let effects = vec![Effect::RemoveGroup(path.clone(), DeleteMode::Along)];
        model.dialogs.push(Box::new(Confirm::new(
            &format!("Delete group {path}?"),
            lines,
            "delete",
            effects,
        )));
        return Vec::new();
    }
    let up = path.parent();
    let place = if up.is_root() { "no group".to_owned() } else { up.to_string() };
    let choices = vec![
        (
            format!("Keep its {sessions} sessions: move them to {place}"),
            vec![Effect::RemoveGroup(path.clone(), DeleteMode::MoveUp)],
        ),
        (
            format!("Delete its {sessions} sessions too; those that run are stopped"),
            vec![Effect::RemoveGroup(path.clone(), DeleteMode::Along)],
        ),
    ];
    model.dialogs.push(Box::new(Picker::new(&format!("Delete group {path}?"), choices)));
    Vec::new()
}

fn rename(model: &mut Model) -> Vec<Effect> {
    let ask = if let Some(path) = model.group().cloned() {
        let now = path.name().to_owned();
        Ask::new("Rename group", "Name", &now, move |name| {
            let name = GroupPath::parse_name(name).map_err(|e| e.to_string())?;
            Ok(vec![Effect::RenameGroup(path.clone(), name)])
        })
    } else {
        let Some(session) = model.session() else { return Vec::new() };
        let id = session.id.clone();
        Ask::new("Rename session", "Title", &session.title, move |title| {
            if title.trim().is_empty() {
                Err("a title is needed".to_owned())
            } else {
                Ok(vec![Effect::Rename(id.clone(), title.to_owned())])
            }
        })
    };
    model.dialogs.push(Box::new(ask));
    Vec::new()
}

fn move_to(model: &mut Model) -> Vec<Effect> {
    if model.marked.len() > 1 {
        return move_marked(model);
    }
    let from = model.group().cloned();
    let session = model.session().map(|s| (s.id.clone(), s.title.clone(), s.group_path.clone()));
    let effect = |to: GroupPath| match (&from, &session) {
        (Some(path), _) => vec![Effect::MoveGroup(path.clone(), to)],
        (_, Some((id, ..))) => vec![Effect::MoveTo(id.clone(), to)],
        _ => Vec::new(),
    };
    let name = from.as_ref().map(ToString::to_string).or_else(|| session.as_ref().map(|(_, t, _)| t.clone()));
    let now_in = from.as_ref().map(GroupPath::parent).or_else(|| session.as_ref().map(|(.., g)| g.clone()));
    let mut places = vec![GroupPath::root()];
    let mut all: Vec<GroupPath> = model.snapshot.profile.live_groups().map(|g| g.path.clone()).collect();
    all.sort();
    places.extend(all.into_iter().filter(|p| from.as_ref().is_none_or(|f| !p.is_within(f))));
    places.retain(|p| Some(p) != now_in.as_ref());
    let choice = |p: &GroupPath| {
        (if p.is_root() { "(no group)".to_owned() } else { p.to_string() }, effect(p.clone()))
    };
    let choices: Vec<_> = places.iter().map(choice).collect();
    let title = format!("Move {} to", name.unwrap_or_default());
    let picker = Picker::new(&title, choices);
    let target = (from.clone(), session.as_ref().map(|(id, ..)| id.clone()));
    let picker = picker.or_new("a new group", move |typed| {
        let to = GroupPath::parse(typed).ok()?;
        Some(match &target {
            (Some(path), _) => vec![Effect::MoveGroup(path.clone(), to)],
            (_, Some(id)) => vec![Effect::MoveTo(id.clone(), to)],
            _ => Vec::new(),
        })
    });
    model.dialogs.push(Box::new(picker));
    Vec::new()
}

fn reorder(model: &mut Model, by: i64) -> Vec<Effect> {
    match (model.group().cloned(), model.selected().cloned()) {
        (Some(path), _) => vec![Effect::ReorderGroup(path, by)],
        (_, Some(id)) => vec![Effect::Reorder(id, by)],
        _ => Vec::new(),
    }
}

/// Puts all marked sessions into a group.
fn move_marked(model: &mut Model) -> Vec<Effect> {
    let ids = marks::targets(model);
    let effects = move |to: &GroupPath| -> Vec<Effect> {
        ids.iter().map(|id| Effect::MoveTo(id.clone(), to.clone())).collect()
    };
    let mut places = vec![GroupPath::root()];
    places.extend(model.snapshot.profile.live_groups().map(|g| g.path.clone()));
    places.sort();
    let name = |p: &GroupPath| if p.is_root() { "(no group)".to_owned() } else { p.to_string() };
    let choices = places.iter().map(|p| (name(p), effects(p))).collect();
    let title = format!("Move {} sessions to", model.marked.len());
    let picker = Picker::new(&title, choices)
        .or_new("a new group", move |typed| Some(effects(&GroupPath::parse(typed).ok()?)));
    model.dialogs.push(Box::new(picker));
    Vec::new()
}
