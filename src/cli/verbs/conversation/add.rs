//! `deck conversation add`

use std::io::{IsTerminal as _, Read as _};
use std::process::ExitCode;

use serde_json::{Map, Value};

use super::{Done, One, count, shape, tokens};
use crate::api;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::quote::sh;
use crate::domain::talk::{MAX_CONTENT, Speaker, content};
use crate::domain::text::clean;
use crate::ops::talk::{self, NewMessage, TalkError};
use crate::ops::{Cx, OpError, Receipt};
use crate::ports::conversations::Talk;

/// Add a message.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "When it returns, the message is on the disk. A message whose --id is there already is not added again, so a command that was cut off can be\nrepeated. In a conversation that a session carries, what the user says is sent to the session.\n\nExamples:\n  deck conversation add pm-feature-auth --role user 'Only GitHub at first.'\n  cat answer.md | deck conversation add pm-feature-auth --role assistant --tokens 1200,340 -"
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

/// What the user says in a conversation that a session carries is sent to that, as by `deck send`.
fn say(args: &Args, context: &Context, cx: &Cx, found: &Talk) -> Done {
    if args.message.is_some() || args.tokens.is_some() || !args.meta.is_empty() {
        return Err(CliError::usage(
            "a session carries this conversation: --id, --tokens and --meta can't be given",
        )
        .hint("the message is sent to the session, and its id is the agent's own"));
    }
    let text = text(args.text.as_deref(), args.lossy)?;
    let (session, receipt) = talk::say(cx, found, &text)?;
    if context.out.json {
        context.out.value(&api::Sent::new(&session, receipt.into()))?;
    } else if !context.out.quiet {
        context.out.line(&format!("sent to {}: {}", clean(&session.title), receipt.words()))?;
        context.out.note("it is in the conversation once the agent has taken it");
    }
    if receipt == Receipt::NotConfirmed {
        let message = format!("couldn't confirm that {:?} received the message", session.title);
        return Err(CliError::new(api::Code::TimedOut, message)
            .hint(format!("check with `deck output {}`", sh(&session.title))));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn run(args: &Args, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    if found.state.carrier.is_some() && matches!(args.role, Role::User) {
        return say(args, context, &cx, &found);
    }
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
