//! Use cases of headless shells, on fakes.

use super::world::World;
use crate::domain::shell::{Job, JobId, JobStatus, Shell};
use crate::ops::shell::{NewShell, ShellError, bring_back, end, find, list, start, to_bring_back};
use crate::ports::Clock;

fn new(name: &str) -> NewShell {
    NewShell { name: Some(name.to_owned()), folder: "/src".into(), ..NewShell::default() }
}

fn started(w: &World, name: &str) -> Shell {
    start(&w.cx, new(name)).unwrap().shell
}

fn running(shell: &Shell, w: &World) -> Job {
    let id = JobId { shell: shell.session_id.clone(), seq: 1 };
    Job { status: JobStatus::Running, ..Job::queued(id, b"", "bash", w.clock.now()) }
}

#[test]
fn the_least_recently_used_shell_that_runs_nothing_makes_room() {
    let w = World::new();
    let all: Vec<Shell> = (0..10)
        .map(|i| {
            w.clock.pause(std::time::Duration::from_secs(1));
            started(&w, &format!("s{i}"))
        })
        .collect();
    w.shells.put(running(&all[0], &w));
    let next = start(&w.cx, new("next")).unwrap();
    assert_eq!(next.evicted, [all[1].session_id.to_string()]);
    assert!(!find(&w.cx, "s1").unwrap().is_active());
    assert_eq!(list(&w.cx, false).unwrap().0.len(), 10);
    for shell in all.iter().chain([&next.shell]) {
        w.shells.put(running(shell, &w));
    }
    assert!(matches!(start(&w.cx, new("more")), Err(ShellError::AllRun { .. })));
}

#[test]
fn a_shell_is_named_by_name_id_or_end_of_id_and_active_ones_come_first() {
    let w = World::new();
    let first = started(&w, "api");
    assert!(matches!(start(&w.cx, new("api")), Err(ShellError::NameTaken(_))));
    end(&w.cx, "api", false, false).unwrap();
    let second = started(&w, "api");
    assert_eq!(find(&w.cx, "api").unwrap().session_id, second.session_id);
    for word in [first.session_id.as_str(), first.session_id.as_str().get(9..).unwrap()] {
        assert_eq!(find(&w.cx, word).unwrap().session_id, first.session_id, "{word}");
    }
    assert!(matches!(find(&w.cx, "."), Err(ShellError::Resolve(_))));
}

#[test]
fn a_shell_whose_job_runs_is_not_ended() {
    let w = World::new();
    let shell = started(&w, "api");
    w.shells.put(running(&shell, &w));
    assert!(matches!(end(&w.cx, "api", false, false), Err(ShellError::StillRuns { .. })));
    assert!(find(&w.cx, "api").unwrap().is_active());
}

#[test]
fn an_ended_shell_can_be_brought_back_for_a_week_unless_its_name_is_taken() {
    let w = World::new();
    let api = started(&w, "api");
    end(&w.cx, "api", false, false).unwrap();
    let to_undo = |name| to_bring_back(&w.cx, name).unwrap();
    assert_eq!(to_undo(None).unwrap().session_id, api.session_id);
    let other = started(&w, "api");
    assert!(matches!(bring_back(&w.cx, &api), Err(ShellError::NameTaken(_))));
    end(&w.cx, other.session_id.as_str(), false, true).unwrap();
    let found = to_undo(Some("api")).unwrap();
    assert!(bring_back(&w.cx, &found).unwrap().is_active());
    assert_eq!(to_undo(None), None);
    // Files of shells hold environments: they are not kept for ever.
    end(&w.cx, "api", false, false).unwrap();
    w.clock.pause(std::time::Duration::from_secs(7 * 24 * 3600 + 1));
    assert_eq!(to_undo(None), None);
    let next = started(&w, "next");
    assert_eq!(list(&w.cx, true).unwrap().0.len(), 1);
    assert!(next.is_active());
}

#[test]
fn a_shell_for_one_command_takes_nobodys_place() {
    let w = World::new();
    (0..10).for_each(|i| drop(started(&w, &format!("s{i}"))));
    let once = start(&w.cx, NewShell { once: true, name: None, ..new("") }).unwrap();
    assert_eq!(once.evicted, Vec::<String>::new());
    assert_eq!(start(&w.cx, new("next")).unwrap().evicted.len(), 1, "and counts as none");
    end(&w.cx, once.shell.session_id.as_str(), false, false).unwrap();
    w.clock.pause(std::time::Duration::from_secs(2 * 3600));
    started(&w, "later");
    assert!(find(&w.cx, once.shell.session_id.as_str()).is_err(), "it is gone after an hour");
}
