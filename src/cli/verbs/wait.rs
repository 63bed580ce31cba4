//! `deck wait`: wait for sessions to reach a status.

use std::process::ExitCode;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::Done;
use crate::api::{self, Code};
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::status::Exit;
use crate::domain::text;
use crate::domain::worker::Worker;
use crate::engine::{self, Goal, Pace, Progress};
use crate::ops;
use crate::ops::worker::Target;

/// Wait for sessions to reach a status.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "  waiting   it needs you: a question or a finished turn\n  idle      it has nothing to do, seen or not\n  running   it is working\n  exit      its process has ended\n\nExits 0 on success, 5 on timeout, 1 if the status can no longer be reached.\n\nExamples:\n  deck send api 'run the tests' && deck wait api --for idle && deck output api\n  deck wait api docs --for waiting --any --timeout 10m\n  deck wait . --children --for idle      wait for this session's sub-sessions\n  deck wait api:tests --for exit         wait until what runs in its terminal has ended"
)]
pub struct Args {
    /// Sessions to wait for.
    #[arg(required = true, value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    /// Status to wait for: waiting, idle, running or exit.
    #[arg(long = "for", value_name = "STATUS", default_value = "waiting", value_parser = goal, add = complete::goals())]
    goal: Goal,
    /// Wait for their sub-sessions, at any depth, instead.
    #[arg(long)]
    children: bool,
    /// Return when any of them reaches it.
    #[arg(long)]
    any: bool,
    /// Give up after this time, such as 30s, 10m or 2h.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<SignedDuration>,
}

fn goal(word: &str) -> Result<Goal, String> {
    let found = Goal::ALL.iter().find(|(w, _)| *w == word).map(|(_, g)| *g);
    let all: Vec<&str> = Goal::ALL.iter().map(|(w, _)| *w).collect();
    found.ok_or_else(|| format!("one of {}", all.join(", ")))
}

/// `90`, `90s`, `10m`, `2h` or `1h30m`.
pub(super) fn duration(text: &str) -> Result<SignedDuration, String> {
    let is_number = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let seconds = if is_number { format!("{text}s") } else { text.to_owned() };
    let time = seconds.parse::<SignedDuration>().ok().filter(|d| !d.is_negative());
    time.ok_or_else(|| "expected a number with s, m or h, such as 10m".to_owned())
}

/// All sessions below these, whichever depth.
fn children(profile: &Profile, of: &[SessionId]) -> Vec<SessionId> {
    let mut all: Vec<SessionId> = of.to_vec();
    let mut at = 0;
    while let Some(parent) = all.get(at).cloned() {
        let below = profile.live_sessions().filter(|s| s.parent_id.as_ref() == Some(&parent));
        let new: Vec<_> = below.map(|s| s.id.clone()).filter(|id| !all.contains(id)).collect();
        all.extend(new);
        at += 1;
    }
    all.split_off(of.len())
}

/// Between two polls: what changes windows wakes sooner.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx();
    let mut ids = Vec::new();
    for name in &args.sessions {
        if let Target::Worker(session, worker) = ops::worker::find(&cx, name)? {
            return terminal(args, context, &cx, &session, &worker);
        }
        ids.push(context.find(&cx, name)?.id);
    }
    if args.children {
        ids = children(&cx.profile.store.load()?.profile, &ids);
        if ids.is_empty() {
            return Err(CliError::new(Code::NotFound, "no sub-session to wait for")
                .hint("`deck list --tree` shows sub-sessions"));
        }
    }
    let _waiting = ops::guard::begin_wait(&cx, &ids)?;
    let until = args.timeout.and_then(|t| Timestamp::now().checked_add(t).ok());
    let (cx, engine) = context.wiring.watching(Pace::Steady(POLL_INTERVAL))?;
    let mut polls = engine.subscribe().blocking()?;
    let waited = engine::wait(&cx, &mut polls, &ids, args.goal, args.any, until)?;
    let (profile, out) = (cx.profile.name.as_str(), context.out);
    let word = Goal::ALL.iter().find(|(_, g)| *g == args.goal).map_or("", |(w, _)| *w);
    let mut all = Vec::new();
    let mut missing = Vec::new();
    for (id, progress) in &waited.progress {
        let session = waited.snapshot.profile.session(id);
        let state = waited.snapshot.state(id);
        let title = session.map_or_else(|| id.to_string(), |s| text::clean(&s.title));
        let words = state.map_or("deleted".to_owned(), |l| {
            let reason = l.verdict.reason.as_ref().map(|r| format!(" · {r}")).unwrap_or_default();
            format!("{}{reason}", l.verdict.status)
        });
        all.extend(session.map(|s| api::Session::of(s, profile, state)));
        match progress {
            Progress::Reached if !out.json && !out.quiet => out.line(&format!("{title}: {words}"))?,
            Progress::Reached => {}
            Progress::Open => missing.push(format!("{title} is still {words}")),
            Progress::Never => missing.push(format!("{title} is {words} and can no longer reach {word}")),
        }
    }
    if out.json {
        out.value(&all)?;
    }
    let reached = waited.progress.iter().any(|(_, p)| *p == Progress::Reached);
    if missing.is_empty() || (args.any && reached) {
        return Ok(ExitCode::SUCCESS);
    }
    let code = if waited.timed_out { Code::TimedOut } else { Code::Failed };
    let message =
        if waited.timed_out { format!("timed out: {}", missing.join("; ")) } else { missing.join("; ") };
    Err(CliError::new(code, message).hint("`deck explain SESSION` shows why it has its status"))
}

/// Waits until what runs in a terminal beside an agent has ended. Exits 0 if it ended with 0.
fn terminal(args: &Args, context: &Context, cx: &ops::Cx, session: &Session, worker: &Worker) -> Done {
    if args.goal != Goal::Exit || args.sessions.len() > 1 || args.children {
        return Err(CliError::usage("a terminal has no status to wait for but its end")
            .hint("name it alone, with --for exit"));
    }
    let until = args.timeout.and_then(|t| Timestamp::now().checked_add(t).ok());
    let name = ops::worker::WorkerName { session: session.id.clone(), worker: worker.id.clone() };
    let ended = ops::worker::await_end(cx, &name, until)?;
    let called = format!("{}:{}", session.title, worker.name);
    let Some(exit) = ended else {
        return Err(CliError::new(Code::TimedOut, format!("timed out: {called} is still running")));
    };
    if context.out.json {
        let one = ops::worker::list(cx, session)?.into_iter().filter(|l| l.id == worker.id.as_str());
        context.out.value(&one.map(|listed| api::Worker::of(session, &listed)).collect::<Vec<_>>())?;
    } else if !context.out.quiet {
        context.out.line(&text::clean(&format!("{called}: {}", super::worker::exit_words(&exit))))?;
    }
    if exit == Exit::Code(0) {
        return Ok(ExitCode::SUCCESS);
    }
    Err(CliError::new(Code::Failed, format!("{called} {}", super::worker::exit_words(&exit)))
        .hint(format!("`deck output {}` prints what it shows", crate::domain::quote::sh(&called))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_people_write_them() {
        let seconds = |text: &str| duration(text).map(|d| d.as_millis());
        assert_eq!(seconds("90"), Ok(90_000));
        assert_eq!(seconds("1.5s"), Ok(1_500));
        assert_eq!(seconds("10m"), Ok(600_000));
        assert_eq!(seconds("2h"), Ok(7_200_000));
        assert_eq!(seconds("1h30m"), Ok(5_400_000));
        for bad in ["", "m", "-3s", "3d", "1e400", "nan", ".", "soon"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
