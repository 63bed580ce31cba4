//! Deleting, archiving and restoring sessions, and importing what is on this machine already.

use super::sessions::{ask, is_alive};
use super::{A_PLACED, Command, always, on_placed};
use crate::app::dialogs::{Confirm, Picker};
use crate::app::effect::Effect;
use crate::app::marks;
use crate::app::state::Model;
use crate::domain::group::GroupPath;
use crate::domain::tree::DeleteMode;
use crate::domain::{age, text};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "delete",
        title: "delete",
        doc: "Delete the session or group (u restores it).",
        keys: &["d", "delete"],
        footer: Some(11),
        applies: on_placed,
        needs: A_PLACED,
        run: delete,
    },
    Command {
        id: "undo",
        title: "undo",
        doc: "Undo what was deleted, archived, renamed, moved or sorted last.",
        keys: &["u"],
        footer: None,
        applies: always,
        needs: "",
        run: |_| vec![Effect::Undo],
    },
    Command {
        id: "archive",
        title: "archive",
        doc: "Archive the session, or all of the group.",
        keys: &["A"],
        footer: None,
        applies: always,
        needs: "",
        run: archive,
    },
    Command {
        id: "unarchive",
        title: "unarchive",
        doc: "Restore an archived session.",
        keys: &["U"],
        footer: None,
        applies: always,
        needs: "",
        run: archived,
    },
    Command {
        id: "trash",
        title: "trash",
        doc: "Restore a session deleted in the last seven days.",
        keys: &[],
        footer: None,
        applies: |m| m.record().sessions.iter().any(|s| s.deleted_at.is_some()),
        needs: "the trash is empty",
        run: trash,
    },
    Command {
        id: "adopt",
        title: "adopt an agent",
        doc: "Adopt an agent running in your own tmux; it stays there.",
        keys: &[],
        footer: None,
        applies: always,
        needs: "",
        run: |m| find_imports(m, false),
    },
    Command {
        id: "import",
        title: "import",
        doc: "Create a session from an existing conversation on this machine.",
        keys: &[],
        footer: None,
        applies: always,
        needs: "",
        run: |m| find_imports(m, true),
    },
];

fn delete(model: &mut Model) -> Vec<Effect> {
    if let Some(path) = model.group().cloned().filter(|_| model.profile.marked.is_empty()) {
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
    let children = model.record().live_sessions().filter(is_child).count();
    match children {
        0 => {}
        1 => lines.push("1 sub-session is kept.".to_owned()),
        n => lines.push(format!("{n} sub-sessions are kept.")),
    }
    let undo = model.app.keymap.key("undo");
    lines.push(format!("The folder and the conversation are kept. {undo} restores it within seven days."));
    ask(model, "delete", &ids, lines, vec![Effect::Delete(ids.clone())])
}

fn delete_group(model: &mut Model, path: GroupPath) -> Vec<Effect> {
    let sessions = model.record().live_sessions().filter(|s| s.group_path.is_within(&path)).count();
    if sessions == 0 {
        let lines = vec![format!("It has no sessions. {} restores it.", model.app.keymap.key("undo"))];
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
    let place = if up.is_root() { "ungrouped".to_owned() } else { format!("moved to {up}") };
    let choices = vec![
        (
            format!("Keep its {}, {place}", text::counted(sessions, "session")),
            vec![Effect::RemoveGroup(path.clone(), DeleteMode::MoveUp)],
        ),
        (
            format!("Delete its {} too, stopping those that run", text::counted(sessions, "session")),
            vec![Effect::RemoveGroup(path.clone(), DeleteMode::Along)],
        ),
    ];
    model.dialogs.push(Box::new(Picker::new(&format!("Delete group {path}?"), choices)));
    Vec::new()
}

fn archive(model: &mut Model) -> Vec<Effect> {
    let ids = marks::targets(model);
    if ids.is_empty() {
        return archived(model);
    }
    let effects: Vec<Effect> = ids.iter().cloned().map(Effect::Archive).collect();
    let alive = ids.iter().filter(|id| is_alive(model, id)).count();
    if alive == 0 && !marks::is_on_group(model) {
        return effects;
    }
    let key = model.app.keymap.key("unarchive");
    let line = match (alive, ids.len()) {
        (0, 1) => format!("This hides the session. Its conversation is kept. {key} restores it."),
        (_, 1) => format!(
            "This stops the agent and hides the session. Its conversation is kept. {key} restores it."
        ),
        (0, _) => format!("This hides the sessions. Their conversations are kept. {key} restores them."),
        (n, _) => format!(
            "This stops {} and hides the sessions. Their conversations are kept. {key} restores them.",
            text::counted(n, "agent")
        ),
    };
    let lines = vec![line];
    ask(model, "archive", &ids, lines, effects)
}

fn archived(model: &mut Model) -> Vec<Effect> {
    let is_away = |s: &&crate::domain::session::Session| s.archived_at.is_some() && s.deleted_at.is_none();
    let all: Vec<_> = model.record().sessions.iter().filter(is_away).collect();
    let choices: Vec<_> =
        all.iter().map(|s| (text::clean(&s.title), vec![Effect::Unarchive(s.id.clone())])).collect();
    if choices.is_empty() {
        model.notify(format!(
            "nothing is archived; {} on a session archives it",
            model.app.keymap.key("archive")
        ));
        return Vec::new();
    }
    model.dialogs.push(Box::new(Picker::new("Restore from the archive", choices)));
    Vec::new()
}

fn trash(model: &mut Model) -> Vec<Effect> {
    let mut all: Vec<_> = model.record().sessions.iter().filter(|s| s.deleted_at.is_some()).collect();
    all.sort_by_key(|s| std::cmp::Reverse(s.deleted_at));
    let now = model.app.now;
    let words = |s: &crate::domain::session::Session| {
        let age = s.deleted_at.map(|at| age::age(now, at)).unwrap_or_default();
        format!("{}  {}  deleted {age}", text::clean(&s.title), text::clean(&s.project_path))
    };
    let choices = all.iter().map(|s| (words(s), vec![Effect::Restore(s.id.clone())])).collect();
    model.dialogs.push(Box::new(Picker::new("Restore from the trash", choices)));
    Vec::new()
}

fn find_imports(model: &mut Model, conversations: bool) -> Vec<Effect> {
    model.notify("looking…");
    vec![Effect::FindImports(conversations)]
}
