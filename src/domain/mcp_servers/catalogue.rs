//! The servers and sets that there are, and what of them a session is meant to have.

use std::collections::BTreeMap;

use super::{Definition, McpChoice};
use crate::domain::group::GroupPath;
use crate::domain::profile::Profile;
use crate::domain::session::Session;

/// What the user's settings say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalogue {
    /// The servers by name.
    pub servers: BTreeMap<String, Definition>,
    /// The sets by name, without their `@`: names of servers.
    pub sets: BTreeMap<String, Vec<String>>,
    /// What every session has: names of servers, and of sets as `@NAME`.
    pub default: Vec<String>,
}

/// Where it is said that a session has a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// In the settings, for all sessions.
    Default,
    /// With a group.
    Group(GroupPath),
    /// With the session.
    Session,
}

/// A server that a session is meant to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub name: String,
    pub origin: Origin,
}

impl Catalogue {
    /// The servers that a word means: itself, or those of the set `@NAME`; none for a set that there isn't.
    fn named<'a>(&'a self, word: &'a str) -> Vec<&'a str> {
        match word.strip_prefix('@') {
            Some(set) => self.sets.get(set).into_iter().flatten().map(String::as_str).collect(),
            None => vec![word],
        }
    }

    /// Whether a word names a server or a set that there is.
    pub fn has(&self, word: &str) -> bool {
        match word.strip_prefix('@') {
            Some(set) => self.sets.contains_key(set),
            None => self.servers.contains_key(word),
        }
    }

    /// Whether a word means this server: it is its name, or a set that it is in.
    pub fn covers(&self, word: &str, server: &str) -> bool {
        self.named(word).contains(&server)
    }

    /// All words that name something: servers, then sets.
    pub fn words(&self) -> Vec<String> {
        self.servers.keys().cloned().chain(self.sets.keys().map(|set| format!("@{set}"))).collect()
    }

    /// What a session is meant to have, by name: the default, then what its groups say, outermost first, then what it says
    /// itself. At one place sets are attached, then it is detached, then single servers are attached.
    pub fn chosen<'a>(
        &self,
        groups: impl IntoIterator<Item = (&'a GroupPath, &'a McpChoice)>,
        own: &McpChoice,
    ) -> Vec<Chosen> {
        let mut all: BTreeMap<&str, Origin> = BTreeMap::new();
        for word in &self.default {
            all.extend(self.named(word).into_iter().map(|name| (name, Origin::Default)));
        }
        let groups = groups.into_iter().map(|(path, choice)| (Origin::Group(path.clone()), choice));
        let places: Vec<(Origin, &McpChoice)> = groups.chain([(Origin::Session, own)]).collect();
        for (origin, choice) in &places {
            let (sets, names): (Vec<_>, Vec<_>) =
                choice.attach.iter().partition(|word| word.starts_with('@'));
            for name in sets.into_iter().flat_map(|word| self.named(word)) {
                all.entry(name).or_insert_with(|| origin.clone());
            }
            for name in choice.detach.iter().flat_map(|word| self.named(word)) {
                all.remove(name);
            }
            for word in names {
                all.entry(word).or_insert_with(|| origin.clone());
            }
        }
        all.into_iter().map(|(name, origin)| Chosen { name: name.to_owned(), origin }).collect()
    }

    /// What a session is meant to have, with what its groups say.
    pub fn of_session(&self, profile: &Profile, session: &Session) -> Vec<Chosen> {
        let lineage = session.group_path.lineage();
        let groups = lineage.iter().filter_map(|path| profile.group(path));
        self.chosen(groups.map(|group| (&group.path, &group.mcps)), &session.mcps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(all: &[&str]) -> Vec<String> {
        all.iter().map(|w| (*w).to_owned()).collect()
    }

    #[test]
    fn a_session_has_what_is_said_nearest_to_it() {
        let catalogue = Catalogue {
            sets: BTreeMap::from([("web".to_owned(), words(&["fetch", "docs"]))]),
            default: words(&["memory"]),
            ..Catalogue::default()
        };
        let group = GroupPath::parse("work").unwrap();
        let of_group = McpChoice { attach: words(&["@web", "sql"]), ..McpChoice::default() };
        let chosen = |own: McpChoice| -> Vec<(String, Origin)> {
            let all = catalogue.chosen([(&group, &of_group)], &own);
            all.into_iter().map(|c| (c.name, c.origin)).collect()
        };
        let from_group = || Origin::Group(group.clone());
        assert_eq!(
            chosen(McpChoice {
                attach: words(&["git"]),
                detach: words(&["memory", "@web"]),
                ..McpChoice::default()
            }),
            [("git".to_owned(), Origin::Session), ("sql".to_owned(), from_group())]
        );
        let none = words(&["memory", "@web", "sql", "@none"]);
        assert_eq!(chosen(McpChoice { detach: none, ..McpChoice::default() }), []);
        let all = chosen(McpChoice::default());
        assert_eq!(
            all.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>(),
            ["docs", "fetch", "memory", "sql"]
        );
        let less = McpChoice { attach: words(&["@web"]), detach: words(&["fetch"]), ..McpChoice::default() };
        assert!(!chosen(less).iter().any(|(name, _)| name == "fetch"), "one of a set");
        let back = McpChoice { attach: words(&["docs"]), detach: words(&["@web"]), ..McpChoice::default() };
        assert_eq!(chosen(back)[0], ("docs".to_owned(), Origin::Session));
    }
}
