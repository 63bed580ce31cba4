//! What is read of shells, and when.

use std::sync::Arc;

use super::*;
use crate::domain::shell::{JobId, JobStatus};
use crate::ports::Clock;
use crate::ports::fake::{FakeClock, FakeShells};
use crate::ports::shells::Shells;

/// Shells in memory, and eyes on them.
fn world() -> (Arc<FakeShells>, Eyes) {
    let shells = Arc::<FakeShells>::default();
    let cx = Cx { shells: shells.clone(), ..Cx::of_fakes() };
    (shells, Eyes::new(cx))
}

fn made(shells: &FakeShells, n: u8) -> ShellId {
    let shell = Shell::sample(n);
    let id = shell.session_id.clone();
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
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(60);
    let settled = |changed| settled(Some(changed), now).is_some();
    assert!(!settled(now + Duration::from_secs(60)));
    assert!(!settled(now) && !settled(now - SETTLED + Duration::from_millis(1)));
    assert!(settled(now - SETTLED) && settled(SystemTime::UNIX_EPOCH));
}
