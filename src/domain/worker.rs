//! The workers of a session beside its agent: terminals, a diff, rendered files, links.
//!
//! Invariants: a worker is a record of its session and has no part in its status; one of a newer deck is kept as it is.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::id::SessionId;
use super::profile::Profile;
use super::session::{DesiredState, Session};

/// A worker's own id: made once, and never changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkerId(String);

impl WorkerId {
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// Takes an id from outside; `None` for what deck doesn't make ids of.
    pub fn parse(id: &str) -> Option<Self> {
        SessionId::parse(id).map(|id| Self(id.as_str().to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for WorkerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a worker is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum WorkerType {
    /// A window with a shell, or a command.
    Terminal,
    /// What changed in the session's folder.
    Diff,
    /// A file of the session's folder, rendered.
    Markdown,
    /// An address that opens in the browser.
    Link,
    /// One of a newer deck.
    Other(String),
}

impl WorkerType {
    pub fn word(&self) -> &str {
        match self {
            Self::Terminal => "terminal",
            Self::Diff => "diff",
            Self::Markdown => "markdown",
            Self::Link => "link",
            Self::Other(word) => word,
        }
    }
}

impl From<String> for WorkerType {
    fn from(word: String) -> Self {
        [Self::Terminal, Self::Diff, Self::Markdown, Self::Link]
            .into_iter()
            .find(|kind| kind.word() == word)
            .unwrap_or(Self::Other(word))
    }
}

impl From<WorkerType> for String {
    fn from(kind: WorkerType) -> Self {
        kind.word().to_owned()
    }
}

/// One worker of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worker {
    pub id: WorkerId,
    #[serde(rename = "type")]
    pub kind: WorkerType,
    /// Unique among the workers of its session; without a colon.
    #[serde(default)]
    pub name: String,
    /// What a terminal runs; none for a shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The folder that a terminal begins in, from the session's folder; empty for that itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dir: String,
    /// Whether a terminal should be there.
    #[serde(default)]
    pub wanted: DesiredState,
    /// What a diff is against: `head`, `base`, or a commit or branch; none for what suits its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The file that is rendered, from the session's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The address of a link, as it was given: `{port}` stands for the first port of the session's worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default)]
    pub created_at: Timestamp,
    /// Fields of a newer deck.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Worker {
    pub fn new(id: WorkerId, kind: WorkerType, name: &str, at: Timestamp) -> Self {
        Self {
            id,
            kind,
            name: name.to_owned(),
            command: None,
            dir: String::new(),
            wanted: DesiredState::Stopped,
            against: None,
            file: None,
            url: None,
            created_at: at,
            extra: Map::new(),
        }
    }

    pub fn is_terminal(&self) -> bool {
        self.kind == WorkerType::Terminal
    }
}

/// What a tab of a session shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab<'a> {
    /// The session's own agent: always the first.
    Agent,
    Worker(&'a Worker),
    /// A further agent, which is a session of its own.
    Further(&'a Session),
}

/// The tabs of a session, in order.
pub fn tabs<'a>(profile: &'a Profile, session: &'a Session) -> Vec<Tab<'a>> {
    let further = profile.live_sessions().filter(|s| s.worker_of.as_ref() == Some(&session.id));
    let mut others: Vec<(Timestamp, Tab)> = further.map(|s| (s.created_at, Tab::Further(s))).collect();
    others.extend(session.workers.iter().map(|w| (w.created_at, Tab::Worker(w))));
    others.sort_by_key(|(at, _)| *at);
    std::iter::once(Tab::Agent).chain(others.into_iter().map(|(_, tab)| tab)).collect()
}

impl Tab<'_> {
    /// What the tab is called: the agent's is called after its tool.
    pub fn name(&self, session: &Session) -> String {
        match self {
            Self::Agent if session.tool.is_empty() => "agent".to_owned(),
            Self::Agent => session.tool.clone(),
            Self::Worker(worker) => worker.name.clone(),
            Self::Further(agent) => agent.title.clone(),
        }
    }

    /// Its id: a worker's own, or what is made of a session's.
    pub fn id(&self, session: &Session) -> String {
        match self {
            Self::Agent => own_id(session),
            Self::Worker(worker) => worker.id.to_string(),
            Self::Further(agent) => own_id(agent),
        }
    }

    /// The word for what it is.
    pub fn kind(&self, session: &Session) -> String {
        match self {
            Self::Agent if session.tool == SHELL => "terminal".to_owned(),
            Self::Agent | Self::Further(_) => "agent".to_owned(),
            Self::Worker(worker) => worker.kind.word().to_owned(),
        }
    }
}

/// The tool whose sessions are terminals.
const SHELL: &str = "shell";

/// The id of a session's own pane among its workers.
pub fn own_id(session: &Session) -> String {
    let kind = if session.tool == SHELL { "terminal" } else { "agent" };
    format!("{}-{kind}", session.id)
}

/// The tab that a word means: its name, its number from 1, or its id.
pub fn find_tab<'a>(profile: &'a Profile, session: &'a Session, word: &str) -> Option<Tab<'a>> {
    let all = tabs(profile, session);
    let by_name = all.iter().skip(1).find(|tab| tab.name(session) == word).copied();
    let by_number = || word.parse::<usize>().ok().and_then(|n| all.get(n.checked_sub(1)?)).copied();
    let by_id = || all.iter().find(|tab| tab.id(session) == word).copied();
    let own = || all.first().filter(|tab| tab.name(session) == word).copied();
    by_name.or_else(by_number).or_else(by_id).or_else(own)
}

/// A name that no other worker of the session has: this one, or with a number.
pub fn free_name(profile: &Profile, session: &Session, name: &str) -> String {
    let taken: Vec<String> = tabs(profile, session).iter().map(|tab| tab.name(session)).collect();
    let numbered = |n: u32| if n == 1 { name.to_owned() } else { format!("{name}-{n}") };
    (1..).map(numbered).find(|name| !taken.contains(name)).unwrap_or_else(|| name.to_owned())
}

/// Whether a worker may be called so: what stands behind a colon must be found again.
pub fn is_name(name: &str) -> bool {
    let is_number = name.parse::<u64>().is_ok();
    !name.trim().is_empty()
        && name.len() <= 64
        && !is_number
        && !name.contains(|c: char| c == ':' || c.is_control())
}

/// The address of a link, with the first port of its session's worktree in the place of `{port}`.
pub fn address(url: &str, port: Option<u32>) -> String {
    port.map_or_else(|| url.to_owned(), |port| url.replace("{port}", &port.to_string()))
}

/// The words of `SESSION:WORKER` at each colon, from the last one on: a title may hold colons.
pub fn split(word: &str) -> impl Iterator<Item = (&str, &str)> {
    word.rmatch_indices(':')
        .filter_map(|(at, _)| Some((word.get(..at)?, word.get(at + 1..)?)))
        .filter(|(s, w)| !s.is_empty() && !w.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn profile() -> Profile {
        let mut session = Session::new(SessionId::new("s1"), "api", at(0));
        session.tool = "claude".into();
        let worker =
            |id: &str, kind, name: &str, second| Worker::new(WorkerId::new(id), kind, name, at(second));
        session.workers.push(worker("w1", WorkerType::Terminal, "tests", 1));
        session.workers.push(worker("w2", WorkerType::Diff, "diff", 3));
        let mut further = Session::new(SessionId::new("s2"), "review", at(2));
        further.worker_of = Some(session.id.clone());
        Profile { sessions: vec![session, further], ..Profile::default() }
    }

    #[test]
    fn tabs_by_name_number_and_id() {
        let p = profile();
        let session = &p.sessions[0];
        let names: Vec<String> = tabs(&p, session).iter().map(|t| t.name(session)).collect();
        assert_eq!(names, ["claude", "tests", "review", "diff"]);
        let found = |word: &str| find_tab(&p, session, word).map(|t| t.name(session));
        for (word, name) in
            [("tests", "tests"), ("2", "tests"), ("w1", "tests"), ("3", "review"), ("s2-agent", "review")]
        {
            assert_eq!(found(word).as_deref(), Some(name), "{word}");
        }
        for word in ["1", "claude", "s1-agent"] {
            assert_eq!(find_tab(&p, session, word), Some(Tab::Agent), "{word}");
        }
        for word in ["0", "5", "nope", ""] {
            assert_eq!(found(word), None, "{word}");
        }
        assert_eq!(free_name(&p, session, "tests"), "tests-2");
        assert_eq!(free_name(&p, session, "shell"), "shell");
    }

    #[test]
    fn a_title_may_hold_colons() {
        let all: Vec<_> = split("a:b:c").collect();
        assert_eq!(all, [("a:b", "c"), ("a", "b:c")]);
        assert_eq!(split("a:").count() + split(":b").count() + split("ab").count(), 0);
    }

    #[test]
    fn names_are_found_again() {
        assert!(is_name("npm test") && is_name("日本"));
        for bad in ["", " ", "2", "a:b", "a\nb", &"x".repeat(65)] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn a_worker_of_a_newer_deck_is_kept() {
        let text = r#"{"id":"w","type":"hologram","name":"h","depth":3}"#;
        let worker: Worker = serde_json::from_str(text).unwrap();
        assert_eq!(worker.kind, WorkerType::Other("hologram".into()));
        let back = serde_json::to_value(&worker).unwrap();
        assert_eq!((back["type"].as_str(), back["depth"].as_i64()), (Some("hologram"), Some(3)));
    }

    proptest::proptest! {
        #[test]
        fn what_is_split_is_the_word(word in ".{0,30}") {
            for (session, worker) in split(&word) {
                proptest::prop_assert_eq!(format!("{session}:{worker}"), word.clone());
            }
        }
    }
}
