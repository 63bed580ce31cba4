//! `deck conversation events`

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use super::{Done, Where};
use crate::api;
use crate::cli::Context;
use crate::domain::talk::{Record, TalkId};
use crate::domain::text;
use crate::ops::talk::{self, TalkError};
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::store::Stamp;

/// Print what happened.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Numbers grow in each conversation by itself. To read on where a program stopped, give it the number of the last event that it has seen.\n\nExamples:\n  deck conversation events pm-feature-auth\n  deck conversation events pm-feature-auth --since 40 --json\n  deck conversation events --follow --json"
)]
pub struct Args {
    /// The conversations [default: all of the project].
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only those after this number.
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    since: u64,
    /// Keep running and print each event as it comes.
    #[arg(short, long)]
    follow: bool,
    #[command(flatten)]
    at: Where,
}

/// How often it is looked whether something was written.
const INTERVAL: Duration = Duration::from_millis(500);

/// How far a conversation was read.
#[derive(Default)]
struct Read {
    seq: u64,
    stamp: Option<Stamp>,
}

type Known = BTreeMap<(PathBuf, TalkId), Read>;

pub(super) fn run(args: &Args, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let root = args.at.path(context);
    let mut known: Known = BTreeMap::new();
    for id in &args.ids {
        let found = talk::find(&cx, root.as_deref(), id)?;
        known.insert((found.root, found.state.id), Read { seq: args.since, stamp: None });
    }
    // git is asked once: who follows starts no process.
    let roots = if args.ids.is_empty() { talk::possible_roots(&cx, root.as_deref())? } else { Vec::new() };
    loop {
        for root in &roots {
            for id in cx.conversations.ids(root).map_err(TalkError::from).map_err(OpError::from)? {
                let new = || Read { seq: args.since, stamp: None };
                known.entry((root.clone(), id)).or_insert_with(new);
            }
        }
        for ((root, id), read) in &mut known {
            let stamp = cx.conversations.stamp(root, id);
            if stamp.is_some() && stamp == read.stamp {
                continue;
            }
            read.stamp = stamp;
            for record in records(&cx, root, id, read.seq)? {
                print(context, id, &record)?;
                read.seq = record.seq;
            }
        }
        if !args.follow || context.out.is_closed() {
            return Ok(ExitCode::SUCCESS);
        }
        cx.pause(INTERVAL)?;
    }
}

fn records(cx: &Cx, root: &std::path::Path, id: &TalkId, since: u64) -> OpResult<Vec<Record>> {
    Ok(cx.conversations.records(root, id, since).map_err(TalkError::from)?)
}

fn print(context: &Context, id: &TalkId, record: &Record) -> Result<(), crate::cli::error::CliError> {
    let event = api::TalkEvent::of(id, record);
    if context.out.json {
        return context.out.value_line(&event);
    }
    let about = event.more.get("message").and_then(|message| message.get("content"));
    let about = about
        .or_else(|| event.more.get("reason"))
        .or_else(|| event.more.get("pin").and_then(|p| p.get("text")));
    let about = about.and_then(|text| text.as_str()).map(|text| text::fit(&text::clean(text), 60));
    context.out.line(&format!(
        "{:>6}  {}  {:<20} {id}  {}",
        event.seq,
        event.at,
        event.event,
        about.unwrap_or_default()
    ))
}
