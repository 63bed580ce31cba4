//! Names, groups and order.

use super::{A_PLACED, Command, always, on_placed};
use crate::app::dialogs::{Ask, Picker};
use crate::app::effect::Effect;
use crate::app::marks;
use crate::app::state::Model;
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::Status;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "new-group",
        title: "new group",
        doc: "Create a group (a/b/c creates parents).",
        keys: &["c"],
        footer: None,
        applies: always,
        needs: "",
        run: new_group,
    },
    Command {
        id: "rename",
        title: "rename",
        doc: "Rename the session or group.",
        keys: &["r"],
        footer: Some(12),
        applies: on_placed,
        needs: A_PLACED,
        run: rename,
    },
    Command {
        id: "move",
        title: "move",
        doc: "Move the session or group to another group.",
        keys: &["m"],
        footer: Some(13),
        applies: on_placed,
        needs: A_PLACED,
        run: move_to,
    },
    Command {
        id: "reorder-down",
        title: "move down",
        doc: "Move the row down among its siblings.",
        keys: &["J"],
        footer: None,
        applies: on_placed,
        needs: A_PLACED,
        run: |m| reorder(m, 1),
    },
    Command {
        id: "reorder-up",
        title: "move up",
        doc: "Move the row up among its siblings.",
        keys: &["K"],
        footer: None,
        applies: on_placed,
        needs: A_PLACED,
        run: |m| reorder(m, -1),
    },
    Command {
        id: "sort",
        title: "sort",
        doc: "Sort the sessions of every group once; S again restores the order.",
        keys: &["S"],
        footer: None,
        applies: |m| m.record().live_sessions().count() > 1,
        needs: "nothing to sort",
        run: sort,
    },
];

fn new_group(model: &mut Model) -> Vec<Effect> {
    let here = model.here();
    let start = if here.is_root() { String::new() } else { format!("{here}/") };
    let ask = Ask::new("New group", "Name", &start, |name| {
        let path = GroupPath::parse(name).map_err(|e| e.to_string())?;
        Ok(vec![Effect::AddGroup(path)])
    });
    model.dialogs.push(Box::new(ask));
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
        let others = model.record().live_sessions().filter(|s| s.id != id);
        let taken: Vec<String> = others.map(|s| s.title.clone()).collect();
        Ask::new("Rename session", "Title", &session.title, move |title| {
            if title.trim().is_empty() {
                Err("a title is required".to_owned())
            } else if taken.iter().any(|t| t == title.trim()) {
                Err("that title is taken".to_owned())
            } else {
                Ok(vec![Effect::Rename(id.clone(), title.to_owned())])
            }
        })
    };
    model.dialogs.push(Box::new(ask));
    Vec::new()
}

fn move_to(model: &mut Model) -> Vec<Effect> {
    if model.profile.marked.len() > 1 {
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
    let mut all: Vec<GroupPath> = model.record().live_groups().map(|g| g.path.clone()).collect();
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

/// Puts all marked sessions into a group.
fn move_marked(model: &mut Model) -> Vec<Effect> {
    let ids = marks::targets(model);
    let effects = move |to: &GroupPath| -> Vec<Effect> {
        ids.iter().map(|id| Effect::MoveTo(id.clone(), to.clone())).collect()
    };
    let mut places = vec![GroupPath::root()];
    places.extend(model.record().live_groups().map(|g| g.path.clone()));
    places.sort();
    let name = |p: &GroupPath| if p.is_root() { "(no group)".to_owned() } else { p.to_string() };
    let choices = places.iter().map(|p| (name(p), effects(p))).collect();
    let title = format!("Move {} sessions to", model.profile.marked.len());
    let picker = Picker::new(&title, choices)
        .or_new("a new group", move |typed| Some(effects(&GroupPath::parse(typed).ok()?)));
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

/// Offers orders; what was chosen is the order from then on, and nothing moves by itself.
fn sort(model: &mut Model) -> Vec<Effect> {
    let profile = model.record().clone();
    let restores = model.app.keymap.key("sort");
    let by = |words: &str, key: &dyn Fn(&Session) -> String, down: bool| {
        let mut all: Vec<(String, &Session)> = profile.live_sessions().map(|s| (key(s), s)).collect();
        // A stable sort: what is alike keeps the order it has.
        let arranged = profile.arrangement();
        all.sort_by_key(|(_, s)| arranged.iter().position(|id| *id == s.id));
        all.sort_by(|(a, _), (b, _)| if down { b.cmp(a) } else { a.cmp(b) });
        let ids = all.into_iter().map(|(_, s)| s.id.clone()).collect();
        (
            words.to_owned(),
            vec![Effect::Arrange(ids, format!("sorted {words}; {restores} restores the order"))],
        )
    };
    let made = |s: &Session| s.created_at.to_string();
    let needy: Vec<SessionId> = model.attention().iter().map(|(s, _)| s.id.clone()).collect();
    let need = |s: &Session| {
        let at = needy.iter().position(|id| *id == s.id).unwrap_or(needy.len());
        format!("{at:06} {}", rank(model.status(&s.id)))
    };
    let mut choices = vec![
        by("by title", &|s| s.title.to_lowercase(), false),
        by("newest first", &made, true),
        by("oldest first", &made, false),
        by("sessions that need you first", &need, false),
        by("by tool", &|s| s.tool.clone(), false),
        by("by folder", &|s| s.project_path.clone(), false),
    ];
    if let Some(before) = model.profile.arranged.clone() {
        let words = "order before the last sort";
        choices.insert(0, (words.to_owned(), vec![Effect::Arrange(before, format!("sorted: {words}"))]));
    }
    model.dialogs.push(Box::new(Picker::new("Sort every group", choices)));
    Vec::new()
}

/// The order of statuses where nobody needs the user.
const fn rank(status: Option<Status>) -> u8 {
    match status {
        // Each of these needs the user, and is before all others.
        Some(Status::Waiting | Status::Error) => 0,
        Some(Status::Running) => 1,
        Some(Status::Starting) => 2,
        Some(Status::Idle) => 3,
        Some(Status::Stopped) => 4,
        None => 5,
    }
}
