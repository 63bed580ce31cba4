//! `deck explain`: why a session has its status.

use std::process::ExitCode;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::Done;
use crate::api::Explanation;
use crate::cli::table::{Table, dim, plain, strong, terminal_width};
use crate::cli::{Context, complete};
use crate::domain::age;
use crate::domain::status::{Change, EvidenceOutcome, StatusKind};
use crate::domain::text;
use crate::ops::guard::messages_to;
use crate::ops::{OpError, Watcher, evidence_words, seen_words, undecided_words};

/// How many messages of other agents are shown without the history.
const LAST: usize = 3;

/// Show why a session has its status.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Each source of evidence is a line: what it reports, since when, and whether it was used. What other agents sent to it is shown below.\n\nExamples:\n  deck explain api\n  deck explain api --history     include the last status changes, each with its evidence"
)]
pub struct Args {
    /// Session to explain.
    #[arg(add = complete::sessions())]
    session: String,
    /// Include the last status changes, and all known messages of other agents.
    #[arg(long)]
    history: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let session = context.find(&cx, &args.session)?;
    let snapshot = Watcher::new().tick(&cx)?;
    context.warn_of_silence(&snapshot);
    let changes = cx.history.changes(&session.id)?;
    let messages = messages_to(&cx, &session.id)?;
    let state = snapshot.state(&session.id).ok_or_else(|| OpError::Missing(session.id.clone()))?;
    let (v, now, out) = (&state.verdict, snapshot.at, context.out);
    if out.json {
        let history = args.history.then_some(changes.as_slice());
        out.value(&Explanation::of(&session, state, now, history).with_messages(&messages))?;
        return Ok(ExitCode::SUCCESS);
    }
    let explained = state.explained(&session, now);
    let reason = v.reason.as_ref().map(|r| format!(" · {r}")).unwrap_or_default();
    let status = out.status(v.kind(), &format!("{} {}{reason}", v.kind().glyph(), v.status));
    let since = format!("since {} ({})", clock(v.since), age::running(now, v.since));
    out.line(&format!("{}   {status}   {}", out.strong(&text::clean(&session.title)), out.dim(&since)))?;
    if let Some(at) = v.unsure {
        out.line(&format!("unconfirmed for {}", age::running(now, at)))?;
    }
    if let Some(asks) = &v.asks {
        out.line(&format!("{} {}", out.dim("message"), text::clean(asks)))?;
    }
    let mut table = Table::default();
    for (evidence, outcome) in &explained {
        let words = evidence_words(evidence, *outcome, now);
        let paint = if *outcome == EvidenceOutcome::Decides { strong } else { dim };
        table.row(vec![
            (words.source.to_owned(), plain),
            (words.says, plain),
            (words.age, dim),
            (words.outcome.to_owned(), paint),
            (words.detail, dim),
        ]);
    }
    table.lines(terminal_width(), &out).iter().try_for_each(|l| out.line(l))?;
    if explained.is_empty() {
        out.line("no source has reported anything yet")?;
    }
    if let Some(words) = undecided_words(v) {
        out.line(&out.dim(words))?;
    }
    if let Some(at) = state.acknowledged_at {
        out.line(&out.dim(&seen_words(at, v.since, now)))?;
    }
    let shown = if args.history { 0 } else { messages.len().saturating_sub(LAST) };
    messages.iter().skip(shown).try_for_each(|message| out.line(&out.dim(&message.words(now))))?;
    if args.history {
        print_history(context, &changes, now)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_history(context: &Context, changes: &[Change], now: Timestamp) -> Result<(), super::CliError> {
    let out = context.out;
    out.line("")?;
    if changes.is_empty() {
        return out.line("no status changes recorded yet");
    }
    let mut table = Table::default();
    for change in changes.iter().rev() {
        let reason = change.reason.as_ref().map(|r| format!(" · {r}")).unwrap_or_default();
        let kind = StatusKind::of(change.status, change.reason.as_ref());
        let source = change.source.map_or("", |s| s.words()).to_owned();
        let says = change.line.clone().or_else(|| change.rule.clone()).unwrap_or_default();
        table.row(vec![
            (clock(change.at), dim),
            (format!("{} ago", age::running(now, change.at)), dim),
            (format!("{} {}{reason}", kind.glyph(), change.status), plain),
            (source, plain),
            (says, dim),
        ]);
    }
    table.lines(terminal_width(), &out).iter().try_for_each(|l| out.line(l))
}

/// The time of day, on the user's clock.
fn clock(at: Timestamp) -> String {
    at.to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string()
}
