//! `deck keys`: send keys to a session.

use std::process::ExitCode;

use super::Done;
use crate::api::Pressed;
use crate::cli::{Context, complete};
use crate::ops;
use crate::ops::worker::{Target, WorkerName};

/// Send keys to a session.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A KEY is a character or a name: enter, esc, tab, backtab, space, backspace, delete, up, down, left, right,\nhome, end, pageup, pagedown, f1 to f12; prefix with ctrl-, alt- or shift-.\n\nExamples:\n  deck keys api esc\n  deck keys api down down enter\n  deck keys api ctrl-c\n  deck keys api:tests q        in its terminal tests"
)]
pub struct Args {
    /// Session to send keys to.
    #[arg(add = complete::sessions())]
    session: String,
    /// Keys to send, in order.
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let session = match ops::worker::find(&cx, &args.session)? {
        Target::Session(session) => {
            ops::press(&cx, &session.id, &args.keys)?;
            session
        }
        Target::Worker(session, worker) => {
            let name = WorkerName { session: session.id.clone(), worker: worker.id };
            ops::worker::terminal_press(&cx, &name, &args.keys)?;
            session
        }
    };
    if context.out.json {
        context.out.value(&Pressed::new(&session.id, &args.keys))?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::cli::Cli;
    use crate::cli::verbs::Verb;

    #[test]
    fn an_option_behind_the_keys_is_no_key() {
        let parsed = |line: &str| {
            let cli = Cli::try_parse_from(line.split(' ')).unwrap();
            let Some(Verb::Keys(args)) = cli.verb else { panic!("{line}") };
            (args.keys.join(" "), cli.json)
        };
        assert_eq!(parsed("deck keys api esc --json"), ("esc".to_owned(), true));
        assert_eq!(parsed("deck keys api - a --json"), ("- a".to_owned(), true));
        assert_eq!(parsed("deck keys api -- --json"), ("--json".to_owned(), false));
    }
}
