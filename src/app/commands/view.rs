//! Which part of the list is shown, and how much room it has.

use super::{Command, always};
use crate::app::effect::Effect;
use crate::app::geometry;
use crate::app::state::{Filter, Layout, Model};
use crate::domain::status::StatusFilter;

/// The id of the command that gives list or preview all the room.
pub(super) const ZOOM: &str = "zoom";

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
            m.mode.begin_find();
            Vec::new()
        },
    },
    Command {
        id: "only-running",
        title: "only running",
        doc: "Toggle the filter for running sessions.",
        keys: &["!"],
        footer: None,
        applies: always,
        needs: "",
        run: |m| only(m, "running"),
    },
    Command {
        id: "only-waiting",
        title: "only waiting",
        doc: "Toggle the filter for waiting sessions.",
        keys: &["@"],
        footer: None,
        applies: always,
        needs: "",
        run: |m| only(m, "waiting"),
    },
    Command {
        id: "only-idle",
        title: "only idle",
        doc: "Toggle the filter for idle sessions.",
        keys: &["#"],
        footer: None,
        applies: always,
        needs: "",
        run: |m| only(m, "idle"),
    },
    Command {
        id: "only-error",
        title: "only errors",
        doc: "Toggle the filter for sessions with an error.",
        keys: &["&"],
        footer: None,
        applies: always,
        needs: "",
        run: |m| only(m, "error"),
    },
    Command {
        id: "show-all",
        title: "show all",
        doc: "Clear filters and marks.",
        keys: &["esc"],
        footer: None,
        applies: |m| !m.view.filter.is_off() || !m.profile.marked.is_empty(),
        needs: "no filter and no marks to clear",
        run: |m| {
            m.profile.marked.clear();
            m.view.filter = Filter::default();
            m.relayout();
            Vec::new()
        },
    },
    Command {
        id: ZOOM,
        title: "zoom",
        doc: "Give all the room to the preview, to the list, or to both again.",
        keys: &["tab"],
        footer: Some(8),
        applies: |m| !m.view.rows.is_empty(),
        needs: super::A_ROW,
        run: |m| {
            m.view.zoom = m.view.zoom.next(m.layout());
            Vec::new()
        },
    },
    Command {
        id: "scroll-up",
        title: "scroll up",
        doc: "Scroll the preview back.",
        keys: &["pageup"],
        footer: None,
        applies: has_picture,
        needs: "no preview to scroll",
        run: |m| page(m, 1),
    },
    Command {
        id: "scroll-down",
        title: "scroll down",
        doc: "Scroll the preview forward.",
        keys: &["pagedown"],
        footer: None,
        applies: has_picture,
        needs: "no preview to scroll",
        run: |m| page(m, -1),
    },
    Command {
        id: "split-left",
        title: "narrower list",
        doc: "Make the list narrower.",
        keys: &["["],
        footer: None,
        applies: |m| m.layout() == Layout::Wide,
        needs: "list and preview are not side by side here",
        run: |m| split(m, -4),
    },
    Command {
        id: "split-right",
        title: "wider list",
        doc: "Make the list wider.",
        keys: &["]"],
        footer: None,
        applies: |m| m.layout() == Layout::Wide,
        needs: "list and preview are not side by side here",
        run: |m| split(m, 4),
    },
];

fn only(model: &mut Model, word: &str) -> Vec<Effect> {
    model.show_only(StatusFilter::from_word(word));
    Vec::new()
}

fn split(model: &mut Model, by: i16) -> Vec<Effect> {
    let now = crate::app::geometry::split(model);
    model.view.split = Some(now.saturating_add_signed(by).clamp(20, 80));
    Vec::new()
}

fn has_picture(model: &Model) -> bool {
    model.capture().is_some()
}

fn page(model: &mut Model, pages: i64) -> Vec<Effect> {
    let height = i64::from(crate::app::geometry::of(model).capture.height);
    scroll(model, pages * (height / 2).max(1));
    Vec::new()
}

/// Scrolls the capture N lines back, or forward.
pub(in crate::app) fn scroll(model: &mut Model, lines: i64) {
    let of_shell = || model.shell().and_then(|s| model.profile.shells.tail(&s.shell.session_id));
    let history = match of_shell() {
        Some(tail) => {
            i64::try_from(tail.lines.len()).unwrap_or(0) - i64::from(geometry::of(model).capture.height)
        }
        None => model.capture().map_or(0, |p| i64::from(p.history)),
    };
    let history = history.max(0);
    if history == 0 && lines > 0 && model.selected().is_some() {
        let key = model.app.keymap.key("read");
        model.flash(format!("nothing scrolled away above; {key} reads the conversation"));
    }
    let to = (i64::from(model.view.scrolled) + lines).clamp(0, history);
    model.view.scrolled = u32::try_from(to).unwrap_or(0);
}
