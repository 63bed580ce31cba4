//! `deck schema`: the JSON Schema of what verbs print.

use crate::api::{self, WATCH};
use crate::cli::complete;
use crate::cli::error::CliError;
use crate::cli::output::Out;
use crate::domain::resolve::nearest;

/// Print the JSON Schema of a verb's output.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The schema describes what `deck VERB --json` prints on stdout; `deck schema error` describes the error object on stderr.\nWithout VERB, print one schema whose properties are named after the verbs.\n\nExamples:\n  deck schema > deck.schema.json\n  deck schema list\n  deck schema list --watch      a line of `deck list --watch --json`\n  deck schema group list"
)]
pub struct Args {
    /// Verb to describe, such as `list` or `group list` [default: all].
    #[arg(add = complete::outputs())]
    verb: Vec<String>,
    /// Describe a line of `deck list --watch --json`.
    #[arg(long, requires = "verb")]
    watch: bool,
}

pub(super) fn run(args: &Args, out: &Out) -> Result<(), CliError> {
    let mut name = args.verb.join(" ");
    if args.watch {
        name.push_str(" --watch");
    }
    let schema = match name.as_str() {
        "" => api::all_schemas(),
        "ls" => api::schema("list").ok_or_else(|| unknown(&name))?,
        _ => api::schema(&name).ok_or_else(|| unknown(&name))?,
    };
    let text = serde_json::to_string_pretty(&schema).map_err(std::io::Error::other)?;
    out.line(&text)
}

fn unknown(name: &str) -> CliError {
    let error = CliError::usage(format!("deck {name} prints no JSON"));
    let (names, below) = (api::outputs(), format!("{name} "));
    let names = || names.iter().map(String::as_str);
    let parts: Vec<&str> = names().filter(|n| *n != WATCH && n.starts_with(&below)).collect();
    error.hint(match nearest(name, names()) {
        _ if !parts.is_empty() => format!("one of {}", parts.join(", ")),
        Some(near) => format!("did you mean {near}?"),
        None => "`deck schema` describes all verbs".to_owned(),
    })
}
