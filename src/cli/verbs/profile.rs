//! `deck profile …`: profiles.

use std::process::ExitCode;

use super::Done;
use crate::api::{self, Code, ProfileChanged};
use crate::cli::error::CliError;
use crate::cli::{Context, complete, hint};
use crate::domain::id::ProfileName;
use crate::ops;
use crate::wiring::{ProblemKind, ProfilesProblem};

/// Add, list, rename and delete profiles.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "Each profile has its own sessions and groups.\n\nExamples:\n  deck profile add work\n  deck -p work add ~/src/api -c claude\n  deck profile list"
)]
pub enum Args {
    /// Create an empty profile.
    #[command(after_help = "Examples:\n  deck profile add work")]
    Add {
        /// Name of the profile.
        name: String,
    },
    /// List all profiles; `?` marks those that can't be read.
    #[command(after_help = "Examples:\n  deck profile list\n  deck profile list --json")]
    List,
    /// Rename a profile; its sessions keep running.
    #[command(after_help = "Examples:\n  deck profile rename work acme")]
    Rename {
        /// The profile.
        #[arg(add = complete::profiles())]
        from: String,
        /// New name.
        to: String,
    },
    /// Delete a profile without sessions.
    #[command(after_help = "Examples:\n  deck profile rm old")]
    Rm {
        /// The profile.
        #[arg(add = complete::profiles())]
        name: String,
    },
    /// Show or set the default profile.
    #[command(
        after_help = "It is used without -p and DECK_PROFILE.\n\nExamples:\n  deck profile default          show it\n  deck profile default work     set it"
    )]
    Default {
        /// The profile.
        #[arg(add = complete::profiles())]
        name: Option<String>,
    },
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let profiles = &context.wiring.profiles;
    let (name, sentence) = match args {
        Args::List => return list(context),
        Args::Add { name } => {
            profiles.add(&ProfileName::parse(name)?).map_err(problem)?;
            (name.clone(), format!("added profile {name}"))
        }
        Args::Rename { from, to } => {
            let (from, to) = (ProfileName::parse(from)?, ProfileName::parse(to)?);
            if !profiles.exists(&to) {
                ops::retag_profile(&context.wiring.cx_for(&from), &to)?;
            }
            if let Err(error) = profiles.rename(&from, &to) {
                ops::retag_profile(&context.wiring.cx_for(&from), &from)?;
                return Err(problem(error));
            }
            (to.to_string(), format!("renamed profile {from} to {to}"))
        }
        Args::Rm { name } => {
            let stamp = context.wiring.cx().clock.now().as_second();
            profiles.remove(&ProfileName::parse(name)?, stamp).map_err(problem)?;
            (name.clone(), format!("deleted profile {name}"))
        }
        Args::Default { name: None } => {
            let name = profiles.default_or_first().to_string();
            (name.clone(), name)
        }
        Args::Default { name: Some(name) } => {
            profiles.set_default(&ProfileName::parse(name)?).map_err(problem)?;
            (name.clone(), format!("{name} is now the default profile"))
        }
    };
    if context.out.json {
        context.out.value(&ProfileChanged::new(name))?;
    } else {
        context.out.line(&sentence)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn problem(error: impl Into<ProfilesProblem>) -> CliError {
    let problem = error.into();
    let code = match problem.kind {
        ProblemKind::Failed => Code::Failed,
        ProblemKind::NotFound => Code::NotFound,
        ProblemKind::Refused => Code::Refused,
    };
    let error = CliError::new(code, problem.message);
    match &problem.hint {
        Some(hint) => error.hint(hint::command(hint)),
        None => error,
    }
}

/// A profile that can't be read doesn't hide the others: it is reported, and the verb fails only if none can be read.
fn list(context: &Context) -> Done {
    let default = context.wiring.profiles.default_or_first();
    let (mut all, mut failed) = (Vec::new(), Vec::new());
    for name in context.wiring.profiles.list()? {
        let sessions = match context.wiring.cx_for(&name).profile.store.load() {
            Ok(loaded) => Some(loaded.profile.live_sessions().count()),
            Err(error) => {
                failed.push((name.clone(), CliError::from(error)));
                None
            }
        };
        all.push((name, sessions));
    }
    context.tell_unreadable(all.len(), failed)?;
    if context.out.json {
        let one = |(name, sessions): &(ProfileName, Option<usize>)| {
            api::Profile::new(name, *name == default, *sessions)
        };
        context.out.value(&all.iter().map(one).collect::<Vec<_>>())?;
        return Ok(ExitCode::SUCCESS);
    }
    for (name, sessions) in all {
        let mark = if name == default { "  (default)" } else { "" };
        let sessions = sessions.map_or_else(|| "?".to_owned(), |n| n.to_string());
        context.out.line(&format!("{name}  {sessions}{mark}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
