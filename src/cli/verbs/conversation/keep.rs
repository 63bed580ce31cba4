//! `deck conversation pin`, `unpin`, `describe`, `clear`, `archive`, `unarchive`, `rm` and `undo`.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::process::ExitCode;

use super::{Done, Many, One, Where, count, shape};
use crate::api;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::talk::{Description, TalkId};
use crate::domain::text;
use crate::ops::talk::{self, TalkError};
use crate::ops::{Cx, OpError};
use crate::ports::conversations::{Part, Talk};

/// Pin a text or a message.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck conversation pin pm-feature-auth 'Never touch the billing tables.'\n  deck conversation pin pm-feature-auth msg-1     a message, by its id"
)]
pub struct PinArgs {
    #[command(flatten)]
    one: One,
    /// The text, or the id of a message.
    #[arg(value_name = "TEXT|MESSAGE")]
    words: String,
}

/// Remove a pin.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck conversation unpin pm-feature-auth 1")]
pub struct UnpinArgs {
    #[command(flatten)]
    one: One,
    /// Its number.
    number: u64,
}

/// Print what the role's agents are told.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It is written when the conversation is made, and stays as it is when the role is changed in the settings.\n\nExamples:\n  deck conversation describe pm-feature-auth\n  deck conversation describe pm-feature-auth --refresh     as the settings say now"
)]
pub struct DescribeArgs {
    #[command(flatten)]
    one: One,
    /// Write it again, as the settings say now.
    #[arg(long)]
    refresh: bool,
}

/// Archive all messages.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`deck conversation messages --archive` prints them.\n\nExamples:\n  deck conversation clear pm-feature-auth --yes"
)]
pub struct ClearArgs {
    #[command(flatten)]
    one: One,
    /// Don't ask.
    #[arg(short, long)]
    yes: bool,
}

/// Archive conversations.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck conversation archive pm-feature-auth")]
pub struct ArchiveArgs {
    #[command(flatten)]
    many: Many,
}

/// Restore archived conversations.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck conversation unarchive pm-feature-auth")]
pub struct UnarchiveArgs {
    #[command(flatten)]
    many: Many,
}

/// Remove conversations.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck conversation rm pm-feature-auth")]
pub struct RmArgs {
    #[command(flatten)]
    many: Many,
}

/// Bring back a conversation that was removed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck conversation undo pm-feature-auth")]
pub struct UndoArgs {
    /// Its whole id.
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    at: Where,
}

pub(super) fn pin(args: &PinArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    let pin = talk::pin(&cx, &found, &args.words)?;
    tell(
        context,
        &cx,
        &found,
        &format!("pinned as {}: {}", pin.number, text::fit(&text::clean(&pin.text), 80)),
    )
}

pub(super) fn unpin(args: &UnpinArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    talk::unpin(&cx, &found, args.number)?;
    tell(context, &cx, &found, &format!("removed pin {}", args.number))
}

pub(super) fn describe(args: &DescribeArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    if args.refresh {
        talk::describe_again(&cx, &found)?;
    }
    let part = cx.conversations.part(&found.root, &found.state.id, Part::Description);
    let part = part.map_err(TalkError::from).map_err(OpError::from)?.unwrap_or_default();
    let description: Description = serde_json::from_str(&part).unwrap_or_default();
    if context.out.json {
        context.out.value(&api::TalkDescription::from(description))?;
    } else {
        let both = [description.role_instructions, description.tool_instructions];
        let words: Vec<String> =
            both.iter().filter(|t| !t.is_empty()).map(|t| text::clean_lines(t.trim_end())).collect();
        context.out.line(&words.join("\n\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn clear(args: &ClearArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    let id = &found.state.id;
    if !args.yes && !asked(context, &format!("Archive {} of {id}?", count(found.state.messages, "message")))?
    {
        return Err(CliError::usage("nothing was cleared").hint("`--yes` clears without asking"));
    }
    let (_, archived_messages) = talk::clear(&cx, &found)?;
    if context.out.json {
        let conversation = id.to_string();
        context.out.value(&api::TalkCleared {
            schema_version: api::Version,
            conversation,
            archived_messages,
        })?;
    } else if !context.out.quiet {
        context.out.line(&format!("archived {} of {id}", count(archived_messages, "message")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks at a terminal; no where nobody can be asked.
fn asked(context: &Context, question: &str) -> Result<bool, CliError> {
    let (stdin, mut stderr) = (std::io::stdin(), std::io::stderr());
    if context.out.json || context.out.quiet || !stdin.is_terminal() || !stderr.is_terminal() {
        return Ok(false);
    }
    write!(stderr, "{question} [y/N]: ")?;
    stderr.flush()?;
    let mut line = String::new();
    stdin.lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

pub(super) fn archive(args: &ArchiveArgs, context: &Context) -> Done {
    args.many.each(context, |cx, found| {
        talk::archive(cx, &found, true)?;
        tell(context, cx, &found, &format!("archived {}", found.state.id)).map(|_| ())
    })
}

pub(super) fn unarchive(args: &UnarchiveArgs, context: &Context) -> Done {
    args.many.each(context, |cx, found| {
        talk::archive(cx, &found, false)?;
        tell(context, cx, &found, &format!("restored {}", found.state.id)).map(|_| ())
    })
}

pub(super) fn rm(args: &RmArgs, context: &Context) -> Done {
    args.many.each(context, |cx, found| {
        talk::remove(cx, &found)?;
        let (id, out) = (found.state.id.to_string(), context.out);
        if out.json {
            let root = found.root.to_string_lossy().into_owned();
            return context.answer(&api::TalkRemoved {
                schema_version: api::Version,
                conversation: id,
                root,
            });
        }
        if out.quiet {
            out.line(&id)
        } else {
            out.line(&format!("removed {id}; `deck conversation undo {id}` brings it back"))
        }
    })
}

pub(super) fn undo(args: &UndoArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let none = || {
        let error = TalkError::NoConversation { word: args.id.clone(), near: None };
        CliError::from(OpError::from(error))
            .hint("only what was removed in the last seven days can be brought back")
    };
    let id = TalkId::parse(&args.id).ok_or_else(none)?;
    for root in talk::roots(&cx, args.at.path(context).as_deref())? {
        match talk::restore(&cx, &root, &id) {
            Ok(found) => return tell(context, &cx, &found, &format!("{id} is back")),
            Err(OpError::Talk(TalkError::Files(crate::ports::ConversationsError::Missing { .. }))) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(none())
}

/// Prints a conversation as it is now: JSON, its id alone, or a sentence.
fn tell(context: &Context, cx: &Cx, found: &Talk, sentence: &str) -> Done {
    let out = context.out;
    if out.json {
        let now = talk::read(cx, &found.root, &found.state.id)?;
        context.answer(&shape(cx, &now, None))?;
    } else if out.quiet {
        out.line(found.state.id.as_str())?;
    } else {
        out.line(sentence)?;
    }
    Ok(ExitCode::SUCCESS)
}
