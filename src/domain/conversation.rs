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

/// One thing that a conversation's file says, for a record of the talk itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// The user or the agent said something. What programs add by themselves is nobody's words.
    Words(Words),
    /// The agent replaced its own context by a summary. The summary is nobody's words.
    Compacted {
        /// What names this compaction, if it is reported again.
        id: String,
    },
}

/// What one side said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// The agent's own id of it.
    pub id: String,
    /// Whether the agent said it; else the user did.
    pub by_agent: bool,
    pub text: String,
    /// When, RFC 3339.
    pub at: Option<String>,
    pub model: Option<String>,
    /// The tokens that the model read and wrote for it.
    pub used: Option<(u64, u64)>,
}

/// How far a conversation was heard.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Bookmark {
    /// The agent's id of the conversation.
    pub conversation: String,
    /// The number of its file on the disk; 0 where there is no file.
    pub file: u64,
    /// The bytes of it that were read.
    pub read: u64,
    /// Whether what follows is the rest of a line that is passed over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_line: bool,
    /// The last answer whose tokens were heard, or the last message where there is no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

/// A part of a conversation, from a bookmark on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    pub heard: Vec<Heard>,
    /// The tokens in the model's context at its end, if it says so.
    pub context: Option<u64>,
    /// Where it ends.
    pub bookmark: Bookmark,
    /// Whether that is all there is by now.
    pub whole: bool,
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
