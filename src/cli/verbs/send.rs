//! `deck send`: send a message to sessions.

use super::Done;
use super::of_group::OfGroup;
use crate::api::{self, Code, Sent};
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::session::Session;
use crate::ops::worker::{Target, WorkerName};
use crate::ops::{self, Receipt, SendOptions, Unsent};
use std::io::Read;

/// Send a message to sessions.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "deck send [OPTIONS] SESSION... TEXT",
    after_help = "The last argument is the message; `-` reads it from stdin. After `--` it may start with a dash.\nExits 0 if delivered or queued, 5 if that couldn't be confirmed, 6 if the agent is asking a question or has unsent input.\n\nExamples:\n  deck send api 'run the tests'\n  deck send api docs 'commit your work'\n  git diff | deck send review -\n  deck send api:tests 'npm test'               type a line into its terminal tests\n  deck send --group work 'commit your work'    all of a group that run"
)]
pub struct Args {
    /// One or more sessions, then the message.
    #[arg(required = true, num_args = 1.., value_name = "SESSION|TEXT", add = complete::sessions())]
    words: Vec<String>,
    #[command(flatten)]
    of: OfGroup,
    /// Type the message without pressing Enter.
    #[arg(long)]
    no_enter: bool,
    /// Send even if it is asking a question.
    #[arg(long)]
    force: bool,
    /// Clear unsent input first.
    #[arg(long)]
    clear: bool,
    /// Add the message to unsent input.
    #[arg(long, conflicts_with = "clear")]
    append: bool,
    /// Start the session if needed.
    #[arg(long)]
    start: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let Some((text, sessions)) = args.words.split_last().filter(|(_, s)| !s.is_empty() || args.of.is_given())
    else {
        return Err(CliError::usage("a session and a message are required").hint("deck send SESSION 'text'"));
    };
    let text = if text == "-" { stdin()? } else { text.clone() };
    if text.trim().is_empty() {
        return Err(CliError::usage("the message is empty"));
    }
    let unsent = match (args.clear, args.append) {
        (true, _) => Unsent::Replace,
        (_, true) => Unsent::Append,
        _ => Unsent::Refuse,
    };
    let options = SendOptions { enter: !args.no_enter, force: args.force, unsent };
    let context = &*context;
    context.listen_for_interrupts()?;
    let send = |cx: &ops::Cx, session: &Session| {
        if args.start {
            match ops::start(cx, &session.id, false, None) {
                Ok(_) => return Ok(Some(ops::paste_when_ready(cx, &session.id, &text, options)?)),
                Err(ops::OpError::Running(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        match ops::send(cx, &session.id, &text, options) {
            Err(ops::OpError::NotRunning(_)) if args.of.is_given() => Ok(None),
            other => Ok(Some(other?)),
        }
    };
    let names = context.named(sessions, &args.of)?;
    if let [name] = &names[..] {
        let cx = context.wiring.cx();
        if let Target::Worker(session, worker) = ops::worker::find(&cx, name)? {
            let name = WorkerName { session: session.id.clone(), worker: worker.id };
            ops::worker::terminal_send(&cx, &name, &text, !args.no_enter)?;
            if context.out.json {
                context.out.value(&Sent::new(&session, api::Receipt::Typed))?;
            } else if !context.out.quiet {
                context.out.line(&format!("{}:{}: typed", session.title, worker.name))?;
            }
            return Ok(std::process::ExitCode::SUCCESS);
        }
    }
    context.each_at_once(&names, send, |session, receipt| match receipt {
        Some(receipt) => tell(context, session, &text, receipt, args.no_enter),
        None => {
            context.out.note(&format!("{} isn't running; nothing was sent to it", session.title));
            Ok(())
        }
    })
}

fn tell(
    context: &Context,
    session: &Session,
    message: &str,
    receipt: Receipt,
    typed: bool,
) -> Result<(), CliError> {
    let words = if typed { "typed" } else { receipt.words() };
    if context.out.json {
        context.answer(&Sent::new(session, if typed { api::Receipt::Typed } else { receipt.into() }))?;
    } else if !context.out.quiet {
        context.out.line(&format!("{}: {words}", session.title))?;
    }
    if let Some(draft) = session.draft.as_ref().filter(|_| receipt != Receipt::NotConfirmed)
        && draft.trim() != message.trim()
    {
        context.out.note(&format!("discarded the first prompt of {:?}, never sent: {draft}", session.title));
    }
    if receipt == Receipt::NotConfirmed && !typed {
        let message = format!("couldn't confirm that {:?} received the message", session.title);
        return Err(CliError::new(Code::TimedOut, message)
            .hint(format!("check with `deck output {}`", crate::domain::quote::sh(&session.title))));
    }
    Ok(())
}

fn stdin() -> Result<String, CliError> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    Ok(text.trim_end_matches('\n').to_owned())
}
