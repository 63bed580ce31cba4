//! The file by which a session's servers are started: their definitions as they were at the session's start.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Definition;

/// The format that this deck writes.
const VERSION: u32 = 1;

/// What shared servers are found by.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Pools {
    /// The folder for what may be lost.
    pub run: String,
    /// The session's profile.
    pub profile: String,
    /// The version of the protocol that they are asked for.
    pub protocol: String,
}

/// The servers of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetFile {
    pub version: u32,
    /// The session's id.
    pub session: String,
    /// The session's folder.
    pub project: String,
    /// What shared servers are found by.
    #[serde(flatten)]
    pub pools: Pools,
    /// The definitions by name.
    pub servers: BTreeMap<String, Definition>,
}

impl SetFile {
    /// The file of a session.
    pub fn new(session: &str, project: &str, pools: Pools, servers: BTreeMap<String, Definition>) -> Self {
        Self { version: VERSION, session: session.to_owned(), project: project.to_owned(), pools, servers }
    }

    /// The file's text.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.version > VERSION {
            return Err(format!("it is in format {}, newer than this deck's {VERSION}", file.version));
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_was_written() {
        let servers = BTreeMap::from([(
            "a".to_owned(),
            Definition { command: "x".into(), args: vec!["y z".into()], ..Definition::default() },
        )]);
        let file = SetFile::new("1", "/p", Pools::default(), servers);
        assert_eq!(SetFile::parse(&file.text()), Ok(file.clone()));
        let newer = file.text().replace("\"version\": 1", "\"version\": 2");
        assert_eq!(SetFile::parse(&newer).unwrap_err(), "it is in format 2, newer than this deck's 1");
        assert!(SetFile::parse("{}").is_err());
    }
}
