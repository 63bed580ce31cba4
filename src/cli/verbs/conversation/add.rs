//! `deck conversation add`

use std::io::{IsTerminal as _, Read as _};
use std::process::ExitCode;

use serde_json::{Map, Value};

use super::{Done, One, count, shape, tokens};
use crate::api;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::talk::{MAX_CONTENT, Speaker, content};
use crate::ops::OpError;
use crate::ops::talk::{self, NewMessage, TalkError};

/// Add a message.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "When it returns, the message is on the disk. A message whose --id is there already is not added again, so a command that was cut off can be\nrepeated.\n\nExamples:\n  deck conversation add pm-feature-auth --role user 'Only GitHub at first.'\n  cat answer.md | deck conversation add pm-feature-auth --role assistant --tokens 1200,340 -"
)]
pub struct Args {
    #[command(flatten)]
    one: One,
    /// The text; `-` or nothing reads stdin.
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
    /// Who says it.
    #[arg(long, value_enum)]
    role: Role,
    /// The tokens that were used for it.
    #[arg(long, value_name = "IN,OUT", value_parser = usage)]
    tokens: Option<(u64, u64)>,
    /// Something about the message, kept as given (repeatable).
    #[arg(long, value_name = "KEY=VALUE")]
    meta: Vec<String>,
    /// The message's id [default: a new one].
    #[arg(long = "id", value_name = "MESSAGE")]
    message: Option<String>,
    /// Replace what is no text, instead of refusing it.
    #[arg(long)]
    lossy: bool,
}

/// Who says a message.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Role {
    User,
    Assistant,
    System,
}

fn usage(text: &str) -> Result<(u64, u64), String> {
    let (input, output) = text.split_once(',').ok_or("write it as IN,OUT, such as 1200,340")?;
    let number =
        |word: &str| word.trim().parse::<u64>().map_err(|_| format!("{word:?} is no number of tokens"));
    Ok((number(input)?, number(output)?))
}

/// The text of a message, from the command line or from stdin.
pub(super) fn text(given: Option<&str>, lossy: bool) -> Result<String, CliError> {
    let bytes = match given {
        Some(text) if text != "-" => text.as_bytes().to_vec(),
        None if std::io::stdin().is_terminal() => {
            return Err(CliError::usage("no text is given").hint("give it as the last argument, or on stdin"));
        }
        _ => {
            let mut bytes = Vec::new();
            std::io::stdin().lock().take(MAX_CONTENT as u64 + 1).read_to_end(&mut bytes)?;
            bytes
        }
    };
    Ok(content(bytes, lossy).map_err(TalkError::from).map_err(OpError::from)?)
}

pub(super) fn run(args: &Args, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    let mut metadata = Map::new();
    for word in &args.meta {
        let (key, value) =
            word.split_once('=').ok_or_else(|| OpError::from(TalkError::NoKey(word.clone())))?;
        metadata.insert(key.to_owned(), Value::from(value));
    }
    let new = NewMessage {
        speaker: match args.role {
            Role::User => Speaker::User,
            Role::Assistant => Speaker::Assistant,
            Role::System => Speaker::System,
        },
        content: text(args.text.as_deref(), args.lossy)?,
        id: args.message.clone(),
        tokens: args.tokens,
        metadata,
    };
    let added = talk::add(&cx, &found, &new)?;
    let id = found.state.id.as_str();
    if context.out.json {
        context.out.value(&api::TalkAdded {
            schema_version: api::Version,
            conversation: id.to_owned(),
            message: added.message.into(),
            seq: added.seq,
            added: !added.was_there,
            compaction: added.is_due.then(|| "due".to_owned()),
        })?;
    } else if context.out.quiet {
        context.out.line(&added.message.id)?;
    } else {
        let now = talk::read(&cx, &found.root, &found.state.id)?;
        let shape = shape(&cx, &now, None);
        let what = if added.was_there { "was added before to" } else { "added to" };
        context.out.line(&format!(
            "{what} {id}: {}, ~{} of {} tokens",
            count(now.state.stats.total_messages, "message"),
            tokens(shape.tokens.size),
            tokens(shape.tokens.limit),
        ))?;
        if added.is_due {
            context.out.note("it is large enough to be compacted: the next request does it");
        }
    }
    Ok(ExitCode::SUCCESS)
}
