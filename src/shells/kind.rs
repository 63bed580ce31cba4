//! What runs a shell's code: data, as tools are.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::ports::shells::NoProgram;
use crate::sys::spawn;

/// The built-in kinds.
const BUILTIN: &[(&str, &str)] = &[("bash", include_str!("../../assets/shells/bash.toml"))];
/// The program that a bash runs: it restores, runs the code, and captures.
const BASH_RUN: &str = include_str!("../../assets/shells/bash/run.sh");
/// What it runs at the end.
pub const BASH_CAPTURE: &str = include_str!("../../assets/shells/bash/capture.sh");

/// The program that a bash runs, on one line: so line numbers in its messages are those of the code.
pub fn bash_run() -> String {
    BASH_RUN.lines().collect::<Vec<_>>().join(" ")
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
    /// How its state is kept: `script` in files, by the named driver.
    pub mode: String,
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
        assert!(!bash_run().contains('\n'));
    }
}
