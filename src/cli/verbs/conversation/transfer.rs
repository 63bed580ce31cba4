//! `deck conversation export` and `import`.

use std::process::ExitCode;

use super::{Done, One, Where, count, shape, short};
use crate::api;
use crate::cli::Context;
use crate::config::paths::expand;
use crate::ops::talk;

/// Write a conversation as files.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Writes session_ID.json, chat_ID.json, checkpoint_ID.json, and, if there are any, context_ID.json and agent-description_ID.json. Nothing is\noverwritten.\n\nExamples:\n  deck conversation export pm-feature-auth out"
)]
pub struct ExportArgs {
    #[command(flatten)]
    one: One,
    /// The folder that they are written to.
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: String,
}

/// Make conversations from such files.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads what `deck conversation export` writes. A conversation that is there already is left as it is.\n\nExamples:\n  deck conversation import out"
)]
pub struct ImportArgs {
    /// The folder with the files.
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: String,
    #[command(flatten)]
    at: Where,
}

pub(super) fn export(args: &ExportArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    let dir = expand(&args.dir, &context.wiring.env);
    let files = talk::export(&cx, &found, &dir)?;
    let id = &found.state.id;
    if context.out.json {
        let files = files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let conversation = id.to_string();
        context.out.value(&api::TalkExported { schema_version: api::Version, conversation, files })?;
    } else if !context.out.quiet {
        let words = count(files.len() as u64, "file");
        context.out.line(&format!("wrote {words} of {id} to {}", short(context, &dir)))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn import(args: &ImportArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let dir = expand(&args.dir, &context.wiring.env);
    let imported = talk::import(&cx, &dir, args.at.path(context).as_deref())?;
    let out = context.out;
    if out.json {
        out.value(&imported.iter().map(|one| shape(&cx, &one.talk, Some(one.is_new))).collect::<Vec<_>>())?;
        return Ok(ExitCode::SUCCESS);
    }
    for one in &imported {
        let id = &one.talk.state.id;
        let messages = count(one.talk.state.stats.total_messages, "message");
        out.line(&match (out.quiet, one.is_new) {
            (true, _) => id.to_string(),
            (false, true) => format!("imported {id}: {messages}"),
            (false, false) => format!("{id} is there already: left as it is"),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}
