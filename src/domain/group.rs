//! A group: a path of names, and how it is shown.
//!
//! Invariant: a [`GroupPath`] has no empty segment and no control character; the empty path
//! means "no group".

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::mcp_servers::McpChoice;

/// The path of a group, such as `work/backend`; empty for no group.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GroupPath(String);

/// A text that can't be a group's path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadGroupPath {
    /// No name in it.
    #[error("a group needs a name")]
    Empty,
    /// A slash with nothing on one side.
    #[error("{0:?} has an empty name between slashes")]
    EmptySegment(String),
    /// Something that can't be shown.
    #[error("{0:?} contains a control character")]
    Control(String),
    /// A name where a path was given.
    #[error("{0:?} is a path; a name can't contain a slash")]
    Slash(String),
}

impl GroupPath {
    /// No group.
    pub fn root() -> Self {
        Self::default()
    }

    /// Checks `path`; blanks around its names are dropped, as is a leading or trailing slash.
    ///
    /// # Errors
    /// [`BadGroupPath`] when a name is empty or holds a control character.
    pub fn parse(path: &str) -> Result<Self, BadGroupPath> {
        let trimmed = path.trim().trim_matches('/');
        if trimmed.is_empty() {
            return Err(BadGroupPath::Empty);
        }
        if trimmed.chars().any(char::is_control) {
            return Err(BadGroupPath::Control(path.to_owned()));
        }
        let names: Vec<&str> = trimmed.split('/').map(str::trim).collect();
        if names.iter().any(|n| n.is_empty()) {
            return Err(BadGroupPath::EmptySegment(path.to_owned()));
        }
        Ok(Self(names.join("/")))
    }

    /// Checks one name, without a slash.
    ///
    /// # Errors
    /// [`BadGroupPath`] when it is a path or can't be a name.
    pub fn parse_name(name: &str) -> Result<String, BadGroupPath> {
        if name.contains('/') {
            return Err(BadGroupPath::Slash(name.to_owned()));
        }
        Self::parse(name).map(|p| p.0)
    }

    /// The path as text; empty for no group.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this means "no group".
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The last name of the path.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The path above; the root for a group of the first level.
    pub fn parent(&self) -> Self {
        Self(self.0.rsplit_once('/').map(|(up, _)| up.to_owned()).unwrap_or_default())
    }

    /// The path of a child of this group.
    pub fn join(&self, name: &str) -> Self {
        if self.is_root() { Self(name.to_owned()) } else { Self(format!("{}/{name}", self.0)) }
    }

    /// How many names it has.
    pub fn depth(&self) -> usize {
        if self.is_root() { 0 } else { self.0.split('/').count() }
    }

    /// Whether this is `other` or lies below it. Everything lies below the root.
    pub fn is_within(&self, other: &Self) -> bool {
        other.is_root()
            || self == other
            || self.0.strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }

    /// This path with its leading part `from` replaced by `to`; itself when it isn't within `from`.
    pub fn rebase(&self, from: &Self, to: &Self) -> Self {
        if !self.is_within(from) || from.is_root() {
            return self.clone();
        }
        match self.0.strip_prefix(from.as_str()).map(|rest| rest.trim_start_matches('/')) {
            Some("") | None => to.clone(),
            Some(rest) => to.join(rest),
        }
    }

    /// The path and all above it, outermost first, without the root.
    pub fn lineage(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut at = self.clone();
        while !at.is_root() {
            let up = at.parent();
            all.push(at);
            at = up;
        }
        all.reverse();
        all
    }
}

impl fmt::Display for GroupPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A group of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its full path.
    pub path: GroupPath,
    /// Its name: the last part of the path.
    #[serde(default)]
    pub name: String,
    /// Whether its rows are shown.
    #[serde(default = "yes")]
    pub expanded: bool,
    /// Place among its siblings.
    #[serde(default)]
    pub order: i64,
    /// Where new sessions of this group start.
    #[serde(default)]
    pub default_path: Option<String>,
    /// The user's MCP servers that are attached to its sessions, and detached from them.
    #[serde(default, skip_serializing_if = "McpChoice::is_empty")]
    pub mcps: McpChoice,
    /// When it was put into the trash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// Fields of a newer deck.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

const fn yes() -> bool {
    true
}

impl Group {
    /// A new, expanded group.
    pub fn new(path: GroupPath, order: i64) -> Self {
        let name = path.name().to_owned();
        Self {
            path,
            name,
            expanded: true,
            order,
            default_path: None,
            mcps: McpChoice::default(),
            deleted_at: None,
            extra: Map::new(),
        }
    }

    /// Whether it is not in the trash.
    pub fn is_live(&self) -> bool {
        self.deleted_at.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(p: &str) -> GroupPath {
        GroupPath::parse(p).unwrap()
    }

    #[test]
    fn paths_are_normalised_or_refused() {
        assert_eq!(path("/work / backend/").as_str(), "work/backend");
        for bad in ["", " ", "/", "a//b", "a/ /b", "a\u{1b}b"] {
            assert!(GroupPath::parse(bad).is_err(), "{bad:?}");
        }
        assert!(GroupPath::parse_name("a/b").is_err());
    }

    #[test]
    fn within_respects_names() {
        assert!(path("work/api").is_within(&path("work")));
        assert!(!path("workshop").is_within(&path("work")));
        assert!(path("work").is_within(&GroupPath::root()));
    }

    #[test]
    fn rebase_keeps_the_structure_below() {
        assert_eq!(path("a/b/c").rebase(&path("a/b"), &path("x")).as_str(), "x/c");
        assert_eq!(path("a/b").rebase(&path("a/b"), &path("x/y")).as_str(), "x/y");
        assert_eq!(path("ab").rebase(&path("a"), &path("x")).as_str(), "ab");
        assert_eq!(path("a/b").rebase(&path("a"), &GroupPath::root()).as_str(), "b");
    }

    #[test]
    fn lineage_is_outermost_first() {
        let all: Vec<_> = path("a/b/c").lineage().iter().map(|p| p.as_str().to_owned()).collect();
        assert_eq!(all, ["a", "a/b", "a/b/c"]);
    }
}
