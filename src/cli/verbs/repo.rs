//! `deck repo …`: repositories that deck knows by name.

use std::process::ExitCode;

use super::Done;
use crate::api;
use crate::cli::table::{Table, dim, plain, strong, terminal_width};
use crate::cli::{Context, complete};
use crate::config::paths::{expand, tilde};
use crate::domain::repository::Repository;
use crate::ops::worktree::Allow;
use crate::ops::{Cx, repository, worktree};

/// Add, list, show and change the repositories that deck knows by name.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "A repository is added by name, or by the first `deck add -w` in it. R is its name, its path or its id.\n\nExamples:\n  deck repo add ~/src/api\n  deck repo list\n  deck repo set api base=main"
)]
pub enum Args {
    /// Add the repository that a folder is in.
    #[command(after_help = "Examples:\n  deck repo add ~/src/api\n  deck repo add ~/src/api --name backend")]
    Add {
        /// A folder in it [default: .].
        #[arg(value_hint = clap::ValueHint::DirPath)]
        path: Option<String>,
        /// What to call it [default: the folder's name].
        #[arg(long)]
        name: Option<String>,
    },
    /// List all repositories.
    #[command(after_help = "Examples:\n  deck repo list\n  deck repo list --json")]
    List,
    /// Show a repository.
    #[command(after_help = "Examples:\n  deck repo show api")]
    Show {
        /// The repository.
        #[arg(add = complete::repositories())]
        repository: String,
    },
    /// Change a repository's name, base, location of worktrees, or path.
    #[command(
        after_help = "  base       the branch that new ones begin at [default: origin's default branch, else the main worktree's]\n  location   where worktrees are made: sibling, inside, or a path with {branch}\n  path       where the repository is, after it was moved\n\nAn empty value is the default.\n\nExamples:\n  deck repo set api base=main\n  deck repo set api location=inside\n  deck repo set api 'location={parent}/wt/{branch}' base="
    )]
    Set {
        /// The repository.
        #[arg(add = complete::repositories())]
        repository: String,
        /// What to change: name, base, location or path.
        #[arg(required = true, value_name = "KEY=VALUE")]
        changes: Vec<String>,
    },
    /// Allow what a repository brings to be run in its new worktrees.
    #[command(
        after_help = "Commands of `.deck.toml`, and the scripts that they name, run only once you allowed just that content.\n\nExamples:\n  deck repo trust api --show       print it, and whether it is allowed\n  deck repo trust api\n  deck repo trust api feat/login   as it stands on another branch"
    )]
    Trust {
        /// The repository, or one of its worktrees.
        #[arg(value_name = "R|W", add = complete::repositories())]
        repository: String,
        /// The branch or commit [default: the files as they are].
        #[arg(value_name = "REF")]
        at: Option<String>,
        /// Print it, and allow nothing.
        #[arg(long)]
        show: bool,
    },
    /// Forget a repository; none of its files is touched.
    #[command(after_help = "Examples:\n  deck repo rm api\n  deck repo rm api --keep-sessions")]
    Rm {
        /// The repository.
        #[arg(add = complete::repositories())]
        repository: String,
        /// Keep the sessions that work in it, in their folders alone.
        #[arg(long)]
        keep_sessions: bool,
    },
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx();
    match args {
        Args::List => return list(context, &cx),
        Args::Show { repository } => return show(context, &cx, &repository),
        Args::Add { path, name } => {
            let folder = expand(path.as_deref().unwrap_or("."), &context.wiring.env);
            let (added, is_new) = repository::add(&cx, &folder, name.as_deref())?;
            let words = if is_new { "added" } else { "is there already:" };
            tell(
                context,
                &cx,
                &added,
                &format!("{words} repository {} in {}", added.name, short(context, &added)),
            )?;
        }
        Args::Set { repository, changes } => {
            let mut word = repository;
            let mut changed = None;
            for change in &changes {
                let (key, value) = change.split_once('=').ok_or_else(|| {
                    crate::cli::error::CliError::usage(format!("invalid change {change:?}"))
                        .hint("write it as KEY=VALUE")
                })?;
                let value = if key == "path" {
                    expand(value, &context.wiring.env).display().to_string()
                } else {
                    value.to_owned()
                };
                let one = repository::set(&cx, &word, key, &value)?;
                // Its name may be another one now.
                word.clone_from(&one.id);
                changed = Some(one);
            }
            if let Some(changed) = changed {
                tell(context, &cx, &changed, &format!("set repository {}", changed.name))?;
            }
        }
        Args::Trust { repository, at, show } => {
            let allow = if show { Allow::No } else { Allow::AsItIs };
            return trust(context, &cx, &repository, at.as_deref(), allow);
        }
        Args::Rm { repository, keep_sessions } => {
            let known = one(&cx, &repository)?;
            let removed = repository::remove(&cx, &repository, keep_sessions)?;
            let words = format!("forgot repository {}; its files are as they were", removed.name);
            print(context, &known, &words)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn trust(context: &Context, cx: &Cx, word: &str, at: Option<&str>, allow: Allow<'_>) -> Done {
    let trusted = worktree::trust(cx, word, at, allow)?;
    let out = context.out;
    if out.json {
        out.value(&api::Trusted::from(&trusted))?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = &trusted.repository.name;
    if trusted.content.files.is_empty() {
        out.line(&format!("repository {name} brings nothing that would be run"))?;
    } else if allow != Allow::No {
        let names: Vec<&str> = trusted.content.files.iter().map(|(name, _)| name.as_str()).collect();
        out.line(&format!("allowed {} of {name} as they are", names.join(", ")))?;
    } else {
        out.raw(trusted.content.text().as_bytes())?;
        let words = if trusted.is_allowed { "this is allowed" } else { "this is not allowed yet" };
        out.note(words);
    }
    Ok(ExitCode::SUCCESS)
}

/// A repository with what became of it.
fn one(cx: &Cx, word: &str) -> Result<repository::Known, crate::cli::error::CliError> {
    let profile = cx.profile.store.load()?.profile;
    let found = crate::domain::repository::find(&profile.repositories, word).ok().cloned();
    let repository = match found {
        Some(repository) => repository,
        // For its error.
        None => repository::resolve(cx, word)?,
    };
    Ok(repository::known(cx, &profile, &repository))
}

fn tell(
    context: &Context,
    cx: &Cx,
    repository: &Repository,
    words: &str,
) -> Result<(), crate::cli::error::CliError> {
    print(context, &one(cx, &repository.id)?, words)
}

fn print(
    context: &Context,
    known: &repository::Known,
    words: &str,
) -> Result<(), crate::cli::error::CliError> {
    if context.out.json {
        return context.out.value(&api::Repository::from(known));
    }
    if context.out.quiet { context.out.line(&known.repository.name) } else { context.out.line(words) }
}

fn short(context: &Context, repository: &Repository) -> String {
    tilde(&repository.path, context.wiring.env.get("HOME"))
}

fn list(context: &Context, cx: &Cx) -> Done {
    let all = repository::list(cx)?;
    if context.out.json {
        context.out.value(&all.iter().map(api::Repository::from).collect::<Vec<_>>())?;
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        context
            .out
            .note("no repositories yet; `deck repo add PATH` adds one, and so does the first `deck add -w`");
    }
    let mut table = Table::default();
    for known in &all {
        if context.out.quiet {
            context.out.line(&known.repository.name)?;
            continue;
        }
        let state = if known.is_missing { "missing".to_owned() } else { sessions(known.sessions.len()) };
        table.row(vec![
            (known.repository.name.clone(), strong),
            (short(context, &known.repository), plain),
            (known.repository.base.as_ref().map(|b| format!("base {b}")).unwrap_or_default(), dim),
            (state, dim),
        ]);
    }
    table.lines(terminal_width(), &context.out).iter().try_for_each(|l| context.out.line(l))?;
    if let Some(known) = all.iter().find(|k| k.is_missing) {
        context.out.warn(&format!(
            "repository {} is not in {} any more; `deck repo set {} path=PATH` says where it is",
            known.repository.name, known.repository.path, known.repository.name
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn sessions(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "1 session".to_owned(),
        n => format!("{n} sessions"),
    }
}

fn show(context: &Context, cx: &Cx, word: &str) -> Done {
    let known = one(cx, word)?;
    if context.out.json || context.out.quiet {
        print(context, &known, "")?;
        return Ok(ExitCode::SUCCESS);
    }
    let (repository, out) = (&known.repository, context.out);
    let missing = if known.is_missing { "  missing" } else { "" };
    out.line(&format!("{}{missing}", out.strong(&repository.name)))?;
    let titles: Vec<&str> = known.sessions.iter().map(|s| s.title.as_str()).collect();
    let rows = [
        ("path", short(context, repository)),
        (
            "base",
            repository
                .base
                .clone()
                .unwrap_or_else(|| "origin's default branch, else the main worktree's".to_owned()),
        ),
        ("location", repository.location.clone().unwrap_or_else(|| "as in the settings".to_owned())),
        ("sessions", if titles.is_empty() { "none".to_owned() } else { titles.join(", ") }),
        ("consents", repository.consents.len().to_string()),
    ];
    for (name, value) in rows {
        out.line(&format!("{}  {}", out.dim(&format!("{name:<9}")), crate::domain::text::clean(&value)))?;
    }
    Ok(ExitCode::SUCCESS)
}
