//! Errors of shells and jobs as the command line reports them.

use crate::api::Code;
use crate::cli::error::CliError;
use crate::domain::quote::sh;
use crate::domain::shell::ShellHint;
use crate::ops::shell::ShellError;

impl From<ShellError> for CliError {
    fn from(error: ShellError) -> Self {
        let code = Code::of_shell(&error);
        let mut result = Self::new(code, error.to_string());
        let mut at = std::error::Error::source(&error);
        while let Some(cause) = at {
            result.causes.push(cause.to_string());
            at = cause.source();
        }
        result.hint = error.hint().map(words);
        result
    }
}

/// The words for a hint.
fn words(hint: ShellHint) -> String {
    match hint {
        ShellHint::Replay(label) => {
            format!("`deck shell replay {}` runs its commands again, in a new one", sh(&label))
        }
        ShellHint::ListShells => "`deck shell list --all` shows all shells".to_owned(),
        ShellHint::UseId(ids) => format!("use an id: {}", ids.join(", ")),
        ShellHint::NameShell => "give the shell's name".to_owned(),
        ShellHint::ChangeFolder(label) => {
            format!("run with another folder: `deck shell exec {} --cwd DIR 'cd .'`", sh(&label))
        }
        ShellHint::AddSession(program) => format!("add a session: `deck add . -c {}`", sh(&program)),
        ShellHint::Install(path) => format!("searched PATH={path}"),
        ShellHint::UseOtherName(rule) => format!("choose another name: {rule}"),
        ShellHint::EndJobs(label) => format!("`deck shell end --kill {}` ends its jobs, too", sh(&label)),
        ShellHint::EndOne(labels) => format!("end one of them first: {}", labels.join(", ")),
        ShellHint::ListJobs(label) => {
            format!("`deck job list {} --status running` shows them", sh(&label))
        }
        ShellHint::FindJob => "`deck job list` shows all jobs".to_owned(),
        ShellHint::ShowJob(job) => format!("`deck job show {job}` shows what is left of it"),
        ShellHint::RunInBackground => "add --background, or use another shell".to_owned(),
        ShellHint::StartShell(label) => {
            let label = sh(&label);
            format!("`deck undo {label}` brings it back; `deck shell start --name {label}` starts a new one")
        }
        ShellHint::MakeCheckpoint(label) => {
            format!("`deck shell checkpoint {}` makes one; `--before JOB` goes back without", sh(&label))
        }
        ShellHint::OpenInput => "run it with `--stdin open`".to_owned(),
    }
}
