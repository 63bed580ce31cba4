//! What to do about an error, as commands for a shell.

use jiff::Timestamp;

use super::error::install_line;
use crate::domain::hint::Hint;
use crate::domain::quote::sh;

/// The words for a hint.
pub(super) fn command(hint: &Hint) -> String {
    match hint {
        Hint::UseName(near) => format!("did you mean {}?", near.join(", ")),
        Hint::UseTool(near) => format!("did you mean the tool {near}?"),
        Hint::ListSessions => "`deck list` shows all sessions".to_owned(),
        Hint::UseId(candidates) => {
            let now = Timestamp::now();
            let list = candidates.iter().map(|c| format!("{} ({})", c.id.tail(), c.words(now)));
            format!("use an id suffix: {}", list.collect::<Vec<_>>().join(", "))
        }
        Hint::NameSession => "give the session's title".to_owned(),
        Hint::ListGroups => "`deck group list` shows all groups".to_owned(),
        Hint::EmptyGroup => {
            "use `--move-up` to keep its contents one level up, or `--with-sessions` to delete its \
                             contents too"
                .to_owned()
        }
        Hint::UseOtherName => "choose another name".to_owned(),
        Hint::CreateFolder => "create it first, or give another one".to_owned(),
        Hint::UseParentFolder => "give the folder that contains it".to_owned(),
        Hint::RenameFolder => "rename the folder, or create a link to it".to_owned(),
        Hint::CloseQuote => "close it, or escape it with a backslash".to_owned(),
        Hint::UseDeleted(titles) if titles.is_empty() => "this profile's trash is empty".to_owned(),
        Hint::UseDeleted(titles) => format!("deleted in the last seven days: {}", titles.join(", ")),
        Hint::InstallProgram(path) => {
            format!("searched PATH={path}; install it, or add the session with --no-start")
        }
        Hint::GiveCommand => "give a command with -c, such as `-c shell`".to_owned(),
        Hint::Attach(title) => format!("attach with `deck attach {}`", sh(title)),
        Hint::Start(title) => format!("start it with `deck start {}`", sh(title)),
        Hint::RetryStart(title) => format!("it is recorded: `deck start {}` retries", sh(title)),
        Hint::RetryResume(title) => {
            format!("its conversation is kept; `deck restart {}` retries; --fresh starts over", sh(title))
        }
        Hint::UseFresh(title) => format!("`deck start --fresh {}` starts a new one", sh(title)),
        Hint::RestartFresh(title) => {
            format!("`deck restart --fresh {}` starts a new conversation", sh(title))
        }
        Hint::StopFirst(title) => {
            format!("`deck rm --stop {}` stops it first; `deck undo` restores a deleted session", sh(title))
        }
        Hint::StopOther(_) => "stop that session first".to_owned(),
        Hint::ReplaceUnsent(title) => {
            format!("`deck send --clear {} TEXT` replaces it, `--append` adds to it", sh(title))
        }
        Hint::Answer(title) => format!("`deck answer {}` shows its choices; --force sends anyway", sh(title)),
        Hint::AnswerAttached(title) => {
            format!("`deck attach {}` to answer it; --force sends anyway", sh(title))
        }
        Hint::WriteAnswer(title, choice) => {
            format!("`deck answer {} {} --text TEXT` writes it", sh(title), sh(choice))
        }
        Hint::AttachToAnswer(title) => format!("attach to answer: `deck attach {}`", sh(title)),
        Hint::ShowChoices(title) => format!("`deck answer {}` shows its choices", sh(title)),
        Hint::ShowNewQuestion(title) => format!("`deck answer {}` shows the new question", sh(title)),
        Hint::ShowScreen(title) => format!("`deck output {}` prints its screen", sh(title)),
        Hint::UseChoice(choices) => format!("its choices are: {}", choices.join(", ")),
        Hint::UseOneOf(words) => format!("one of {}", words.join(", ")),
        Hint::ListKeys => "`deck keys --help` lists them; use `deck send` for text".to_owned(),
        Hint::NameFolder => "give it: `deck import --conversations FOLDER`".to_owned(),
        Hint::ListImports => {
            "`deck import` lists agents in tmux, `deck import --conversations` lists conversations".to_owned()
        }
        Hint::UpdateDeck => "update deck".to_owned(),
        Hint::InstallTmux => format!("install it: {}", install_line()),
        Hint::UpdateTmux => format!("install a newer one: {}", install_line()),
        Hint::Diagnose => "`deck doctor` diagnoses the cause".to_owned(),
        Hint::ContinueProcess(pid) => format!("`kill -CONT {pid}` lets it continue"),
        Hint::ReleaseLock(pid) => format!(
            "continue it with `fg` in its terminal or `kill -CONT {pid}`, or end it with `kill -KILL {pid}`"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_quoted_for_the_shell() {
        let title = || "a b".to_owned();
        assert_eq!(command(&Hint::RetryStart(title())), "it is recorded: `deck start 'a b'` retries");
        assert_eq!(command(&Hint::Attach(title())), "attach with `deck attach 'a b'`");
        assert_eq!(command(&Hint::UseDeleted(Vec::new())), "this profile's trash is empty");
    }
}
