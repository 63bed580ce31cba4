//! `deck mcp attach`, `detach` and `status`: which servers sessions have.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::Done;
use super::done;
use crate::api::{self, Code};
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::mcp_servers::{Change, Origin, Source};
use crate::domain::session::Session;
use crate::domain::text;
use crate::engine::{self, Goal, Pace, Progress};
use crate::ops::mcp_servers::{self, Deed, McpState, Place, ProjectDeed, chosen};
use crate::ops::{Cx, OpError, Snapshot};

/// Attach servers to sessions, or to a group.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What runs is left alone: it holds from the next start on, and `--restart` starts sessions again that are idle.\n\nExamples:\n  deck mcp attach api memory\n  deck mcp attach api docs memory @web      two sessions, a server and a set\n  deck mcp attach api memory --when-idle    its next start is as soon as it is idle\n  deck mcp attach --group work memory       all sessions of a group\n  deck mcp attach api memory --scope project   in the project's .mcp.json, for all who have the project"
)]
pub struct AttachArgs {
    #[command(flatten)]
    pub(super) which: Which,
    /// Give each session a process of its own, also of a server that is shared.
    #[arg(long, conflicts_with_all = ["group", "scope"])]
    pub(super) own: bool,
    /// Pass it also where the agent's own files give another one of its name. With `--scope project`: put it into the
    /// project's file in place of another one.
    #[arg(long, conflicts_with = "group")]
    pub(super) replace: bool,
}

/// Detach servers from sessions, or from a group.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What comes from a group or from the settings is taken away from these sessions alone. What runs is left alone, as with `deck mcp attach`.\n\nExamples:\n  deck mcp detach api memory\n  deck mcp detach api memory --restart      its next start is now, if it is idle"
)]
pub struct DetachArgs {
    #[command(flatten)]
    pub(super) which: Which,
}

/// How often sessions that are waited for are looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Servers, and what they are attached to.
#[derive(Debug, clap::Args)]
pub struct Which {
    /// Sessions, then servers and @SETS.
    #[arg(required = true, value_name = "SESSION… NAME", add = complete::mcp_servers())]
    words: Vec<String>,
    /// All sessions of this group instead, now and later.
    #[arg(short, long, add = complete::groups())]
    group: Option<String>,
    /// Start sessions again that run and are idle.
    #[arg(long, conflicts_with = "group")]
    restart: bool,
    /// Wait until those that run are idle, and start each again then.
    #[arg(long, conflicts_with_all = ["group", "restart"])]
    when_idle: bool,
    /// Who has them: these sessions by deck, or all who have the project by its `.mcp.json`.
    #[arg(long, value_enum, default_value_t = Scope::Session, conflicts_with_all = ["group", "restart", "when_idle"])]
    pub(super) scope: Scope,
}

/// Whose servers are attached or detached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Scope {
    /// These sessions', by deck
    Session,
    /// All who have the project: in its `.mcp.json`
    Project,
}

/// Show which servers sessions have, and whether that is out of date.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck mcp status            all sessions\n  deck mcp status api --json")]
pub struct StatusArgs {
    /// The sessions [default: all].
    #[arg(value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
}

/// The sessions and the names among words: the last ones that name servers or sets are names; at least one is.
fn split(cx: &Cx, words: &[String]) -> (Vec<String>, Vec<String>) {
    let catalogue = cx.mcp_servers.catalogue();
    let is_name = |word: &&String| word.starts_with('@') || catalogue.has(word);
    let names = words.iter().skip(1).rev().take_while(is_name).count().max(1);
    let at = words.len().saturating_sub(names);
    (words.get(..at).unwrap_or_default().to_vec(), words.get(at..).unwrap_or_default().to_vec())
}

pub(super) fn change(args: &Which, context: &mut Context, deed: Deed) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx().for_command();
    let done_word = if deed != Deed::Detach { "attached" } else { "detached" };
    if let Some(group) = &args.group {
        let path = GroupPath::parse(group).map_err(OpError::from)?;
        mcp_servers::change(&cx, &Place::Group(path.clone()), &args.words, deed)?;
        if context.out.json {
            let snapshot = crate::ops::Watcher::new().tick(&cx)?;
            let of_group = snapshot.profile.live_sessions().filter(|s| s.group_path.is_within(&path));
            let all: Vec<api::McpStatus> = of_group.map(|s| status_of(&cx, &snapshot, s)).collect();
            context.out.value(&all)?;
        } else if !context.out.quiet {
            context.out.line(&format!("{done_word} {} for the group {path}", args.words.join(", ")))?;
        }
        return done();
    }
    let (sessions, names) = split(&cx, &args.words);
    if sessions.is_empty() {
        return Err(CliError::usage("no session is given")
            .hint("name sessions before the servers, or a group with --group"));
    }
    context.collect_answers(sessions.len());
    let mut failed = Vec::new();
    if args.scope == Scope::Project {
        let deed = match deed {
            Deed::Attach(how) => ProjectDeed::Attach { replace: how.replace },
            Deed::Detach => ProjectDeed::Detach,
        };
        for word in &sessions {
            if let Err(error) = change_file(context, &cx, word, &names, deed) {
                failed.push(error);
            }
        }
        return context.conclude(sessions.len(), failed);
    }
    if args.when_idle {
        failed = when_idle(context, &cx, &sessions, &names, deed)?;
        return context.conclude(sessions.len(), failed);
    }
    for word in &sessions {
        if let Err(error) = change_one(context, &cx, word, &names, deed, args.restart) {
            failed.push(error);
        }
    }
    context.conclude(sessions.len(), failed)
}

/// Changes all sessions at once, and starts each again as soon as it is idle. Returns what failed.
fn when_idle(
    context: &Context,
    cx: &Cx,
    sessions: &[String],
    names: &[String],
    deed: Deed,
) -> Result<Vec<CliError>, CliError> {
    let mut failed = Vec::new();
    let mut left: Vec<(SessionId, bool)> = Vec::new();
    for word in sessions {
        let found = context.find(cx, word);
        let changed = found.and_then(|session| {
            let place = Place::Session(session.id.clone());
            Ok((session.id, mcp_servers::change(cx, &place, names, deed)?))
        });
        match changed {
            Ok(one) => left.push(one),
            Err(error) => failed.push(error),
        }
    }
    let (watched, engine) = context.wiring.watching(Pace::Steady(POLL_INTERVAL))?;
    let mut polls = engine.subscribe().blocking()?;
    while !left.is_empty() {
        let ids: Vec<SessionId> = left.iter().map(|(id, _)| id.clone()).collect();
        let waited = engine::wait(&watched, &mut polls, &ids, Goal::Idle, true, None)?;
        for (id, progress) in &waited.progress {
            if *progress == Progress::Open {
                continue;
            }
            let Some(at) = left.iter().position(|(other, _)| other == id) else { continue };
            let (id, changed) = left.remove(at);
            match apply(context, cx, &id, names, deed, changed, true) {
                // It has begun something meanwhile.
                Err(error) if error.code == Code::Refused && *progress == Progress::Reached => {
                    left.push((id, changed));
                }
                Err(error) => failed.push(error),
                Ok(()) => {}
            }
        }
    }
    Ok(failed)
}

fn change_one(
    context: &Context,
    cx: &Cx,
    word: &str,
    names: &[String],
    deed: Deed,
    restart: bool,
) -> Result<(), CliError> {
    let session = context.find(cx, word)?;
    let changed = mcp_servers::change(cx, &Place::Session(session.id.clone()), names, deed)?;
    apply(context, cx, &session.id, names, deed, changed, restart)
}

/// Says what became of a session, after starting it again if that is wanted and needed.
fn apply(
    context: &Context,
    cx: &Cx,
    id: &SessionId,
    names: &[String],
    deed: Deed,
    changed: bool,
    restart: bool,
) -> Result<(), CliError> {
    let session = cx.session(id)?;
    let mut snapshot = crate::ops::Watcher::new().tick(cx)?;
    let runs = |snapshot: &Snapshot| is_running(snapshot, &session.id);
    let is_stale = snapshot.state(&session.id).is_some_and(|s| s.mcp.is_stale());
    let mut then = String::new();
    if restart && runs(&snapshot) && is_stale {
        mcp_servers::restart_if_idle(cx, &session.id)?;
        snapshot = crate::ops::Watcher::new().tick(cx)?;
        then = "; started again".to_owned();
    } else if runs(&snapshot) && is_stale {
        then = "; it holds from its next start on: `deck restart` starts it now".to_owned();
    }
    let done_word = match (deed, changed) {
        (Deed::Attach(_), true) => "attached",
        (Deed::Attach(_), false) => "already attached:",
        (Deed::Detach, _) => "detached",
    };
    let session = cx.session(&session.id)?;
    let warn_of = session.left_out_mcps.iter().filter(|l| restart && names.contains(&l.name));
    for left in warn_of {
        context.out.warn(&format!("{} was started without {}: {}", session.title, left.name, left.why));
    }
    if context.out.json {
        context.answer(&status_of(cx, &snapshot, &session))
    } else if context.out.quiet {
        context.out.line(session.id.as_str())
    } else {
        context.out.line(&format!("{}: {done_word} {}{then}", session.title, names.join(", ")))
    }
}

/// Changes the file of the project that a session works in.
fn change_file(
    context: &Context,
    cx: &Cx,
    word: &str,
    names: &[String],
    deed: ProjectDeed,
) -> Result<(), CliError> {
    let session = context.find(cx, word)?;
    let change = mcp_servers::change_project(cx, &session.id, names, deed)?;
    let file = text::clean(&change.file.display().to_string());
    if let Some(copy) = &change.backup {
        context
            .out
            .note(&format!("what {file} was before is in {}; `deck undo` puts it back", copy.display()));
    }
    if context.out.json {
        let snapshot = crate::ops::Watcher::new().tick(cx)?;
        return context.answer(&status_of(cx, &snapshot, &session));
    }
    if context.out.quiet {
        return context.out.line(session.id.as_str());
    }
    let names = names.join(", ");
    context.out.line(&match (deed, change.changed, change.removed) {
        (ProjectDeed::Attach { .. }, true, _) => format!("{file} has {names} now"),
        (ProjectDeed::Attach { .. }, false, _) => format!("{file} has {names} already"),
        (ProjectDeed::Detach, _, true) => format!("{file} is removed: nothing but {names} was in it"),
        (ProjectDeed::Detach, true, false) => format!("{file} has {names} no more"),
        (ProjectDeed::Detach, false, false) => format!("{file} had {names} no more"),
    })
}

fn is_running(snapshot: &Snapshot, id: &SessionId) -> bool {
    let row = snapshot.state(id).and_then(|state| state.row.as_ref());
    row.is_some_and(|row| row.facts.dead.is_none())
}

fn status_of(cx: &Cx, snapshot: &Snapshot, session: &Session) -> api::McpStatus {
    let state = snapshot.state(&session.id).map(|s| s.mcp.clone()).unwrap_or_default();
    let session = cx.session(&session.id).unwrap_or_else(|_| session.clone());
    let chosen = chosen(cx, &snapshot.profile, &session);
    api::McpStatus::of(&session, is_running(snapshot, &session.id), &chosen, &state)
}

pub(super) fn status(args: &StatusArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let mut sessions = Vec::new();
    for word in &args.sessions {
        sessions.push(context.find(&cx, word)?);
    }
    let snapshot = crate::ops::Watcher::new().tick(&cx)?;
    context.warn_about(&snapshot);
    let is_all = sessions.is_empty();
    if is_all {
        sessions = snapshot.profile.live_sessions().cloned().collect();
    }
    if context.out.json {
        let all: Vec<api::McpStatus> = sessions.iter().map(|s| status_of(&cx, &snapshot, s)).collect();
        match &all[..] {
            [one] if !is_all => context.out.value(one)?,
            _ => context.out.value(&all)?,
        }
        return done();
    }
    if sessions.is_empty() && !context.out.quiet {
        context.out.note("no sessions yet; `deck add` adds one");
    }
    for (at, session) in sessions.iter().enumerate() {
        if at > 0 {
            context.out.line("")?;
        }
        words_of(context, &cx, &snapshot, session)?;
    }
    done()
}

/// One session's servers, a line each.
fn words_of(context: &Context, cx: &Cx, snapshot: &Snapshot, session: &Session) -> Result<(), CliError> {
    let out = context.out;
    let state = snapshot.state(&session.id).map(|s| s.mcp.clone()).unwrap_or_default();
    let runs = is_running(snapshot, &session.id);
    out.line(&format!("{} {}", out.strong(&text::clean(&session.title)), out.dim(&headline(runs, &state))))?;
    let chosen = chosen(cx, &snapshot.profile, session);
    let catalogue = cx.mcp_servers.catalogue();
    let mut lines: BTreeMap<(String, Source), (String, String)> = BTreeMap::new();
    for one in &chosen {
        let from = match &one.origin {
            Origin::Default => "attached to all".to_owned(),
            Origin::Group(path) => format!("attached to the group {path}"),
            Origin::Session => "attached".to_owned(),
        };
        // It is named by the record, and the settings have it no more.
        let (state, from) = match catalogue.servers.contains_key(&one.name) {
            true => (String::new(), from),
            false => ("missing".to_owned(), "the settings have no such server".to_owned()),
        };
        lines.insert((one.name.clone(), Source::Deck), (state, from));
    }
    for loaded in session.loaded_mcp_state.iter().flatten().filter(|_| runs) {
        let of_agent = || format!("from the agent's own files ({})", loaded.source.word());
        let entry = lines.entry((loaded.name.clone(), loaded.source));
        let entry = entry.or_insert_with(|| {
            let from = if loaded.source == Source::Deck { "detached".to_owned() } else { of_agent() };
            (String::new(), from)
        });
        entry.0 = "loaded".to_owned();
    }
    for left in session.left_out_mcps.iter().filter(|_| runs) {
        let entry = lines.entry((left.name.clone(), Source::Deck)).or_default();
        *entry = ("left out".to_owned(), left.why.clone());
    }
    for change in state.changes() {
        let (name, word) = match change {
            Change::Added(name, _) => (name, "not loaded yet"),
            Change::Removed(name, _) => (name, "loaded, no more from the next start on"),
            Change::Changed(name, _) => (name, "changed since the start"),
        };
        let entry = lines.entry((name.clone(), change.source())).or_default();
        if entry.1.is_empty() {
            entry.1 = format!("from the agent's own files ({})", change.source().word());
        }
        entry.0 = word.to_owned();
    }
    if lines.is_empty() {
        return out.line(&format!("  {}", out.dim("no MCP servers")));
    }
    for ((name, _), (state, from)) in &lines {
        let state = if state.is_empty() { "at the next start" } else { state };
        let name = text::pad(&text::clean(name), 16);
        out.line(&format!("  {name} {} {}", text::pad(state, 24), out.dim(&text::clean(from))))?;
    }
    Ok(())
}

fn headline(runs: bool, state: &McpState) -> String {
    match state {
        _ if !runs => "not running".to_owned(),
        McpState::NotKnown => "not known: it was started by an older deck, or not by deck".to_owned(),
        McpState::Known(changes) if changes.is_empty() => "up to date".to_owned(),
        McpState::Known(changes) => {
            let words: Vec<String> = changes.iter().map(Change::word).collect();
            format!("out of date: {}; `deck restart` loads them", words.join(" "))
        }
    }
}
