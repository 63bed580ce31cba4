//! What is read of shells, and when.

use std::sync::Arc;

use super::*;
use crate::domain::id::ProfileName;
use crate::domain::shell::{JobId, JobStatus, Limits, ShellStatus};
use crate::ops::ProfileCx;
use crate::ports::Clock;
use crate::ports::fake::{
    FakeClock, FakeGit, FakeHistory, FakeHost, FakeMux, FakeReports, FakeShells, FakeStore, FakeTools,
};
use crate::ports::shells::Shells;

/// Shells in memory, and eyes on them.
fn world() -> (Arc<FakeShells>, Eyes) {
    let shells = Arc::<FakeShells>::default();
    let cx = Cx {
        mux: Arc::<FakeMux>::default(),
        reports: Arc::<FakeReports>::default(),
        host: Arc::<FakeHost>::default(),
        git: Arc::<FakeGit>::default(),
        clock: Arc::<FakeClock>::default(),
        tools: Arc::new(FakeTools::of(Vec::new())),
        history: Arc::<FakeHistory>::default(),
        shells: shells.clone(),
        installation: Arc::default(),
        profile: Arc::new(ProfileCx { name: ProfileName::default(), store: Arc::<FakeStore>::default() }),
        caller: Arc::default(),
        cancel: crate::ops::Cancel::default(),
    };
    (shells, Eyes::new(cx))
}

fn made(shells: &FakeShells, n: u8) -> ShellId {
    let id = ShellId::from_entropy([n; 16]);
    let at = FakeClock::default().now();
    let shell = Shell {
        schema_version: Shell::FORMAT,
        session_id: id.clone(),
        name: None,
        kind: "bash".to_owned(),
        command: Vec::new(),
        program: "/bin/bash".to_owned(),
        wrap: Vec::new(),
        status: ShellStatus::Active,
        once: false,
        owner: "user".to_owned(),
        work_dir: "/src".to_owned(),
        created_at: at,
        last_activity_at: at,
        ended_at: None,
        execution_count: 1,
        job_sequence: 1,
        first_job: 1,
        generation: 0,
        bytes: 0,
        limits: Limits::default(),
    };
    shells.create(&shell, &[]).unwrap();
    id
}

fn job(shell: &ShellId, status: JobStatus) -> Job {
    let id = JobId { shell: shell.clone(), seq: 1 };
    Job { status, ..Job::queued(id, b"make", "bash", FakeClock::default().now()) }
}

/// What was read since the last time.
fn reads(shells: &FakeShells) -> Vec<String> {
    std::mem::take(&mut shells.reads.lock().unwrap())
}

fn sees(rows: &[&ShellId], at: Option<&ShellId>) -> ShellsInView {
    ShellsInView { rows: rows.iter().copied().cloned().collect(), at: at.cloned() }
}

#[test]
fn out_of_sight_only_the_list_is_read_and_only_when_it_has_changed() {
    let (shells, mut eyes) = world();
    let api = made(&shells, 1);
    shells.put(job(&api, JobStatus::Running));
    assert_eq!(eyes.look().unwrap().shells.len(), 1);
    assert_eq!(reads(&shells), ["list"]);
    shells.put(job(&api, JobStatus::Completed));
    assert_eq!(eyes.look(), None);
    assert_eq!(reads(&shells), [""; 0]);
    made(&shells, 2);
    assert_eq!(eyes.look().unwrap().shells.len(), 2);
    assert_eq!(reads(&shells), ["list"]);
}

#[test]
fn in_sight_a_shell_is_read_when_it_has_changed_and_while_it_runs() {
    let (shells, mut eyes) = world();
    let (api, db) = (made(&shells, 1), made(&shells, 2));
    shells.put(job(&api, JobStatus::Running));
    shells.put(job(&db, JobStatus::Completed));
    eyes.view = sees(&[&api, &db], None);
    let seen = eyes.look().unwrap();
    let running = |id: &ShellId| seen.shells.iter().find(|s| s.shell.session_id == *id).unwrap().running;
    assert_eq!((running(&api), running(&db)), (1, 0));
    assert!(eyes.is_busy());
    reads(&shells);
    // What rests is not read again.
    assert_eq!(eyes.look(), None);
    let read = reads(&shells);
    assert!(read.iter().all(|what| what.contains(api.as_str())), "{read:?}");
    assert!(!read.is_empty());
    shells.put(job(&api, JobStatus::Failed));
    let seen = eyes.look().unwrap();
    assert!(seen.shells.iter().any(|s| s.job.as_ref().unwrap().status == JobStatus::Failed));
    assert!(!eyes.is_busy());
    reads(&shells);
    assert_eq!((eyes.look(), reads(&shells)), (None, Vec::new()));
}

#[test]
fn output_is_read_of_the_selected_shell_alone() {
    let (shells, mut eyes) = world();
    let (api, db) = (made(&shells, 1), made(&shells, 2));
    shells.put(job(&api, JobStatus::Completed));
    shells.put(job(&db, JobStatus::Completed));
    eyes.view = sees(&[&api, &db], Some(&db));
    assert_eq!(eyes.look().unwrap().tail.unwrap().job.session_id, db);
    eyes.view = sees(&[&api, &db], None);
    assert_eq!(eyes.look().unwrap().tail, None);
}

#[test]
fn a_shell_that_is_gone_is_not_shown() {
    let (shells, mut eyes) = world();
    let api = made(&shells, 1);
    eyes.view = sees(&[&api], Some(&api));
    eyes.look();
    shells.change(&api, &mut |shell| shell.end(FakeClock::default().now())).unwrap();
    assert_eq!(eyes.look().unwrap(), ShellsSeen::default());
}

#[test]
fn a_time_that_may_be_anothers_too_is_not_kept() {
    let now = SystemTime::now();
    assert_eq!(settled(Some(now)), None);
    assert_eq!(settled(Some(now + Duration::from_secs(60))), None);
    assert_eq!(settled(Some(SystemTime::UNIX_EPOCH)), Some(SystemTime::UNIX_EPOCH));
}
