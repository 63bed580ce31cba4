//! `deck conversation open`

use std::process::ExitCode;

use super::{Done, Where, count, shape, short};
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::ops::talk::{self, Wanted};

/// Open a conversation.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The same role, feature, task and state are always the same conversation, whichever process asks. Names of features and tasks are 1 to 64 of the\ncharacters a-z, A-Z, 0-9, ., _ and -.\n\nExamples:\n  deck conversation open --role pm --feature auth\n  deck conversation open --role dev --feature auth --task login\n  deck conversation open --role qa --feature auth --task login --from dev-task-auth-login-in_dev"
)]
pub struct Args {
    /// Who talks: pm, dev, qa, harness, merge, or a role of yours.
    #[arg(long)]
    role: String,
    /// The feature.
    #[arg(long)]
    feature: String,
    /// A task of it [default: the feature as a whole].
    #[arg(long)]
    task: Option<String>,
    /// The state that the task is in [default: the role's].
    #[arg(long)]
    state: Option<String>,
    /// Begin a new one with the checkpoint and the pins of this conversation.
    #[arg(long, value_name = "ID")]
    from: Option<String>,
    #[command(flatten)]
    at: Where,
}

pub(super) fn run(args: &Args, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let root = args.at.path(context);
    let from = args.from.as_ref().map(|from| talk::find(&cx, root.as_deref(), from)).transpose()?;
    let wanted = Wanted {
        role: &args.role,
        feature: &args.feature,
        task: args.task.as_deref(),
        state: args.state.as_deref(),
        root: root.as_deref(),
    };
    let (opened, is_new) = talk::open(&cx, &wanted, from.as_ref()).map_err(CliError::from)?;
    for problem in &opened.problems {
        context.out.warn(problem);
    }
    let id = &opened.state.id;
    if context.out.json {
        context.out.value(&shape(&cx, &opened, Some(is_new)))?;
    } else if context.out.quiet {
        context.out.line(id.as_str())?;
    } else {
        let root = short(context, &opened.root);
        let messages = count(opened.state.stats.total_messages, "message");
        context.out.line(&match is_new {
            true => format!("opened {id} in {root}"),
            false => format!("{id} in {root}: {messages}, {}", opened.state.status.word()),
        })?;
        if is_new && from.is_some() {
            context.out.note("it begins with the checkpoint and the pins of the other one");
        } else if from.is_some() {
            context.out.note("it was there already: nothing of the other one was taken");
        }
    }
    Ok(ExitCode::SUCCESS)
}
