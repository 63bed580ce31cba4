//! `deck show`: everything about one session.

use std::process::ExitCode;

use super::Done;
use crate::api::{self, SessionDetails};
use crate::cli::{Context, complete};
use crate::config::paths::tilde;
use crate::domain::age;
use crate::domain::conversation::{Counted, Digest};
use crate::domain::id::SessionId;
use crate::domain::mcp_servers::Change;
use crate::domain::text;
use crate::ops::worker::Target;
use crate::ops::{self, Watcher};

/// Show a session's details.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck show api\n  deck show api --command      print the script that would start it\n  deck show api --totals       include conversation totals\n  deck show api --json"
)]
pub struct Args {
    /// Session to show.
    #[arg(add = complete::sessions())]
    session: String,
    /// Print the script that would start it.
    #[arg(long)]
    command: bool,
    /// Include totals of prompts and tokens (reads the whole conversation; may be slow).
    #[arg(long)]
    totals: bool,
}

/// How much more of a conversation one poll counts, in bytes.
const PIECE: u64 = 4 * 1024 * 1024;

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let session = match ops::worker::find(&cx, &args.session)? {
        Target::Session(session) => *session,
        Target::Worker(session, worker) => return super::worker::show(context, &cx, &session, &worker.id),
    };
    if args.command {
        super::refuse_json(context, "--command")?;
        let plan = ops::preview(&cx, &session, false, None)?;
        context.out.raw(plan.script.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let snapshot = Watcher::new().tick(&cx)?;
    context.warn_of_silence(&snapshot);
    let state = snapshot.state(&session.id);
    // The poll may have learnt an id.
    let session = cx.session(&session.id)?;
    let digest = ops::digest(&cx, &session.id)?;
    let counted = ops::count(&cx, &session.id, if args.totals { u64::MAX } else { PIECE })?;
    if context.out.json {
        let shape = api::Session::of(&session, cx.profile.name.as_str(), state);
        let details = SessionDetails::of(shape, &session.resume, digest.as_ref(), counted.as_ref());
        context.out.value(&details)?;
        return Ok(ExitCode::SUCCESS);
    }
    let out = context.out;
    let line = |name: &str, value: &str| {
        if value.is_empty() {
            return Ok(());
        }
        out.line(&format!("{} {}", out.dim(&text::pad(name, 13)), text::clean(value)))
    };
    out.line(&out.strong(&text::clean(&session.title)))?;
    if let Some(v) = state.map(|l| &l.verdict) {
        let unsent = session.aside(v.status).map(str::to_owned);
        let reason = unsent.or_else(|| v.reason.as_ref().map(ToString::to_string));
        let reason = reason.map(|r| format!(" · {r}")).unwrap_or_default();
        let doubt = v
            .unsure
            .map(|at| format!(" (unconfirmed for {})", age::running(snapshot.at, at)))
            .unwrap_or_default();
        let since = age::running(snapshot.at, v.since);
        line("status", &format!("{} {}{reason} for {since}{doubt}", v.kind().glyph(), v.status))?;
        line("asks", v.asks.as_deref().unwrap_or_default())?;
    }
    let row = state.and_then(|l| l.row.as_ref());
    line("draft", &text::fit(&text::clean(session.draft.as_deref().unwrap_or_default()), 100))?;
    line("note", row.map_or("", |r| r.tags.note.as_str()))?;
    line("id", session.id.as_str())?;
    line("tool", &session.tool)?;
    line("command", &session.command)?;
    line("arguments", &crate::domain::quote::sh_join(&session.args))?;
    line("MCP scopes", &session.mcp.join(", "))?;
    line("MCP servers", &session.loaded_mcps.join(", "))?;
    for left in &session.left_out_mcps {
        line("  without", &format!("{}: {}", left.name, left.why))?;
    }
    if let Some(mcp) = state.map(|l| &l.mcp).filter(|mcp| mcp.is_stale()) {
        let words: Vec<String> = mcp.changes().iter().map(Change::word).collect();
        line("  out of date", &format!("{}; the next start loads them", words.join(" ")))?;
    }
    line("folder", &tilde(&session.project_path, context.wiring.env.get("HOME")))?;
    line("branch", &branch_words(&cx, &session))?;
    if let Some(place) = &session.place {
        let base = place.base.as_ref().map(|base| format!(" ← {base}")).unwrap_or_default();
        let branch = place.branch.as_deref().unwrap_or("a commit");
        let made = if place.pending.is_some() { ", not completed yet" } else { "" };
        line("worktree", &format!("{branch}{base}, setup {}{made}", place.setup.word()))?;
    }
    line("group", session.group_path.as_str())?;
    let parent = session.parent_id.as_ref().and_then(|id| snapshot.profile.session(id));
    line("parent", parent.map_or("", |p| p.title.as_str()))?;
    let title = |id: &Option<SessionId>| {
        let session = id.as_ref().and_then(|id| snapshot.profile.session(id));
        session.map_or("", |session| session.title.as_str())
    };
    line("continues", title(&session.handed_from))?;
    line("continued by", title(&session.handed_to))?;
    if let Some(carries) = &session.carries {
        let compacted = if carries.compacted { ", compacted by its agent" } else { "" };
        line("carries", &format!("{} ({}{compacted})", carries.id, carries.role))?;
    }
    line("conversation", session.resume.id.as_deref().unwrap_or_default())?;
    for old in session.resume.history.iter().rev().skip(1) {
        line("  before", &format!("{} ({})", old.id, old.seen_at))?;
    }
    let pane = row.map(|r| format!(" · pane {} · process {}", r.pane.pane, r.facts.pid.unwrap_or_default()));
    if let Some(d) = &digest {
        line("model", d.model.as_deref().unwrap_or_default())?;
        line("context", &context_words(d))?;
        line("used", &counted.as_ref().map(used_words).unwrap_or_default())?;
        line("cost", &d.cost_usd.filter(|c| *c > 0.0).map(|c| format!("${c:.4}")).unwrap_or_default())?;
        line("size", &d.bytes.map(text::bytes).unwrap_or_default())?;
        line("last used", &d.used_at.map(|at| age::age(snapshot.at, at)).unwrap_or_default())?;
        line("last prompt", &text::fit(&text::clean(d.last_prompt.as_deref().unwrap_or_default()), 100))?;
    }
    line("tmux", &format!("{} on {}{}", session.tmux.name, session.tmux.socket, pane.unwrap_or_default()))?;
    line("added", &session.created_at.strftime("%Y-%m-%d %H:%M UTC").to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// `feat/login ← origin/main ↑3 ↓1 · 2 uncommitted files`; nothing where there is no repository.
fn branch_words(cx: &ops::Cx, session: &crate::domain::session::Session) -> String {
    let Ok(state) = ops::worktree_state(cx, std::path::Path::new(&session.project_path)) else {
        return String::new();
    };
    let commit = || state.commit.as_deref().and_then(|c| c.get(..8)).unwrap_or_default().to_owned();
    let mut words = state.branch.clone().unwrap_or_else(commit);
    if let Some(upstream) = &state.upstream {
        words.push_str(&format!(" ← {}", upstream.name));
        let counts = upstream.ahead_behind.unwrap_or_default();
        for (sign, n) in [("↑", counts.0), ("↓", counts.1)].into_iter().filter(|(_, n)| *n > 0) {
            words.push_str(&format!(" {sign}{n}"));
        }
    }
    if !state.is_clean() {
        words.push_str(&format!(" · {}", text::counted(state.uncommitted(), "uncommitted file")));
    }
    words
}

/// `12 prompts · 1.2 M tokens read · 40 k written`, or how far that is counted.
fn used_words(counted: &Counted) -> String {
    if !counted.whole {
        let percent = counted.read.saturating_mul(100) / counted.bytes.max(1);
        return format!("… ({percent} % counted; `deck show --totals` counts all)");
    }
    let totals = &counted.totals;
    let prompts = format!("{} {}", totals.prompts, if totals.prompts == 1 { "prompt" } else { "prompts" });
    let (read, written) = (text::count(totals.input_tokens), text::count(totals.output_tokens));
    format!("{prompts} · {read} tokens read · {written} written")
}

/// `43 % of 200 k tokens`, or what is known of that.
fn context_words(digest: &Digest) -> String {
    match (digest.context_tokens, digest.context_window, digest.context_percent()) {
        (Some(_), Some(window), Some(percent)) => format!("{percent} % of {} tokens", text::count(window)),
        (Some(tokens), ..) => format!("{} tokens", text::count(tokens)),
        _ => String::new(),
    }
}
