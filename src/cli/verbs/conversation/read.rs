//! `deck conversation messages`, `checkpoint`, `show` and `list`.

use std::process::ExitCode;

use super::{Done, One, Where, count, shape, short, tokens};
use crate::api;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::cli::table::{Paint, Table, dim, plain, strong, terminal_width};
use crate::domain::talk::{Checkpoint, TalkStatus};
use crate::domain::text;
use crate::ops::OpError;
use crate::ops::talk::{self, TalkError};
use crate::ports::conversations::{Page, Talk};

/// Print messages.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck conversation messages pm-feature-auth\n  deck conversation messages pm-feature-auth --limit 10 --json\n  deck conversation messages pm-feature-auth --archive     also those that were compacted or cleared"
)]
pub struct MessagesArgs {
    #[command(flatten)]
    one: One,
    /// The last N messages.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Before this message.
    #[arg(long, value_name = "MESSAGE")]
    before: Option<String>,
    /// Also those that were archived.
    #[arg(long)]
    archive: bool,
}

/// Print the checkpoint.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The last twenty versions are kept.\n\nExamples:\n  deck conversation checkpoint pm-feature-auth\n  deck conversation checkpoint pm-feature-auth --version 1 --json"
)]
pub struct CheckpointArgs {
    #[command(flatten)]
    one: One,
    /// An older version.
    #[arg(long, value_name = "N")]
    version: Option<u64>,
}

/// Show a conversation.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck conversation show pm-feature-auth\n  deck conversation show pm-feature-auth --json"
)]
pub struct ShowArgs {
    #[command(flatten)]
    one: One,
}

/// List conversations.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Lists those of the folders above this one and of the repository's worktrees.\n\nExamples:\n  deck conversation list\n  deck conversation list --feature auth --archived --json"
)]
pub struct ListArgs {
    /// Only those of a role.
    #[arg(long)]
    role: Option<String>,
    /// Only those about a feature.
    #[arg(long)]
    feature: Option<String>,
    /// Also archived ones.
    #[arg(long)]
    archived: bool,
    /// Those of all sessions' folders and known repositories, too.
    #[arg(long, conflicts_with = "root")]
    all_roots: bool,
    #[command(flatten)]
    at: Where,
}

pub(super) fn messages(args: &MessagesArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    if let Some(before) = &args.before {
        let there = cx.conversations.message(&found.root, &found.state.id, before);
        if there.map_err(TalkError::from).map_err(OpError::from)?.is_none() {
            let error = TalkError::NoMessage { id: found.state.id, message: before.clone() };
            return Err(OpError::from(error).into());
        }
    }
    let page = Page { limit: args.limit, before: args.before.clone(), archive: args.archive };
    let chat = talk::messages_of(&cx, &found, &page)?;
    let out = context.out;
    if out.json {
        out.value(&api::TalkMessages::from(chat))?;
    } else if out.quiet {
        chat.messages.iter().try_for_each(|message| out.line(&message.id))?;
    } else {
        if chat.messages.is_empty() {
            out.note("no messages");
        }
        for message in &chat.messages {
            let speaker = out.strong(message.speaker.word());
            let about = out.dim(&text::clean(&format!("{}  {}", message.timestamp, message.id)));
            out.line(&format!("{speaker}  {about}\n{}\n", text::clean_lines(message.content.trim_end())))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn checkpoint(args: &CheckpointArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    let id = &found.state.id;
    let of = cx
        .conversations
        .checkpoint(&found.root, id, args.version)
        .map_err(TalkError::from)
        .map_err(OpError::from)?;
    let of = of.ok_or_else(|| {
        let last = found.state.version;
        let version = args.version.unwrap_or(last);
        let versions = (last.saturating_sub(20).max(1)..=last).map(|v| v.to_string()).collect();
        CliError::from(OpError::from(TalkError::NoVersion { id: id.clone(), version, versions }))
    })?;
    if context.out.json {
        context.out.value(&api::TalkCheckpoint::from(of))?;
    } else {
        context.out.line(&words(&of))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A checkpoint for people.
pub(super) fn words(of: &Checkpoint) -> String {
    let info = &of.compaction_info;
    let by = match (&info.method, &info.model) {
        (Some(_), Some(model)) => format!(" by {model}"),
        (Some(_), None) => ", without a model".to_owned(),
        _ => String::new(),
    };
    let mut all = format!("checkpoint {}{by}, {}", of.version, count(of.stats.total_messages, "message"));
    let kept = [("failed approaches", &of.kept.failed_approaches), ("facts", &of.kept.facts)];
    let lists = of.summary.lists();
    for (name, list) in lists.iter().map(|(name, list)| (*name, *list)).chain(kept) {
        let name = if name == "inProgress" { "in progress" } else { name };
        for (at, item) in list.iter().enumerate() {
            let label = if at == 0 { name } else { "" };
            all.push_str(&format!("\n  {label:<18}{}", text::clean(item)));
        }
    }
    for (at, message) in of.kept.user_messages.iter().enumerate() {
        let label = if at == 0 { "user said" } else { "" };
        all.push_str(&format!("\n  {label:<18}{}", text::fit(&text::clean(&message.content), 200)));
    }
    all
}

pub(super) fn show(args: &ShowArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    let shape = shape(&cx, &found, None);
    let out = context.out;
    if out.json {
        out.value(&shape)?;
        return Ok(ExitCode::SUCCESS);
    }
    let state = &found.state;
    let mut lines = vec![
        out.strong(state.id.as_str()),
        format!("  about        {}", state.subject.words()),
        format!("  status       {}", state.status.word()),
        format!("  folder       {}", short(context, &found.root)),
        format!("  messages     {} ({} not archived)", state.stats.total_messages, state.messages),
        format!(
            "  tokens       ~{} of {}; compacted from {} on",
            tokens(shape.tokens.size),
            tokens(shape.tokens.limit),
            tokens(shape.tokens.threshold)
        ),
        format!(
            "  checkpoint   {}, after {}",
            state.version,
            count(state.stats.total_compactions, "compaction")
        ),
        format!("  last change  {}", state.updated_at),
    ];
    if let Some(carrier) = &state.carrier {
        let title = crate::domain::id::SessionId::parse(&carrier.session)
            .and_then(|id| cx.session(&id).ok())
            .map_or_else(
                || "a session of another profile, or one that is gone".to_owned(),
                |session| text::clean(&session.title),
            );
        let context = carrier.context.map(|n| format!(", {} tokens in its context", tokens(n)));
        let compacted = match carrier.compacted.len() as u64 {
            0 => String::new(),
            n => {
                format!(", which it compacted {}", if n == 1 { "once".to_owned() } else { count(n, "time") })
            }
        };
        lines.push(format!("  carried by   {title}{}{compacted}", context.unwrap_or_default()));
    }
    lines.extend(
        state
            .pins
            .iter()
            .map(|pin| format!("  pin {:<8} {}", pin.number, text::fit(&text::clean(&pin.text), 80))),
    );
    lines.extend(state.compactions.error.iter().map(|why| format!("  compaction   {}", text::clean(why))));
    lines.extend(found.problems.iter().map(|problem| format!("  problem      {}", text::clean(problem))));
    lines.iter().try_for_each(|line| out.line(line))?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn list(args: &ListArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let root = args.at.path(context);
    let roots = match args.all_roots {
        true => talk::all_roots(&cx)?,
        false => talk::roots(&cx, root.as_deref())?,
    };
    let (all, failed) = talk::list(&cx, &roots)?;
    for error in failed {
        let error = CliError::from(OpError::from(error));
        let causes: String = error.causes.iter().map(|cause| format!(": {cause}")).collect();
        context.out.warn(&format!("{}{causes}", error.message));
    }
    let wanted = |talk: &Talk| {
        talk::is_of(&talk.state, args.role.as_deref(), args.feature.as_deref())
            && (args.archived || talk.state.status == TalkStatus::Active)
    };
    let all: Vec<Talk> = all.into_iter().filter(wanted).collect();
    let out = context.out;
    if out.json {
        out.value(&all.iter().map(|talk| shape(&cx, talk, None)).collect::<Vec<_>>())?;
        return Ok(ExitCode::SUCCESS);
    }
    if out.quiet {
        all.iter().try_for_each(|talk| out.line(talk.state.id.as_str()))?;
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        out.note("no conversations here; `deck conversation open --role pm --feature NAME` begins one");
    }
    let mut table = Table::default();
    for talk in &all {
        let state = &talk.state;
        let size = shape(&cx, talk, None);
        let archived = if state.status == TalkStatus::Archived { "archived" } else { "" };
        table.row(vec![
            (state.id.to_string(), strong as Paint),
            (count(state.stats.total_messages, "message"), plain),
            (format!("~{}", tokens(size.tokens.size)), plain),
            (format!("checkpoint {}", state.version), plain),
            (archived.to_owned(), plain),
            (short(context, &talk.root), dim),
        ]);
    }
    table.lines(terminal_width(), &out).iter().try_for_each(|line| out.line(line))?;
    Ok(ExitCode::SUCCESS)
}
