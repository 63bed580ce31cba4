//! `deck worker add`.

use super::super::Done;
use crate::cli::{Context, complete};
use crate::domain::worker::WorkerType;
use crate::ops::worker::{self, NewWorker};
use crate::ops::{self, Cx, McpWish, New};

/// Add a worker to a session.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A terminal runs in a window of the session's tmux session, in its folder; it keeps running when the agent is stopped. A further agent is a session of its own that works in the same place and is deleted with this one.\n\nExamples:\n  deck worker add api                                    a terminal with a shell\n  deck worker add api -n tests -c 'npm test'             a terminal with a command\n  deck worker add api --type diff --against base         what the branch changed\n  deck worker add api --type markdown --file PLAN.md\n  deck worker add api --type link --url 'http://localhost:{port}/'\n  deck worker add api --type agent -c shell"
)]
pub struct Args {
    /// The session.
    #[arg(add = complete::sessions())]
    session: String,
    /// What it is.
    #[arg(long = "type", value_name = "TYPE", default_value = "terminal", value_parser = ["agent", "terminal", "diff", "markdown", "link"])]
    kind: String,
    /// Its name.
    #[arg(short, long)]
    name: Option<String>,
    /// What a terminal runs, or the tool of an agent [default: your shell].
    #[arg(short, long, value_name = "COMMAND")]
    command: Option<String>,
    /// The file that is rendered, from the session's folder.
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
    /// The address of a link; {port} is the first port of the session's worktree.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// What a diff is against: head, base, or a commit or branch.
    #[arg(long, value_name = "REF")]
    against: Option<String>,
}

pub(super) fn run(args: &Args, context: &Context, cx: &Cx) -> Done {
    let session = context.find(cx, &args.session)?;
    if args.kind == "agent" {
        let new = New {
            path: session.project_path.clone().into(),
            title: args.name.clone(),
            command: args.command.clone().or_else(|| Some(session.command.clone())),
            default_tool: context.wiring.config.default_tool.clone(),
            group: session.group_path.clone(),
            parent: Some(session.id.clone()),
            mcp: McpWish::ForTools(context.wiring.config.mcp.pass.clone()),
            worker_of: Some(session.id.clone()),
            start: true,
            ..New::default()
        };
        let created = ops::create(cx, &new)?.session;
        return super::tell_agent(context, cx, &created, &format!("started {}", created.title));
    }
    let new = NewWorker {
        kind: Some(WorkerType::from(args.kind.clone())),
        name: args.name.clone(),
        command: args.command.clone(),
        dir: String::new(),
        against: args.against.clone(),
        file: args.file.clone(),
        url: args.url.clone(),
    };
    let worker = worker::add(cx, &session, &new)?;
    super::tell(context, cx, &session, &worker.id, "added")
}
