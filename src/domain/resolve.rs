//! Finding the session that a user means by a word: title, id, or the end of its id.

use jiff::Timestamp;

use super::group::GroupPath;
use super::id::SessionId;
use super::profile::Profile;
use super::session::Session;
use super::{age, text};

/// One of several sessions that a word matches, with what distinguishes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub id: SessionId,
    pub folder: String,
    /// Its group; empty for none.
    pub group: GroupPath,
    /// The title of its parent session.
    pub parent: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
}

impl Candidate {
    fn of(session: &Session, all: &[&Session]) -> Self {
        let parent = session.parent_id.as_ref().and_then(|p| all.iter().find(|s| s.id == *p));
        Self {
            id: session.id.clone(),
            folder: session.project_path.clone(),
            group: session.group_path.clone(),
            parent: parent.map(|p| p.title.clone()),
            created_at: session.created_at,
        }
    }

    /// What distinguishes it, in words.
    pub fn words(&self, now: Timestamp) -> String {
        let mut words = Vec::new();
        if !self.group.is_root() {
            words.push(format!("in {}", self.group));
        }
        words.extend(self.parent.as_ref().map(|p| format!("under {p}")));
        words.push(self.folder.clone());
        words.push(match age::age(now, self.created_at).as_str() {
            "now" => "created now".to_owned(),
            age => format!("created {age} ago"),
        });
        text::clean(&words.join(", "))
    }
}

/// Why a word names no single session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// Nothing has that name.
    #[error("no session {name:?}")]
    Missing {
        /// The word given.
        name: String,
        /// Titles that look alike.
        near: Vec<String>,
    },
    /// Several have it.
    #[error("{name:?} matches {} sessions", candidates.len())]
    Ambiguous {
        /// The word given.
        name: String,
        /// The sessions.
        candidates: Vec<Candidate>,
    },
    /// `.` outside a session.
    #[error("`.` only works inside a session")]
    NotInside,
}

/// The live session that `name` means. `inside` is the session the caller itself runs in.
///
/// # Errors
/// [`ResolveError`] when no single session is meant.
pub fn resolve<'a>(
    profile: &'a Profile,
    name: &str,
    inside: Option<&SessionId>,
) -> Result<&'a Session, ResolveError> {
    resolve_in(profile.live_sessions(), name, inside)
}

/// The same among any sessions, for example those in the trash.
///
/// # Errors
/// [`ResolveError`] when no single session is meant.
pub fn resolve_in<'a>(
    sessions: impl Iterator<Item = &'a Session>,
    name: &str,
    inside: Option<&SessionId>,
) -> Result<&'a Session, ResolveError> {
    let all: Vec<&Session> = sessions.collect();
    if name == "." {
        return inside
            .and_then(|id| all.iter().copied().find(|s| &s.id == id))
            .ok_or(ResolveError::NotInside);
    }
    if let Some(exact) = all.iter().find(|s| s.id.as_str() == name) {
        return Ok(exact);
    }
    let titled: Vec<&Session> = all.iter().copied().filter(|s| s.title == name).collect();
    if let Some(found) = single(name, &titled, &all)? {
        return Ok(found);
    }
    // The end of an id must be long enough to be no accident.
    if name.len() >= 4 {
        let tail = name.replace('-', "");
        let ending: Vec<&Session> =
            all.iter().copied().filter(|s| s.id.as_str().replace('-', "").ends_with(&tail)).collect();
        if let Some(found) = single(name, &ending, &all)? {
            return Ok(found);
        }
    }
    let wanted = name.to_lowercase();
    let near =
        all.iter().map(|s| s.title.clone()).filter(|t| alike(&t.to_lowercase(), &wanted)).take(3).collect();
    Err(ResolveError::Missing { name: name.to_owned(), near })
}

fn single<'a>(
    name: &str,
    found: &[&'a Session],
    all: &[&Session],
) -> Result<Option<&'a Session>, ResolveError> {
    match found {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        many => {
            let candidates = many.iter().map(|s| Candidate::of(s, all)).collect();
            Err(ResolveError::Ambiguous { name: name.to_owned(), candidates })
        }
    }
}

fn alike(title: &str, wanted: &str) -> bool {
    title.contains(wanted)
        || (!title.is_empty() && wanted.contains(title))
        || nearest(wanted, [title]).is_some()
}

/// The candidate that differs from `word` in at most two characters, for "did you mean".
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|c| (strsim::levenshtein(word, c), c))
        .filter(|(d, c)| *d <= 2 && *d < c.chars().count().max(1))
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn profile() -> Profile {
        let ids = [("0197-aaaa-1111", "api"), ("0197-bbbb-2222", "api"), ("0197-cccc-3333", "docs")];
        let sessions = ids.map(|(id, t)| Session::new(SessionId::new(id), t, Timestamp::UNIX_EPOCH)).to_vec();
        Profile { sessions, ..Profile::default() }
    }

    #[test]
    fn by_title_id_and_end_of_id() {
        let p = profile();
        for name in ["docs", "0197-cccc-3333", "3333", "cccc3333"] {
            assert_eq!(resolve(&p, name, None).unwrap().title, "docs", "{name}");
        }
    }

    #[test]
    fn several_of_a_name_are_listed() {
        let p = profile();
        let Err(ResolveError::Ambiguous { candidates, .. }) = resolve(&p, "api", None) else { panic!() };
        assert_eq!(candidates.len(), 2);
    }

    #[test]
    fn a_miss_names_what_is_near() {
        let p = profile();
        let Err(ResolveError::Missing { near, .. }) = resolve(&p, "dosc", None) else { panic!() };
        assert_eq!(near, ["docs"]);
    }

    #[test]
    fn dot_is_the_session_around_the_shell() {
        let p = profile();
        assert_eq!(resolve(&p, ".", None), Err(ResolveError::NotInside));
        assert_eq!(resolve(&p, ".", Some(&SessionId::new("0197-cccc-3333"))).unwrap().title, "docs");
    }

    #[test]
    fn did_you_mean() {
        assert_eq!(nearest("comand", ["command", "args"]), Some("command"));
        assert_eq!(nearest("xyz", ["command", "args"]), None);
    }
}
