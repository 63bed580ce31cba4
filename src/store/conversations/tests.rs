//! What is on disk after any write that a process was killed at, and with many at once.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Map;

use super::disk::fault;
use super::*;
use crate::domain::talk::{CompactionInfo, Lease, Message, Pin, Speaker, Subject};

/// Before a process is killed, and when another one comes.
const BEFORE: &str = "2026-01-01T00:00:00.000Z";
const AFTER: &str = "2026-01-02T00:00:00.000Z";

fn message(id: &str) -> Message {
    Message {
        id: id.to_owned(),
        speaker: Speaker::User,
        content: format!("words of {id}"),
        timestamp: BEFORE.to_owned(),
        metadata: None,
        other: Map::new(),
    }
}

fn added(id: &str) -> Event {
    Event::MessageAdded { message: message(id), tokens: 4, known: false }
}

fn new() -> NewTalk {
    let state = State::new(Subject::new("pm", "f", None, None).unwrap(), BEFORE);
    NewTalk { state, checkpoint: Checkpoint::default(), files: Vec::new(), messages: Vec::new() }
}

fn id() -> TalkId {
    new().state.id
}

/// What is done to a conversation.
#[derive(Debug, Clone, Copy)]
enum Act {
    Add,
    Pin,
    /// Compacts all but the last message.
    Compact,
    Clear,
    Undo,
}

/// Does it; the id of a message that is confirmed, if it added one.
fn act(files: &ConversationFiles, root: &Path, act: Act, number: usize, at: &str) -> Done<Option<String>> {
    let id = id();
    match act {
        Act::Add => {
            let name = format!("m{number}");
            files.change(root, &id, at, &mut |_| vec![added(&name)])?;
            Ok(Some(name))
        }
        Act::Pin => {
            let mut pin = |state: &State| {
                let pin = Pin { number: state.last_pin + 1, text: format!("p{number}"), message: None };
                vec![Event::Pinned { pin }]
            };
            files.change(root, &id, at, &mut pin).map(|_| None)
        }
        Act::Compact => {
            let all = files.messages(root, &id, &Page { limit: usize::MAX, before: None, archive: false })?;
            let Some(upto) = all.len().checked_sub(2).and_then(|at| all.get(at)).map(|m| m.seq) else {
                return Ok(None);
            };
            let attempt = format!("a{number}");
            let until = at.replace("T00:00", "T00:02");
            let own = i32::try_from(std::process::id()).unwrap();
            let started = crate::sys::process::stat(own).unwrap().start;
            let lease = Lease { attempt: attempt.clone(), upto, pid: own, started, until };
            files.change(root, &id, at, &mut |_| vec![Event::CompactionStart(lease.clone())])?;
            let mut checkpoint = files.checkpoint(root, &id, None)?.unwrap();
            checkpoint.summary.completed.push(format!("c{number}"));
            checkpoint.compaction_info = CompactionInfo::default();
            let new = NewCheckpoint { attempt, upto, checkpoint, tokens: 9 };
            files.compact(root, &id, &new, at).map(|_| None)
        }
        Act::Clear => files.clear(root, &id, at).map(|_| None),
        Act::Undo => match files.undo_compaction(root, &id, at) {
            Err(ConversationsError::NothingToUndo { .. }) => Ok(None),
            other => other.map(|_| None),
        },
    }
}

/// Everything that must hold at any time.
fn check(files: &ConversationFiles, root: &Path, confirmed: &[String], lost: &BTreeSet<String>) {
    let id = id();
    let whole = Page { limit: usize::MAX, before: None, archive: true };
    let all = files.messages(root, &id, &whole).unwrap();
    let names: Vec<&String> = all.iter().map(|m| &m.message.id).collect();
    let sure: Vec<&String> = names.iter().copied().filter(|name| !lost.contains(*name)).collect();
    assert_eq!(
        sure,
        confirmed.iter().collect::<Vec<_>>(),
        "each that was confirmed is there, once, in order"
    );
    assert!(names.iter().collect::<BTreeSet<_>>().len() == names.len(), "{names:?}");
    assert!(all.windows(2).all(|pair| pair[0].seq < pair[1].seq));
    let talk = files.read(root, &id).unwrap().unwrap();
    let live = files.messages(root, &id, &Page { archive: false, ..whole }).unwrap();
    assert_eq!(talk.state.messages, live.len() as u64, "{:?}", talk.state);
    assert_eq!(talk.state.tokens, 4 * live.len() as u64);
    let checkpoint = files.checkpoint(root, &id, None).unwrap().unwrap();
    assert_eq!(checkpoint.version, talk.state.version, "the one that the log says");
    let records = files.records(root, &id, 0).unwrap();
    assert_eq!(records.first().map(|r| r.seq), Some(1));
    assert_eq!(records.last().map(|r| r.seq), Some(talk.state.seq));
    assert!(
        records.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq),
        "no number is missing or there twice"
    );
}

/// Does it all, killed at one of the writes; returns how many writes there were.
fn run(acts: &[Act], kill: Option<(u32, bool)>) -> u32 {
    let root = tempfile::tempdir().unwrap();
    let files = ConversationFiles::default();
    files.open(root.path(), &new(), BEFORE).unwrap();
    fault::writes();
    if let Some((at, half)) = kill {
        fault::kill_at(at, half);
    }
    let (mut confirmed, mut lost, mut now) = (Vec::new(), BTreeSet::new(), BEFORE);
    for (number, one) in acts.iter().enumerate() {
        match act(&files, root.path(), *one, number, now) {
            Ok(name) => confirmed.extend(name),
            Err(error) => {
                assert!(kill.is_some() && now == BEFORE, "{error:?}");
                fault::revive();
                now = AFTER;
                if matches!(one, Act::Add) {
                    lost.insert(format!("m{number}"));
                }
                // A reader comes before anybody that would finish it.
                check(&files, root.path(), &confirmed, &lost);
            }
        }
    }
    let writes = fault::writes();
    fault::revive();
    check(&files, root.path(), &confirmed, &lost);
    files.open(root.path(), &new(), AFTER).unwrap();
    check(&files, root.path(), &confirmed, &lost);
    writes
}

#[test]
fn killed_at_each_of_its_writes_a_compaction_loses_nothing() {
    let acts = [
        Act::Add,
        Act::Add,
        Act::Pin,
        Act::Add,
        Act::Compact,
        Act::Add,
        Act::Compact,
        Act::Undo,
        Act::Add,
        Act::Compact,
        Act::Undo,
        Act::Undo,
        Act::Clear,
        Act::Add,
        Act::Add,
        Act::Compact,
        Act::Undo,
    ];
    let writes = run(&acts, None);
    assert!(writes > 40, "{writes}");
    for at in 0..writes {
        for half in [false, true] {
            run(&acts, Some((at, half)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_and_wherever_it_is_killed(
        acts in proptest::collection::vec(
            prop_oneof![6 => Just(Act::Add), 1 => Just(Act::Pin), 3 => Just(Act::Compact), 1 => Just(Act::Clear), 2 => Just(Act::Undo)],
            1..24,
        ),
        at in 0_u32..80,
        half in any::<bool>(),
    ) {
        run(&acts, Some((at, half)));
    }
}

#[test]
fn many_that_add_and_open_at_once_make_one_conversation() {
    let root = tempfile::tempdir().unwrap();
    let made: Vec<bool> = std::thread::scope(|scope| {
        let one = |_| {
            scope.spawn(|| {
                let files = ConversationFiles::default();
                files.open(root.path(), &new(), BEFORE).unwrap().1
            })
        };
        let all: Vec<_> = (0..20).map(one).collect();
        all.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(made.iter().filter(|is_new| **is_new).count(), 1);
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let root = root.path();
            scope.spawn(move || {
                let files = ConversationFiles::default();
                for n in 0..25 {
                    let name = format!("w{writer}-{n}");
                    files.change(root, &id(), BEFORE, &mut |_| vec![added(&name)]).unwrap();
                }
            });
        }
    });
    let files = ConversationFiles::default();
    let page = Page { limit: usize::MAX, before: None, archive: false };
    let all = files.messages(root.path(), &id(), &page).unwrap();
    assert_eq!(all.iter().map(|m| m.seq).collect::<Vec<_>>(), (2..202).collect::<Vec<_>>());
    for writer in 0..8 {
        let own: Vec<_> = all.iter().filter(|m| m.message.id.starts_with(&format!("w{writer}-"))).collect();
        let want: Vec<String> = (0..25).map(|n| format!("w{writer}-{n}")).collect();
        assert_eq!(own.iter().map(|m| m.message.id.clone()).collect::<Vec<_>>(), want, "in its own order");
    }
}

#[test]
fn a_log_that_was_cut_anywhere_is_read_as_far_as_it_is_whole() {
    let root = tempfile::tempdir().unwrap();
    let files = ConversationFiles::default();
    files.open(root.path(), &new(), BEFORE).unwrap();
    for name in ["a", "b", "c"] {
        files.change(root.path(), &id(), BEFORE, &mut |_| vec![added(name)]).unwrap();
    }
    let folder = Folder::of(root.path()).unwrap();
    let whole = files::read(&folder.log(&id()), files::MAX_BYTES).unwrap();
    let first = whole.iter().position(|b| *b == b'\n').unwrap() + 1;
    let page = Page { limit: usize::MAX, before: None, archive: false };
    for len in first..=whole.len() {
        std::fs::remove_file(folder.log(&id())).unwrap();
        files::create_new(&folder.log(&id()), &whole[..len], 0o600).unwrap();
        let lines = whole[..len].iter().filter(|b| **b == b'\n').count();
        // What is whole but for its newline counts as well, once somebody may complete it.
        let is_whole_line = whole.get(len) == Some(&b'\n');
        let want = lines - 1 + usize::from(is_whole_line);
        let state = files.change(root.path(), &id(), AFTER, &mut |_| vec![added("new")]).unwrap();
        assert_eq!(state.messages, want as u64 + 1, "{len}");
        let names: Vec<String> =
            files.messages(root.path(), &id(), &page).unwrap().into_iter().map(|m| m.message.id).collect();
        assert_eq!(names, [&["a", "b", "c"][..want], &["new"]].concat(), "{len}");
    }
}

#[test]
fn a_line_that_is_no_record_is_passed_over_and_named() {
    let root = tempfile::tempdir().unwrap();
    let files = ConversationFiles::default();
    files.open(root.path(), &new(), BEFORE).unwrap();
    let add = |name: &str| files.change(root.path(), &id(), BEFORE, &mut |_| vec![added(name)]).unwrap();
    add("a");
    let folder = Folder::of(root.path()).unwrap();
    files::append(&folder.log(&id()), b"{\"seq\":3,\"event\":\"dreamt\"}\nnoise\n").unwrap();
    add("b");
    let talk = files.read(root.path(), &id()).unwrap().unwrap();
    assert_eq!(talk.state.messages, 2);
    assert_eq!(talk.problems.len(), 2, "{:?}", talk.problems);
    assert!(talk.problems[0].starts_with("line 3 of chat_pm-feature-f.jsonl"), "{:?}", talk.problems);
    assert!(talk.problems[0].contains("\"dreamt\""), "{:?}", talk.problems);
    // They are kept, also when the log is replaced.
    act(&files, root.path(), Act::Compact, 1, BEFORE).unwrap();
    let archive = files::read_text(&folder.archive(&id()), files::MAX_BYTES).unwrap();
    assert!(
        archive.contains("noise")
            || files::read_text(&folder.log(&id()), files::MAX_BYTES).unwrap().contains("noise")
    );
}

#[test]
fn what_the_log_comes_to_is_made_again_when_it_is_missing_or_behind() {
    let root = tempfile::tempdir().unwrap();
    let files = ConversationFiles::default();
    files.open(root.path(), &new(), BEFORE).unwrap();
    for (number, one) in [Act::Add, Act::Add, Act::Add, Act::Compact, Act::Add].iter().enumerate() {
        act(&files, root.path(), *one, number, BEFORE).unwrap();
    }
    let folder = Folder::of(root.path()).unwrap();
    let state = files.read(root.path(), &id()).unwrap().unwrap().state;
    let text = files::read_text(&folder.session(&id()), files::MAX_BYTES).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&value["id"], &value["stats"]["totalMessages"]), (&"pm-feature-f".into(), &4.into()));
    let again = || {
        let mut state = files.read(root.path(), &id()).unwrap().unwrap().state;
        // How many were compacted is known only where they were.
        state.compactions.messages = 0;
        state
    };
    let want = State {
        compactions: crate::domain::talk::Compactions { messages: 0, ..state.compactions.clone() },
        ..state
    };
    for broken in ["", "{", "{\"id\":\"pm-feature-f\"}"] {
        files::replace_unsynced(&folder.session(&id()), broken.as_bytes()).unwrap();
        assert_eq!(again(), want, "{broken:?}");
    }
    std::fs::remove_file(folder.session(&id())).unwrap();
    assert_eq!(again(), want);
    // An older one than the log.
    files::replace_unsynced(&folder.session(&id()), text.as_bytes()).unwrap();
    let line = log::line(&Record { seq: want.seq + 1, at: AFTER.into(), event: Event::Archived });
    files::append(&folder.log(&id()), &line).unwrap();
    assert_eq!(again().status, crate::domain::talk::TalkStatus::Archived);
}

#[test]
fn links_and_what_others_may_write_are_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let files = ConversationFiles::default();
    let refused = |root: &Path| match files.open(root, &new(), BEFORE) {
        Err(ConversationsError::Unsafe { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    std::os::unix::fs::symlink(other.path(), root.path().join(".deck")).unwrap();
    assert_eq!(refused(root.path()), "it is a symbolic link");
    std::fs::remove_file(root.path().join(".deck")).unwrap();
    files.open(root.path(), &new(), BEFORE).unwrap();
    let dir = root.path().join(".deck/conversations");
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(refused(root.path()).starts_with("other users may write it"));
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o700)).unwrap();
    let log = Folder::of(root.path()).unwrap().log(&id());
    std::fs::rename(&log, other.path().join("log")).unwrap();
    std::os::unix::fs::symlink(other.path().join("log"), &log).unwrap();
    assert_eq!(refused(root.path()), "it is a symbolic link");
    assert_eq!(std::fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn the_log_of_a_newer_deck_is_only_read() {
    let root = tempfile::tempdir().unwrap();
    let files = ConversationFiles::default();
    files.open(root.path(), &new(), BEFORE).unwrap();
    let log = Folder::of(root.path()).unwrap().log(&id());
    let text = files::read_text(&log, files::MAX_BYTES).unwrap().replace("\"log\":1", "\"log\":2");
    files::replace_unsynced(&log, text.as_bytes()).unwrap();
    let add = files.change(root.path(), &id(), BEFORE, &mut |_| vec![added("a")]);
    assert!(matches!(add, Err(ConversationsError::Newer { found: 2, .. })), "{add:?}");
    assert!(files.read(root.path(), &id()).unwrap().is_some());
    assert!(!files.open(root.path(), &new(), BEFORE).unwrap().1);
    assert_eq!(files::read_text(&log, files::MAX_BYTES).unwrap(), text);
}

#[test]
fn what_was_removed_comes_back_and_goes_for_good_after_a_week() {
    let root = tempfile::tempdir().unwrap();
    let files = ConversationFiles::default();
    files.open(root.path(), &new(), BEFORE).unwrap();
    act(&files, root.path(), Act::Add, 0, BEFORE).unwrap();
    let before = files.read(root.path(), &id()).unwrap();
    files.remove(root.path(), &id(), BEFORE).unwrap();
    assert_eq!(files.ids(root.path()).unwrap(), []);
    assert_eq!(files.restore(root.path(), &id()).unwrap(), before.unwrap());
    assert!(matches!(files.restore(root.path(), &id()), Err(ConversationsError::NothingToUndo { .. })));
    files.remove(root.path(), &id(), BEFORE).unwrap();
    let trash = Folder::of(root.path()).unwrap().trash();
    assert_eq!(std::fs::read_dir(&trash).unwrap().count(), 1);
    // Another one that is removed much later takes the old one along.
    files.open(root.path(), &new(), BEFORE).unwrap();
    files.remove(root.path(), &id(), "2126-01-01T00:00:00.000Z").unwrap();
    assert!(matches!(files.restore(root.path(), &id()), Err(ConversationsError::Missing { .. })));
}
