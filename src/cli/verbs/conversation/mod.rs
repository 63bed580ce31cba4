//! `deck conversation …`: what roles say about features and tasks.

mod add;
mod carry;
mod compact;
mod events;
mod keep;
mod open;
mod read;
mod request;
mod transfer;

use std::path::{Path, PathBuf};

use super::Done;
use crate::api;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::config::paths::{expand, tilde};
use crate::domain::text;
use crate::domain::text::thousands as tokens;
use crate::ops::Cx;
use crate::ops::talk;
use crate::ports::conversations::Talk;

/// Keep what roles say about features and tasks.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "A conversation is what a role (pm, dev, qa, harness, merge, or your own) says about a feature, or about a task of one. Its files are in\n.deck/conversations of the feature's worktree.\n\nID: the whole id, or a part that only one has; inside a session `.` is the one that it carries.\n\nExamples:\n  deck conversation open --role pm --feature auth\n  deck conversation add pm-feature-auth --role user 'Only GitHub at first.'\n  deck conversation messages pm-feature-auth"
)]
pub enum Args {
    /// Open a conversation, making it if it is missing.
    Open(open::Args),
    /// Add a message.
    Add(add::Args),
    /// Put older messages into the checkpoint.
    Compact(compact::Args),
    /// Make a session the agent of a conversation.
    Carry(carry::CarryArgs),
    /// Stop a session from carrying a conversation.
    Detach(carry::DetachArgs),
    /// Print messages.
    Messages(read::MessagesArgs),
    /// Print the checkpoint.
    Checkpoint(read::CheckpointArgs),
    /// Make a request that is ready to send.
    Request(request::RequestArgs),
    /// Show what a request would be made of, and how large.
    Preview(request::PreviewArgs),
    /// Show or set what requests say of the project.
    Context(request::ContextArgs),
    /// Show a conversation.
    Show(read::ShowArgs),
    /// List conversations.
    #[command(visible_alias = "ls")]
    List(read::ListArgs),
    /// Print what happened, from a number on.
    Events(events::Args),
    /// Pin a text or a message: it is in every request.
    Pin(keep::PinArgs),
    /// Remove a pin.
    Unpin(keep::UnpinArgs),
    /// Print what the role's agents are told.
    Describe(keep::DescribeArgs),
    /// Archive all messages; the checkpoint stays.
    Clear(keep::ClearArgs),
    /// Archive conversations: nothing is added to them any more.
    Archive(keep::ArchiveArgs),
    /// Restore archived conversations.
    Unarchive(keep::UnarchiveArgs),
    /// Remove conversations; for seven days they can be brought back.
    Rm(keep::RmArgs),
    /// Bring back a conversation that was removed.
    Undo(keep::UndoArgs),
    /// Write a conversation as files that other programs read.
    Export(transfer::ExportArgs),
    /// Make conversations from such files.
    Import(transfer::ImportArgs),
}

/// Where conversations are.
#[derive(Debug, clap::Args)]
pub struct Where {
    /// The project's folder [default: the feature's worktree, else the repository's top, else .].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    root: Option<String>,
}

impl Where {
    fn path(&self, context: &Context) -> Option<PathBuf> {
        self.root.as_ref().map(|root| expand(root, &context.wiring.env))
    }
}

/// A conversation.
#[derive(Debug, clap::Args)]
pub struct One {
    /// The conversation.
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    at: Where,
}

impl One {
    fn find(&self, context: &Context, cx: &Cx) -> Result<Talk, CliError> {
        let talk = talk::find(cx, self.at.path(context).as_deref(), &self.id)?;
        // What was said since is in the transcript of the session that carries it.
        match talk::catch_up(cx, &talk) {
            Ok(caught) => Ok(Talk { state: caught.state, ..talk }),
            Err(error) => {
                context
                    .out
                    .warn(&format!("can't read what is new in the transcript of its session: {error}"));
                Ok(talk)
            }
        }
    }
}

/// One conversation or several.
#[derive(Debug, clap::Args)]
pub struct Many {
    /// The conversations.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    #[command(flatten)]
    at: Where,
}

impl Many {
    /// Does something to each; what fails is reported at the end.
    fn each(&self, context: &Context, act: impl Fn(&Cx, Talk) -> Result<(), CliError>) -> Done {
        let cx = context.wiring.cx();
        let root = self.at.path(context);
        context.collect_answers(self.ids.len());
        let mut failed = Vec::new();
        for id in &self.ids {
            let found = talk::find(&cx, root.as_deref(), id).map_err(CliError::from);
            if let Err(error) = found.and_then(|talk| act(&cx, talk)) {
                failed.push(error);
            }
        }
        context.conclude(self.ids.len(), failed)
    }
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    match args {
        Args::Open(args) => open::run(&args, context),
        Args::Add(args) => add::run(&args, context),
        Args::Compact(args) => compact::run(&args, context),
        Args::Carry(args) => carry::carry(&args, context),
        Args::Detach(args) => carry::detach(&args, context),
        Args::Messages(args) => read::messages(&args, context),
        Args::Checkpoint(args) => read::checkpoint(&args, context),
        Args::Request(args) => request::request(&args, context),
        Args::Preview(args) => request::preview(&args, context),
        Args::Context(args) => request::context(&args, context),
        Args::Show(args) => read::show(&args, context),
        Args::List(args) => read::list(&args, context),
        Args::Events(args) => events::run(&args, context),
        Args::Pin(args) => keep::pin(&args, context),
        Args::Unpin(args) => keep::unpin(&args, context),
        Args::Describe(args) => keep::describe(&args, context),
        Args::Clear(args) => keep::clear(&args, context),
        Args::Archive(args) => keep::archive(&args, context),
        Args::Unarchive(args) => keep::unarchive(&args, context),
        Args::Rm(args) => keep::rm(&args, context),
        Args::Undo(args) => keep::undo(&args, context),
        Args::Export(args) => transfer::export(&args, context),
        Args::Import(args) => transfer::import(&args, context),
    }
}

/// The shape of a conversation.
fn shape(cx: &Cx, of: &Talk, created: Option<bool>) -> api::Talk {
    let role = cx.installation.roles.get(&of.state.subject.role).cloned().unwrap_or_default();
    let tokens = api::TalkTokens {
        size: talk::size(cx, &of.state),
        threshold: role.threshold(),
        limit: role.token_limit,
        estimated: true,
    };
    api::Talk::of(of, api::TalkSize { tokens, due: talk::due(cx, &of.state) }, created)
}

/// A path as a person writes it.
fn short(context: &Context, path: &Path) -> String {
    let path = path.to_string_lossy();
    text::clean(&tilde(&path, context.wiring.env.get("HOME")))
}

fn count(number: u64, what: &str) -> String {
    text::counted(usize::try_from(number).unwrap_or(usize::MAX), what)
}
