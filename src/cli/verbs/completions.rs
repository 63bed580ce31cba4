//! `deck completions`: generate shell completions.

use clap_complete::env::Shells;

use crate::cli::complete::VARIABLE;
use crate::cli::error::CliError;
use crate::cli::output::Out;

/// Generate shell completions.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  source <(deck completions bash)                     for ~/.bashrc\n  source <(deck completions zsh)                      for ~/.zshrc\n  deck completions fish > ~/.config/fish/completions/deck.fish"
)]
pub struct Args {
    /// One of bash, zsh, fish, elvish or powershell.
    shell: String,
}

pub(super) fn run(args: &Args, out: &Out) -> Result<(), CliError> {
    let shells = Shells::builtins();
    let shell = shells.completer(&args.shell).ok_or_else(|| {
        let names: Vec<&str> = shells.names().collect();
        CliError::usage(format!("no completions for {:?}", args.shell))
            .hint(format!("one of {}", names.join(", ")))
    })?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "deck", "deck", "deck", &mut script)?;
    out.raw(&script)
}
