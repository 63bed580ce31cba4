//! Adding, changing, restarting, stopping and deleting sessions.

use super::{A_ROW, A_SESSION, Command, always, on_row, on_session};
use crate::app::dialogs::{Ask, Confirm, NewSession, Picker};
use crate::app::effect::Effect;
use crate::app::model::Model;
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::status::Status;
use crate::domain::tree::DeleteMode;

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

fn is_alive(model: &Model) -> bool {
    let id = model.selected();
    id.and_then(|id| model.status(id)).is_some_and(|s| !matches!(s, Status::Stopped | Status::Error))
}

/// Whether something is being done to a session already: once is enough.
fn is_busy_with(model: &mut Model, id: &SessionId) -> bool {
    let doing = model.working.get(id).map(|(word, _)| *word);
    if let Some(word) = doing {
        model.say(format!("{word} already"));
    }
    doing.is_some()
}

fn restart(model: &mut Model) -> Vec<Effect> {
    let Some(session) = model.session() else { return Vec::new() };
    let (id, title) = (session.id.clone(), session.title.clone());
    if is_busy_with(model, &id) {
        return Vec::new();
    }
    match model.status(&id) {
        Some(Status::Running) => {
            let lines = vec![
                "It is working right now: what it is doing is broken off.".to_owned(),
                "Its conversation goes on.".to_owned(),
            ];
            let effects = vec![Effect::Restart(id, false)];
            model.dialogs.push(Box::new(Confirm::new(
                &format!("Restart {title}?"),
                lines,
                "restart",
                effects,
            )));
            Vec::new()
        }
        _ => vec![Effect::Restart(id, false)],
    }
}

fn stop(model: &mut Model) -> Vec<Effect> {
    let Some(session) = model.session() else { return Vec::new() };
    let (id, title) = (session.id.clone(), session.title.clone());
    if is_busy_with(model, &id) {
        return Vec::new();
    }
    if model.look(&id).is_some_and(|l| l.row.is_none()) {
        model.say(format!("{title} is not running"));
        return Vec::new();
    }
    if !is_alive(model) {
        return vec![Effect::Stop(id)];
    }
    let lines = vec!["Its agent ends. The record and the conversation stay; R starts it again.".to_owned()];
    model.dialogs.push(Box::new(Confirm::new(
        &format!("Stop {title}?"),
        lines,
        "stop",
        vec![Effect::Stop(id)],
    )));
    Vec::new()
}

fn delete(model: &mut Model) -> Vec<Effect> {
    if let Some(path) = model.group().cloned() {
        return delete_group(model, path);
    }
    let Some(session) = model.session() else { return Vec::new() };
    let (id, title) = (session.id.clone(), session.title.clone());
    let mut lines = Vec::new();
    if is_alive(model) {
        lines.push("Its agent is running and will be stopped.".to_owned());
    }
    let children =
        model.snapshot.profile.live_sessions().filter(|s| s.parent_id.as_ref() == Some(&id)).count();
    if children > 0 {
        lines.push(format!("Its {children} sub-sessions stay."));
    }
    lines.push(
        "The folder and the conversation are not touched. u brings it back within seven days.".to_owned(),
    );
    let confirm = Confirm::new(&format!("Delete {title}?"), lines, "delete", vec![Effect::Delete(vec![id])]);
    model.dialogs.push(Box::new(confirm));
    Vec::new()
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
