//! The servers that an agent's own files give it: read, never written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::digest::digest;

/// Whose server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// deck passes it.
    Deck,
    /// A file of the user's gives it, for all folders.
    User,
    /// A file of the project gives it.
    Project,
    /// A file of the user's gives it, for this folder alone.
    Local,
}

impl Source {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Deck => "deck",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

/// A place in a file of an agent's that has servers: one entry of `mcp.read` of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentFile {
    /// Where the file is: the first path whose variables are all set. `~/`, `$NAME` and `{project}` are filled in.
    pub file: Vec<String>,
    /// The keys down to the table of servers, by name; `{project}` is filled in.
    pub at: Vec<String>,
    /// Whose its servers are; none: the user's.
    #[serde(rename = "as")]
    pub source: Option<Source>,
}

/// What is in a file: TOML if it is called so, else JSON, in which comments and commas at the end of a list are allowed, as
/// the agents allow them.
///
/// # Errors
/// What is wrong with it.
pub fn parse(name: &str, text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    if name.ends_with(".toml") {
        return toml::from_str(text).map_err(|error| error.message().to_owned());
    }
    // Most have neither, and are read many times faster so.
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    let options = jsonc_parser::ParseOptions::default();
    jsonc_parser::parse_to_serde_value(text, &options).map_err(|error| error.to_string())
}

/// The servers at a place in a file, each with what names its definition.
pub fn servers_in(file: &Value, at: &[String]) -> BTreeMap<String, String> {
    let here = at.iter().try_fold(file, |value, key| value.get(key));
    let servers = here.and_then(Value::as_object).into_iter().flatten();
    servers.map(|(name, value)| (name.clone(), digest(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(file: &str, text: &str, at: &[&str]) -> Vec<String> {
        let at: Vec<String> = at.iter().map(|k| (*k).to_owned()).collect();
        servers_in(&parse(file, text).unwrap(), &at).into_keys().collect()
    }

    #[test]
    fn servers_of_each_agents_file() {
        let claude = r#"{"mcpServers":{"a":{"command":"x"}},"projects":{"/p":{"mcpServers":{"b":{}}}}}"#;
        assert_eq!(names(".claude.json", claude, &["mcpServers"]), ["a"]);
        assert_eq!(names(".claude.json", claude, &["projects", "/p", "mcpServers"]), ["b"]);
        assert_eq!(names(".claude.json", claude, &["projects", "/q", "mcpServers"]), [""; 0]);
        let gemini = "{ // mine\n \"mcpServers\": { \"a\": {\"command\": \"x\"}, } }";
        assert_eq!(names("settings.json", gemini, &["mcpServers"]), ["a"]);
        let codex = "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.b]\nurl = \"https://x\"\n";
        assert_eq!(names("config.toml", codex, &["mcp_servers"]), ["a", "b"]);
        assert_eq!(names("opencode.json", "", &["mcp"]), [""; 0]);
        assert!(parse("x.json", "{").is_err());
        assert!(parse("x.toml", "=").is_err());
        for odd in ["[]", "null", "3", r#"{"mcpServers":[]}"#] {
            assert_eq!(names("x.json", odd, &["mcpServers"]), [""; 0], "{odd}");
        }
    }

    #[test]
    fn a_reordered_file_has_the_same_servers() {
        let one = r#"{"m":{"a":{"command":"x","args":["1"]},"b":{}}}"#;
        let other = r#"{ "m": { "b": {}, "a": { "args": ["1"], "command": "x" } } }"#;
        let at = ["m".to_owned()];
        let of = |text: &str| servers_in(&parse("x", text).unwrap(), &at);
        assert_eq!(of(one), of(other));
    }
}
