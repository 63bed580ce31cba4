//! The user options of tmux sessions that carry deck's facts.

use crate::ports::mux::{MuxSession, Tag, TagName};

use super::quote::line;

/// The option's name.
pub(super) const fn option(name: TagName) -> &'static str {
    match name {
        TagName::Id => "@deck_id",
        TagName::Home => "@deck_home",
        TagName::Profile => "@deck_profile",
        TagName::Title => "@deck_title",
        TagName::Tool => "@deck_tool",
        TagName::Command => "@deck_command",
        TagName::Path => "@deck_path",
        TagName::Group => "@deck_group",
        TagName::Pane => "@deck_pane",
        TagName::Adopted => "@deck_adopted",
        TagName::Started => "@deck_started",
        TagName::StartKind => "@deck_began",
        TagName::Status => "@deck_status",
        TagName::Acknowledged => "@deck_ack",
        TagName::Answered => "@deck_answered",
        TagName::ResumeId => "@deck_resume_id",
        TagName::Port => "@deck_port",
        TagName::Note => "@deck_note",
        TagName::Hook => "@deck_hook",
        TagName::HookAt => "@deck_hook_at",
        TagName::Needs => "@deck_needs",
        TagName::Next => "@deck_next",
    }
}

/// The command line that puts a fact on a session.
pub(super) fn set(session: &MuxSession, tag: &Tag) -> String {
    line(&["set-option", "-t", &session.0, option(tag.name), &tag.value])
}
