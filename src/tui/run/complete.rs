//! Names of files and folders that begin as typed.

use std::fs::DirEntry;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::app::Folders;

/// How many folders are named of those that begin as typed.
const MOST: usize = 32;

/// Files and folders below a folder that begin as typed.
pub(super) fn files(folder: &str, typed: &str) -> Vec<String> {
    let (shown, start) = typed.rsplit_once('/').map_or((String::new(), typed), |(f, s)| (format!("{f}/"), s));
    let entries = std::fs::read_dir(PathBuf::from(folder).join(&shown)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|e| {
            let name = e.file_name().into_string().ok()?;
            let slash = if e.path().is_dir() { "/" } else { "" };
            fits(&name, start).then(|| format!("{shown}{name}{slash}"))
        })
        .collect();
    names.sort();
    names
}

/// Folders that a path may be completed to, as the user writes them. `cwd` is where a path that is not absolute begins.
pub(super) fn folders(cwd: &Path, home: Option<&str>, typed: &str) -> Folders {
    let (shown, start) = typed.rfind('/').map_or(("", typed), |at| typed.split_at(at + 1));
    if matches!(typed, "~") || start == ".." {
        return Folders {
            names: vec![typed.to_owned()],
            total: 1,
            start: format!("{typed}/"),
            trouble: None,
        };
    }
    let real = match shown.strip_prefix("~/") {
        Some(rest) => Path::new(home.unwrap_or("/")).join(rest),
        None => cwd.join(shown),
    };
    let entries = match std::fs::read_dir(real) {
        Ok(entries) => entries,
        Err(error) => return Folders { trouble: trouble(&error), ..Folders::default() },
    };
    let named = |e: DirEntry| e.file_name().into_string().ok().map(|name| (name, e));
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(named)
        .filter(|(name, entry)| fits(name, start) && is_folder(entry))
        .map(|(name, _)| name)
        .collect();
    names.sort_unstable();
    let total = names.len();
    let start = format!("{shown}{}{}", common_start(&names), if total == 1 { "/" } else { "" });
    names.truncate(MOST);
    names.iter_mut().for_each(|name| name.insert_str(0, shown));
    Folders { names, total, start, trouble: None }
}

/// Whether a name begins as typed. A hidden one is found only by its dot.
fn fits(name: &str, start: &str) -> bool {
    name.starts_with(start) && (start.starts_with('.') || !name.starts_with('.'))
}

/// Whether it is a folder, or a link to one. Only a link costs another question.
fn is_folder(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
        Ok(kind) => kind.is_dir(),
        Err(_) => false,
    }
}

/// Why a folder can't be listed. One that doesn't exist has just not been typed to its end.
fn trouble(error: &io::Error) -> Option<String> {
    let is_missing = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    (!is_missing).then(|| error.to_string())
}

/// What all of these names begin with.
fn common_start(sorted: &[String]) -> &str {
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else { return "" };
    // What the first and the last of sorted names share, all between them do.
    let same = first.chars().zip(last.chars()).take_while(|(a, b)| a == b);
    let bytes = same.map(|(c, _)| c.len_utf8()).sum();
    first.get(..bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Names, total, start and trouble in one line.
    fn found(cwd: &Path, typed: &str) -> String {
        let f = folders(cwd, cwd.to_str(), typed);
        let trouble = f.trouble.map(|t| format!(" !{t}")).unwrap_or_default();
        format!("{} of {} from {:?}{trouble}", f.names.join(" "), f.total, f.start)
    }

    #[test]
    fn folders_as_the_user_writes_them() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path();
        for name in ["src/api", "src/api-2", "src/日本語", "src/.git", "src/日本酒/deep", "empty"] {
            std::fs::create_dir_all(at.join(name)).unwrap();
        }
        std::fs::File::create(at.join("src/api.txt")).unwrap();
        symlink(at.join("empty"), at.join("src/link")).unwrap();
        symlink(at.join("nowhere"), at.join("src/broken")).unwrap();
        let all = [
            ("~", "~ of 1 from \"~/\""),
            ("~/s", "~/src of 1 from \"~/src/\""),
            ("~/src/", "~/src/api ~/src/api-2 ~/src/link ~/src/日本語 ~/src/日本酒 of 5 from \"~/src/\""),
            ("~/src/ap", "~/src/api ~/src/api-2 of 2 from \"~/src/api\""),
            ("~/src/日", "~/src/日本語 ~/src/日本酒 of 2 from \"~/src/日本\""),
            ("~/src/.", "~/src/.git of 1 from \"~/src/.git/\""),
            ("src/日本酒/", "src/日本酒/deep of 1 from \"src/日本酒/deep/\""),
            ("src/..", "src/.. of 1 from \"src/../\""),
            ("src/../e", "src/../empty of 1 from \"src/../empty/\""),
            ("e", "empty of 1 from \"empty/\""),
            ("empty/", " of 0 from \"empty/\""),
            ("nowhere/", " of 0 from \"\""),
            ("src/api.txt/", " of 0 from \"\""),
        ];
        for (typed, want) in all {
            assert_eq!(found(at, typed), want, "{typed}");
        }
        let absolute = format!("{}/src/api-", at.display());
        assert_eq!(found(Path::new("/"), &absolute), format!("{absolute}2 of 1 from \"{absolute}2/\""));
    }

    #[test]
    fn a_folder_that_can_not_be_read_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let locked = dir.path().join("locked");
        std::fs::create_dir(&locked).unwrap();
        std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
        // Root reads everything.
        if std::fs::read_dir(&locked).is_err() {
            assert_eq!(found(dir.path(), "locked/"), " of 0 from \"\" !Permission denied (os error 13)");
        }
        std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(trouble(&ErrorKind::PermissionDenied.into()), Some("permission denied".to_owned()));
        assert_eq!(trouble(&ErrorKind::NotFound.into()), None);
    }

    #[test]
    fn of_thousands_of_folders_some_are_named_and_all_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..3000 {
            std::fs::create_dir(dir.path().join(format!("job-{n:04}"))).unwrap();
        }
        let all = folders(dir.path(), None, "");
        assert_eq!((all.names.len(), all.total, all.start.as_str()), (MOST, 3000, "job-"));
        assert_eq!(folders(dir.path(), None, "job-29").start, "job-29");
        assert_eq!(folders(dir.path(), None, "job-2999").start, "job-2999/");
    }
}
