//! The [`Host`] of this machine.

use std::io;
use std::path::{Path, PathBuf};

use super::{process, spawn};
use crate::ports::Host;

/// This machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemHost;

impl Host for SystemHost {
    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn find_program(&self, program: &str, path: &str, dir: &Path) -> Option<PathBuf> {
        spawn::find_program(program, path, dir)
    }

    fn read(&self, path: &Path) -> io::Result<String> {
        std::fs::read_to_string(path)
    }

    fn any_file(&self, pattern: &str) -> bool {
        let mut at = vec![PathBuf::from("/")];
        for part in pattern.split('/').filter(|p| !p.is_empty()) {
            at = at.iter().flat_map(|dir| matching(dir, part)).collect();
            if at.is_empty() {
                return false;
            }
        }
        true
    }

    fn end_group(&self, pid: i32) -> io::Result<()> {
        process::end_group(pid)
    }

    fn lives(&self, pid: i32) -> bool {
        process::lives(pid)
    }

    fn group_lives(&self, pid: i32) -> bool {
        process::group_lives(pid)
    }
}

/// What in `dir` has a name that fits `part`.
fn matching(dir: &Path, part: &str) -> Vec<PathBuf> {
    if !part.contains('*') {
        let path = dir.join(part);
        return if path.exists() { vec![path] } else { Vec::new() };
    }
    let fits = |name: &str| crate::domain::launch::matches_any(&[part.to_owned()], name);
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter(|e| e.file_name().to_str().is_some_and(fits)).map(|e| e.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_part_of_one_name() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("projects/-src-api");
        std::fs::create_dir_all(&deep).unwrap();
        crate::sys::files::create_new(&deep.join("id-1.jsonl"), b"", 0o600).unwrap();
        let any = |p: &str| SystemHost.any_file(&format!("{}/{p}", dir.path().display()));
        assert!(any("projects/*/id-1.jsonl"));
        assert!(any("projects/*/id-*.jsonl"));
        assert!(!any("projects/*/id-2.jsonl"));
        assert!(!any("*/id-1.jsonl"), "one star, one name");
    }
}
