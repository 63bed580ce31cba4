//! What a setting may be: checking a value from the file, and reading one that was typed.

use crate::domain::columns::Column;
use crate::domain::worktree::Location;
use toml::Value;

use super::notify_command;

/// What a setting may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// True or false.
    Bool,
    /// A whole number in a range.
    Number {
        /// The least.
        least: i64,
        /// The most.
        most: i64,
    },
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list of some of these words.
    SomeOf(&'static [&'static str]),
    /// Where worktrees are made.
    Location,
    /// The name of a theme.
    Theme,
    /// The name of a tool, or a command.
    Tool,
    /// A program and its arguments, into which the text of a notification may be put.
    Command,
    /// A program and its arguments.
    Words,
    /// Names of tools.
    Tools,
    /// Names of MCP servers, and of sets of them.
    McpServers,
    /// Columns of the list.
    Columns,
    /// Commands of the TUI, each with its keys.
    Keys,
    /// The keys of one command: one, several or none.
    Key,
}

impl Kind {
    /// The values that there are; none where anything fits, or where others know.
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Bool => &["true", "false"],
            Self::OneOf(words) => words,
            _ => &[],
        }
    }

    /// What a value must be, in words.
    pub fn rule(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Number { least, most } => format!("a number from {least} to {most}"),
            Self::OneOf(words) => match words.split_last() {
                Some((last, rest)) if !rest.is_empty() => {
                    let rest: Vec<String> = rest.iter().map(|w| format!("\"{w}\"")).collect();
                    format!("{} or \"{last}\"", rest.join(", "))
                }
                _ => format!("\"{}\"", words.concat()),
            },
            Self::SomeOf(words) => format!("a list of {}", listed(words)),
            Self::Location => "sibling, inside, or a path with {branch}".to_owned(),
            Self::Theme => "the name of a theme".to_owned(),
            Self::Tool => "the name of a tool".to_owned(),
            Self::Command => "a list of words, such as [\"notify-send\", \"{text}\"]".to_owned(),
            Self::Words => "a list of words, such as [\"bwrap\", \"--ro-bind\", \"/\", \"/\"]".to_owned(),
            Self::Tools => "a list of tools, such as [\"claude\"]".to_owned(),
            Self::McpServers => "a list of MCP servers, such as [\"memory\", \"@web\"]".to_owned(),
            Self::Columns => "a list of branch, detail, status and age".to_owned(),
            Self::Keys => "a table of commands, such as { stop = \"ctrl-x\" }".to_owned(),
            Self::Key => "a key such as \"ctrl-x\", or a list of keys".to_owned(),
        }
    }

    /// Why a value doesn't fit, to follow the setting's name; nothing when it fits.
    pub fn refusal(self, value: &Value) -> Option<String> {
        let texts = |v: &Value| v.as_array().is_some_and(|all| all.iter().all(Value::is_str));
        let fits = match self {
            Self::Text | Self::Tool => value.is_str(),
            Self::Location => value.as_str().is_some_and(|text| Location::parse(text).is_ok()),
            // It becomes the name of a file.
            Self::Theme => value.as_str().is_some_and(|name| !name.contains(['/', '\0']) && !name.is_empty()),
            Self::Bool => value.is_bool(),
            Self::Number { least, most } => value.as_integer().is_some_and(|n| (least..=most).contains(&n)),
            Self::OneOf(words) => value.as_str().is_some_and(|v| words.contains(&v)),
            Self::Command | Self::Words | Self::Tools | Self::McpServers => texts(value),
            Self::SomeOf(words) => value
                .as_array()
                .is_some_and(|all| all.iter().all(|v| v.as_str().is_some_and(|v| words.contains(&v)))),
            Self::Columns => value.as_array().is_some_and(|all| {
                all.iter().all(|v| v.as_str().is_some_and(|word| Column::from_word(word).is_some()))
            }),
            Self::Keys => value.is_table(),
            Self::Key => value.is_str() || texts(value),
        };
        if !fits {
            return Some(format!("must be {}, not {}", self.rule(), short(value)));
        }
        let words = || value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let command: Vec<String> = if self == Self::Command { words().collect() } else { Vec::new() };
        notify_command::why_unsafe(&command).map(|why| format!("is not run: {why}"))
    }

    /// The value that words from the command line or from a dialog stand for. A text may be written with or
    /// without quotes, a list as several words or as TOML.
    ///
    /// # Errors
    /// Why they stand for none, to follow the setting's name.
    pub fn value_of(self, words: &[String]) -> Result<Value, String> {
        let one = match words {
            [one] => Some(one.as_str()),
            _ => None,
        };
        let toml = one.and_then(|text| parsed(text.trim()));
        let text = |one: &str| match &toml {
            Some(Value::String(quoted)) => quoted.clone(),
            _ => one.to_owned(),
        };
        let value = match (self, one) {
            (
                Self::Command
                | Self::Words
                | Self::Tools
                | Self::McpServers
                | Self::Columns
                | Self::SomeOf(_),
                Some(one),
            ) if toml.is_none() || !one.trim_start().starts_with('[') => {
                Value::Array(vec![Value::String(text(one))])
            }
            (
                Self::Command
                | Self::Words
                | Self::Tools
                | Self::McpServers
                | Self::Columns
                | Self::SomeOf(_)
                | Self::Key,
                None,
            ) => Value::Array(words.iter().cloned().map(Value::String).collect()),
            (
                Self::Command
                | Self::Words
                | Self::Tools
                | Self::McpServers
                | Self::Columns
                | Self::SomeOf(_),
                Some(_),
            ) => toml.clone().unwrap_or(Value::Array(Vec::new())),
            (Self::Key, Some(one)) => match &toml {
                Some(list @ Value::Array(_)) => list.clone(),
                _ => Value::String(text(one)),
            },
            (_, None) => return Err(format!("takes one value: {}", self.rule())),
            (Self::Text | Self::Tool | Self::Theme | Self::Location | Self::OneOf(_), Some(one)) => {
                Value::String(text(one))
            }
            (Self::Bool | Self::Number { .. } | Self::Keys, Some(one)) => {
                toml.clone().unwrap_or_else(|| Value::String(one.to_owned()))
            }
        };
        self.refusal(&value).map_or(Ok(value), Err)
    }
}

/// Words in a sentence: `a, b and c`.
fn listed(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// A value written as TOML, on one line; nothing for anything else.
fn parsed(text: &str) -> Option<Value> {
    if text.contains(['\n', '\r']) {
        return None;
    }
    toml::from_str::<toml::Table>(&format!("value = {text}\n")).ok()?.remove("value")
}

/// A value as it is quoted in a message.
fn short(value: &Value) -> String {
    const MOST: usize = 40;
    let text = value.to_string();
    if text.chars().count() <= MOST { text } else { text.chars().take(MOST).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(kind: Kind, words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        kind.value_of(&words).map_or_else(|e| e, |v| v.to_string())
    }

    #[test]
    fn words_become_what_the_setting_takes() {
        assert_eq!(value(Kind::Theme, &["light"]), "\"light\"");
        assert_eq!(value(Kind::Text, &["\"light\""]), "\"light\"");
        assert_eq!(value(Kind::Text, &["7"]), "\"7\"");
        assert_eq!(value(Kind::Bool, &["true"]), "true");
        assert_eq!(value(Kind::Number { least: 1, most: 9 }, &["7"]), "7");
        assert_eq!(value(Kind::Command, &["say", "{text}"]), "[\"say\", \"{text}\"]");
        assert_eq!(value(Kind::Command, &["[\"say\"]"]), "[\"say\"]");
        assert_eq!(value(Kind::Command, &["date"]), "[\"date\"]");
        assert_eq!(value(Kind::Command, &["[]"]), "[]");
        assert_eq!(value(Kind::Key, &["ctrl-x"]), "\"ctrl-x\"");
        assert_eq!(value(Kind::Key, &["n", "down"]), "[\"n\", \"down\"]");
        assert_eq!(value(Kind::Key, &["[]"]), "[]");
        assert_eq!(value(Kind::Key, &["["]), "\"[\"");
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_rule() {
        assert_eq!(value(Kind::Bool, &["yes"]), "must be true or false, not \"yes\"");
        assert_eq!(
            value(Kind::Number { least: 20, most: 80 }, &["90"]),
            "must be a number from 20 to 80, not 90"
        );
        assert_eq!(value(Kind::OneOf(&["off", "9"]), &["8"]), "must be \"off\" or \"9\", not \"8\"");
        assert_eq!(value(Kind::Theme, &["../x"]), "must be the name of a theme, not \"../x\"");
        assert_eq!(value(Kind::Bool, &["true", "false"]), "takes one value: true or false");
        assert!(value(Kind::Command, &["sh", "-c", "{text}"]).starts_with("is not run: "));
        assert_eq!(value(Kind::Text, &["a\nb = 1"]), "\"\"\"\na\nb = 1\"\"\"");
    }
}
