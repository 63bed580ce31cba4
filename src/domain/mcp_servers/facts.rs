//! What is known of packages of MCP servers: data, in `assets/mcps.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Definition;

#[derive(Debug, Deserialize)]
struct Facts {
    known: Vec<Fact>,
}

#[derive(Debug, Deserialize)]
struct Fact {
    name: String,
    why: String,
}

/// Why several sessions shouldn't share one process of a server, as far as that is known of its package.
pub fn why_not_shared(server: &Definition) -> Option<String> {
    static FACTS: LazyLock<Option<Facts>> =
        LazyLock::new(|| toml::from_str(include_str!("../../../assets/mcps.toml")).ok());
    let facts = FACTS.as_ref()?;
    let words: Vec<&String> = std::iter::once(&server.command).chain(&server.args).collect();
    let is_named = |fact: &&Fact| words.iter().any(|word| word.contains(fact.name.as_str()));
    if let Some(fact) = facts.known.iter().find(is_named) {
        return Some(fact.why.clone());
    }
    // It serves the folders of its arguments; without any it asks each client for its own.
    let at = server.args.iter().position(|word| word.contains("server-filesystem"))?;
    let has_folder = server.args.iter().skip(at + 1).any(|word| !word.starts_with('-'));
    (!has_folder).then(|| "without folders in its arguments it asks each session for its own".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(words: &[&str]) -> Option<String> {
        let mut words = words.iter().map(|w| (*w).to_owned());
        let command = words.next().unwrap();
        why_not_shared(&Definition { command, args: words.collect(), ..Definition::default() })
    }

    #[test]
    fn what_is_known_of_packages() {
        assert!(toml::from_str::<Facts>(include_str!("../../../assets/mcps.toml")).is_ok());
        assert!(why(&["npx", "-y", "@playwright/mcp@latest"]).unwrap().contains("browser"));
        assert!(
            why(&["npx", "-y", "@modelcontextprotocol/server-sequential-thinking"])
                .unwrap()
                .contains("thoughts")
        );
        assert!(why(&["npx", "-y", "@modelcontextprotocol/server-filesystem"]).is_some());
        assert_eq!(why(&["npx", "-y", "@modelcontextprotocol/server-filesystem", "/srv"]), None);
        assert_eq!(why(&["npx", "-y", "@modelcontextprotocol/server-memory"]), None);
    }
}
