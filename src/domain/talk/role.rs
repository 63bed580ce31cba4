//! Roles: who talks in a conversation, as data. The built-in ones are files of `assets/roles/`; users change them key by key,
//! and add their own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::id::{Kind, is_word};

/// What deck does when the context of an agent that carries a conversation is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFull {
    /// Keeps a checkpoint of its session.
    #[default]
    Checkpoint,
    /// Begins a new conversation of the agent with a checkpoint as its first prompt, once the session is idle.
    Rollover,
    Off,
}

/// A role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Role {
    /// What it does, in a few words.
    pub title: String,
    /// What it talks about by default.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The state that its tasks are in by default; empty for none.
    pub state: String,
    /// What its agents are told about the role.
    pub instructions: String,
    /// What its agents are told about their tools.
    pub tools: String,
    /// The tool that writes its checkpoints; empty for the first one that can and that is installed.
    pub summarizer: String,
    /// How many tokens a request may have.
    pub token_limit: u64,
    /// The part of that at which a conversation is compacted.
    pub compact_at: f64,
    /// How many tokens of the last messages are left as they are.
    pub keep_tokens: u64,
    /// What happens when the context of an agent that carries a conversation is that full.
    pub on_full: OnFull,
}

impl Default for Role {
    fn default() -> Self {
        Self {
            title: String::new(),
            kind: Kind::Feature,
            state: String::new(),
            instructions: String::new(),
            tools: String::new(),
            summarizer: String::new(),
            token_limit: 100_000,
            compact_at: 0.9,
            keep_tokens: 10_000,
            on_full: OnFull::Checkpoint,
        }
    }
}

/// The keys of a role, with what each is.
pub const ROLE_KEYS: &[(&str, &str)] = &[
    ("title", "what it does, in a few words"),
    ("type", "what it talks about by default: feature or task"),
    ("state", "the state that its tasks are in by default"),
    ("instructions", "what its agents are told about the role: a text, or { file = \"path\" }"),
    ("tools", "what its agents are told about their tools: a text, or { file = \"path\" }"),
    ("summarizer", "the tool that writes its checkpoints, such as claude [default: the first that can]"),
    ("token_limit", "how many tokens a request may have [default: 100000]"),
    ("compact_at", "the part of that at which a conversation is compacted [default: 0.9]"),
    ("keep_tokens", "how many tokens of the last messages are left as they are [default: 10000]"),
    (
        "on_full",
        "what happens when the context of an agent that carries one is full: checkpoint, rollover or off [default: checkpoint]",
    ),
];

impl Role {
    /// From how many tokens on a conversation is compacted.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tokens"
    )]
    pub fn threshold(&self) -> u64 {
        (self.token_limit as f64 * self.compact_at) as u64
    }

    /// Refuses values that would make no sense: the key, and what it must be.
    ///
    /// # Errors
    /// The key and the words.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if !(1_000..=10_000_000).contains(&self.token_limit) {
            return Err(("token_limit", "must be from 1000 to 10000000".to_owned()));
        }
        if !(0.1..=1.0).contains(&self.compact_at) {
            return Err(("compact_at", "must be from 0.1 to 1".to_owned()));
        }
        if self.keep_tokens > self.threshold() / 2 {
            return Err((
                "keep_tokens",
                format!("must be at most {}, half of what starts a compaction", self.threshold() / 2),
            ));
        }
        if !self.state.is_empty() && !is_word(&self.state) {
            return Err(("state", "must be 1 to 32 of the characters a-z, 0-9 and _".to_owned()));
        }
        Ok(())
    }
}

/// Roles by name.
pub type Roles = BTreeMap<String, Role>;

const BUILTIN: [(&str, &str); 5] = [
    ("pm", include_str!("../../../assets/roles/pm.toml")),
    ("dev", include_str!("../../../assets/roles/dev.toml")),
    ("qa", include_str!("../../../assets/roles/qa.toml")),
    ("harness", include_str!("../../../assets/roles/harness.toml")),
    ("merge", include_str!("../../../assets/roles/merge.toml")),
];

/// The tables of the built-in roles, by name.
pub fn builtin_tables() -> BTreeMap<String, toml::Table> {
    // Each is read by a test.
    let read = |text: &str| toml::from_str(text).unwrap_or_default();
    BUILTIN.iter().map(|(name, text)| ((*name).to_owned(), read(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_roles_are_whole() {
        for (name, text) in BUILTIN {
            let role: Role = toml::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(role.check(), Ok(()), "{name}");
            assert!(!role.title.is_empty() && role.instructions.len() > 100, "{name}");
            assert_eq!(role.kind == Kind::Task, !role.state.is_empty(), "{name}");
        }
        let all: Vec<(String, Kind, String)> = BUILTIN
            .iter()
            .map(|(name, text)| ((*name).to_owned(), toml::from_str::<Role>(text).unwrap()))
            .map(|(name, role)| (name, role.kind, role.state))
            .collect();
        let want = [
            ("pm", Kind::Feature, ""),
            ("dev", Kind::Task, "in_dev"),
            ("qa", Kind::Task, "in_qa"),
            ("harness", Kind::Feature, ""),
            ("merge", Kind::Task, "ready_for_merge"),
        ];
        assert_eq!(all, want.map(|(name, kind, state)| (name.to_owned(), kind, state.to_owned())));
    }

    #[test]
    fn every_key_is_described_and_senseless_values_are_refused() {
        let toml::Value::Table(keys) = toml::Value::try_from(Role::default()).unwrap() else { panic!() };
        let mut described: Vec<&str> = ROLE_KEYS.iter().map(|(key, _)| *key).collect();
        described.sort_unstable();
        assert_eq!(keys.keys().map(String::as_str).collect::<Vec<_>>(), described);
        let role = Role::default();
        assert_eq!(role.threshold(), 90_000);
        for (key, bad) in [
            ("token_limit", Role { token_limit: 10, ..role.clone() }),
            ("compact_at", Role { compact_at: 0.0, ..role.clone() }),
            ("compact_at", Role { compact_at: f64::NAN, ..role.clone() }),
            ("keep_tokens", Role { keep_tokens: 80_000, ..role.clone() }),
            ("state", Role { state: "In Dev".into(), ..role.clone() }),
        ] {
            assert_eq!(bad.check().unwrap_err().0, key);
        }
    }
}
