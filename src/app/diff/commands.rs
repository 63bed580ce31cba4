//! The keys of the panel: footer, help and docs are made from them as from all others.

use super::read::{ask, choose};
use super::rows::{Row, as_text};
use super::{ROOM_FOR_TWO, Writing, close, parts, with};
use crate::app::commands::Command;
use crate::app::dialogs::{Confirm, Editor, Help};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::state::Model;
use crate::domain::diff::{Against, Comment, message};
use crate::domain::text;
use crate::ops::Unsent;
use crate::ports::git::Lines;

const fn command(
    id: &'static str,
    title: &'static str,
    doc: &'static str,
    keys: &'static [&'static str],
    footer: Option<u8>,
    run: fn(&mut Model) -> Vec<Effect>,
) -> Command {
    Command { id, title, doc, keys, footer, applies: is_open, needs: "open the diff first", run }
}

fn is_open(model: &Model) -> bool {
    model.diff().is_some()
}

/// All commands of the panel.
pub const COMMANDS: &[Command] = &[
    command("diff-close", "close", "Close the diff.", &["esc", "q", "D"], Some(0), close),
    command("diff-next-file", "next file", "Go to the next file.", &["tab", "down"], Some(1), |m| file(m, 1)),
    command(
        "diff-previous-file",
        "previous file",
        "Go to the previous file.",
        &["backtab", "up"],
        None,
        |m| file(m, -1),
    ),
    command(
        "diff-next-hunk",
        "next hunk",
        "Go to the next hunk, also of the next file.",
        &["n"],
        Some(2),
        |m| hunk(m, true),
    ),
    command("diff-previous-hunk", "previous hunk", "Go to the previous hunk.", &["N"], None, |m| {
        hunk(m, false)
    }),
    command("diff-down", "down", "Go one line down.", &["j"], None, |m| step(m, 1)),
    command("diff-up", "up", "Go one line up.", &["k"], None, |m| step(m, -1)),
    command("diff-page-down", "page down", "Go half a page down.", &["pagedown", "ctrl-d"], None, |m| {
        page(m, 1)
    }),
    command("diff-page-up", "page up", "Go half a page up.", &["pageup", "ctrl-u"], None, |m| page(m, -1)),
    command("diff-first", "first", "Go to the file's first line.", &["g", "home"], None, |m| {
        step(m, isize::MIN)
    }),
    command("diff-last", "last", "Go to the file's last line.", &["G", "end"], None, |m| step(m, isize::MAX)),
    command("diff-right", "right", "Scroll long lines.", &["l", "right"], None, |m| sideways(m, 8)),
    command("diff-left", "left", "Scroll long lines back.", &["h", "left"], None, |m| sideways(m, -8)),
    command(
        "diff-comment",
        "comment",
        "Comment on the line; an empty comment is removed.",
        &["c"],
        Some(3),
        write,
    ),
    command(
        "diff-send",
        "send comments",
        "Send all comments to the session as one message.",
        &["enter"],
        Some(4),
        send,
    ),
    command(
        "diff-base",
        "base",
        "Compare with HEAD, the branch it came from, or the index.",
        &["b"],
        Some(5),
        base,
    ),
    command(
        "diff-split",
        "side by side",
        "Show old and new lines side by side, from 140 columns.",
        &["s"],
        Some(6),
        split,
    ),
    command("diff-copy", "copy", "Copy the file's changes to the clipboard.", &["y"], Some(7), copy),
    command("diff-refresh", "refresh", "Read the changes again.", &["r"], Some(8), |m| ask(m, Lines::All)),
    command("diff-help", "help", "Show the keys of the diff.", &["?"], Some(9), |m| {
        m.dialogs.push(Box::new(Help::new(SECTION.to_vec())));
        Vec::new()
    }),
];

/// The commands under their header.
pub const SECTION: &[crate::app::commands::Section] = &[("In the diff", COMMANDS)];

/// A key in the footer, what it does, and its command; none while a comment is written.
type Shown = (String, String, Option<&'static Command>);

/// What the footer shows: first keys, and what they do.
pub fn footer(model: &Model) -> Vec<Shown> {
    let Some(panel) = model.diff() else { return Vec::new() };
    if panel.writing.is_some() {
        return [("enter", "keep"), ("alt-enter", "newline"), ("esc", "cancel")]
            .map(|(k, t)| (k.to_owned(), t.to_owned(), None))
            .to_vec();
    }
    let comments = model.comments(&panel.session).len();
    let is_of_use = |c: &&Command| match c.id {
        "diff-send" => comments > 0,
        "diff-split" => model.app.size.0 >= ROOM_FOR_TWO,
        _ => c.footer.is_some(),
    };
    let mut all: Vec<&'static Command> = COMMANDS.iter().filter(is_of_use).collect();
    all.sort_by_key(|c| c.footer);
    let words = |c: &Command| match c.id {
        "diff-send" => format!("send {}", text::counted(comments, "comment")),
        _ => c.title.to_owned(),
    };
    // A command that lost its keys has none to show.
    let key = |c: &Command| model.app.keymap.keys_of(c).into_iter().next();
    all.into_iter().filter_map(|c| Some((key(c)?, words(c), Some(c)))).collect()
}

fn file(model: &mut Model, by: isize) -> Vec<Effect> {
    let at = model.diff().map_or(0, |p| p.file.saturating_add_signed(by));
    choose(model, at)
}

fn step(model: &mut Model, by: isize) -> Vec<Effect> {
    with(model, false, |p, _| p.cursor = p.cursor.saturating_add_signed(by));
    Vec::new()
}

fn page(model: &mut Model, pages: isize) -> Vec<Effect> {
    let half = model.diff().map_or(1, |p| (parts(model, p).body.height / 2).max(1));
    step(model, pages * isize::try_from(half).unwrap_or(1))
}

fn sideways(model: &mut Model, by: isize) -> Vec<Effect> {
    with(model, false, |p, _| p.left = p.left.saturating_add_signed(by).min(4000));
    Vec::new()
}

/// Goes to another hunk, if need be of another file.
fn hunk(model: &mut Model, forward: bool) -> Vec<Effect> {
    let Some(panel) = model.diff() else { return Vec::new() };
    let is_head = |i: &usize| matches!(panel.rows.get(*i), Some(Row::Head(_)));
    let found = if forward {
        (panel.cursor + 1..panel.rows.len()).find(is_head)
    } else {
        (0..panel.cursor).rev().find(is_head)
    };
    if let Some(row) = found {
        with(model, false, |p, _| p.cursor = row);
        return Vec::new();
    }
    let (at, last) = (panel.file, panel.files().len().saturating_sub(1));
    if (forward && at >= last) || (!forward && at == 0) {
        model.flash(if forward { "this is the last hunk" } else { "this is the first hunk" });
        return Vec::new();
    }
    let effects = choose(model, if forward { at + 1 } else { at - 1 });
    if !forward {
        with(model, false, |p, _| {
            p.cursor = p.rows.iter().rposition(|r| matches!(r, Row::Head(_))).unwrap_or(0);
        });
    }
    effects
}

fn base(model: &mut Model) -> Vec<Effect> {
    let of = model.view.diff.as_ref().map(|panel| panel.session.clone());
    let of = of.and_then(|id| model.record().session(&id).map(Against::of_branch)).unwrap_or(Against::Branch);
    let Some(panel) = &mut model.view.diff else { return Vec::new() };
    panel.against = match panel.against {
        Against::Head => of,
        Against::Branch | Against::Left(_) => Against::Index,
        Against::Index | Against::Commit(_) => Against::Head,
    };
    ask(model, Lines::All)
}

fn split(model: &mut Model) -> Vec<Effect> {
    if model.app.size.0 < ROOM_FOR_TWO {
        model.flash(format!("side by side needs {ROOM_FOR_TWO} columns"));
        return Vec::new();
    }
    let number = model.diff().and_then(|p| p.line_at(p.cursor)).and_then(|l| l.new.or(l.old));
    with(model, true, |p, _| p.split = !p.split);
    if let Some(number) = number {
        with(model, false, |p, _| p.cursor = p.row_of(number));
    }
    Vec::new()
}

fn copy(model: &mut Model) -> Vec<Effect> {
    let text = model.diff().and_then(super::DiffPanel::chosen).map(as_text);
    text.map(Effect::Copy).into_iter().collect()
}

/// Begins a comment on the line, or continues the one that is there.
fn write(model: &mut Model) -> Vec<Effect> {
    let Some(panel) = model.diff() else { return Vec::new() };
    let comments = model.comments(&panel.session);
    let comment = match panel.rows.get(panel.cursor) {
        Some(Row::Comment(i, _)) => comments.get(*i).cloned(),
        _ => panel.chosen().zip(panel.line_at(panel.cursor)).and_then(|(f, line)| Comment::on(&f.path, line)),
    };
    let Some(comment) = comment else {
        let key = |id| model.app.keymap.key(id);
        let words = format!("go to a line to comment on it ({}, {})", key("diff-down"), key("diff-up"));
        model.flash(words);
        return Vec::new();
    };
    let known = comments.iter().find(|c| c.is_beside(&comment)).cloned();
    let comment = known.unwrap_or(comment);
    let editor = Editor::new(&comment.text);
    with(model, false, |p, _| p.writing = Some(Writing { comment, editor }));
    Vec::new()
}

/// Takes a key into the comment that is being written.
pub(in crate::app) fn type_comment(model: &mut Model, key: Key) {
    let mut done = None;
    with(model, false, |panel, _| match (key.code, key.ctrl, key.alt || key.shift) {
        (KeyCode::Enter, false, false) => done = panel.writing.take(),
        (KeyCode::Esc, ..) | (KeyCode::Char('c'), true, _) => panel.writing = None,
        _ => {
            let Some(writing) = &mut panel.writing else { return };
            // As in the composer.
            if matches!((key.code, key.ctrl), (KeyCode::Enter, _) | (KeyCode::Char('j'), true)) {
                writing.editor.insert("\n");
            } else {
                writing.editor.key(key);
            }
        }
    });
    let Some((session, Writing { comment, editor })) = model.diff().map(|p| p.session.clone()).zip(done)
    else {
        return;
    };
    let all = model.app.comments.entry(session).or_default();
    let at = all.iter().position(|c| c.is_beside(&comment));
    let comment = Comment { text: editor.text().trim().to_owned(), ..comment };
    match (at.and_then(|i| all.get_mut(i).map(|c| (i, c))), comment.text.is_empty()) {
        (Some((i, _)), true) => drop(all.remove(i)),
        (Some((_, old)), false) => *old = comment,
        (None, false) => all.push(comment),
        (None, true) => {}
    }
    with(model, true, |_, _| {});
}

fn send(model: &mut Model) -> Vec<Effect> {
    let Some(panel) = model.diff() else { return Vec::new() };
    let id = panel.session.clone();
    let text = message(model.comments(&id));
    if text.is_empty() {
        model.flash(format!("no comments yet; {} comments on a line", model.app.keymap.key("diff-comment")));
        return Vec::new();
    }
    let many = text::counted(model.comments(&id).len(), "comment");
    let title = model.record().session(&id).map(|s| text::clean(&s.title)).unwrap_or_default();
    let room = usize::from(model.app.size.1).saturating_sub(8).max(1);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.len() > room {
        lines.truncate(room.saturating_sub(1));
        lines.push("…".to_owned());
    }
    let title = format!("Send {many} to {title}?");
    model.dialogs.push(Box::new(Confirm::new(
        &title,
        lines,
        "send",
        vec![Effect::Send(id, text, Unsent::Refuse)],
    )));
    Vec::new()
}
