//! What to do about an error, as commands for a shell.

use jiff::Timestamp;

use super::error::install_line;
use crate::domain::hint::Hint;
use crate::domain::quote::sh;
use crate::domain::worktree::WayOn;

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
        Hint::RestartLater(session) => {
            format!("`deck restart {}` starts it again, whatever it does", sh(&session.title))
        }
        Hint::HandOverNow(session) => format!(
            "`deck wait {} --for idle` first, or `--force` hands it over as it is",
            sh(&session.title)
        ),
        Hint::ListConversations => "`deck conversation list` shows those of this project".to_owned(),
        Hint::GiveState => "name the state, such as `--state in_dev`".to_owned(),
        Hint::Unarchive(id) => format!("`deck conversation unarchive {id}` restores it"),
        Hint::Detach(id) => format!("`deck conversation detach {id}` stops it from carrying it"),
        Hint::SayInConversation(id) => {
            format!("`deck conversation add {id} --role user TEXT` sends it to the session")
        }
        Hint::Carry(id) => format!("`deck conversation carry {id} SESSION` has a session carry it"),
        Hint::ToolWithTranscripts => "use a session of claude, codex, gemini or opencode".to_owned(),
        Hint::OtherMessageId => "a message keeps its words: give another `--id`, or none".to_owned(),
        Hint::ListMcpServers => "`deck mcp list` shows all servers and sets".to_owned(),
        Hint::ListGroups => "`deck group list` shows all groups".to_owned(),
        Hint::ListProfiles => "`deck profile list` shows all profiles".to_owned(),
        Hint::EmptyProfile(name) => {
            format!("delete them first: `deck -p {} list` lists them", sh(name))
        }
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
        Hint::Attach(session) => format!("attach with `deck attach {}`", sh(&session.title)),
        Hint::Start(session) => format!("start it with `deck start {}`", sh(&session.title)),
        Hint::RetryStart(session) => format!("it is recorded: `deck start {}` retries", sh(&session.title)),
        Hint::RetryResume(session) => {
            format!(
                "its conversation is kept; `deck restart {}` retries; --fresh starts over",
                sh(&session.title)
            )
        }
        Hint::UseFresh(session) => format!("`deck start --fresh {}` starts a new one", sh(&session.title)),
        Hint::RestartFresh(session) => {
            format!("`deck restart --fresh {}` starts a new conversation", sh(&session.title))
        }
        Hint::StopFirst(session) => {
            format!(
                "`deck rm --stop {}` stops it first; `deck undo` restores a deleted session",
                sh(&session.title)
            )
        }
        Hint::RestartWorker(session, name) => {
            format!("`deck worker restart {}` runs it again", sh(&format!("{}:{name}", session.title)))
        }
        Hint::StopWorker(session, name) => {
            format!("`deck worker rm --stop {}` ends it first", sh(&format!("{}:{name}", session.title)))
        }
        Hint::NameOnlySession(session) => {
            let title = sh(&session.title);
            format!("name the session alone: `deck rename {title}`, `deck restart {title}`, `deck rm {title}`")
        }
        Hint::StopOther(_) => "stop that session first".to_owned(),
        Hint::GiveScopes(session, scopes) => {
            format!("its user gives it with `deck set {} mcp={}`", sh(&session.title), scopes.join(","))
        }
        Hint::WithoutServer => {
            "leave out --mcp (of a session: `deck set SESSION mcp=none`); `deck mcp config TOOL` prints what your own settings need"
                .to_owned()
        }
        Hint::ReplaceUnsent(session) => {
            format!("`deck send --clear {} TEXT` replaces it, `--append` adds to it", sh(&session.title))
        }
        Hint::Answer(session) => {
            format!("`deck answer {}` shows its choices; --force sends anyway", sh(&session.title))
        }
        Hint::AnswerAttached(session) => {
            format!("`deck attach {}` to answer it; --force sends anyway", sh(&session.title))
        }
        Hint::WriteAnswer(session, choice) => {
            format!("`deck answer {} {} --text TEXT` writes it", sh(&session.title), sh(choice))
        }
        Hint::AttachToAnswer(session) => format!("attach to answer: `deck attach {}`", sh(&session.title)),
        Hint::ShowChoices(session) => format!("`deck answer {}` shows its choices", sh(&session.title)),
        Hint::ShowNewQuestion(session) => {
            format!("`deck answer {}` shows the new question", sh(&session.title))
        }
        Hint::ShowScreen(session) => format!("`deck output {}` prints its screen", sh(&session.title)),
        Hint::UseChoice(choices) => format!("its choices are: {}", choices.join(", ")),
        Hint::UseOneOf(words) => format!("one of {}", words.join(", ")),
        Hint::ListKeys => "`deck keys --help` lists them; use `deck send` for text".to_owned(),
        Hint::NameFolder => "give it: `deck import --conversations FOLDER`".to_owned(),
        Hint::ListImports => {
            "`deck import` lists agents in tmux, `deck import --conversations` lists conversations".to_owned()
        }
        Hint::UpdateDeck => "update deck".to_owned(),
        Hint::InstallGit => format!("install it: {}", install_line("git")),
        Hint::InitRepository => "`git init` makes one".to_owned(),
        Hint::NameBase => "name a commit or branch with --base".to_owned(),
        Hint::ListRepositories => "`deck repo list` shows all repositories".to_owned(),
        Hint::ListWorktrees => "`deck worktree list --all` shows all worktrees".to_owned(),
        Hint::SetRepositoryPath(name) => {
            format!("if it was moved, `deck repo set {} path=PATH` says where it is", sh(name))
        }
        Hint::KeepSessions => {
            "`--keep-sessions` keeps them in their folders, without their repository".to_owned()
        }
        Hint::UsePath => "name it by its path".to_owned(),
        Hint::NameBranch => "name it: `-w BRANCH`, or give a title with -t".to_owned(),
        Hint::ReuseWorktree => "`--reuse` makes the session there".to_owned(),
        Hint::RemoveEntry(path) => {
            format!("`git worktree remove {}` has git forget it, `git worktree repair` finds one that was moved", sh(path))
        }
        Hint::UseBase(all) => {
            let all: Vec<String> = all.iter().map(|base| format!("`--base {}`", sh(base))).collect();
            format!("say which one: {}", all.join(" or "))
        }
        Hint::UseOtherFolder => "name another folder with --at".to_owned(),
        Hint::CopyLess => {
            "name less in .worktreeinclude, link the folder (`link` in .deck.toml), leave them out with --no-copy, or raise `worktree.copy_limit`"
                .to_owned()
        }
        Hint::SkipSetup(session) => format!(
            "`deck restart {0}` tries again, `deck restart --no-setup {0}` goes on without it",
            sh(&session.title)
        ),
        Hint::RestoreWorktree(session) => format!(
            "`deck worktree restore {}` makes it again; if you moved it, `git worktree repair PATH` tells git",
            sh(&session.title)
        ),
        Hint::NameInto => "name the branch with --into".to_owned(),
        Hint::Unblock(path, ways) => {
            let mut words: Vec<String> = ways.iter().map(|way| way_on(path, *way)).collect();
            words.dedup();
            words.retain(|word| !word.is_empty());
            if words.is_empty() { "it can't be removed".to_owned() } else { words.join("; ") }
        }
        Hint::WithoutSetup => "correct it, or go on without it: --no-setup".to_owned(),
        Hint::Trust(repository) => format!(
            "read them with `deck repo trust --show {0}`, allow them with `deck repo trust {0}`, or go on without: --no-setup",
            sh(repository)
        ),
        Hint::UpdateGit => format!("install a newer one: {}", install_line("git")),
        Hint::CommitFirst => "commit something first: a branch begins at a commit".to_owned(),
        Hint::InstallTmux => format!("install it: {}", install_line("tmux")),
        Hint::UpdateTmux => format!("install a newer one: {}", install_line("tmux")),
        Hint::Diagnose => "`deck doctor` diagnoses the cause".to_owned(),
        Hint::ContinueProcess(pid) => format!("`kill -CONT {pid}` lets it continue"),
        Hint::ReleaseLock(pid) => format!(
            "continue it with `fg` in its terminal or `kill -CONT {pid}`, or end it with `kill -KILL {pid}`"
        ),
    }
}

/// What helps against one of the things that keep a worktree from being removed.
pub(super) fn way_on(path: &str, way: WayOn) -> String {
    match way {
        WayOn::Never => String::new(),
        WayOn::FinishIt => "finish or abort what is under way".to_owned(),
        WayOn::CommitOrKeep => "commit the files, or keep the folder with --keep".to_owned(),
        WayOn::DiscardIgnored => "--discard-ignored removes the ignored files, too".to_owned(),
        WayOn::MoveAway => "move them out of it".to_owned(),
        WayOn::Unlock => format!("`deck worktree unlock {}` unlocks it", sh(path)),
        WayOn::PushSubmodule => "commit and push what the submodule has".to_owned(),
        WayOn::Stop => "--stop stops the sessions".to_owned(),
        WayOn::EndProcess => "end the processes, or have them leave the folder".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::id::SessionId;
    use crate::domain::session::SessionName;

    #[test]
    fn titles_are_quoted_for_the_shell() {
        let session = || SessionName { id: SessionId::new("1"), title: "a b".to_owned() };
        assert_eq!(command(&Hint::RetryStart(session())), "it is recorded: `deck start 'a b'` retries");
        assert_eq!(command(&Hint::Attach(session())), "attach with `deck attach 'a b'`");
        assert_eq!(command(&Hint::UseDeleted(Vec::new())), "this profile's trash is empty");
    }
}
