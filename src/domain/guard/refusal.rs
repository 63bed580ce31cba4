//! Why an agent was refused. Each says the limit, its value and what changes it.

use std::fmt;

use crate::domain::mcp_scope::Scope;

/// Why an agent may not do something to another session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Its user didn't give it this.
    NotGiven {
        /// Its title; none for an agent that is in no session.
        agent: Option<String>,
        scope: Scope,
    },
    /// Nothing gives it.
    Never(&'static str),
    /// It says that it is a session, and none of that session's processes started it.
    NotProven,
    /// Its own session is in another profile, or gone.
    OtherProfile,
    /// Its user is at that session.
    Attached(String),
    /// It would be so many sessions deep.
    Depth(usize),
    /// It has so many running.
    Children(usize),
    /// So many run below the same session.
    Tree(usize),
    /// So many messages were sent.
    Budget(u32),
    /// The same was sent to the same session so many minutes ago.
    Repeated(String),
    /// The last message to the same session is less than two seconds old.
    TooSoon(String),
    /// That session waits for this one.
    Ring(String),
    /// It is neither its own folder nor a worktree of the same repository.
    Folder(String),
    /// A tool that it may not start.
    Tool(String),
    /// Scopes that it doesn't have itself.
    MoreScopes(Vec<Scope>),
    /// Something of a session that only its user may choose.
    Choice(&'static str),
    /// Its user is to be asked about this scope, and can't be.
    CantAsk(Scope),
    /// Its user declined this question.
    Declined(String),
    /// Its user has not replied to this question yet.
    NotAnswered(String),
    /// Its tool skips the questions for permission, and the agent's own doesn't.
    Dangerous(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotGiven { agent: Some(agent), scope } => {
                write!(f, "the session {agent:?} was not given the scope `{}`", scope.word())
            }
            Self::NotGiven { agent: None, scope } => {
                write!(f, "this agent was not given the scope `{}`", scope.word())
            }
            Self::Never(why) => f.write_str(why),
            Self::NotProven => f.write_str(
                "DECK_SESSION_ID names a session of an agent, but that agent didn't start this command; unset it if you aren't that agent",
            ),
            Self::OtherProfile => {
                f.write_str("an agent has no rights over sessions of a profile other than its own")
            }
            Self::Attached(title) => {
                write!(f, "a user is attached to session {title:?}, and answers it")
            }
            Self::Depth(limit) => {
                write!(f, "agents may start sessions {limit} deep, and this would be one more (`mcp.depth`)")
            }
            Self::Children(limit) => {
                write!(
                    f,
                    "{limit} sessions that this one started are running, which is its limit (`mcp.children`)"
                )
            }
            Self::Tree(limit) => write!(
                f,
                "{limit} sessions are running below the same session of the user's, which is the limit (`mcp.tree`)"
            ),
            Self::Budget(limit) => write!(
                f,
                "agents of this tree have sent {limit} messages since their user last acted in it, which is the limit (`mcp.messages`)"
            ),
            Self::Repeated(title) => {
                write!(f, "the same message was sent to session {title:?} in the last ten minutes")
            }
            Self::TooSoon(title) => {
                write!(f, "the last message to session {title:?} is less than two seconds old")
            }
            Self::Ring(title) => {
                write!(f, "session {title:?} is waiting for this one: both would wait for each other")
            }
            Self::Folder(folder) => write!(
                f,
                "{folder} is not below the agent's own folder, and not a worktree of the same repository"
            ),
            Self::Tool(name) => write!(f, "an agent may not start {name:?} (`mcp.may_spawn`)"),
            Self::MoreScopes(scopes) => {
                let words: Vec<&str> = scopes.iter().map(|s| s.word()).collect();
                write!(f, "an agent can't give what it doesn't have itself: {}", words.join(", "))
            }
            Self::Choice(what) => write!(f, "an agent can't choose {what} of a session that it starts"),
            Self::CantAsk(scope) => write!(
                f,
                "the user is to be asked first about `{}` (`mcp.consent`), which only an MCP client with elicitation can do",
                scope.word()
            ),
            Self::Declined(question) => write!(f, "the user declined: {question}"),
            Self::NotAnswered(question) => write!(f, "the user has not replied yet: {question}"),
            Self::Dangerous(tool) => write!(
                f,
                "the tool {tool:?} is set up to skip its questions for permission, and the agent that starts it isn't"
            ),
        }
    }
}
