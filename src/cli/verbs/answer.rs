//! `deck answer`: answer an agent's question.

use std::process::ExitCode;

use super::Done;
use crate::api::{Answer, Answered};
use crate::cli::{Context, complete};
use crate::domain::status::Status;
use crate::domain::text;
use crate::ops::{self, Pick, Watcher};

/// Answer an agent's question.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without CHOICE, print the question and its choices.\nCHOICE is a number, a label, or the start of one.\nA prompt such as `[y/n]` also takes --text.\n\nExamples:\n  deck answer api              show the question and its choices\n  deck answer api 1\n  deck answer api yes"
)]
pub struct Args {
    /// The session.
    #[arg(add = complete::sessions())]
    session: String,
    /// The choice to take.
    #[arg(add = complete::choices())]
    choice: Option<String>,
    /// Answer a prompt with this text.
    #[arg(long, conflicts_with = "choice")]
    text: Option<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx();
    let session = context.find(&cx, &args.session)?;
    let out = context.out;
    let pick = args.text.clone().map(Pick::Text).or_else(|| args.choice.as_deref().map(Pick::parse));
    let Some(pick) = pick else {
        let dialog = ops::question(&cx, &session.id)?;
        if out.json {
            out.value(&Answer::Question((&dialog).into()))?;
            return Ok(ExitCode::SUCCESS);
        }
        let snapshot = Watcher::new().tick(&cx)?;
        let asks = snapshot.state(&session.id).and_then(|l| l.verdict.asks.as_ref()).or(dialog.asks.as_ref());
        if let Some(asks) = asks {
            out.line(&text::clean(asks))?;
        }
        for choice in &dialog.choices {
            let hint = if choice.is_text || dialog.several {
                out.dim("   (attach to answer this)")
            } else {
                String::new()
            };
            out.line(&format!("  {}  {}{hint}", choice.number, text::clean(&choice.label)))?;
        }
        if dialog.takes_text {
            out.line(&out.dim("  or any text, with --text"))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let answered = ops::answer(&cx, &session.id, &pick, None)?;
    let v = answered.state.as_ref().map(|l| &l.verdict);
    let reason = v.and_then(|v| v.reason.as_ref()).map(|r| format!(" · {r}")).unwrap_or_default();
    // What is asked now is another question.
    let asks = v.filter(|v| v.status == Status::Waiting).and_then(|v| v.asks.as_ref());
    let words = asks.map(|a| format!(": {}", text::clean(a))).unwrap_or_default();
    let status = v.map(|v| format!("{}{reason}{words}", v.status)).unwrap_or_default();
    if out.json {
        out.value(&Answer::Taken(Answered::of(&session, &answered)))?;
    } else if !out.quiet {
        out.line(&format!("{}: answered {}; now {status}", session.title, answered.choice.words()))?;
    }
    Ok(ExitCode::SUCCESS)
}
