//! What of the list is shown.

use super::{Command, always};
use crate::app::effect::Effect;
use crate::app::model::{Find, Layout, Model};
use crate::domain::status::Status;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "find",
        title: "find",
        doc: "Find sessions by title, folder, group or tool.",
        keys: &["/"],
        footer: Some(6),
        applies: always,
        needs: "",
        run: |m| {
            m.find.typing = true;
            Vec::new()
        },
    },
    Command {
        id: "only-running",
        title: "only running",
        doc: "Filter: show only running sessions, or all again.",
        keys: &["!"],
        footer: None,
        applies: always,
        needs: "",
        run: |m| only(m, Status::Running),
    },
    Command {
        id: "only-waiting",
        title: "only waiting",
        doc: "Filter: show only waiting sessions, or all again.",
        keys: &["@"],
        footer: None,
        applies: always,
        needs: "",
        run: |m| only(m, Status::Waiting),
    },
    Command {
        id: "only-idle",
        title: "only idle",
        doc: "Filter: show only idle sessions, or all again.",
        keys: &["#"],
        footer: None,
        applies: always,
        needs: "",
        run: |m| only(m, Status::Idle),
    },
    Command {
        id: "only-error",
        title: "only errors",
        doc: "Filter: show only sessions with an error, or all again.",
        keys: &["&"],
        footer: None,
        applies: always,
        needs: "",
        run: |m| only(m, Status::Error),
    },
    Command {
        id: "show-all",
        title: "show all",
        doc: "Show all sessions again.",
        keys: &["esc"],
        footer: None,
        applies: |m| !m.find.is_off(),
        needs: "all sessions are shown",
        run: |m| {
            m.find = Find::default();
            m.relayout();
            Vec::new()
        },
    },
    Command {
        id: "flip",
        title: "flip",
        doc: "On a narrow screen: go from the list to the session's screen and back.",
        keys: &["tab"],
        footer: Some(0),
        applies: |m| m.layout() == Layout::Narrow,
        needs: "this screen has room for both",
        run: |m| {
            m.flipped = !m.flipped;
            Vec::new()
        },
    },
    Command {
        id: "split-left",
        title: "narrower list",
        doc: "Make the list narrower.",
        keys: &["["],
        footer: None,
        applies: |m| m.layout() == Layout::Wide,
        needs: "list and screen are not side by side here",
        run: |m| split(m, -4),
    },
    Command {
        id: "split-right",
        title: "wider list",
        doc: "Make the list wider.",
        keys: &["]"],
        footer: None,
        applies: |m| m.layout() == Layout::Wide,
        needs: "list and screen are not side by side here",
        run: |m| split(m, 4),
    },
];

fn only(model: &mut Model, status: Status) -> Vec<Effect> {
    model.find.status = if model.find.status == Some(status) { None } else { Some(status) };
    model.relayout();
    Vec::new()
}

fn split(model: &mut Model, by: i16) -> Vec<Effect> {
    model.split = model.split.saturating_add_signed(by).clamp(20, 80);
    Vec::new()
}
