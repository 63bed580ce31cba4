//! The command of a plan for people: on one line without what is deck's own, and as a whole.
//!
//! Invariant: what is known only when the session is started, such as a new id, is shown as such and never invented.

use crate::domain::quote::sh;

/// A word of the command.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    /// One of the user's, or of the tool.
    Given(String),
    /// A long one of deck's own.
    Own(String),
    /// What it will be is decided at the start.
    AtStart(&'static str),
}

/// What deck puts into a command.
pub(super) struct Added<'a> {
    /// Its arguments.
    pub args: &'a [String],
    /// What makes one of them long: deck's program and its folder.
    pub paths: [&'a str; 2],
    /// The conversation's id, if it is a new one.
    pub id: Option<&'a str>,
    /// The port that the agent serves on.
    pub port: Option<u16>,
}

/// A command as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    words: Vec<Word>,
    /// The variables that deck sets for the agent.
    variables: Vec<(String, String)>,
    /// The headless run that gets the conversation's id before.
    pub before: Option<String>,
}

impl Outline {
    /// Of `argv`, whose last words are those of the user.
    pub(super) fn new(argv: &[String], users: usize, added: &Added<'_>) -> Self {
        let first = argv.len().saturating_sub(users);
        let port = added.port.map(|p| p.to_string());
        let word = |(i, word): (usize, &String)| {
            let is_added = i < first && added.args.contains(word);
            if i < first && added.id == Some(word) {
                Word::AtStart("new id")
            } else if is_added && port.as_ref() == Some(word) {
                Word::AtStart("free port")
            } else if is_added && added.paths.iter().any(|path| word.contains(path)) {
                Word::Own(word.clone())
            } else {
                Word::Given(word.clone())
            }
        };
        Self { words: argv.iter().enumerate().map(word).collect(), ..Self::default() }
    }

    /// With an id that is known at the start in front of the user's words.
    pub(super) fn with_new_id(mut self, users: usize) -> Self {
        self.words.insert(self.words.len().saturating_sub(users), Word::AtStart("new id"));
        self
    }

    /// Got from this run.
    pub(super) fn after(mut self, run: &str) -> Self {
        self.before = Some(run.to_owned());
        self
    }

    pub(super) fn with_variables(mut self, variables: Vec<(String, String)>) -> Self {
        self.variables = variables;
        self
    }

    /// On one line, without what is deck's own.
    pub fn brief(&self) -> String {
        let shown = |word: &Word| match word {
            Word::Given(word) => sh(word),
            Word::Own(_) | Word::AtStart(_) => "…".to_owned(),
        };
        let mut words: Vec<String> = Vec::new();
        for word in self.words.iter().map(shown) {
            words.push(word);
            // A flag that is given again and again is shown once.
            if let [.., flag, one, again, other] = &words[..]
                && (flag, one.as_str(), other.as_str()) == (again, "…", "…")
            {
                words.truncate(words.len() - 2);
            }
        }
        words.join(" ")
    }

    /// As a whole.
    pub fn full(&self) -> String {
        let shown = |word: &Word| match word {
            Word::Given(word) | Word::Own(word) => sh(word),
            Word::AtStart(what) => format!("<{what}>"),
        };
        let variables = self.variables.iter().map(|(name, value)| format!("{name}={}", sh(value)));
        variables.chain(self.words.iter().map(shown)).collect::<Vec<_>>().join(" ")
    }
}
