//! What a piece of text means. A theme defines how that looks.

use crate::domain::shell::ShellSign;
use crate::domain::status::StatusKind;
use crate::ports::shells::Which;

/// What a piece of text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    Text,
    Dim,
    Faint,
    Accent,
    Selection,
    Border,
    Key,
    Title,
    Starting,
    Running,
    Waiting,
    Done,
    Idle,
    Error,
    Stopped,
    Match,
    Added,
    Removed,
    Hunk,
    Panel,
    Toast,
}

impl Role {
    /// Every role, its name in theme files, and what it colours.
    pub const ALL: &[(Self, &str, &str)] = &[
        (Self::Text, "text", "Text: titles in the list, what dialogs say."),
        (Self::Dim, "dim", "Text of less weight: ages, notes, what keys do, idle sessions."),
        (Self::Faint, "faint", "Text of least weight: counts of zero, and everything behind a dialog."),
        (Self::Accent, "accent", "What is active: the selected row's mark, the field that has the keys."),
        (Self::Selection, "selection", "The background of the selected row."),
        (Self::Border, "border", "Hairlines and the edges of dialogs."),
        (Self::Key, "key", "Names of keys."),
        (Self::Title, "title", "Titles: of dialogs, groups and the selected session."),
        (Self::Starting, "starting", "Sessions that start."),
        (Self::Running, "running", "Sessions that work."),
        (Self::Waiting, "waiting", "Sessions that ask something, and what is not sure."),
        (Self::Done, "done", "Sessions whose turn is over."),
        (Self::Idle, "idle", "Sessions that have nothing to do."),
        (Self::Error, "error", "Sessions that failed, and error messages."),
        (Self::Stopped, "stopped", "Stopped sessions."),
        (Self::Match, "match", "What matches a search, filters, and marked rows."),
        (Self::Added, "added", "Lines added, in a diff."),
        (Self::Removed, "removed", "Lines removed, in a diff."),
        (Self::Hunk, "hunk", "Where changed lines are, in a diff."),
        (Self::Panel, "panel", "The background and the text of dialogs."),
        (Self::Toast, "toast", "The background of messages."),
    ];
}

/// The role of the glyph of a session of this kind.
pub const fn role_of(kind: StatusKind) -> Role {
    match kind {
        StatusKind::Asks => Role::Waiting,
        StatusKind::Failed => Role::Error,
        StatusKind::Done => Role::Done,
        StatusKind::Running => Role::Running,
        StatusKind::Idle => Role::Idle,
        StatusKind::Starting => Role::Starting,
        StatusKind::Stopped => Role::Stopped,
    }
}

/// The role of a shell's sign.
pub const fn of_sign(sign: ShellSign) -> Role {
    match sign {
        ShellSign::Running => Role::Running,
        ShellSign::Failed => Role::Error,
        ShellSign::Idle => Role::Idle,
        ShellSign::Unsure => Role::Waiting,
    }
}

/// The role of what a stream of a job holds.
pub const fn of_stream(which: Which) -> Role {
    match which {
        Which::Stdout => Role::Text,
        Which::Stderr => Role::Error,
    }
}
