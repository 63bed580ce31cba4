//! Files that git ignores, which a new worktree gets as well: copies of those that `.worktreeinclude` names, and links.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::PlaceError;
use crate::domain::id::SessionId;
use crate::ops::{Cx, OpResult};
use crate::ports::folders::Kind;

/// The file with the patterns, in the main worktree.
const INCLUDE: &str = ".worktreeinclude";
/// The most files that are copied.
const FILES: usize = 20_000;

/// Files to be copied, from the top of the main worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Copies {
    pub files: Vec<PathBuf>,
    /// How large they are together.
    pub bytes: u64,
}

/// What was copied and linked, to be known again when the worktree is removed. Losing it makes deck more careful.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Given {
    /// Each copy with its checksum.
    #[serde(default)]
    pub copies: BTreeMap<PathBuf, String>,
    /// Each link with where it leads.
    #[serde(default)]
    pub links: BTreeMap<PathBuf, PathBuf>,
}

/// What would be copied from a main worktree.
///
/// # Errors
/// [`PlaceError::TooMuchToCopy`], and git's.
pub fn plan(cx: &Cx, main: &Path) -> OpResult<Copies> {
    let include = main.join(INCLUDE);
    if !matches!(cx.folders.kind(&include), Some(Kind::File { .. } | Kind::Link)) {
        return Ok(Copies::default());
    }
    let mut copies = Copies::default();
    let mut of_folder: BTreeMap<PathBuf, u64> = BTreeMap::new();
    for file in cx.git.ignored_that_fit(main, &include, &cx.stop())? {
        let len = match cx.folders.kind(&main.join(&file)) {
            Some(Kind::File { len }) => len,
            // One that leads out of the worktree would lead to the same file from each.
            Some(Kind::Link) if stays_inside(cx, main, &file) => 0,
            _ => continue,
        };
        let first: PathBuf = file.components().take(1).collect();
        *of_folder.entry(first).or_default() += len.max(1);
        copies.bytes += len;
        copies.files.push(file);
    }
    let limit = cx.installation.copy_limit;
    if copies.bytes > limit || copies.files.len() > FILES {
        let largest = of_folder.into_iter().max_by_key(|(_, bytes)| *bytes).map(|(name, _)| name);
        return Err(PlaceError::TooMuchToCopy {
            folder: largest.unwrap_or_default(),
            files: copies.files.len(),
            bytes: copies.bytes,
            limit,
        }
        .into());
    }
    Ok(copies)
}

/// Whether a link leads to something in the same worktree.
fn stays_inside(cx: &Cx, main: &Path, file: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let at = main.join(file);
    let Ok(target) = cx.folders.content(&at, 0) else { return false };
    let target = Path::new(std::ffi::OsStr::from_bytes(&target));
    target.is_relative()
        && cx
            .host
            .real_path(&at)
            .is_some_and(|real| cx.host.real_path(main).is_some_and(|main| real.starts_with(main)))
}

/// Copies and links into a worktree what it is to have; what is there already is left. It can be repeated.
///
/// # Errors
/// [`PlaceError::NotCopied`].
pub fn give(
    cx: &Cx,
    session: Option<&SessionId>,
    (main, common): (&Path, &Path),
    top: &Path,
    copies: &Copies,
    links: &[String],
) -> OpResult<()> {
    let mut given = session.map(|id| read(cx, id)).unwrap_or_default();
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source: std::io::Error| PlaceError::NotCopied { path, why: source.to_string() }
    };
    for file in &copies.files {
        cx.check_cancelled()?;
        let (from, to) = (main.join(file), top.join(file));
        if cx.folders.copy_new(&from, &to).map_err(failed(&to))? {
            let checksum = cx.folders.checksum(&to).map_err(failed(&to))?;
            given.copies.insert(file.clone(), checksum);
        }
    }
    for link in links {
        let (target, at) = (main.join(link), top.join(link));
        // There is nothing to lead to yet, or the commit brings one of its own.
        if cx.folders.kind(&target).is_none() || cx.folders.kind(&at).is_some() {
            continue;
        }
        let exclude = common.join("info/exclude");
        // A pattern with a slash at its end, as for a folder, doesn't fit a link.
        let line = format!("/{}", link.trim_start_matches("./").trim_end_matches('/'));
        cx.folders.add_line(&exclude, &line).map_err(failed(&exclude))?;
        if cx.folders.link_new(&target, &at).map_err(failed(&at))? {
            given.links.insert(PathBuf::from(link), target);
        }
    }
    if let Some(session) = session.filter(|_| given != Given::default()) {
        let file = file_of(cx, session);
        let text = serde_json::to_string(&given).unwrap_or_default();
        cx.host.put(&file, &text).map_err(failed(&file))?;
    }
    Ok(())
}

/// What a session's worktree was given.
pub fn read(cx: &Cx, session: &SessionId) -> Given {
    let text = cx.host.read(&file_of(cx, session)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn file_of(cx: &Cx, session: &SessionId) -> PathBuf {
    cx.installation.state.join("worktrees").join(format!("{session}.json"))
}
