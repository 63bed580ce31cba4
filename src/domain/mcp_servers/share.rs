//! Which sessions share one process of a server, and the times that go with it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which sessions share one process of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Share {
    /// None: each has its own.
    #[default]
    No,
    /// Those that work in the same folder.
    Project,
    /// All of the profile.
    Profile,
}

impl Share {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    pub(super) const fn is_no(&self) -> bool {
        matches!(self, Self::No)
    }

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Project => "project",
            Self::Profile => "profile",
        }
    }
}

impl Serialize for Share {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::No => to.serialize_bool(false),
            Self::Project | Self::Profile => to.serialize_str(self.word()),
        }
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Value::deserialize(from)? {
            Value::Bool(false) => Ok(Self::No),
            Value::String(word) if word == "project" => Ok(Self::Project),
            Value::String(word) if word == "profile" => Ok(Self::Profile),
            other => {
                let words = format!("`share` must be false, \"project\" or \"profile\", not {other}");
                Err(serde::de::Error::custom(words))
            }
        }
    }
}

/// A time in whole seconds, written as `60s` or `5m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seconds(pub u64);

impl Serialize for Seconds {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("{}s", self.0))
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let of = |end: char, times: u64| text.strip_suffix(end)?.parse::<u64>().ok()?.checked_mul(times);
        let seconds = of('s', 1).or_else(|| of('m', 60)).or_else(|| of('h', 3600));
        // A day is for ever, and nothing is at once.
        seconds.filter(|s| (1..=86_400).contains(s)).map(Self).ok_or_else(|| {
            serde::de::Error::custom(format!("{text:?} is no time from 1s to 24h, such as \"60s\" or \"5m\""))
        })
    }
}
