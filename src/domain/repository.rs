//! A git repository that deck knows by name.
//!
//! Invariant: git is the store of worktrees, and no list of them is kept here.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::resolve::nearest;

/// Consent to what a repository brings, by its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    /// The checksum of the content.
    pub sha256: String,
    pub at: Timestamp,
    /// Fields of a newer deck.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A repository, as recorded in its profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    pub id: String,
    /// The user's name for it; no other one of the profile has it.
    #[serde(default)]
    pub name: String,
    /// Its main worktree, or the folder of a bare one.
    #[serde(default)]
    pub path: String,
    /// The folder that all its worktrees share: it is known again by this.
    #[serde(default)]
    pub common_dir: String,
    /// The branch that new ones begin at; none for git's own default.
    #[serde(default)]
    pub base: Option<String>,
    /// Where its worktrees are made; none for what the settings say.
    #[serde(default)]
    pub location: Option<String>,
    /// What its user allowed it to run.
    #[serde(default)]
    pub consents: Vec<Consent>,
    #[serde(default)]
    pub created_at: Timestamp,
    /// Fields of a newer deck.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Repository {
    /// Whether its user allowed it to run what has this checksum.
    pub fn allows(&self, sha256: &str) -> bool {
        self.consents.iter().any(|consent| consent.sha256 == sha256)
    }

    /// Notes that its user allowed it to run what has this checksum.
    pub fn allow(&mut self, sha256: &str, at: Timestamp) {
        if !self.allows(sha256) {
            self.consents.push(Consent { sha256: sha256.to_owned(), at, extra: Map::new() });
        }
    }
}

/// What is wrong with a word that should name a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoRepository {
    pub name: String,
    /// A name much like it.
    pub near: Option<String>,
}

/// The repository that a word means: by its name, its path, or its id.
///
/// # Errors
/// [`NoRepository`].
pub fn find<'a>(all: &'a [Repository], word: &str) -> Result<&'a Repository, NoRepository> {
    let trimmed = if word.len() > 1 { word.trim_end_matches('/') } else { word };
    all.iter().find(|r| r.name == word || r.path == trimmed || r.id == word).ok_or_else(|| NoRepository {
        name: word.to_owned(),
        near: nearest(word, all.iter().map(|r| r.name.as_str())).map(str::to_owned),
    })
}

/// A name for the repository whose main worktree or bare folder has this name, which no other one has.
pub fn default_name(folder: &str, all: &[Repository]) -> String {
    let bare = folder.strip_suffix(".git").unwrap_or(folder);
    let name = super::text::clean(bare).trim().trim_matches('.').to_owned();
    let name = if name.is_empty() { "repository".to_owned() } else { name };
    let taken: Vec<&str> = all.iter().map(|r| r.name.as_str()).collect();
    super::slug::unique_title(&name, &taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(name: &str, path: &str) -> Repository {
        serde_json::from_value(serde_json::json!({ "id": format!("id-{name}"), "name": name, "path": path }))
            .unwrap()
    }

    #[test]
    fn a_repository_is_named_by_name_path_or_id() {
        let all = [repository("api", "/src/api"), repository("web", "/src/web")];
        for word in ["web", "/src/web", "/src/web/", "id-web"] {
            assert_eq!(find(&all, word).unwrap().name, "web", "{word}");
        }
        assert_eq!(find(&all, "wep").unwrap_err().near.as_deref(), Some("web"));
        assert_eq!(find(&all, "nothing").unwrap_err().near, None);
    }

    #[test]
    fn names_are_made_from_folders() {
        let all = [repository("api", "/a")];
        assert_eq!(default_name("api", &all), "api-2");
        assert_eq!(default_name("web.git", &all), "web");
        assert_eq!(default_name(".git", &[]), "repository");
        assert_eq!(default_name(".bare", &[]), "bare");
    }

    #[test]
    fn consent_is_to_a_content_and_noted_once() {
        let mut api = repository("api", "/a");
        api.allow("1234", Timestamp::UNIX_EPOCH);
        api.allow("1234", Timestamp::UNIX_EPOCH);
        assert!(api.allows("1234") && !api.allows("12"));
        assert_eq!(api.consents.len(), 1);
    }
}
