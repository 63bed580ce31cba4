//! A profile's file under many writers, damage and lost permissions.

use super::*;
use crate::domain::id::SessionId;
use crate::domain::session::Session;

fn add(file: &ProfileFile, id: &str) {
    file.change(&mut |p| {
        p.sessions.push(Session::new(SessionId::new(id), id, Timestamp::UNIX_EPOCH));
        true
    })
    .unwrap();
}

fn ids(file: &ProfileFile) -> Vec<String> {
    file.load().unwrap().profile.sessions.iter().map(|s| s.id.to_string()).collect()
}

fn names(dir: &Path) -> Vec<String> {
    let mut all: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    all.sort();
    all
}

#[test]
fn reading_an_unknown_profile_makes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = ProfileFile::new(&dir.path().join("none"));
    assert!(!file.load().unwrap().exists);
    assert!(names(dir.path()).is_empty());
}

#[test]
fn many_writers_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = ProfileFile::new(dir.path());
    std::thread::scope(|scope| {
        for t in 0..8 {
            let file = &file;
            scope.spawn(move || (0..5).for_each(|n| add(file, &format!("{t}-{n}"))));
        }
    });
    assert_eq!(ids(&file).len(), 40);
    assert_eq!(file.load().unwrap().profile.revision, 40);
}

#[test]
fn a_refused_change_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = ProfileFile::new(dir.path());
    add(&file, "a");
    let before = file.stamp();
    file.change(&mut |p| {
        p.sessions.clear();
        false
    })
    .unwrap();
    assert_eq!(file.stamp(), before);
    assert_eq!(ids(&file), ["a"]);
}

#[test]
fn a_truncated_file_is_recovered_and_kept_aside() {
    let dir = tempfile::tempdir().unwrap();
    let file = ProfileFile::new(dir.path());
    let _ = ["a", "b", "c"].map(|id| add(&file, id));
    let whole = files::read(file.path(), files::MAX_BYTES).unwrap();
    let half = &whole[..whole.len() / 2];
    crate::sys::files::replace(file.path(), half, || Ok(())).unwrap();

    let loaded = file.load().unwrap();
    let report = loaded.recovered.unwrap();
    assert!(report.contains("sessions.json.bak") && report.contains("broken-"), "{report}");
    assert_eq!(loaded.profile.sessions.len(), 2, "the copy from before the last write");
    assert!(file.load().unwrap().recovered.is_none(), "recovered once");
    let aside = names(dir.path()).into_iter().find(|n| n.contains("broken")).unwrap();
    assert_eq!(files::read(&dir.path().join(aside), files::MAX_BYTES).unwrap(), half);
}

#[test]
fn a_file_that_lost_its_sessions_is_recovered_and_reported() {
    let dir = tempfile::tempdir().unwrap();
    let file = ProfileFile::new(dir.path());
    let _ = ["a", "b"].map(|id| add(&file, id));
    files::replace(file.path(), b"{}", || Ok(())).unwrap();
    let loaded = file.load().unwrap();
    assert!(loaded.recovered.unwrap().contains("it has no sessions"));
    assert_eq!(loaded.profile.sessions.len(), 1);
}

#[test]
fn a_profile_of_a_newer_deck_hides_no_other_one() {
    let dir = tempfile::tempdir().unwrap();
    let [own, other, later] = ["own", "other", "later"].map(|n| ProfileFile::new(&dir.path().join(n)));
    add(&own, "a");
    add(&other, "b");
    files::make_dir(&dir.path().join("later")).unwrap();
    files::replace(later.path(), br#"{"schema_version": 9}"#, || Ok(())).unwrap();
    let others = own.others().unwrap();
    assert_eq!(others.iter().map(|p| p.sessions.len()).collect::<Vec<_>>(), [1]);
}

#[test]
fn every_copy_down_the_chain_is_tried() {
    let dir = tempfile::tempdir().unwrap();
    let file = ProfileFile::new(dir.path());
    let _ = ["a", "b", "c", "d"].map(|id| add(&file, id));
    let replace = |name: &str| files::replace(&dir.path().join(name), b"{", || Ok(())).unwrap();
    replace("sessions.json");
    replace("sessions.json.bak");
    replace("sessions.json.bak.1");
    assert_eq!(ids(&file), ["a"], "from .bak.2");

    std::fs::remove_file(dir.path().join("sessions.json")).unwrap();
    replace("sessions.json.bak");
    replace("sessions.json.bak.1");
    assert_eq!(ids(&file), ["a"], "a missing file with backups is not an empty profile");

    replace("sessions.json");
    replace("sessions.json.bak.2");
    assert_eq!(ids(&file), ["a"], "from the copy of the day");
}

#[test]
fn a_newer_file_is_never_rewritten() {
    let dir = tempfile::tempdir().unwrap();
    let file = ProfileFile::new(dir.path());
    files::replace(file.path(), br#"{"schema_version": 9, "sessions": {}}"#, || Ok(())).unwrap();
    let before = files::read(file.path(), files::MAX_BYTES).unwrap();
    assert!(matches!(file.load(), Err(StoreError::Newer { found: 9, .. })));
    assert!(matches!(file.change(&mut |_| true), Err(StoreError::Newer { .. })));
    assert_eq!(files::read(file.path(), files::MAX_BYTES).unwrap(), before);
}

#[test]
fn files_are_for_their_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let file = ProfileFile::new(&dir.path().join("p/work"));
    add(&file, "a");
    let mode = |p: &Path| p.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(file.path()), 0o600);
    assert_eq!(mode(&dir.path().join("p")), 0o700);
}

#[test]
fn an_unreadable_file_is_an_error_not_an_empty_profile() {
    let dir = tempfile::tempdir().unwrap();
    let file = ProfileFile::new(dir.path());
    // A folder in the file's place can't be read, also not by root.
    std::fs::create_dir(file.path()).unwrap();
    let Err(StoreError::Io { action: "read", path, .. }) = file.load() else { panic!() };
    assert_eq!(path, file.path());
}
