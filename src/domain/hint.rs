//! What a user can do about an error, as data. Each face has its own words for it: a command, or a key.
//!
//! A session is named by its id, to act on, and by its title, for words.

use super::resolve::Candidate;
use super::session::SessionName;
use super::worktree::WayOn;

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
    NameSession,
    /// Look at the list of groups.
    ListGroups,
    /// Look at the list of profiles.
    ListProfiles,
    /// Delete the sessions of this profile first.
    EmptyProfile(String),
    /// Move what the group holds out of it, or delete it too.
    EmptyGroup,
    /// Choose a name that isn't taken.
    UseOtherName,
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
    Attach(SessionName),
    Start(SessionName),
    /// Start the session again: it is recorded.
    RetryStart(SessionName),
    /// Restart the session again: its conversation is kept.
    RetryResume(SessionName),
    /// Start the session with a new conversation.
    UseFresh(SessionName),
    /// Restart the session with a new conversation.
    RestartFresh(SessionName),
    /// Run the terminal of this name in the session again.
    RestartWorker(SessionName, String),
    /// End the terminal of this name in the session before it is removed.
    StopWorker(SessionName, String),
    /// Name the session without a worker.
    NameOnlySession(SessionName),
    /// Stop the session before it is deleted.
    StopFirst(SessionName),
    /// Stop the session that has the conversation. It may be another profile's: this is its name alone.
    StopOther(String),
    /// Replace the unsent input of the session, or add to it.
    ReplaceUnsent(SessionName),
    /// Give the session these scopes.
    GiveScopes(SessionName, Vec<String>),
    /// Start the agent without deck's MCP server.
    WithoutServer,
    /// Answer the session's question by one of its choices, or send anyway.
    Answer(SessionName),
    /// Attach to answer the session's question, or send anyway.
    AnswerAttached(SessionName),
    /// Attach to answer: the choice takes more than a key.
    AttachToAnswer(SessionName),
    /// Write a text for this choice of that session's question.
    WriteAnswer(SessionName, String),
    /// Look at the choices of the session's question.
    ShowChoices(SessionName),
    /// Look at the question that the session asks now.
    ShowNewQuestion(SessionName),
    /// Look at the session's screen.
    ShowScreen(SessionName),
    /// Take one of these choices.
    UseChoice(Vec<String>),
    /// Start the session again when it is idle.
    RestartLater(SessionName),
    /// Look at the MCP servers that there are.
    ListMcpServers,
    /// The session is to be handed over although it works.
    HandOverNow(SessionName),
    /// All conversations.
    ListConversations,
    /// A task's state is to be named.
    GiveState,
    /// A conversation is to be restored.
    Unarchive(String),
    /// A session is to carry a conversation no more.
    Detach(String),
    /// What the user says in a conversation is to be sent to the session that carries it.
    SayInConversation(String),
    /// A session is to carry a conversation.
    Carry(String),
    /// A session of another tool is to be used.
    ToolWithTranscripts,
    /// A message is to get an id of its own.
    OtherMessageId,
    /// Use one of these words.
    UseOneOf(Vec<String>),
    /// Look at the names of keys.
    ListKeys,
    /// Say which folder the conversation belongs to.
    NameFolder,
    /// Look at what can be imported.
    ListImports,
    UpdateDeck,
    InstallGit,
    /// Make the folder a repository.
    InitRepository,
    /// Name the commit or branch to compare with.
    NameBase,
    ListRepositories,
    ListWorktrees,
    /// Say where the repository of this name is.
    SetRepositoryPath(String),
    /// Keep the sessions that work in the repository.
    KeepSessions,
    /// Name it by its path.
    UsePath,
    /// Name a branch, or give a title to name one after.
    NameBranch,
    /// Use the worktree that has the branch.
    ReuseWorktree,
    /// Have git forget the worktree at this path, whose folder is gone.
    RemoveEntry(String),
    /// Say which of these the branch is to follow.
    UseBase(Vec<String>),
    /// Name another folder for the worktree.
    UseOtherFolder,
    /// Copy less, or allow more to be copied.
    CopyLess,
    /// Start the session again, or without the setup of its worktree.
    SkipSetup(SessionName),
    /// Make the worktree of the session again.
    RestoreWorktree(SessionName),
    /// Go on without the setup of the worktree.
    WithoutSetup,
    /// Name the branch to merge into.
    NameInto,
    /// What helps against all that keeps the worktree at this path from being removed.
    Unblock(String, Vec<WayOn>),
    /// Allow what the repository of this name brings.
    Trust(String),
    /// Install a newer git.
    UpdateGit,
    /// Commit something first.
    CommitFirst,
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
