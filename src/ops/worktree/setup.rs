//! What is to be done with a new worktree, by its repository and by its user's settings; and whether its user allowed it.
//!
//! Invariant: what a repository brings is run only if its user allowed that very content, and never since an agent did.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::PlaceError;
use crate::domain::place::Place;
use crate::domain::profile::Profile;
use crate::domain::repository::Repository;
use crate::domain::session::Session;
use crate::domain::worktree::{MOST, SETUP_FILE, SetupPart};
use crate::ops::{Cx, OpResult};
use crate::ports::git::{Blob, GitError};

/// What a new worktree is to be set up with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SetupContent {
    /// What is to be done: the user's settings, and where they say nothing, the repository's file.
    pub part: SetupPart,
    /// What of it the repository brings: its file and the scripts that this names, each with what it holds. Nothing if it
    /// brings nothing that would be done.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Its user allowed the content with this checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consented {
    pub sha256: String,
    /// Whether also from now on.
    pub always: bool,
}

impl SetupContent {
    /// The checksum of what the repository brings.
    pub fn sha256(&self) -> String {
        let mut hasher = Sha256::new();
        for (name, bytes) in &self.files {
            for part in [name.as_bytes(), bytes] {
                hasher.update((part.len() as u64).to_be_bytes());
                hasher.update(part);
            }
        }
        hasher.finalize().iter().map(|b| format!("{b:02x}")).collect()
    }

    /// What the repository brings, for its user to read.
    pub fn text(&self) -> String {
        let one = |(name, bytes): &(String, Vec<u8>)| {
            let lines = String::from_utf8_lossy(bytes)
                .lines()
                .map(|line| {
                    // What a terminal would hide or act on is shown.
                    let line: String = line
                        .chars()
                        .map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c })
                        .collect();
                    format!("  {line}\n")
                })
                .collect::<String>();
            format!("{name}:\n{lines}")
        };
        self.files.iter().map(one).collect::<Vec<_>>().join("\n")
    }

    /// Reads it by what gives the content of a path.
    fn of(cx: &Cx, repository: &str, read: impl Fn(&str) -> OpResult<Option<Blob>>) -> OpResult<Self> {
        let user = cx.installation.repositories.get(repository).cloned().unwrap_or_default();
        let Some(Blob { bytes, is_link }) = read(SETUP_FILE)? else {
            return Ok(Self { part: user, files: Vec::new() });
        };
        let bad = |why: String| PlaceError::BadSetupFile { file: SETUP_FILE.to_owned(), why };
        if is_link {
            return Err(bad("is a link".to_owned()).into());
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| bad("is not UTF-8".to_owned()))?;
        let file = SetupPart::parse(text).map_err(bad)?;
        let counts = file.beyond(&user);
        let mut files = Vec::new();
        if !counts.is_empty() {
            files.push((SETUP_FILE.to_owned(), bytes.clone()));
            for mut path in counts.named_paths() {
                // What a link leads to is run, as far as it is the repository's.
                for _ in 0..MOST_LINKS {
                    let Some(Blob { bytes, is_link }) = read(&path)? else { break };
                    let next = is_link.then(|| linked(&path, &bytes)).flatten();
                    files.push((path, bytes));
                    let Some(next) = next else { break };
                    path = next;
                }
            }
            files.dedup();
        }
        Ok(Self { part: user.or(counts), files })
    }
}

/// How many links are followed, one after the other.
const MOST_LINKS: usize = 8;

/// Where a link of the repository leads, from its top; none if that is out of it.
fn linked(path: &str, target: &[u8]) -> Option<String> {
    let target = std::str::from_utf8(target).ok().filter(|target| !target.starts_with('/'))?;
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    parts.pop();
    for part in target.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/")).filter(|path| !path.is_empty())
}

/// What a worktree with this commit will be set up with.
///
/// # Errors
/// [`PlaceError::BadSetupFile`], and git's.
pub fn content_at(cx: &Cx, repository: &Repository, commit: &str) -> OpResult<SetupContent> {
    let common = Path::new(&repository.common_dir);
    SetupContent::of(cx, &repository.name, |path| match cx.git.file(common, commit, path, MOST, &cx.stop()) {
        Err(error @ GitError::TooLarge { .. }) => {
            let why = error.to_string();
            Err(PlaceError::BadSetupFile { file: path.to_owned(), why }.into())
        }
        other => Ok(other?),
    })
}

/// What a worktree is set up with, as it stands.
///
/// # Errors
/// [`PlaceError::BadSetupFile`].
pub fn content_in(cx: &Cx, repository: &Repository, top: &Path) -> OpResult<SetupContent> {
    use crate::ports::folders::Kind;
    SetupContent::of(cx, &repository.name, |path| {
        let at = top.join(path);
        let bad = |why: String| PlaceError::BadSetupFile { file: path.to_owned(), why };
        let kind = cx.folders.kind(&at);
        match kind {
            Some(Kind::File { .. } | Kind::Link) => {}
            Some(_) if path == SETUP_FILE => return Err(bad("is not a file".to_owned()).into()),
            _ => return Ok(None),
        }
        let read = cx.folders.content(&at, MOST as u64);
        let bytes = read.map_err(|error| bad(format!("can't be read: {error}")))?;
        Ok(Some(Blob { bytes, is_link: kind == Some(Kind::Link) }))
    })
}

/// Refuses what its user did not allow.
///
/// # Errors
/// [`PlaceError::Consent`], which carries what has to be allowed.
pub fn check_consent(
    cx: &Cx,
    repository: &Repository,
    content: &SetupContent,
    given: Option<&Consented>,
    once: Option<&str>,
) -> OpResult<()> {
    let sha256 = content.sha256();
    if content.files.is_empty() || repository.allows(&sha256) || once == Some(&sha256) {
        return Ok(());
    }
    let is_inside = cx.caller.inside.is_some() || cx.caller.scopes.is_some();
    if !is_inside && given.is_some_and(|given| given.sha256 == sha256) {
        return Ok(());
    }
    Err(PlaceError::Consent {
        repository: repository.name.clone(),
        content: Box::new(content.clone()),
        can_ask: !is_inside,
    }
    .into())
}

/// What checks out the submodules of a worktree.
pub(super) const SUBMODULES: &str = "git submodule update --init --recursive";

/// What runs in a session's pane before its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupRun {
    /// The worktree.
    pub dir: String,
    pub commands: Vec<String>,
}

/// The setup that the next start of a session runs; none if none is due.
///
/// # Errors
/// [`PlaceError::Consent`] for what its user did not allow, and others.
pub(in crate::ops) fn due(cx: &Cx, session: &Session) -> OpResult<Option<SetupRun>> {
    let Some(place) = session.place.as_ref().filter(|place| place.setup.is_due()) else { return Ok(None) };
    let profile = cx.profile.store.load()?.profile;
    let Some(repository) = repository_of(&profile, place) else { return Ok(None) };
    let top = Path::new(&place.worktree);
    let content = match &place.pending {
        Some(pending) if !pending.is_made => content_at(cx, repository, pending.checkout.commit())?,
        _ => content_in(cx, repository, top)?,
    };
    check_consent(cx, repository, &content, None, place.consent.as_deref())?;
    let mut commands = Vec::new();
    if cx.installation.submodules && cx.host.exists(&top.join(".gitmodules")) {
        commands.push(SUBMODULES.to_owned());
    }
    commands.extend(content.part.setup.unwrap_or_default());
    Ok(Some(SetupRun { dir: place.worktree.clone(), commands }).filter(|run| !run.commands.is_empty()))
}

/// The repository of a place, if it is known.
pub(in crate::ops) fn repository_of<'a>(profile: &'a Profile, place: &Place) -> Option<&'a Repository> {
    profile.repositories.iter().find(|r| r.id == place.repository_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_links_of_a_repository_lead() {
        let of = |path: &str, target: &str| linked(path, target.as_bytes());
        assert_eq!(of("run", "scripts/a.sh").as_deref(), Some("scripts/a.sh"));
        assert_eq!(of("bin/run", "../scripts/./a.sh").as_deref(), Some("scripts/a.sh"));
        for (path, target) in [("run", "../a"), ("run", "/bin/sh"), ("run", "."), ("a/b", "../..")] {
            assert_eq!(of(path, target), None, "{target}");
        }
    }
}
