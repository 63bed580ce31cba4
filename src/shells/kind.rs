//! What runs a shell's code: data, as tools are.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;

use crate::ports::shells::NoProgram;
use crate::sys::spawn;

/// The built-in kinds: name, file, and how each keeps its state.
const BUILTIN: &[(&str, &str, Means)] = &[
    (
        "bash",
        include_str!("../../assets/shells/bash.toml"),
        Means::Files(Script {
            run: include_str!("../../assets/shells/bash/run.sh"),
            at_the_end: include_str!("../../assets/shells/bash/capture.sh"),
            capture: Capture::Parts,
            may_lose_functions: false,
        }),
    ),
    (
        "node",
        include_str!("../../assets/shells/node.toml"),
        Means::Process(Driver {
            file: "driver.mjs",
            text: include_str!("../../assets/shells/node/driver.mjs"),
        }),
    ),
    (
        "python3",
        include_str!("../../assets/shells/python3.toml"),
        Means::Process(Driver {
            file: "driver.py",
            text: include_str!("../../assets/shells/python3/driver.py"),
        }),
    ),
    (
        "sh",
        include_str!("../../assets/shells/sh.toml"),
        Means::Files(Script {
            run: include_str!("../../assets/shells/sh/run.sh"),
            at_the_end: include_str!("../../assets/shells/sh/capture.sh"),
            capture: Capture::Script,
            may_lose_functions: true,
        }),
    ),
];

/// How a kind keeps its state between commands.
#[derive(Debug, Clone, Copy)]
enum Means {
    /// In files: no process lives between two commands.
    Files(Script),
    /// In one live process.
    Process(Driver),
}

/// What makes a program a server of jobs.
#[derive(Debug, Clone, Copy)]
pub struct Driver {
    /// The name of its file.
    pub file: &'static str,
    pub text: &'static str,
}

fn means(kind: &str) -> Option<Means> {
    BUILTIN.iter().find(|(name, ..)| *name == kind).map(|(.., means)| *means)
}

/// The driver of a kind whose state is in one live process; none for other kinds.
pub fn driver(kind: &str) -> Option<Driver> {
    match means(kind)? {
        Means::Process(driver) => Some(driver),
        Means::Files(_) => None,
    }
}

/// The programs of a kind whose state is in files; none for other kinds.
pub fn script(kind: &str) -> Option<Script> {
    match means(kind)? {
        Means::Files(script) => Some(script),
        Means::Process(_) => None,
    }
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
    /// Whether some programs of the kind can't list their functions, and so keep none.
    may_lose_functions: bool,
}

impl Script {
    /// The program on one line: so line numbers in its shell's messages are those of the code.
    pub fn run_on_one_line(&self) -> String {
        self.run.lines().collect::<Vec<_>>().join(" ")
    }
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
}

/// How long a shell may take to say whether it can list functions.
const LIMIT: Duration = Duration::from_secs(5);

impl Kind {
    /// Whether functions are kept between commands. Only a shell itself knows whether it can list them.
    pub fn keeps_functions(&self, file: &Path) -> bool {
        if !script(&self.name).is_some_and(|script| script.may_lose_functions) {
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
    let read = |(name, text, _): &(&str, &str, Means)| {
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
        for script in builtin().iter().filter_map(|kind| script(&kind.name)) {
            assert!(!script.run_on_one_line().contains('\n'));
        }
    }
}
