//! `deck shell start`.

use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;

use crate::api::ShellStarted;
use crate::cli::Context;
use crate::cli::verbs::Done;
use crate::config::paths::expand;
use crate::domain::text;
use crate::ops::shell::{self, NewShell};

/// Start a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The shell starts with this environment, without what belongs to your terminal or session, and with PAGER=cat, TERM=dumb and the like, so that no program waits for a person.\n\nExamples:\n  deck shell start\n  deck shell start --name build --cwd /tmp --env CC=clang\n  deck shell start --clean bash --norc\n  deck shell start --name calc python3"
)]
pub struct Args {
    /// Program that runs the code, with its arguments: bash, sh, python3 or node [default: bash].
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// Name of the shell.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Folder to start in [default: the current one].
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Set a variable; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Take over only HOME, PATH, USER, the locale and the like.
    #[arg(long)]
    clean: bool,
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let folder = args.cwd.as_deref().map(|dir| expand(dir, &context.wiring.env));
    let new = NewShell {
        command: args.command,
        name: args.name,
        folder: folder.unwrap_or_else(|| cx.caller.cwd.clone()),
        caller_env: environment(),
        env: args.env,
        clean: args.clean,
        once: false,
    };
    let started = shell::start(&cx, new)?;
    for id in &started.evicted {
        context.out.warn(&format!("ended shell {id}, the least recently used one, to make room"));
    }
    if !started.keeps_functions {
        let program = text::clean(&started.shell.program);
        context.out.note(&format!("{program} can't list its functions: none is kept between commands"));
    }
    if context.out.json {
        context.out.value(&ShellStarted::from(&started))?;
    } else {
        context.out.line(started.shell.session_id.as_str())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// This process's environment in exact bytes.
pub(super) fn environment() -> Vec<(Vec<u8>, Vec<u8>)> {
    std::env::vars_os().map(|(name, value)| (name.into_vec(), value.into_vec())).collect()
}
