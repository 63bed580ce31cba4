//! What a session was started with, and how that differs from what a start would give it now.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Definition, Source};

/// A server that a session was started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    pub name: String,
    pub source: Source,
    /// What names its definition.
    pub digest: String,
}

impl Loaded {
    /// One that deck passes.
    pub fn passed(name: &str, definition: &Definition) -> Self {
        Self { name: name.to_owned(), source: Source::Deck, digest: definition.digest() }
    }
}

/// A difference between what was loaded and what would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It would be loaded, and isn't.
    Added(String, Source),
    /// It is loaded, and wouldn't be.
    Removed(String, Source),
    /// It would be another one.
    Changed(String, Source),
}

impl Change {
    /// The sign and the name: `+memory`, `-memory`, `~memory`.
    pub fn word(&self) -> String {
        match self {
            Self::Added(name, _) => format!("+{name}"),
            Self::Removed(name, _) => format!("-{name}"),
            Self::Changed(name, _) => format!("~{name}"),
        }
    }

    /// Whose server it is.
    pub const fn source(&self) -> Source {
        match self {
            Self::Added(_, source) | Self::Removed(_, source) | Self::Changed(_, source) => *source,
        }
    }
}

/// The differences, by name and source.
pub fn changes(loaded: &[Loaded], now: &[Loaded]) -> Vec<Change> {
    let by_name = |all: &[Loaded]| -> BTreeMap<(String, Source), String> {
        all.iter().map(|l| ((l.name.clone(), l.source), l.digest.clone())).collect()
    };
    let (loaded, now) = (by_name(loaded), by_name(now));
    let mut all: Vec<Change> = Vec::new();
    for ((name, source), digest) in &now {
        match loaded.get(&(name.clone(), *source)) {
            None => all.push(Change::Added(name.clone(), *source)),
            Some(old) if old != digest => all.push(Change::Changed(name.clone(), *source)),
            Some(_) => {}
        }
    }
    let gone = loaded.keys().filter(|key| !now.contains_key(*key));
    all.extend(gone.map(|(name, source)| Change::Removed(name.clone(), *source)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_removed_and_changed() {
        let one =
            |name: &str, source, digest: &str| Loaded { name: name.into(), source, digest: digest.into() };
        let loaded =
            [one("a", Source::Deck, "1"), one("b", Source::User, "1"), one("c", Source::Project, "1")];
        assert_eq!(changes(&loaded, &loaded), []);
        let reordered = [loaded[2].clone(), loaded[0].clone(), loaded[1].clone()];
        assert_eq!(changes(&loaded, &reordered), []);
        let now = [one("a", Source::Deck, "2"), one("c", Source::Project, "1"), one("d", Source::Local, "1")];
        let words: Vec<String> = changes(&loaded, &now).iter().map(Change::word).collect();
        assert_eq!(words, ["~a", "+d", "-b"]);
        let moved = [one("a", Source::User, "1")];
        let words: Vec<String> = changes(&loaded[..1], &moved).iter().map(Change::word).collect();
        assert_eq!(words, ["+a", "-a"], "it is another server of the same name");
    }
}
