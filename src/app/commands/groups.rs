//! Groups.

use super::{Command, always};
use crate::app::dialogs::Ask;
use crate::app::effect::Effect;
use crate::app::model::Model;
use crate::domain::group::GroupPath;

pub(super) const COMMANDS: &[Command] = &[Command {
    id: "new-group",
    title: "new group",
    doc: "Make a group; a name with slashes makes the groups between.",
    keys: &["c"],
    footer: None,
    applies: always,
    needs: "",
    run: new_group,
}];

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
