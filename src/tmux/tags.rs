//! The user options of tmux sessions that carry deck's facts.

use super::quote::line;
use crate::domain::launch::Publish;
use crate::domain::quote::sh;
use crate::ports::mux::{SessionRef, Tag, TagName};

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
        TagName::Resized => "@deck_resized",
        TagName::ResumeId => "@deck_resume_id",
        TagName::Port => "@deck_port",
        TagName::Note => "@deck_note",
        TagName::Setup => "@deck_setup",
        TagName::Hook => "@deck_hook",
        TagName::HookAt => "@deck_hook_at",
        TagName::Needs => "@deck_needs",
        TagName::Next => "@deck_next",
    }
}

/// The command line that puts a fact on a session.
pub(super) fn set(session: &SessionRef, tag: &Tag) -> String {
    line(&["set-option", "-t", &session.session, option(tag.name), &tag.value])
}

/// How a script in a pane does so by itself: the pane's own `TMUX` names the server and the session.
pub(super) const PUBLISH: Publish = Publish {
    id: |env| {
        let env = env.map(|name| format!("set-environment {} \"$id\" \\; ", sh(name))).unwrap_or_default();
        format!("tmux {env}set-option {} \"$id\" >/dev/null 2>&1 || :\n", option(TagName::ResumeId))
    },
    note: |note| format!("tmux set-option {} {} >/dev/null 2>&1 || :\n", option(TagName::Note), sh(note)),
    // An answer of the server comes after all that was there to be read before.
    settle: || "tmux display-message -p '' >/dev/null 2>&1 || :\n".to_owned(),
    // From then on it is the agent that starts.
    setup: || {
        format!(
            "if [ $code = 0 ]; then set -- {0} done \\; set-option {1} \"$(date +%s)000\"; else set -- {0} \"failed $code\"; fi\n\
             tmux set-option \"$@\" >/dev/null 2>&1 || :\nset --\n",
            option(TagName::Setup),
            option(TagName::Started)
        )
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_publishes_by_tmux_and_never_fails() {
        assert_eq!((PUBLISH.id)(None), "tmux set-option @deck_resume_id \"$id\" >/dev/null 2>&1 || :\n");
        assert_eq!(
            (PUBLISH.id)(Some("AN_ID")),
            "tmux set-environment AN_ID \"$id\" \\; set-option @deck_resume_id \"$id\" >/dev/null 2>&1 || :\n"
        );
        assert_eq!((PUBLISH.note)("it's"), "tmux set-option @deck_note 'it'\\''s' >/dev/null 2>&1 || :\n");
    }
}
