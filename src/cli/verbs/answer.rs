//! `deck answer`: answer an agent's question.

use std::process::ExitCode;

use super::{CliError, Done};
use crate::api::{self, Answer, Answered};
use crate::cli::{Context, complete};
use crate::domain::screen::AgentDialog;
use crate::domain::session::Session;
use crate::domain::status::{Status, StatusKind};
use crate::domain::text;
use crate::ops::{self, Cx, OpError, Pick, Watcher, needy};

/// Answer an agent's question.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without CHOICE, print the question and its choices.\nCHOICE is a number, a label, or the start of one.\n--text writes the answer to a prompt such as `[y/n]`, or into a choice that takes text.\n\nExamples:\n  deck answer api              show the question and its choices\n  deck answer api 1\n  deck answer api yes\n  deck answer api 3 --text 'the one on staging'\n  deck answer --next           show the question that needs you most\n  deck answer api 1 --next     answer, then show the next one"
)]
pub struct Args {
    /// The session.
    #[arg(add = complete::sessions(), required_unless_present = "next")]
    session: Option<String>,
    /// The choice to take.
    #[arg(add = complete::choices())]
    choice: Option<String>,
    /// Answer a prompt, or the choice that takes text, with this text.
    #[arg(long, requires = "session")]
    text: Option<String>,
    /// Show the question of the session that needs you most, after the answer if there is one.
    #[arg(long)]
    next: bool,
}

impl Args {
    fn pick(&self) -> Option<Pick> {
        let choice = self.choice.as_deref().map(Pick::parse);
        match (choice, self.text.clone()) {
            (Some(choice), Some(text)) => Some(Pick::Into(Box::new(choice), text)),
            (None, Some(text)) => Some(Pick::Text(text)),
            (choice, None) => choice,
        }
    }
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx();
    let out = context.out;
    let Some(named) = &args.session else {
        let Some((session, dialog)) = next(&cx, None)? else {
            return Err(CliError::new(api::Code::Failed, "no session is asking a question")
                .hint("`deck list` shows all sessions"));
        };
        if out.json {
            out.value(&Answer::Question(api::Question::of(&session, &dialog)))?;
        } else {
            show(context, &cx, &session, &dialog, true)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let session = context.find(&cx, named)?;
    let Some(pick) = args.pick() else {
        let dialog = ops::question(&cx, &session.id)?;
        if out.json {
            out.value(&Answer::Question((&dialog).into()))?;
        } else {
            show(context, &cx, &session, &dialog, false)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let answered = ops::answer(&cx, &session.id, &pick, None)?;
    // The answer is taken, whatever becomes of this.
    let next = match args.next.then(|| next(&cx, Some(&session))).transpose() {
        Ok(next) => next.flatten(),
        Err(error) => {
            out.warn(&format!("can't find the next question: {}", error.message));
            None
        }
    };
    let v = answered.state.as_ref().map(|l| &l.verdict);
    let reason = v.and_then(|v| v.reason.as_ref()).map(|r| format!(" · {r}")).unwrap_or_default();
    // What is asked now is another question.
    let asks = v.filter(|v| v.status == Status::Waiting).and_then(|v| v.asks.as_ref());
    let words = asks.map(|a| format!(": {}", text::clean(a))).unwrap_or_default();
    let status = v.map(|v| format!("{}{reason}{words}", v.status)).unwrap_or_default();
    if out.json {
        let next = next.map(|(session, dialog)| api::Question::of(&session, &dialog));
        out.value(&Answer::Taken(Answered::of(&session, &answered, next)))?;
    } else if !out.quiet {
        out.line(&format!("{}: answered {}; now {status}", session.title, answered.choice.words()))?;
        if let Some((session, dialog)) = next {
            out.line("")?;
            show(context, &cx, &session, &dialog, true)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The question that needs the user most and has choices that can be read; of the session that was just
/// answered only where no other asks.
fn next(cx: &Cx, last: Option<&Session>) -> Result<Option<(Session, AgentDialog)>, CliError> {
    let snapshot = Watcher::new().tick(cx)?;
    let mut all: Vec<&Session> = needy(&snapshot)
        .into_iter()
        .filter(|(_, state)| state.verdict.kind() == StatusKind::Asks)
        .map(|(session, _)| session)
        .collect();
    all.sort_by_key(|s| last.is_some_and(|l| l.id == s.id));
    for session in all {
        match ops::question(cx, &session.id) {
            Ok(dialog) => return Ok(Some((session.clone(), dialog))),
            // It asks in a way that deck can't read, or no more.
            Err(OpError::NothingAsked(_) | OpError::NotRunning(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// Prints a question and its choices; whose it is, if that was not said.
fn show(
    context: &Context,
    cx: &Cx,
    session: &Session,
    dialog: &AgentDialog,
    named: bool,
) -> Result<(), CliError> {
    let out = context.out;
    if out.quiet && named {
        return out.line(session.id.as_str());
    }
    let snapshot = Watcher::new().tick(cx)?;
    let asks = snapshot.state(&session.id).and_then(|l| l.verdict.asks.as_ref()).or(dialog.asks.as_ref());
    let asks = asks.map(|a| text::clean(a));
    let title = text::clean(&session.title);
    match (named, asks) {
        (true, Some(asks)) => out.line(&format!("{}: {asks}", out.strong(&title)))?,
        (true, None) => out.line(&out.strong(&title))?,
        (false, Some(asks)) => out.line(&asks)?,
        (false, None) => {}
    }
    for choice in &dialog.choices {
        let hint = match (dialog.several, choice.is_text) {
            (true, _) => out.dim("   (attach to answer this)"),
            (false, true) => out.dim("   (with --text)"),
            (false, false) => String::new(),
        };
        out.line(&format!("  {}  {}{hint}", choice.number, text::clean(&choice.label)))?;
    }
    if dialog.takes_text {
        out.line(&out.dim("  or any text, with --text"))?;
    }
    Ok(())
}
