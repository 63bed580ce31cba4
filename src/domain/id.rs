//! Names that are safe to use as keys and file names: session ids and profile names.
//!
//! Invariants: a [`SessionId`] never changes; a [`ProfileName`] is always a safe file name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A session's own id: a UUIDv7 in text, made once and never changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(String);

impl SessionId {
    /// Wraps an id as is.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
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

/// A profile's name, known to be a safe file name: `[A-Za-z0-9._-]{1,64}`, no leading dot.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProfileName(String);

/// A text that can't name a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid profile name {0:?}")]
pub struct BadProfileName(pub String);

impl ProfileName {
    /// The rule a name must follow, for error messages.
    pub const RULE: &'static str = "1 to 64 of A-Z a-z 0-9 . _ -, not starting with a dot";

    /// Checks `name`.
    ///
    /// # Errors
    /// [`BadProfileName`] when it is not a safe file name.
    pub fn parse(name: &str) -> Result<Self, BadProfileName> {
        let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let ok = !name.is_empty() && name.len() <= 64 && !name.starts_with('.') && name.chars().all(safe);
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
    fn unsafe_profile_names_are_refused() {
        for bad in ["", ".", "..", ".x", "a/b", "a b", "ü", "a\n", &"x".repeat(65)] {
            assert!(ProfileName::parse(bad).is_err(), "{bad:?}");
        }
        for good in ["work", "a.b-c_D9", &"x".repeat(64)] {
            assert!(ProfileName::parse(good).is_ok(), "{good:?}");
        }
    }
}
