//! Ids of shells and jobs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A shell's id: `sess_` and eight of `[a-z0-9]`. It is a safe file name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ShellId(String);

/// What each id of a shell begins with.
const PREFIX: &str = "sess_";
/// How many characters follow.
const LENGTH: usize = 8;

impl ShellId {
    /// An id from random bytes.
    pub fn from_entropy(bytes: [u8; 16]) -> Self {
        let mut number = u128::from_be_bytes(bytes);
        let digit = |n: u128| char::from_digit(u32::try_from(n % 36).unwrap_or(0), 36).unwrap_or('0');
        let mut id = PREFIX.to_owned();
        for _ in 0..LENGTH {
            id.push(digit(number));
            number /= 36;
        }
        Self(id)
    }

    /// Takes an id from outside.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(PREFIX)?;
        let fits = rest.len() == LENGTH && rest.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
        fits.then(|| Self(text.to_owned()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ShellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ShellId {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("invalid shell id {text:?}"))
    }
}

impl From<ShellId> for String {
    fn from(id: ShellId) -> Self {
        id.0
    }
}

/// A job's id: `job-SHELL-NUMBER`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JobId {
    /// Its shell.
    pub shell: ShellId,
    /// Its number in the shell, from 1.
    pub seq: u64,
}

impl JobId {
    /// Takes an id from outside.
    pub fn parse(text: &str) -> Option<Self> {
        let (shell, seq) = text.strip_prefix("job-")?.rsplit_once('-')?;
        Some(Self { shell: ShellId::parse(shell)?, seq: sequence(seq)? })
    }
}

/// The number of a job: digits alone.
pub(super) fn sequence(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "job-{}-{}", self.shell, self.seq)
    }
}

impl TryFrom<String> for JobId {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("invalid job id {text:?}"))
    }
}

impl From<JobId> for String {
    fn from(id: JobId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_a_round_trip_and_nothing_else_is_one() {
        let id = ShellId::from_entropy([7; 16]);
        assert_eq!(ShellId::parse(id.as_str()), Some(id.clone()));
        assert_ne!(id, ShellId::from_entropy([8; 16]));
        let job = JobId { shell: id, seq: 12 };
        assert_eq!(JobId::parse(&job.to_string()), Some(job));
        for bad in ["", "sess_", "sess_../../x", "sess_ABCDEFGH", "sess_k3v9q2xab", "k3v9q2xa"] {
            assert_eq!(ShellId::parse(bad), None, "{bad}");
        }
        for bad in ["job-sess_k3v9q2xa", "job-sess_k3v9q2xa-", "job-sess_k3v9q2xa-+1", "sess_k3v9q2xa-1"] {
            assert_eq!(JobId::parse(bad).filter(|j| j.seq > 0), None, "{bad}");
        }
    }
}
