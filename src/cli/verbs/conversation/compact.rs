//! `deck conversation compact`

use std::process::ExitCode;

use super::{Done, One, count, shape, tokens};
use crate::api;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::talk::State;
use crate::domain::text;
use crate::ops::Cx;
use crate::ops::talk::{self, Compacted, How};
use crate::ports::conversations::Talk;

/// Compact a conversation.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Older messages go into a new checkpoint and into the archive. What stays as it is: the last request and all after it, what fits into the role's\nkeep_tokens before that, and pins. The role's summarizer writes the checkpoint; what it drops of open items deck puts back, and if its answer\ncan't be used twice, deck makes the checkpoint without a model.\n\nExamples:\n  deck conversation compact pm-feature-auth                       if it is large enough\n  deck conversation compact pm-feature-auth --force --model none\n  deck conversation compact pm-feature-auth --undo                back to the version before"
)]
pub struct Args {
    #[command(flatten)]
    one: One,
    /// Also if it isn't large.
    #[arg(long, conflicts_with = "undo")]
    force: bool,
    /// The tool that writes the checkpoint; `none` for no model [default: the role's].
    #[arg(long, value_name = "TOOL", conflicts_with = "undo")]
    model: Option<String>,
    /// Bring back the version before, and its messages.
    #[arg(long)]
    undo: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    let id = &found.state.id;
    if args.undo {
        let state = talk::undo_compaction(&cx, &found)?;
        let words =
            format!("{id} is at its checkpoint from before, with {}", count(state.messages, "message"));
        return tell(context, &cx, &found, state, None, &words);
    }
    let how = How { force: args.force, by_hand: true, summarizer: args.model.as_deref() };
    match talk::compact(&cx, &found, how)? {
        Compacted::NotDue { size, threshold } => Err(CliError::new(
            api::Code::Refused,
            format!("{id} is not large enough: ~{} of {} tokens", tokens(size), tokens(threshold)),
        )
        .hint("`--force` compacts it anyway")),
        Compacted::Nothing(why) => {
            Err(CliError::new(api::Code::Refused, format!("{id} was not compacted: {}", text::clean(&why))))
        }
        Compacted::Done(done) => {
            let by = match (&done.without_model, &done.checkpoint.compaction_info.model) {
                (None, Some(model)) => format!("by {model}"),
                _ => "without a model".to_owned(),
            };
            let items = match done.put_back {
                0 => String::new(),
                1 => ", 1 open item kept by deck".to_owned(),
                many => format!(", {many} open items kept by deck"),
            };
            let words = format!(
                "{id}: {} to {} tokens, checkpoint {} {by}{items}",
                tokens(done.before),
                tokens(done.after),
                done.checkpoint.version
            );
            if let Some(why) = done.without_model.as_ref().filter(|_| args.model.as_deref() != Some("none")) {
                context.out.warn(&format!("no model wrote the checkpoint: {}", text::clean(why)));
            }
            let result = api::TalkCompacted::of(&done);
            tell(context, &cx, &found, done.state.clone(), Some(result), &words)
        }
    }
}

fn tell(
    context: &Context,
    cx: &Cx,
    found: &Talk,
    state: State,
    result: Option<api::TalkCompacted>,
    words: &str,
) -> Done {
    let now = Talk { state, ..found.clone() };
    if context.out.json {
        context.out.value(&api::TalkCompactAnswer {
            schema_version: api::Version,
            conversation: shape(cx, &now, None),
            result,
        })?;
    } else if context.out.quiet {
        context.out.line(now.state.id.as_str())?;
    } else {
        context.out.line(words)?;
    }
    Ok(ExitCode::SUCCESS)
}
