//! What works beside an agent: its tabs; and the end of a worktree.

use super::{A_SESSION, Command, on_session};
use crate::app::dialogs::{Ask, Confirm, Finish};
use crate::app::diff;
use crate::app::effect::Effect;
use crate::app::state::Model;
use crate::app::worker_work::WorkerWork;
use crate::domain::diff::Against;
use crate::domain::text;
use crate::domain::worker::{WorkerType, address};
use crate::ops::worker::{Listed, NewWorker};

/// A command that shows one tab.
macro_rules! tab {
    ($number:literal) => {
        Command {
            id: concat!("tab-", $number),
            title: concat!("tab ", $number),
            doc: concat!("Show tab ", $number, " of the session: its agent, a terminal, a diff, a file."),
            keys: &[stringify!($number)],
            footer: None,
            applies: |m| m.tabs().len() >= $number,
            needs: "the session has no such tab",
            run: |m| show(m, $number),
        }
    };
}

/// What a session needs for its worktree to be finished.
const A_WORKTREE: &str = "select a session in a worktree";

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "terminal",
        title: "terminal",
        doc: "Add a terminal beside the session's agent, and show it.",
        keys: &["t"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: |m| add(m, NewWorker::default()),
    },
    Command {
        id: "add-worker",
        title: "add worker",
        doc: "Add a terminal with a command, a diff, a file, a link or a further agent beside the session's agent.",
        keys: &["w a"],
        footer: None,
        applies: on_session,
        needs: A_SESSION,
        run: ask,
    },
    Command {
        id: "remove-worker",
        title: "remove worker",
        doc: "Remove the worker whose tab is shown, ending what runs in it.",
        keys: &["w x"],
        footer: None,
        applies: |m| m.tab().is_some(),
        needs: "show the tab of a worker first",
        run: remove,
    },
    Command {
        id: "restart-worker",
        title: "restart worker",
        doc: "Run the command of the terminal that is shown again.",
        keys: &["w r"],
        footer: None,
        applies: |m| m.terminal().is_some(),
        needs: "show the tab of a terminal first",
        run: |m| of_terminal(m, WorkerWork::Restart),
    },
    Command {
        id: "finish-worktree",
        title: "finish worktree",
        doc: "Merge the branch of the session's worktree, remove the worktree, archive its sessions.",
        keys: &["w f"],
        footer: None,
        applies: in_worktree,
        needs: A_WORKTREE,
        run: finish,
    },
    Command {
        id: "worktrees",
        title: "worktrees",
        doc: "List the worktrees of the session's repository, with their state and who works in them.",
        keys: &["w l"],
        footer: None,
        applies: in_worktree,
        needs: A_WORKTREE,
        run: |m| {
            m.selected().cloned().map(|id| Effect::Worker(id, WorkerWork::Worktrees)).into_iter().collect()
        },
    },
    Command {
        id: "setup-worktree",
        title: "set up again",
        doc: "Run the setup of the session's worktree again at its next start.",
        keys: &["w s"],
        footer: None,
        applies: in_worktree,
        needs: A_WORKTREE,
        run: |m| {
            m.selected().cloned().map(|id| Effect::Worker(id, WorkerWork::SetupAgain)).into_iter().collect()
        },
    },
    tab!(1),
    tab!(2),
    tab!(3),
    tab!(4),
    tab!(5),
    tab!(6),
    tab!(7),
    tab!(8),
    tab!(9),
];

fn in_worktree(model: &Model) -> bool {
    model.session().is_some_and(|session| session.place.is_some())
}

fn add(model: &Model, new: NewWorker) -> Vec<Effect> {
    model
        .selected()
        .cloned()
        .map(|id| Effect::Worker(id, WorkerWork::Add(Box::new(new))))
        .into_iter()
        .collect()
}

/// Shows a tab: in the preview where it is a terminal's, in the panel of differences, in a pager, or by going to the
/// session that it is.
fn show(model: &mut Model, number: usize) -> Vec<Effect> {
    let Some(listed) = model.tabs().get(number.saturating_sub(1)).cloned() else { return Vec::new() };
    let Some(session) = model.session().cloned() else { return Vec::new() };
    let id = session.id.clone();
    if listed.agent.as_ref() == Some(&id) {
        model.view.tabs.remove(&id);
        model.view.scrolled = 0;
        return Vec::new();
    }
    if let Some(agent) = &listed.agent {
        return model.go_to(agent);
    }
    let Some(record) = listed.record else { return Vec::new() };
    match record.kind {
        WorkerType::Terminal => {
            model.view.tabs.insert(id, record.id);
            model.view.scrolled = 0;
            Vec::new()
        }
        WorkerType::Diff => {
            let against = record.against.as_deref();
            let against =
                against.map_or_else(|| Against::default_of(&session), |word| Against::of(word, &session));
            diff::open_against(model, id, against)
        }
        WorkerType::Markdown => vec![Effect::Worker(id, WorkerWork::Read(record.id))],
        WorkerType::Link => {
            let port = session.place.as_ref().map(crate::domain::place::Place::port);
            record.url.map(|url| Effect::Copy(address(&url, port))).into_iter().collect()
        }
        WorkerType::Other(kind) => {
            model.notify(format!(
                "{} was made by a newer deck: it is a {}",
                text::clean(&record.name),
                text::clean(&kind)
            ));
            Vec::new()
        }
    }
}

fn of_terminal(model: &Model, work: impl Fn(crate::domain::worker::WorkerId) -> WorkerWork) -> Vec<Effect> {
    let worker = model.terminal().and_then(|listed| listed.record.as_ref()).map(|record| record.id.clone());
    let effect = |(id, worker)| Effect::Worker(id, work(worker));
    model.selected().cloned().zip(worker).map(effect).into_iter().collect()
}

pub(super) fn remove(model: &mut Model) -> Vec<Effect> {
    let tab = model.tab().and_then(|listed| Some((listed.clone(), listed.record.clone()?)));
    let Some((id, (listed, record))) = model.selected().cloned().zip(tab) else { return Vec::new() };
    let remove =
        |confirmed| vec![Effect::Worker(id.clone(), WorkerWork::Remove(record.id.clone(), confirmed))];
    if listed.alive != Some(true) {
        return remove(false);
    }
    let lines = vec![format!("What runs in the terminal {} ends.", text::clean(&listed.name))];
    model.dialogs.push(Box::new(Confirm::new("Remove the terminal?", lines, "remove", remove(true))));
    Vec::new()
}

fn ask(model: &mut Model) -> Vec<Effect> {
    let Some(id) = model.selected().cloned() else { return Vec::new() };
    let help = &[
        ("COMMAND", "runs in a terminal"),
        ("diff [REF]", "since base, head, REF"),
        ("file PATH", "such as PLAN.md"),
        ("link URL", "an address to copy"),
        ("agent TOOL", "works here, too"),
    ];
    let check = move |line: &str| worker_of(line).map(|work| vec![Effect::Worker(id.clone(), work)]);
    model.dialogs.push(Box::new(Ask::new("Add a worker", "What", "", check).with_help(help)));
    Vec::new()
}

/// What a line means: its first word says which type of worker, and any other line is a command.
fn worker_of(line: &str) -> Result<WorkerWork, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let some = |rest: &str| (!rest.is_empty()).then(|| rest.to_owned());
    let of = |kind| NewWorker { kind: Some(kind), ..NewWorker::default() };
    let new = match word {
        "diff" => NewWorker { against: some(rest), ..of(WorkerType::Diff) },
        "file" if rest.is_empty() => return Err("name the file: file PATH".to_owned()),
        "file" => NewWorker { file: some(rest), ..of(WorkerType::Markdown) },
        "link" if rest.is_empty() => return Err("give the address: link URL".to_owned()),
        "link" => NewWorker { url: some(rest), ..of(WorkerType::Link) },
        "agent" if rest.is_empty() => return Err("name the tool: agent TOOL".to_owned()),
        "agent" => return Ok(WorkerWork::AddAgent(rest.to_owned())),
        _ => NewWorker { command: some(line), ..of(WorkerType::Terminal) },
    };
    Ok(WorkerWork::Add(Box::new(new)))
}

fn finish(model: &mut Model) -> Vec<Effect> {
    let Some(id) = model.selected().cloned() else { return Vec::new() };
    let (dialog, effect) = Finish::new(id);
    model.dialogs.push(Box::new(dialog));
    vec![effect]
}

impl Model {
    /// The tabs of the selected session; none if it has nothing but its agent.
    pub fn tabs(&self) -> &[Listed] {
        self.selected().and_then(|id| self.state(id)).map(|state| &state.workers[..]).unwrap_or_default()
    }

    /// The tab that is shown of the selected session, if that isn't its agent's.
    pub fn tab(&self) -> Option<&Listed> {
        let worker = self.view.tabs.get(self.selected()?)?;
        self.tabs().iter().find(|listed| listed.id == worker.as_str())
    }

    /// The terminal that is shown, if one is.
    pub fn terminal(&self) -> Option<&Listed> {
        self.tab()
            .filter(|listed| listed.record.as_ref().is_some_and(crate::domain::worker::Worker::is_terminal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_adds() {
        let new = |line: &str| match worker_of(line) {
            Ok(WorkerWork::Add(new)) => *new,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(new("npm test -- --watch").command.as_deref(), Some("npm test -- --watch"));
        assert_eq!(new("").command, None, "a shell");
        assert_eq!(new("diff").kind, Some(WorkerType::Diff));
        assert_eq!(new("diff v1.2").against.as_deref(), Some("v1.2"));
        assert_eq!(new("file PLAN.md").file.as_deref(), Some("PLAN.md"));
        assert_eq!(worker_of("agent gemini"), Ok(WorkerWork::AddAgent("gemini".into())));
        for bad in ["file", "link ", "agent"] {
            assert!(worker_of(bad).is_err(), "{bad}");
        }
    }
}
