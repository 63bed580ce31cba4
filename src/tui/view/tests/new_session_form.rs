//! The new-session form on a disk that is not there: what the loop would answer, and what the form has.

use super::*;
use crate::app::{Asked, Folders, NotPrepared, Prepared, PreparedWorktree};

/// Folders on a disk that is not there.
const DISK: &[&str] = &[
    "/home/me/src",
    "/home/me/locked",
    "/home/me/src/api",
    "/home/me/src/api-2",
    "/home/me/src/日本語",
    "/home/me/src/日本語/深い",
    "/home/me/src/.hidden",
    "/home/me/src/backend",
    "/home/me/src/cli",
    "/home/me/src/docs",
    "/home/me/src/edge",
    "/home/me/src/frontend",
    "/home/me/src/experiments",
    "/home/me/src/experiments/deep",
];

/// What would run, as long as it gets.
fn plan_of(new: &crate::ops::New) -> Prepared {
    let prompt = new.prompt.as_ref().map(|p| format!(" '{p}'")).unwrap_or_default();
    let hooks = "/home/me/.local/state/deck/agents/claude-hooks.json";
    Prepared {
        brief: format!("claude --settings … --session-id …{prompt}"),
        full: format!("claude --settings {hooks} --session-id <new id>{prompt}"),
        in_repository: new.path.ends_with("frontend"),
        worktree: new.worktree.as_ref().map(worktree_of),
        ..Prepared::default()
    }
}

/// The worktree that would be made; its repository brings something for the branch `setup`.
fn worktree_of(wish: &crate::ops::worktree::WorktreeWish) -> PreparedWorktree {
    let asks = (wish.branch == "setup").then(|| Asked {
        repository: "frontend".into(),
        sha256: "1234".into(),
        text: ".deck.toml:\n  setup = [\"npm ci\", \"./scripts/db.sh\"]\n\nscripts/db.sh:\n  #!/bin/sh\n  createdb \u{1b}[31m$DECK_BRANCH\n".into(),
    });
    PreparedWorktree {
        path: format!("/home/me/src/frontend-worktrees/{}", wish.branch),
        what: format!("for a new branch {} from main, at 3f2c1aa0 \"Fix the login\", 2 h ago", wish.branch),
        details: vec!["copies 2 ignored files, 1 kB".into(), "runs npm ci".into()],
        asks,
    }
}

/// What the loop would answer.
pub(super) fn answer(effect: &Effect) -> Option<Done> {
    match effect {
        Effect::Prepare(number, new) => {
            let path = new.path.to_str().unwrap();
            let plan = if DISK.contains(&path) {
                Ok(plan_of(new))
            } else {
                Err(NotPrepared { why: format!("folder {path} doesn't exist"), no_folder: true })
            };
            Some(Done::Prepared(*number, plan))
        }
        Effect::CompletePath(number, text) if text.starts_with("~/locked/") => {
            let trouble = Some("Permission denied (os error 13)".to_owned());
            Some(Done::Folders(*number, Folders { trouble, ..Folders::default() }))
        }
        Effect::CompletePath(number, text) => {
            let (folder, start) = text.split_at(text.rfind('/').map_or(0, |at| at + 1));
            let real = folder.replace('~', "/home/me");
            let name = |path: &&str| path.strip_prefix(&real).filter(|n| !n.contains('/')).map(str::to_owned);
            let mut names: Vec<String> = DISK.iter().filter_map(name).collect();
            names.retain(|n| n.starts_with(start) && (start.starts_with('.') || !n.starts_with('.')));
            names.sort();
            let common = match &names[..] {
                [one] => format!("{one}/"),
                [first, .., last] => {
                    first.chars().zip(last.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c).collect()
                }
                [] => String::new(),
            };
            let start = format!("{folder}{common}");
            let names: Vec<String> = names.iter().map(|n| format!("{folder}{n}")).collect();
            Some(Done::Folders(*number, Folders { total: names.len(), names, start, trouble: None }))
        }
        Effect::MakeFolder(number, path) if path.starts_with("/root") => {
            let why = "can't create the folder /root/x: Permission denied (os error 13)";
            Some(Done::FolderMade(*number, Err(why.to_owned())))
        }
        _ => None,
    }
}

/// Presses keys one after the other, each with the loop's answers; the effects that remain.
pub(super) fn go(m: &mut Model, keys: &str) -> Vec<Effect> {
    let mut left = Vec::new();
    for key in keys.split(' ') {
        let mut effects = if let Some(text) = key.strip_prefix('"') {
            update(m, Msg::Paste(text.trim_end_matches('"').to_owned()))
        } else {
            press(m, key)
        };
        while !effects.is_empty() {
            let (answers, others): (Vec<_>, Vec<_>) =
                effects.iter().map(|e| (answer(e), e)).partition(|(a, _)| a.is_some());
            left.extend(others.into_iter().map(|(_, e)| e.clone()));
            let done = answers.into_iter().filter_map(|(a, _)| a);
            effects = done.flat_map(|done| update(m, Msg::Done(done))).collect();
        }
    }
    left
}

/// The form with a path, opened.
pub(super) fn form(size: (u16, u16), keys: &str) -> Model {
    let mut m = model(FULL, size);
    go(&mut m, "n");
    go(&mut m, keys);
    m
}

/// The path in the field.
pub(super) fn path(m: &Model) -> String {
    let shown = m.dialogs.last().unwrap().panel(m);
    let is_path = |b: &crate::app::Block| match b {
        crate::app::Block::Field { label, text, .. } if label == "Path" => Some(text.clone()),
        _ => None,
    };
    shown.blocks.iter().find_map(is_path).unwrap()
}

/// The folders that are offered: the picked one in brackets.
pub(super) fn rows(m: &Model) -> String {
    let shown = m.dialogs.last().unwrap().panel(m);
    let row = |b: &crate::app::Block| match b {
        crate::app::Block::Item { spans, right, selected } => {
            let text = |all: &[crate::app::Span]| all.iter().map(|s| s.text.trim()).collect::<String>();
            let (name, right) = (text(spans), text(right));
            let right = if right.is_empty() { right } else { format!(":{right}") };
            Some(if *selected { format!("[{name}{right}]") } else { format!("{name}{right}") })
        }
        _ => None,
    };
    shown.blocks.iter().filter_map(row).collect::<Vec<_>>().join(" ")
}

/// Which field has the focus.
pub(super) fn focus(m: &Model) -> String {
    let shown = m.dialogs.last().unwrap().panel(m);
    let focused =
        shown.blocks.into_iter().rfind(|b| b.has_focus() && !matches!(b, crate::app::Block::Item { .. }));
    match focused {
        Some(crate::app::Block::Field { label, .. } | crate::app::Block::Choices { label, .. }) => label,
        other => panic!("{other:?}"),
    }
}
