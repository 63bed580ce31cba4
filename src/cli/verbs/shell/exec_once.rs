//! `deck shell exec --once`: code in a shell of its own, of which nothing is kept.

use super::exec;
use crate::cli::Context;
use crate::cli::verbs::Done;
use crate::ops::Cx;
use crate::ops::shell::{self, ExecOptions, NewShell, ShellError};

pub(super) fn run(context: &Context, cx: &Cx, options: ExecOptions) -> Done {
    let background = options.background;
    let new = NewShell {
        folder: cx.caller.cwd.clone(),
        caller_env: super::start::environment(),
        ..NewShell::default()
    };
    let mut printed = Ok(());
    // Its output is read before its files are removed.
    let mut read = |executed: &shell::Executed| -> Result<(), ShellError> {
        printed = exec::print(context, cx, executed, background);
        Ok(())
    };
    let result = shell::exec_once(cx, new, options, &mut exec::follow(), &mut read);
    match result {
        Ok(executed) => {
            printed?;
            Ok(exec::exit_code(context, &executed, background))
        }
        Err(error) => exec::answer(context, cx, Err(error), background),
    }
}
