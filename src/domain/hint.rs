//! What a user can do about an error, as data. Each face has its own words for it: a command, or a key.
//!
//! A session is named by its title, as in the error that the hint belongs to.

use super::resolve::Candidate;

/// One thing to do about an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// One of these names was meant.
    UseName(Vec<String>),
    /// A tool of this name was meant.
    UseTool(String),
    /// Look at the list of sessions.
    ListSessions,
    /// Name one of these by its id.
    UseId(Vec<Candidate>),
    /// Name a session.
    NameSession,
    /// Look at the list of groups.
    ListGroups,
    /// Move what the group holds out of it, or delete it too.
    EmptyGroup,
    /// Choose a name that isn't taken.
    UseOtherName,
    /// Create the folder.
    CreateFolder,
    /// Give the folder that holds the file.
    UseParentFolder,
    /// Rename the folder: its path can't be recorded.
    RenameFolder,
    /// Close the quote in the command.
    CloseQuote,
    /// Restore one of these titles instead; there may be none.
    UseDeleted(Vec<String>),
    /// Install the program, which this `PATH` doesn't lead to.
    InstallProgram(String),
    /// Say which command to run.
    GiveCommand,
    /// Attach to the session.
    Attach(String),
    /// Start the session.
    Start(String),
    /// Start the session again: it is recorded.
    RetryStart(String),
    /// Restart the session again: its conversation is kept.
    RetryResume(String),
    /// Start the session with a new conversation.
    UseFresh(String),
    /// Restart the session with a new conversation.
    RestartFresh(String),
    /// Stop the session before it is deleted.
    StopFirst(String),
    /// Stop the session that has the conversation.
    StopOther(String),
    /// Replace the unsent input of the session, or add to it.
    ReplaceUnsent(String),
    /// Answer the session's question by one of its choices, or send anyway.
    Answer(String),
    /// Attach to answer the session's question, or send anyway.
    AnswerAttached(String),
    /// Attach to answer: the choice takes more than a key.
    AttachToAnswer(String),
    /// Write a text for this choice of that session's question.
    WriteAnswer(String, String),
    /// Look at the choices of the session's question.
    ShowChoices(String),
    /// Look at the question that the session asks now.
    ShowNewQuestion(String),
    /// Look at the session's screen.
    ShowScreen(String),
    /// Take one of these choices.
    UseChoice(Vec<String>),
    /// Use one of these words.
    UseOneOf(Vec<String>),
    /// Look at the names of keys.
    ListKeys,
    /// Say which folder the conversation belongs to.
    NameFolder,
    /// Look at what can be imported.
    ListImports,
    /// Update deck.
    UpdateDeck,
    /// Install tmux.
    InstallTmux,
    /// Install a newer tmux.
    UpdateTmux,
    /// Let deck diagnose the cause.
    Diagnose,
    /// Continue this stopped process.
    ContinueProcess(i32),
    /// Continue this stopped process, or end it: it has a lock.
    ReleaseLock(i32),
}
