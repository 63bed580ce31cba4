//! The facts that deck keeps on a session of the multiplexer: they live as long as the session, whatever becomes of
//! deck's own files, and every deck on the machine sees the same ones.

use std::fmt::Display;

/// What a fact is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TagName {
    /// The id of deck's session.
    Id,
    /// The home of the deck that made it.
    Home,
    Profile,
    Title,
    Tool,
    /// Its command, as recorded.
    Command,
    /// Its directory.
    Path,
    Group,
    /// The agent's pane, by the server's own id.
    Pane,
    Adopted,
    /// When it was last started, in milliseconds of Unix time.
    Started,
    /// How it was last started.
    StartKind,
    /// The last status, one line of JSON.
    Status,
    /// When the user last acknowledged it, in milliseconds of Unix time.
    Acknowledged,
    /// When its question was last answered, in milliseconds of Unix time.
    Answered,
    /// When deck last changed its window's size, in milliseconds of Unix time, and the server's second of the window's last
    /// change before that.
    Resized,
    /// The id of its conversation.
    ResumeId,
    /// The loopback port that the agent was told to serve on.
    Port,
    /// What a start noted about itself.
    Note,
    /// How far the setup of its worktree is: `running`, `done`, or `failed` and a code.
    Setup,
    /// What the agent's hook reported last, one line of JSON.
    Hook,
    /// When it did, in milliseconds of Unix time.
    HookAt,
    /// Which other sessions need the user, for the status line of one that is attached.
    Needs,
    /// The pane of the agent that needs them most, by the server's own id.
    Next,
}

/// One fact. An empty value is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// What it is about.
    pub name: TagName,
    pub value: String,
}

impl Tag {
    /// A fact.
    pub fn new(name: TagName, value: impl Display) -> Self {
        Self { name, value: value.to_string() }
    }

    /// That there is none any more.
    pub const fn none(name: TagName) -> Self {
        Self { name, value: String::new() }
    }
}
