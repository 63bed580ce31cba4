//! What deck says of an error, and which key helps: the one that the user has bound.

use super::keymap::Keymap;
use crate::domain::hint::Hint;
use crate::domain::quote::sh;
use crate::domain::session::Session;
use crate::domain::shell::ShellHint;
use crate::ops::OpError;
use crate::ops::shell::ShellError;

/// An error with its causes and what to do.
pub(crate) fn error_words(error: &OpError, keymap: &Keymap) -> String {
    let mut text = error.to_string();
    let mut at = std::error::Error::source(error);
    while let Some(cause) = at {
        text.push_str(&format!(": {cause}"));
        at = cause.source();
    }
    if let Some(words) = error.hint().and_then(|hint| hint_words(&hint, keymap)) {
        text.push_str(&format!(" ({words})"));
    }
    text
}

/// An error of a shell with its causes and what to do.
pub(crate) fn shell_error_words(error: &ShellError, keymap: &Keymap) -> String {
    if let ShellError::NotOpened { source, .. } = error {
        return format!("{error}: {}", error_words(source, keymap));
    }
    let mut text = error.to_string();
    let mut at = std::error::Error::source(error);
    while let Some(cause) = at {
        text.push_str(&format!(": {cause}"));
        at = cause.source();
    }
    let words = match error.hint() {
        Some(ShellHint::ChangeFolder(label)) => {
            format!("`deck shell exec {} --cwd DIR 'cd .'` changes it", sh(&label))
        }
        Some(ShellHint::ListJobs(_) | ShellHint::FindJob) => {
            format!("{} lists its jobs", keymap.key("shell-jobs"))
        }
        Some(ShellHint::EndJobs(_)) => format!("{} ends it with its jobs", keymap.key("shell-end")),
        Some(ShellHint::Replay(label)) => {
            format!("`deck shell replay {}` runs its commands again", sh(&label))
        }
        Some(ShellHint::ShowJob(job)) => format!("`deck job show {job}` shows what is left of it"),
        _ => return text,
    };
    format!("{text} ({words})")
}

/// The words for a hint, with its key; none where only a shell can help.
fn hint_words(hint: &Hint, keymap: &Keymap) -> Option<String> {
    let key = |id: &str| keymap.key(id);
    Some(match hint {
        Hint::Start(_) => format!("{} starts it", key("restart")),
        Hint::RetryStart(_) => format!("it is recorded; {} retries", key("restart")),
        Hint::RetryResume(_) => format!("its conversation is kept; {} retries", key("restart")),
        Hint::Attach(_) | Hint::AnswerAttached(_) | Hint::AttachToAnswer(_) | Hint::ShowScreen(_) => {
            format!("{} attaches", key("open"))
        }
        Hint::Answer(_) | Hint::WriteAnswer(..) => format!("{} answers", key("answer")),
        Hint::ShowChoices(_) => format!("{} shows its choices", key("answer")),
        Hint::ShowNewQuestion(_) => format!("{} shows the new question", key("answer")),
        Hint::GiveScopes(session, scopes) => {
            format!("its user gives it with `deck set {} mcp={}`", sh(&session.title), scopes.join(","))
        }
        Hint::WithoutServer => "`deck set SESSION mcp=none` starts it without".to_owned(),
        Hint::ReplaceUnsent(_) => format!("{} shows it", key("type")),
        Hint::StopFirst(_) => format!("{} stops it", key("stop")),
        Hint::StopOther(_) => "stop that session first".to_owned(),
        Hint::RestartLater(_) => format!("{} starts it again, whatever it does", key("restart")),
        Hint::HandOverNow(_) => "wait until it is idle".to_owned(),
        Hint::ListConversations => "`deck conversation list` shows those of this project".to_owned(),
        Hint::GiveState => "name the state of the task".to_owned(),
        Hint::Unarchive(id) => format!("`deck conversation unarchive {id}` restores it"),
        Hint::Detach(id) => format!("`deck conversation detach {id}` stops it from carrying it"),
        Hint::SayInConversation(id) => {
            format!("`deck conversation add {id} --role user TEXT` sends it to the session")
        }
        Hint::Carry(id) => format!("`deck conversation carry {id} SESSION` has a session carry it"),
        Hint::ToolWithTranscripts => "use a session of claude, codex, gemini or opencode".to_owned(),
        Hint::OtherMessageId => "a message keeps its words".to_owned(),
        Hint::ListMcpServers => "`deck mcp list` shows all servers and sets".to_owned(),
        Hint::UseOtherName => "choose another name".to_owned(),
        Hint::CreateFolder => "create it first, or give another one".to_owned(),
        Hint::UseParentFolder => "give the folder that contains it".to_owned(),
        Hint::RenameFolder => "rename the folder, or create a link to it".to_owned(),
        Hint::CloseQuote => "close it, or escape it with a backslash".to_owned(),
        Hint::GiveCommand => "give a command".to_owned(),
        Hint::UpdateDeck => "update deck".to_owned(),
        Hint::InstallGit => "install it".to_owned(),
        Hint::InitRepository => "`git init` makes one".to_owned(),
        Hint::NameBase => "b compares with something else".to_owned(),
        Hint::UseName(near) => format!("did you mean {}?", near.join(", ")),
        Hint::UseTool(near) => format!("did you mean the tool {near}?"),
        Hint::UseDeleted(titles) if titles.is_empty() => "this profile's trash is empty".to_owned(),
        Hint::UseDeleted(titles) => format!("deleted in the last seven days: {}", titles.join(", ")),
        Hint::UseChoice(choices) => format!("its choices are: {}", choices.join(", ")),
        Hint::UseOneOf(words) => format!("one of {}", words.join(", ")),
        Hint::InstallProgram(path) => format!("searched PATH={path}; install it"),
        Hint::ReleaseLock(pid) => format!(
            "continue it with `fg` in its terminal or `kill -CONT {pid}`, or end it with `kill -KILL {pid}`"
        ),
        Hint::UpdateGit => "install a newer one".to_owned(),
        Hint::CommitFirst => "commit something first: a branch begins at a commit".to_owned(),
        Hint::UsePath => "name it by its path".to_owned(),
        Hint::UseBase(all) => format!("one of {}", all.join(", ")),
        // No key does this.
        Hint::RestoreWorktree(session) => {
            format!("`deck worktree restore {}` makes it again", sh(&session.title))
        }
        Hint::Trust(repository) => format!(
            "`deck repo trust --show {0}` shows them, `deck repo trust {0}` allows them",
            sh(repository)
        ),
        Hint::RemoveEntry(path) => format!("`git worktree remove {}` has git forget it", sh(path)),
        Hint::SkipSetup(_) => format!("{} tries again", key("restart")),
        Hint::NameBranch => "name a branch".to_owned(),
        Hint::UseOtherFolder => "name another folder".to_owned(),
        Hint::CopyLess => "name less in .worktreeinclude, or raise `worktree.copy_limit`".to_owned(),
        Hint::WithoutSetup => "correct it first".to_owned(),
        Hint::SetRepositoryPath(name) => {
            format!("if it was moved, `deck repo set {} path=PATH` says where it is", sh(name))
        }
        Hint::UseFresh(session) => format!("`deck start --fresh {}` starts a new one", sh(&session.title)),
        Hint::RestartFresh(session) => {
            format!("`deck restart --fresh {}` starts a new conversation", sh(&session.title))
        }
        // The TUI shows these already, or its dialogs ask.
        Hint::ListSessions
        | Hint::ListGroups
        | Hint::ListProfiles
        | Hint::ListKeys
        | Hint::ListImports
        | Hint::ListRepositories
        | Hint::ListWorktrees
        | Hint::KeepSessions
        | Hint::ReuseWorktree
        | Hint::UseId(_)
        | Hint::NameSession
        | Hint::NameFolder
        | Hint::EmptyGroup
        | Hint::EmptyProfile(_)
        | Hint::NameInto
        | Hint::Unblock(..)
        | Hint::RestartWorker(..)
        | Hint::StopWorker(..)
        | Hint::NameOnlySession(_) => return None,
        // Something for a shell.
        Hint::InstallTmux | Hint::UpdateTmux | Hint::Diagnose | Hint::ContinueProcess(_) => return None,
    })
}

/// What the key for a restart does with a stopped session: only one with a conversation can be resumed.
pub(crate) fn restart_hint(session: &Session, keymap: &Keymap) -> String {
    let what = if session.resume.id.is_some() { "resumes" } else { "starts" };
    format!("{} {what} it", keymap.key("restart"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::id::SessionId;
    use crate::domain::session::SessionName;

    fn api() -> SessionName {
        SessionName { id: SessionId::new("0123"), title: "api".into() }
    }

    #[test]
    fn a_key_stands_for_the_command() {
        let words = |error: &OpError| error_words(error, &Keymap::default());
        assert_eq!(words(&OpError::NotRunning(api())), "session \"api\" is not running (R starts it)");
        assert_eq!(words(&OpError::StillRunning(api())), "session \"api\" is still running (x stops it)");
        assert_eq!(
            words(&OpError::NoText(api())),
            "session \"api\" is asking for a choice, not for text (a shows its choices)"
        );
    }

    #[test]
    fn a_hint_names_the_key_that_the_user_has_bound() {
        let keys = |id: &str, keys: &[&str]| (id.to_owned(), keys.iter().map(|k| (*k).to_owned()).collect());
        let (map, problems) = Keymap::with(&[keys("restart", &["f9"]), keys("stop", &[])]);
        assert_eq!(problems, []);
        assert_eq!(
            error_words(&OpError::NotRunning(api()), &map),
            "session \"api\" is not running (f9 starts it)"
        );
        assert_eq!(
            error_words(&OpError::StillRunning(api()), &map),
            "session \"api\" is still running (: stop stops it)",
            "without a key it is in the palette"
        );
    }

    #[test]
    fn every_face_knows_which_session_a_hint_is_about() {
        assert_eq!(OpError::NotRunning(api()).hint(), Some(Hint::Start(api())));
    }
}
