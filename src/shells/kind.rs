//! What runs a shell's code: data, as tools are.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;

use crate::ports::shells::NoProgram;
use crate::sys::spawn;

/// The built-in kinds.
const BUILTIN: &[(&str, &str)] = &[
    ("bash", include_str!("../../assets/shells/bash.toml")),
    ("node", include_str!("../../assets/shells/node.toml")),
    ("python3", include_str!("../../assets/shells/python3.toml")),
    ("sh", include_str!("../../assets/shells/sh.toml")),
];

/// What restores, runs and captures, of each kind that keeps its state in files.
const SCRIPTS: &[(&str, Script)] = &[
    (
        "bash",
        Script {
            run: include_str!("../../assets/shells/bash/run.sh"),
            at_the_end: include_str!("../../assets/shells/bash/capture.sh"),
            capture: Capture::Parts,
        },
    ),
    (
        "sh",
        Script {
            run: include_str!("../../assets/shells/sh/run.sh"),
            at_the_end: include_str!("../../assets/shells/sh/capture.sh"),
            capture: Capture::Script,
        },
    ),
];

/// The drivers of the kinds whose state is in one live process: the name of the file, and what is in it.
const DRIVERS: &[(&str, &str, &str)] = &[
    ("node", "driver.mjs", include_str!("../../assets/shells/node/driver.mjs")),
    ("python3", "driver.py", include_str!("../../assets/shells/python3/driver.py")),
];

/// The driver of a kind whose state is in one live process: its file's name, and what is in it.
pub fn driver(kind: &str) -> Option<(&'static str, &'static str)> {
    DRIVERS.iter().find(|(name, ..)| *name == kind).map(|(_, file, text)| (*file, *text))
}

/// What a capture holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    /// Parts, from which the script that restores is made.
    Parts,
    /// The script that restores, as it is.
    Script,
}

/// The programs of a kind that keeps its state in files.
#[derive(Debug, Clone, Copy)]
pub struct Script {
    /// Restores, runs the code, and captures.
    run: &'static str,
    /// What it runs at the end.
    pub at_the_end: &'static str,
    pub capture: Capture,
}

impl Script {
    /// The program on one line: so line numbers in its shell's messages are those of the code.
    pub fn run_on_one_line(&self) -> String {
        self.run.lines().collect::<Vec<_>>().join(" ")
    }
}

/// The programs of a kind; none for one that isn't known.
pub fn script(kind: &str) -> Option<Script> {
    SCRIPTS.iter().find(|(name, _)| *name == kind).map(|(_, script)| *script)
}

/// A kind of shell.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kind {
    /// Its name.
    #[serde(skip)]
    pub name: String,
    /// The programs it is known by.
    pub programs: Vec<String>,
    pub mode: Mode,
}

/// How a kind keeps its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// In files, by its [`Script`].
    Script,
    /// In one live process, by its [`driver`].
    Repl,
}

/// How long a shell may take to say whether it can list functions.
const LIMIT: Duration = Duration::from_secs(5);

impl Kind {
    /// Whether functions are kept between commands. Only a shell itself knows whether it can list them.
    pub fn keeps_functions(&self, file: &Path) -> bool {
        if self.name != "sh" {
            return true;
        }
        let mut command = spawn::command(file);
        command.args(["-c", "typeset -f > /dev/null 2>&1 && echo yes"]).env_clear();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // One that says nothing fails at its first command, which tells more.
        matches!(spawn::output_within(&mut command, LIMIT, 16), Ok(Some(said)) if said == b"yes\n")
    }
}

/// The kind that runs `program`, and the program's file.
pub fn find_kind(program: &str, path: &str, dir: &Path) -> Result<(Kind, PathBuf), NoProgram> {
    let word = program.rsplit('/').next().unwrap_or_default();
    let kind =
        builtin().into_iter().find(|k| k.programs.iter().any(|p| p == word)).ok_or(NoProgram::Unknown)?;
    let file = spawn::find_program(program, path, dir).ok_or(NoProgram::NotFound)?;
    Ok((kind, file))
}

fn builtin() -> Vec<Kind> {
    let read = |(name, text): &(&str, &str)| {
        toml::from_str::<Kind>(text).ok().map(|kind| Kind { name: (*name).to_owned(), ..kind })
    };
    BUILTIN.iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_kinds_can_be_read() {
        assert_eq!(builtin().len(), BUILTIN.len());
        assert_eq!(find_kind("vim", "/bin", Path::new("/")), Err(NoProgram::Unknown));
        assert_eq!(find_kind("bash", "/nonesuch", Path::new("/")), Err(NoProgram::NotFound));
        for kind in builtin() {
            let script = script(&kind.name).map(|script| script.run_on_one_line());
            assert_eq!(script.is_some(), kind.mode == Mode::Script, "{}", kind.name);
            assert_eq!(driver(&kind.name).is_some(), kind.mode == Mode::Repl, "{}", kind.name);
            assert!(!script.unwrap_or_default().contains('\n'));
        }
    }
}
