//! Ids and names: of sessions, of the servers they are on, and of profiles.
//!
//! Invariants: a [`SessionId`] never changes; a [`ProfileName`] is always a safe file name.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A session's own id: a UUIDv7 in text, made once and never changed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(not(test), derive(PartialEq, Eq, Hash, PartialOrd, Ord))]
#[serde(transparent)]
pub struct SessionId(String);

/// In unit tests, comparisons are counted: a test of how work grows must not measure time.
#[cfg(test)]
mod counted {
    use std::cell::Cell;
    use std::cmp::Ordering;
    use std::hash::{Hash, Hasher};

    use super::SessionId;

    thread_local! {
        static COMPARED: Cell<usize> = const { Cell::new(0) };
    }

    impl SessionId {
        /// How often this thread compares ids during `work`.
        pub fn comparisons(work: impl FnOnce()) -> usize {
            COMPARED.set(0);
            work();
            COMPARED.get()
        }
    }

    impl PartialEq for SessionId {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other) == Ordering::Equal
        }
    }

    impl Eq for SessionId {}

    impl Hash for SessionId {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    impl PartialOrd for SessionId {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for SessionId {
        fn cmp(&self, other: &Self) -> Ordering {
            COMPARED.set(COMPARED.get() + 1);
            self.0.cmp(&other.0)
        }
    }
}

impl SessionId {
    /// Wraps an id as is.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// Takes an id from outside; `None` for what deck doesn't make ids of.
    pub fn parse(id: &str) -> Option<Self> {
        let id = Self(id.to_owned());
        id.is_safe().then_some(id)
    }

    /// Whether it may stand in a file's name: `[A-Za-z0-9][A-Za-z0-9-]{0,63}`.
    pub fn is_safe(&self) -> bool {
        is_word(&self.0, 64, |c| c == '-')
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last 8 characters of the id without dashes.
    ///
    /// The first ones of a UUIDv7 are its time and hence shared by sessions made together.
    pub fn tail(&self) -> String {
        let hex: Vec<char> = self.0.chars().filter(char::is_ascii_alphanumeric).collect();
        hex.iter().skip(hex.len().saturating_sub(8)).collect()
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A server of the multiplexer: today the name of a local socket, as `tmux -L` takes it. deck's own server is one, too.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ServerId(Arc<str>);

impl ServerId {
    /// The socket's name; empty where a record names none.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it names no server.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for ServerId {
    fn from(socket: &str) -> Self {
        Self(socket.into())
    }
}

impl From<String> for ServerId {
    fn from(socket: String) -> Self {
        Self(socket.into())
    }
}

impl From<ServerId> for String {
    fn from(server: ServerId) -> Self {
        server.as_str().to_owned()
    }
}

impl fmt::Display for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a text can be the id of a conversation: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`.
///
/// Ids come from agents and are passed to agents: nothing that could be read as an option, a path or a pattern is allowed.
pub fn is_conversation(id: &str) -> bool {
    is_word(id, 128, |c| matches!(c, '.' | '_' | '-'))
}

/// Letters and digits of ASCII, and `more` after the first one.
fn is_word(text: &str, most: usize, more: impl Fn(char) -> bool) -> bool {
    text.len() <= most
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || more(c))
}

/// A profile's name, known to be a safe file name: `[A-Za-z0-9._-]{1,64}`, no leading dot, and none that
/// a file of deck's own has beside the profiles.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProfileName(String);

/// A text that can't name a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid profile name {0:?}")]
pub struct BadProfileName(pub String);

impl ProfileName {
    /// The rule a name must follow, for error messages.
    pub const RULE: &'static str =
        "1 to 64 of A-Z a-z 0-9 . _ -, not starting with a dot, and not default.toml";

    /// The file beside the profiles that holds the name of the default one.
    pub const DEFAULT_FILE: &'static str = "default.toml";

    /// Checks `name`.
    ///
    /// # Errors
    /// [`BadProfileName`] when it is not a safe file name.
    pub fn parse(name: &str) -> Result<Self, BadProfileName> {
        let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        // Some file systems ignore case.
        let is_taken = name.eq_ignore_ascii_case(Self::DEFAULT_FILE);
        let fits = !name.is_empty() && name.len() <= 64 && !name.starts_with('.');
        let ok = fits && !is_taken && name.chars().all(safe);
        if ok { Ok(Self(name.to_owned())) } else { Err(BadProfileName(name.to_owned())) }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ProfileName {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ProfileName {
    type Error = BadProfileName;
    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::parse(&name)
    }
}

impl From<ProfileName> for String {
    fn from(name: ProfileName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tail_is_the_random_end() {
        assert_eq!(SessionId::new("0197c0de-0000-7000-8000-00003f9c21ab").tail(), "3f9c21ab");
        assert_eq!(SessionId::new("ab").tail(), "ab");
    }

    #[test]
    fn what_an_agent_a_shell_or_a_path_takes_for_something_else_is_no_id() {
        let long = "x".repeat(129);
        for bad in ["", "-p", "--resume", "*", "..", "../x", "a/b", ".x", "a b", "a\n", "$(x)", "é", &long] {
            assert!(!is_conversation(bad), "{bad:?}");
            assert_eq!(SessionId::parse(bad), None, "{bad:?}");
        }
        for good in ["ses_1a2B", "5b1e2c90-0000-4000-8000-000000000000", "vibe-42", "a.b", &"x".repeat(128)] {
            assert!(is_conversation(good), "{good:?}");
        }
        assert!(SessionId::parse("0197c0de-0000-7000-8000-00003f9c21ab").is_some());
        assert_eq!(SessionId::parse(&"x".repeat(65)), None);
    }

    #[test]
    fn unsafe_profile_names_are_refused() {
        for bad in
            ["", ".", "..", ".x", "a/b", "a b", "ü", "a\n", "default.toml", "Default.Toml", &"x".repeat(65)]
        {
            assert!(ProfileName::parse(bad).is_err(), "{bad:?}");
        }
        for good in ["work", "a.b-c_D9", "default", "work.toml", &"x".repeat(64)] {
            assert!(ProfileName::parse(good).is_ok(), "{good:?}");
        }
    }
}
