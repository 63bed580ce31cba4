//! `deck group …`: groups.

use std::collections::HashMap;
use std::process::ExitCode;

use super::Done;
use crate::api::{self, GroupChanged};
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::config::paths::expand_to_text;
use crate::domain::group::{Group, GroupPath};
use crate::domain::tree::{DeleteMode, Row, rows};
use crate::ops;

/// Add, list, rename, move and delete groups.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "Examples:\n  deck group add work/backend --path ~/src/backend\n  deck group list\n  deck move api --to work/backend"
)]
pub enum Args {
    /// Create a group and its parents.
    #[command(
        after_help = "Examples:\n  deck group add work/backend\n  deck group add work/backend --path ~/src/backend"
    )]
    Add {
        /// Path of the group, such as work/backend.
        path: String,
        /// Default working directory of its new sessions.
        #[arg(long = "path", value_name = "DIR")]
        path_default: Option<String>,
    },
    /// List all groups.
    #[command(
        after_help = "Each line ends with the number of sessions in the group.\n\nExamples:\n  deck group list\n  deck group list --json"
    )]
    List,
    /// Rename a group.
    #[command(
        after_help = "Groups and sessions in it keep their place.\n\nExamples:\n  deck group rename work/backend server"
    )]
    Rename {
        /// The group.
        #[arg(add = complete::groups())]
        path: String,
        /// New name, without a slash.
        name: String,
    },
    /// Move a group into another one, or among its siblings.
    #[command(
        after_help = "Examples:\n  deck group move tools --to work\n  deck group move work/backend --to ''     to the top level\n  deck group move work --by -1             one place up"
    )]
    Move {
        /// The group.
        #[arg(add = complete::groups())]
        path: String,
        /// New parent group; '' for the top level.
        #[arg(long, value_name = "GROUP", add = complete::groups())]
        to: Option<String>,
        /// Move it by N places among its siblings; negative is up.
        #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with = "to")]
        by: Option<i64>,
    },
    /// Delete a group (`deck undo` restores it).
    #[command(
        after_help = "Examples:\n  deck group rm old\n  deck group rm old --move-up        move its contents one level up\n  deck group rm old --with-sessions  delete its contents too"
    )]
    Rm {
        /// The group.
        #[arg(add = complete::groups())]
        path: String,
        /// Move its contents one level up.
        #[arg(long, conflicts_with = "with_sessions")]
        move_up: bool,
        /// Delete its contents too.
        #[arg(long)]
        with_sessions: bool,
        /// Stop its running sessions.
        #[arg(long, requires = "with_sessions")]
        stop: bool,
    },
    /// Set the default working directory of a group's new sessions.
    #[command(
        after_help = "Examples:\n  deck group set work/backend --path ~/src/backend\n  deck group set work/backend --path ''        clear it"
    )]
    Set {
        /// The group.
        #[arg(add = complete::groups())]
        path: String,
        /// The directory; '' clears it.
        #[arg(long = "path", value_name = "DIR")]
        path_default: String,
    },
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let folder = |given: &str| expand_to_text(given, &context.wiring.env).map_err(ops::OpError::NotText);
    let (path, sentence) = match args {
        Args::List => return list(context),
        Args::Add { path, path_default } => {
            let path = GroupPath::parse(&path)?;
            let is_new = !context.wiring.profiles.exists(&context.wiring.profile);
            ops::add_group(&cx, &path, path_default.as_deref().map(folder).transpose()?.as_deref())?;
            if is_new {
                context.out.note(&format!("new profile {:?}", context.wiring.profile.as_str()));
            }
            (path.clone(), format!("added group {path}"))
        }
        Args::Rename { path, name } => {
            let old = GroupPath::parse(&path)?;
            let new = ops::rename_group(&cx, &old, &name)?;
            (new.clone(), format!("renamed group {old} to {new}"))
        }
        Args::Move { path, by: Some(by), .. } => {
            let path = GroupPath::parse(&path)?;
            ops::reorder_group(&cx, &path, by)?;
            (path.clone(), format!("moved group {path}"))
        }
        Args::Move { path, to, by: None } => {
            let to =
                to.ok_or_else(|| CliError::usage("no destination given").hint("use --to GROUP or --by N"))?;
            let to = if to.trim().is_empty() { GroupPath::root() } else { GroupPath::parse(&to)? };
            let old = GroupPath::parse(&path)?;
            let new = ops::move_group(&cx, &old, &to)?;
            (new.clone(), format!("moved group {old} to {new}"))
        }
        Args::Rm { path, move_up, with_sessions, stop } => {
            let path = GroupPath::parse(&path)?;
            let mode = match (move_up, with_sessions) {
                (true, _) => DeleteMode::MoveUp,
                (_, true) => DeleteMode::Along,
                _ => DeleteMode::IfEmpty,
            };
            ops::remove_group(&cx, &path, mode, stop)?;
            (path.clone(), format!("deleted group {path}; `deck undo` restores it"))
        }
        Args::Set { path, path_default } => {
            let path = GroupPath::parse(&path)?;
            let dir = (!path_default.is_empty()).then(|| folder(&path_default));
            ops::set_default_path(&cx, &path, dir.transpose()?.as_deref())?;
            (path.clone(), format!("set group {path}"))
        }
    };
    if context.out.json {
        context.out.value(&GroupChanged::from(&path))?;
    } else if !context.out.quiet {
        context.out.line(&sentence)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn list(context: &Context) -> Done {
    let loaded = context.wiring.cx().profile.store.load()?;
    context.tell_recovery(loaded.recovered.as_deref());
    let groups: HashMap<&GroupPath, &Group> = loaded.profile.live_groups().map(|g| (&g.path, g)).collect();
    let mut unfolded = loaded.profile.clone();
    unfolded.groups.iter_mut().for_each(|g| g.expanded = true);
    let mut all = Vec::new();
    for row in rows(&unfolded, false, |_| true) {
        let Row::Group(row) = row else { continue };
        let group = groups.get(&row.path);
        all.push(api::Group::of(&row.path, group.copied(), row.members.len()));
        if !context.out.json {
            context.out.line(&format!("{}{}  {}", "  ".repeat(row.depth), row.name, row.members.len()))?;
        }
    }
    if context.out.json {
        context.out.value(&all)?;
    } else if all.is_empty() {
        context.out.note("no groups yet; `deck group add NAME` creates one");
    }
    Ok(ExitCode::SUCCESS)
}
