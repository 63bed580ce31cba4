//! Headless shells in the list, and what one of them printed.

use super::*;
use crate::app::ShellWork;
use crate::domain::shell::{Child, Job, JobId, JobStatus, Shell, ShellId};
use crate::domain::tree::RowKey;
use crate::ops::shell::{JobTail, ShellState, ShellsInView, ShellsSeen};
use crate::ports::shells::Which;

fn shell_id(n: u8) -> ShellId {
    ShellId::from_entropy([n; 16])
}

fn shell(n: u8, name: &str, owner: &str) -> Shell {
    Shell {
        name: Some(name.to_owned()),
        owner: owner.to_owned(),
        work_dir: "/home/me/src/api".to_owned(),
        created_at: now() - SignedDuration::from_hours(4),
        last_activity_at: now() - SignedDuration::from_hours(3),
        ..Shell::sample(n)
    }
}

fn job(n: u8, code: &str, status: JobStatus, exit_code: Option<i32>, ago: i64) -> Job {
    let at = now() - SignedDuration::from_secs(ago);
    let id = JobId { shell: shell_id(n), seq: 12 };
    let child = |pid| Child { pid, start: None, command: "sleep".to_owned() };
    let children = if status == JobStatus::Draining { vec![child(7), child(8)] } else { Vec::new() };
    Job {
        status,
        started_at: Some(at),
        completed_at: exit_code.map(|_| at),
        exit_code,
        children,
        ..Job::queued(id, code.as_bytes(), "bash", at)
    }
}

fn state(shell: Shell, job: Option<Job>) -> ShellState {
    let running = usize::from(job.as_ref().is_some_and(|j| !j.status.is_final()));
    ShellState { shell, job, running, is_live: false, is_lost: false }
}

/// Six shells, two of them a session's; `at` is the one whose output was read.
fn seen(at: Option<u8>) -> Msg {
    let shells = vec![
        state(
            shell(1, "api", "user"),
            Some(job(1, "\n  cargo test --workspace\ndone", JobStatus::Running, None, 64)),
        ),
        state(shell(2, "db", "user"), Some(job(2, "make db", JobStatus::Draining, Some(0), 5))),
        state(shell(3, "lint", "user"), Some(job(3, "cargo clippy", JobStatus::Failed, Some(101), 240))),
        state(shell(4, "\u{1b}[31mevil \u{202e}name that is far too long to be shown", "user"), None),
        state(
            shell(5, "lost", "id-billing"),
            Some(job(5, "sleep \u{7}100", JobStatus::Orphaned, None, 9000)),
        ),
        state(shell(6, "idle", "id-billing"), Some(job(6, "true", JobStatus::Completed, Some(0), 10_800))),
    ];
    let printed = [
        (Which::Stdout, "running 214 tests"),
        (Which::Stdout, "test a ... ok"),
        (Which::Stderr, "warning: unused \u{1b}[2Jvariable"),
        (
            Which::Stdout,
            "test 日本語 ... a line that is so long that it goes on beyond the edge of the preview, and further still, to the end",
        ),
    ];
    let tail = at.and_then(|n| {
        let job = shells.iter().find(|s| s.shell.session_id == shell_id(n))?.job.clone()?;
        Some(JobTail { job, lines: printed.map(|(w, l)| (w, l.to_owned())).to_vec() })
    });
    Msg::Shells(ProfileName::parse("work").unwrap(), Box::new(ShellsSeen { shells, tail }))
}

/// The same for tests of any input: some of them, all of them, or none.
pub(super) fn seen_by(n: usize) -> Msg {
    match n {
        0 => Msg::Shells(ProfileName::parse("work").unwrap(), Box::default()),
        n => seen(u8::try_from(n).ok()),
    }
}

/// With one of the shells selected.
fn on(name: &str, size: (u16, u16)) -> Model {
    let mut m = model(FULL, size);
    update(&mut m, seen(Some(1)));
    for _ in 0..m.view.rows.len() {
        if m.shell().is_some_and(|s| s.shell.label() == name) {
            break;
        }
        press(&mut m, "j");
    }
    assert_eq!(m.shell().map(|s| s.shell.label()), Some(name));
    m
}

#[test]
fn shells_stand_at_the_end_and_under_their_session() {
    for size in [(40, 12), (80, 24), (120, 36), (200, 50)] {
        let m = on("api", size);
        insta::assert_snapshot!(format!("shells-{}x{}", size.0, size.1), shown(&m));
    }
}

#[test]
fn what_it_complained_of_has_its_own_colour() {
    let m = on("api", (120, 36));
    let drawn = with_roles(&m);
    let line = |text: &str| drawn.lines().find(|l| l.contains(text)).unwrap().to_owned();
    assert!(line("warning: unused variable").contains("<error> warning"), "{drawn}");
    assert!(line("running 214 tests").contains("<text> running"), "{drawn}");
}

#[test]
fn its_keys_are_the_shells_own() {
    let mut m = on("api", (120, 36));
    let id = shell_id(1);
    let job = JobId { shell: id.clone(), seq: 12 };
    let does = |m: &mut Model, key: &str| press(m, key);
    assert_eq!(does(&mut m, "enter"), [Effect::Shell(id.clone(), ShellWork::Open)]);
    assert_eq!(does(&mut m, "H"), [Effect::Shell(id.clone(), ShellWork::ListJobs)]);
    assert_eq!(does(&mut m, "o"), [Effect::Shell(id.clone(), ShellWork::ReadOutput(job.clone()))]);
    assert_eq!(does(&mut m, "y"), [Effect::Shell(id.clone(), ShellWork::CopyOutput(job.clone()))]);
    assert_eq!(does(&mut m, "x"), []);
    insta::assert_snapshot!("shell-kill", shown(&m));
    assert_eq!(does(&mut m, "enter"), [Effect::Shell(id.clone(), ShellWork::Kill(job))]);
    assert_eq!(does(&mut m, "d enter"), [Effect::Shell(id.clone(), ShellWork::End { kill: true })]);
    assert_eq!(does(&mut m, "s l s enter"), [Effect::Shell(id, ShellWork::Run("ls".to_owned()))]);
    // What works on sessions alone says so.
    does(&mut m, "R");
    assert!(shown(&m).contains("select a session first"), "{}", shown(&m));
}

#[test]
fn a_shell_that_rests_is_ended_without_a_question_and_has_nothing_to_kill() {
    let mut m = on("lint", (120, 36));
    press(&mut m, "x");
    assert!(shown(&m).contains("no job is running in this shell"));
    assert_eq!(press(&mut m, "d"), [Effect::Shell(shell_id(3), ShellWork::End { kill: false })]);
}

#[test]
fn what_ends_with_a_shell_is_said_before() {
    let mut m = model(FULL, (120, 36));
    let calc = Shell { kind: "python3".to_owned(), ..shell(7, "calc", "user") };
    let calc = ShellState { is_live: true, ..state(calc, None) };
    let seen = ShellsSeen { shells: vec![calc], tail: None };
    update(&mut m, Msg::Shells(ProfileName::parse("work").unwrap(), Box::new(seen)));
    press(&mut m, "G");
    assert_eq!(press(&mut m, "d"), []);
    insta::assert_snapshot!("shell-end-live", shown(&m));
    assert_eq!(press(&mut m, "enter"), [Effect::Shell(shell_id(7), ShellWork::End { kill: true })]);
}

#[test]
fn late_answers_for_another_shell_are_dropped() {
    let mut m = on("lint", (120, 36));
    let other = JobId { shell: shell_id(1), seq: 12 };
    update(&mut m, Msg::Done(Done::JobOutput(other, vec![(Which::Stdout, "x".to_owned())])));
    update(&mut m, Msg::Done(Done::Jobs(shell_id(1), Vec::new())));
    assert!(m.dialogs.is_empty());
    // The end of another one's output is not its own.
    assert!(!shown(&m).contains("running 214 tests"));
    let own = vec![(Which::Stderr, "error[E0001]: \u{1b}[31mbad".to_owned())];
    update(&mut m, Msg::Done(Done::JobOutput(JobId { shell: shell_id(3), seq: 12 }, own)));
    assert!(shown(&m).contains("Output of lint/12") && shown(&m).contains("error[E0001]: bad"));
    press(&mut m, "esc");
    let jobs = vec![job(3, "cargo clippy", JobStatus::Failed, Some(101), 240)];
    update(&mut m, Msg::Done(Done::Jobs(shell_id(3), jobs)));
    insta::assert_snapshot!("shell-jobs", shown(&m));
}

#[test]
fn the_heading_folds_and_what_is_in_sight_is_asked_for() {
    let mut m = on("lint", (120, 36));
    let mut asked: Vec<ShellsInView> = Vec::new();
    let mut note = |effects: Vec<Effect>| {
        asked.extend(effects.into_iter().filter_map(|e| match e {
            Effect::WatchShells(view) => Some(view),
            _ => None,
        }));
    };
    note(press(&mut m, "h"));
    assert_eq!(m.view.cursor, Some(RowKey::Shells));
    note(press(&mut m, "enter"));
    note(press(&mut m, "k"));
    assert!(!shown(&m).contains("lint") && shown(&m).contains("▸ shells"), "{}", shown(&m));
    note(press(&mut m, "j l"));
    assert!(shown(&m).contains("lint"));
    let rows: Vec<usize> = asked.iter().map(|view| view.rows.len()).collect();
    assert_eq!(rows, [6, 2, 6], "beside the heading is what is below it, folded away or not");
    assert!(asked.iter().all(|view| view.at.is_none()));
    // A shell of a folded group's session has no row.
    let mut folded = snapshot(FULL);
    Arc::make_mut(&mut folded.profile).set_expanded(&GroupPath::parse("backend").unwrap(), false);
    update(&mut m, Msg::Snapshot(Box::new(folded)));
    assert_eq!(m.view.rows.iter().filter(|r| matches!(r.key(), RowKey::Shell(_))).count(), 4);
}

#[test]
fn shells_are_found_by_their_names_and_what_they_run() {
    let mut m = on("lint", (120, 36));
    press(&mut m, "/ w o r k s p a c e enter");
    let rows: Vec<RowKey> = m.view.rows.iter().map(crate::domain::tree::Row::key).collect();
    assert_eq!(rows, [RowKey::Shells, RowKey::Shell(shell_id(1))]);
    press(&mut m, "esc");
    press(&mut m, "!");
    assert!(!shown(&m).contains("shells"), "a shell needs nobody:\n{}", shown(&m));
}

#[test]
fn the_heading_shows_all_of_its_shells() {
    for size in [(40, 12), (120, 36)] {
        let mut m = on("lint", size);
        press(&mut m, "h");
        if size.0 == 40 {
            press(&mut m, "tab");
        }
        insta::assert_snapshot!(format!("shells-heading-{}x{}", size.0, size.1), shown(&m));
        press(&mut m, "d");
        assert!(m.dialogs.is_empty() && shown(&m).contains("delete: select"), "{}", shown(&m));
    }
}

#[test]
fn another_profiles_shells_are_not_shown() {
    let mut m = model(FULL, (120, 36));
    let Msg::Shells(_, seen) = seen(None) else { unreachable!() };
    update(&mut m, Msg::Shells(ProfileName::default(), seen));
    assert!(!shown(&m).contains("shells"));
}
