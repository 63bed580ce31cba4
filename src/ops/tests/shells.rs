//! Use cases of headless shells, on fakes.

use super::world::World;
use crate::domain::shell::{Job, JobId, JobStatus, Shell};
use crate::ops::shell::{NewShell, ShellError, end, find, list, start};
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
