//! Conversations, and handing a session's work over to another agent.

use super::{A_SESSION, Command, always, on_session};
use crate::app::dialogs::{HandOver, Talks};
use crate::app::effect::Effect;
use crate::app::state::Model;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "talk",
        title: "conversations",
        doc: "List the conversations of this project and those that sessions carry; read, compact, pin, send.",
        keys: &["g t"],
        footer: None,
        applies: always,
        needs: "",
        run: talk,
    },
    Command {
        id: "hand-over",
        title: "hand over",
        doc: "Hand the session's work over to another agent, once its own transcript proves that it has it.",
        keys: &["O"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: hand_over,
    },
];

fn talk(model: &mut Model) -> Vec<Effect> {
    let (dialog, asks) = Talks::new(model.selected().cloned());
    model.dialogs.push(Box::new(dialog));
    vec![asks]
}

fn hand_over(model: &mut Model) -> Vec<Effect> {
    let Some(id) = model.selected().cloned() else { return Vec::new() };
    match HandOver::new(id, model) {
        Some((dialog, asks)) => {
            model.dialogs.push(Box::new(dialog));
            vec![asks]
        }
        None => {
            model.notify_error("no agent is installed that could take it over".to_owned());
            Vec::new()
        }
    }
}
