//! `deck worktree list`: at once what git lists, then the state of each as it comes.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use super::super::Done;
use crate::api;
use crate::cli::error::CliError;
use crate::cli::table::{Paint, Table, dim, plain, strong, terminal_width};
use crate::cli::{Context, complete};
use crate::domain::worktree::WorktreeState;
use crate::ops::Cx;
use crate::ops::worktree::{self, Listed, state_of};
use crate::ports::git::GitResult;

/// How many worktrees git is asked about at the same time.
const AT_ONCE: usize = 8;

/// List the worktrees of a repository, or of all that deck knows.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Each line: the branch, the folder, commits ahead (↑) and behind (↓) of the branch that it follows, and how many files\naren't committed.\n\nExamples:\n  deck worktree list\n  deck worktree list api --json\n  deck worktree list --all            include repositories' own folders"
)]
pub struct Args {
    /// The repository [default: the one that this folder is in, if deck knows it, else all].
    #[arg(add = complete::repositories())]
    repository: Option<String>,
    /// Include each repository's own folder, and all repositories.
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: &Args, context: &Context, cx: &Cx) -> Done {
    let here = args.repository.clone().or_else(|| own(cx).filter(|_| !args.all));
    let (listed, failed) = worktree::list(cx, here.as_deref())?;
    super::warn_of_failed(context, failed);
    // Its own folder is where a repository's user works anyway.
    let listed: Vec<Listed> =
        listed.into_iter().filter(|w| args.all || !w.is_main || here.is_some()).collect();
    let out = context.out;
    if out.quiet && !out.json {
        listed.iter().try_for_each(|w| out.line(&w.entry.path.display().to_string()))?;
        return Ok(ExitCode::SUCCESS);
    }
    if listed.is_empty() && !out.json {
        out.note("no worktrees; `deck add -w BRANCH` makes one, with a session in it");
    }
    let mut states: Vec<Option<GitResult<Option<WorktreeState>>>> = listed.iter().map(|_| None).collect();
    let screen = Screen::of(context, listed.len());
    if let Some(screen) = &screen {
        screen.draw(context, &listed, &states, true)?;
    }
    each_state(cx, &listed, |at, state| {
        if let Some(place) = states.get_mut(at) {
            *place = Some(state);
        }
        screen.as_ref().map_or(Ok(()), |screen| screen.draw(context, &listed, &states, false))
    })?;
    if out.json {
        let known = |state: &Option<GitResult<Option<WorktreeState>>>| match state {
            Some(Ok(Some(state))) => Some(state.clone()),
            _ => None,
        };
        let all: Vec<api::Worktree> = listed
            .iter()
            .zip(&states)
            .map(|(w, state)| api::Worktree::of(w, known(state).as_ref()))
            .collect();
        out.value(&all)?;
    } else if screen.is_none() {
        lines(context, &listed, &states).iter().try_for_each(|line| out.line(line))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The repository that the caller is in, if deck knows it.
fn own(cx: &Cx) -> Option<String> {
    let common = cx.host.real_path(&cx.git.common_folder(&cx.caller.cwd)?)?;
    let profile = cx.profile.store.load().ok()?.profile;
    let found = profile.repositories.iter().find(|r| std::path::Path::new(&r.common_dir) == common)?;
    Some(found.id.clone())
}

/// Asks git for the state of each, several at a time, and hands each over as it comes.
fn each_state(
    cx: &Cx,
    listed: &[Listed],
    mut take: impl FnMut(usize, GitResult<Option<WorktreeState>>) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    let sender = Mutex::new(sender);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(listed.len()) {
            let (next, sender) =
                (&next, sender.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone());
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(worktree) = listed.get(at) else { return };
                    // Who reads them is there until the last one came, or has failed.
                    if sender.send((at, state_of(cx, worktree))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (at, state) in receiver {
            take(at, state)?;
        }
        Ok(())
    })
}

/// A list that is drawn again in its place.
struct Screen {
    rows: usize,
}

impl Screen {
    /// None where nobody looks, or where there is no room for all of it.
    fn of(context: &Context, rows: usize) -> Option<Self> {
        let height = crossterm::terminal::size().ok().map(|(_, rows)| usize::from(rows))?;
        let can = std::io::stdout().is_terminal() && !context.out.json && rows > 0 && rows < height;
        can.then_some(Self { rows })
    }

    fn draw(
        &self,
        context: &Context,
        listed: &[Listed],
        states: &[Option<GitResult<Option<WorktreeState>>>],
        is_first: bool,
    ) -> Result<(), CliError> {
        let mut text = if is_first { String::new() } else { format!("\x1b[{}A", self.rows) };
        for line in lines(context, listed, states) {
            text.push_str(&format!("\x1b[2K{line}\n"));
        }
        context.out.raw(text.as_bytes())
    }
}

fn lines(
    context: &Context,
    listed: &[Listed],
    states: &[Option<GitResult<Option<WorktreeState>>>],
) -> Vec<String> {
    let mut table = Table::default();
    let several = listed.iter().any(|w| w.repository != listed.first().and_then(|f| f.repository.clone()));
    for (worktree, state) in listed.iter().zip(states) {
        let entry = &worktree.entry;
        let commit = || entry.head.as_deref().and_then(|head| head.get(..8)).unwrap_or("(none)").to_owned();
        let name =
            if entry.is_bare { "(bare)".to_owned() } else { entry.branch.clone().unwrap_or_else(commit) };
        let state = match state {
            None => "…".to_owned(),
            Some(Ok(Some(state))) => changes(state),
            Some(Ok(None)) => String::new(),
            Some(Err(error)) => format!("? {error}"),
        };
        let mut cells: Vec<(String, Paint)> = Vec::new();
        if several {
            cells.push((worktree.repository.clone().unwrap_or_default(), dim));
        }
        let users = match worktree.sessions.len() {
            0 => String::new(),
            1 => "1 session".to_owned(),
            n => format!("{n} sessions"),
        };
        let mut notes = notes(worktree);
        notes.extend(Some(users).filter(|users| !users.is_empty()));
        cells.extend([
            (name, strong as Paint),
            (super::path(context, &entry.path), plain),
            (state, plain),
            (notes.join(" · "), dim),
        ]);
        table.row(cells);
    }
    table.lines(terminal_width(), &context.out)
}

/// How far a worktree is from its branch's own, and from its last commit.
pub(super) fn changes(state: &WorktreeState) -> String {
    let mut words = Vec::new();
    if let Some((ahead, behind)) = state.upstream.as_ref().and_then(|u| u.ahead_behind) {
        words.extend((ahead > 0).then(|| format!("↑{ahead}")));
        words.extend((behind > 0).then(|| format!("↓{behind}")));
    }
    match state.uncommitted() {
        0 => words.push("clean".to_owned()),
        n => words.push(format!("{n} changed")),
    }
    words.join(" ")
}

/// What is special about a worktree.
pub(super) fn notes(worktree: &Listed) -> Vec<String> {
    let entry = &worktree.entry;
    let mut notes = Vec::new();
    if worktree.is_main && !entry.is_bare {
        notes.push("main worktree".to_owned());
    }
    if let Some(reason) = &entry.locked {
        notes.push(if reason.is_empty() { "locked".to_owned() } else { format!("locked: {reason}") });
    }
    if worktree.is_missing {
        notes.push("folder is gone".to_owned());
    }
    notes
}
