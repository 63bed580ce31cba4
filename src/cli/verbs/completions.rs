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

/// bash takes candidates as they are: a title with blanks would become several words. What is typed within
/// quotes is quoted already; what was escaped is looked for without its backslashes.
const QUOTING: &str = r#"
_deck_complete() {
    local typed=${COMP_WORDS[COMP_CWORD]} i word
    local -a plain=("${COMP_WORDS[@]//[\\\"\']/}")
    local -a COMP_WORDS=("${plain[@]}")
    _clap_complete_deck "$1" "${2//\\/}" "$3"
    [[ $typed == [\"\']* ]] && return
    for i in "${!COMPREPLY[@]}"; do
        word=${COMPREPLY[i]% }
        printf -v "COMPREPLY[i]" '%q%s' "$word" "${COMPREPLY[i]#"$word"}"
    done
}
"#;

pub(super) fn run(args: &Args, out: &Out) -> Result<(), CliError> {
    let shells = Shells::builtins();
    let shell = shells.completer(&args.shell).ok_or_else(|| {
        let names: Vec<&str> = shells.names().collect();
        CliError::usage(format!("no completions for {:?}", args.shell))
            .hint(format!("one of {}", names.join(", ")))
    })?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "deck", "deck", "deck", &mut script)?;
    if args.shell == "bash" {
        let text = String::from_utf8_lossy(&script).replace("-F _clap_complete_deck ", "-F _deck_complete ");
        script = format!("{QUOTING}{text}").into_bytes();
    }
    out.raw(&script)
}
