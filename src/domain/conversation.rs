//! Conversations: where an agent keeps one, as its tool file defines, and what is in it.

use jiff::Timestamp;

use super::id::is_conversation;
use super::tool::Tool;

/// What the end of a conversation reports. What isn't known is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Digest {
    /// The file's size in bytes.
    pub bytes: Option<u64>,
    /// When it was last written.
    pub used_at: Option<Timestamp>,
    /// The user's last prompt.
    pub last_prompt: Option<String>,
    /// The agent's last answer.
    pub last_response: Option<String>,
    /// The model that gave it.
    pub model: Option<String>,
    /// Tokens in the model's context by then.
    pub context_tokens: Option<u64>,
    /// How many fit into it, if the tool reports it.
    pub context_window: Option<u64>,
    /// What the conversation has cost so far in US dollars, if the tool reports it.
    pub cost_usd: Option<f64>,
}

impl Digest {
    /// How full the context is, in percent.
    pub fn context_percent(&self) -> Option<u64> {
        let (tokens, window) = (self.context_tokens?, self.context_window.filter(|w| *w > 0)?);
        Some(tokens.saturating_mul(100) / window)
    }
}

/// Who said something in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    User,
    Agent,
    /// The agent, to a tool.
    Tool,
}

/// Something that was said in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// By whom.
    pub who: Who,
    /// The words, as they are.
    pub text: String,
}

/// A conversation that is kept on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    pub id: String,
    pub tool: String,
    /// The folder it was begun in, where that is known.
    pub folder: Option<String>,
    /// The user's first prompt, or its title.
    pub first_prompt: Option<String>,
    /// When it was last written to.
    pub used_at: Option<Timestamp>,
    /// Its file's size in bytes.
    pub bytes: Option<u64>,
}

/// What the records of a conversation add up to.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Totals {
    /// The user's prompts.
    pub prompts: u64,
    /// Tokens that models read, with those from their caches.
    pub input_tokens: u64,
    /// Tokens that models wrote.
    pub output_tokens: u64,
    /// The answer counted last: some agents write one answer in several records.
    #[serde(rename = "last", skip_serializing_if = "Option::is_none")]
    pub last_answer: Option<String>,
}

/// How far a conversation's file has been counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Counted {
    /// What that far adds up to.
    pub totals: Totals,
    /// The bytes counted.
    pub read: u64,
    /// The file's size in bytes.
    pub bytes: u64,
    /// Whether that is all but a last line that is still being written.
    pub whole: bool,
}

/// The variables that the tool's places name, and `HOME`.
pub fn variables(tool: &Tool) -> Vec<String> {
    let named = |p: &String| p.strip_prefix('$')?.split_once('/').map(|(name, _)| name.to_owned());
    let mut all: Vec<String> = tool.conversation_files.iter().filter_map(named).collect();
    all.push("HOME".to_owned());
    all.sort();
    all.dedup();
    all
}

/// The patterns of paths where the conversation's file may be. A place whose variable is not set is
/// left out; `*` stands for any run of characters of one name. An invalid id has no places, except `*`
/// for all conversations.
pub fn places<'a>(tool: &Tool, id: &str, var: impl Fn(&str) -> Option<&'a str>) -> Vec<String> {
    if id != "*" && !is_conversation(id) {
        return Vec::new();
    }
    let id8: String = id.chars().take(8).collect();
    let fill = |pattern: &String| {
        let text = pattern.replace("{id8}", &id8).replace("{id}", id);
        match text.strip_prefix('$').and_then(|t| t.split_once('/')) {
            Some((name, rest)) => var(name).map(|dir| format!("{dir}/{rest}")),
            None => Some(match text.strip_prefix("~/") {
                Some(rest) => format!("{}/{rest}", var("HOME").unwrap_or("/")),
                None => text,
            }),
        }
    };
    tool.conversation_files.iter().filter_map(fill).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_a_conversation() {
        let files = ["$X_HOME/p/*/{id}.jsonl", "~/.x/{id8}/*.json", "/fixed"];
        let tool = Tool { conversation_files: files.map(str::to_owned).to_vec(), ..Tool::default() };
        assert_eq!(variables(&tool), ["HOME", "X_HOME"]);
        let home = |name: &str| (name == "HOME").then_some("/h");
        assert_eq!(places(&tool, "0123456789", home), ["/h/.x/01234567/*.json", "/fixed"]);
        let both = |name: &str| Some(if name == "HOME" { "/h" } else { "/x" });
        assert_eq!(places(&tool, "a", both)[0], "/x/p/*/a.jsonl");
        assert_eq!(places(&tool, "*", both)[0], "/x/p/*/*.jsonl", "all of them");
        for bad in ["../../etc/passwd", "a*", "", "-x"] {
            assert!(places(&tool, bad, both).is_empty(), "{bad}");
        }
    }
}
