//! `deck conversation request`, `preview` and `context`.

use std::process::ExitCode;

use super::{Done, One, shape, tokens};
use crate::api;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::cli::table::{Paint, Table, dim, plain, strong, terminal_width};
use crate::domain::talk::Speaker;
use crate::domain::text;
use crate::ops::talk::{self, Compacted, How, Made, NewMessage, TalkError};
use crate::ops::{Cx, OpError};
use crate::ports::conversations::Talk;

/// Make a request that is ready to send.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Prints the system prompt (role, project, pins, checkpoint) and the user prompt (messages, then the prompt). What is about the project is\nmade again each time. With --json there are also the messages as a list and the tokens of each part.\n\nExamples:\n  deck conversation request pm-feature-auth 'What is next?' --json\n  deck conversation request pm-feature-auth 'What is next?' --add     the prompt is added as a message"
)]
pub struct RequestArgs {
    #[command(flatten)]
    one: One,
    /// The prompt; `-` reads stdin.
    #[arg(allow_hyphen_values = true)]
    prompt: Option<String>,
    /// Also add the prompt as the user's message.
    #[arg(long, requires = "prompt")]
    add: bool,
    /// Whether a conversation that is too large is compacted first.
    #[arg(long, value_enum, default_value_t = Compact::Auto)]
    compact: Compact,
}

/// Whether a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Compact {
    Auto,
    No,
}

/// Show what a request would be made of.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Nothing is written.\n\nExamples:\n  deck conversation preview pm-feature-auth\n  deck conversation preview pm-feature-auth 'What is next?' --full"
)]
pub struct PreviewArgs {
    #[command(flatten)]
    one: One,
    /// The prompt; `-` reads stdin.
    #[arg(allow_hyphen_values = true)]
    prompt: Option<String>,
    /// Print the whole text.
    #[arg(long)]
    full: bool,
}

/// Show or set what requests say of the project.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Names, goal and tasks come from .deck/features/FEATURE.json of the project's folder ({name, goal, tasks: [{id, title, state, depends_on}]}), the rest from\nthe project itself. What you set counts instead; an empty value takes that back.\n\n  featureName, featureGoal, taskTitle, dagSummary   text\n  dependencies, dependents                          names, separated by commas\n\nExamples:\n  deck conversation context pm-feature-auth\n  deck conversation context pm-feature-auth 'featureGoal=Sign in with GitHub'"
)]
pub struct ContextArgs {
    #[command(flatten)]
    one: One,
    /// What to set.
    #[arg(value_name = "KEY=VALUE")]
    values: Vec<String>,
}

fn prompt(given: Option<&String>) -> Result<Option<String>, CliError> {
    given.map(|given| super::add::text(Some(given), false)).transpose()
}

pub(super) fn request(args: &RequestArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let mut found = args.one.find(context, &cx)?;
    let prompt = prompt(args.prompt.as_ref())?;
    if args.add && found.state.carrier.is_some() {
        return Err(OpError::from(TalkError::SpeaksForItself { id: found.state.id.clone() }).into());
    }
    let mut made = talk::request(&cx, &found, prompt.as_deref(), true)?;
    if made.is_due && args.compact == Compact::Auto {
        let how = How { force: true, ..How::default() };
        match talk::compact(&cx, &found, how) {
            Ok(Compacted::Done(done)) => {
                if let Some(why) = &done.without_model {
                    context.out.warn(&format!("no model wrote the checkpoint: {}", text::clean(why)));
                }
                let (before, after) = (tokens(done.before), tokens(done.after));
                context.out.note(&format!("compacted: {before} to {after} tokens"));
            }
            Ok(Compacted::Nothing(why)) => {
                context.out.warn(&format!("it was not compacted: {}", text::clean(&why)));
            }
            Ok(Compacted::NotDue { .. }) => {}
            // Another process does that: the request can be sent as it is.
            Err(error @ OpError::Talk(TalkError::BeingCompacted { .. })) => {
                context.out.warn(&error.to_string())
            }
            Err(error) => return Err(error.into()),
        }
        found = talk::read(&cx, &found.root, &found.state.id)?;
        made = talk::request(&cx, &found, prompt.as_deref(), true)?;
    }
    if let Some(prompt) = prompt.filter(|_| args.add) {
        let message = NewMessage {
            speaker: Speaker::User,
            content: prompt,
            id: None,
            tokens: None,
            metadata: serde_json::Map::new(),
        };
        talk::add(&cx, &found, &message)?;
    }
    print(context, &cx, &found, &made, true)
}

pub(super) fn preview(args: &PreviewArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    let prompt = prompt(args.prompt.as_ref())?;
    let made = talk::request(&cx, &found, prompt.as_deref(), false)?;
    print(context, &cx, &found, &made, args.full)
}

/// Whether a project may well be without it.
fn is_optional(part: &str, why: &str) -> bool {
    part == "featureName" && why.starts_with("there is no ")
}

fn print(context: &Context, cx: &Cx, found: &Talk, made: &Made, full: bool) -> Done {
    let out = context.out;
    let size = shape(cx, found, None);
    if out.json {
        out.value(&api::TalkRequest::of(made, &size))?;
        return Ok(ExitCode::SUCCESS);
    }
    if full {
        let (system, user) = (made.request.system_prompt(), made.request.user_prompt());
        out.line(&format!("{}\n\n{}", text::clean_lines(&system), text::clean_lines(&user)))?;
    } else {
        let total = made.total().max(1);
        let mut table = Table::default();
        for (part, of_part) in made.request.parts().zip(&made.tokens) {
            let cut = if part.cut { "cut to its budget" } else { "" };
            table.row(vec![
                (part.name.to_owned(), strong as Paint),
                (format!("~{}", tokens(*of_part)), plain),
                (format!("{} %", of_part * 100 / total), plain),
                (cut.to_owned(), dim),
            ]);
        }
        table.lines(terminal_width(), &out).iter().try_for_each(|line| out.line(line))?;
        out.line(&format!("~{} of {} tokens", tokens(made.total()), tokens(size.tokens.limit)))?;
    }
    for (part, why) in made.problems.iter().filter(|(part, why)| !is_optional(part, why)) {
        out.note(&format!("{part} is not known: {}", text::clean(why)));
    }
    if made.is_due {
        out.note("it is large enough to be compacted");
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn context(args: &ContextArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let mut found = args.one.find(context, &cx)?;
    if !args.values.is_empty() {
        found.state = talk::set_context(&cx, &found, &args.values)?;
    }
    let made = talk::make_context(&cx, &found);
    let out = context.out;
    if out.json {
        out.value(&api::TalkContext::from(made))?;
        return Ok(ExitCode::SUCCESS);
    }
    let list = |list: &Option<Vec<String>>, sep: &str| list.as_ref().map(|list| list.join(sep));
    let rows = [
        ("project", Some(made.project_root.clone())),
        ("feature", Some(made.feature_id.clone())),
        ("name", made.feature_name.clone()),
        ("goal", made.feature_goal.clone()),
        ("task", made.task_id.clone()),
        ("title", made.task_title.clone()),
        ("state", made.task_state.clone()),
        ("tasks", made.dag_summary.clone()),
        ("depends on", list(&made.dependencies, ", ")),
        ("needed by", list(&made.dependents, ", ")),
        ("commits", made.recent_commits.as_ref().and_then(|c| c.first().cloned())),
    ];
    for (name, value) in rows {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            out.line(&format!("{name:<12}{}", text::clean(&value)))?;
        }
    }
    for (part, why) in made.problems.iter().filter(|(part, why)| !is_optional(part, why)) {
        out.note(&format!("{part} is not known: {}", text::clean(why)));
    }
    Ok(ExitCode::SUCCESS)
}
