//! The panel with what changed in a session's folder.

use super::*;
use crate::domain::diff::{Base, Change, Diff, FileDiff, new_file, parse_patch};
use crate::domain::worktree::WorktreeState;
use crate::ops::Unsent;
use crate::ports::git::Lines;

const PATCH: &[u8] = include_bytes!("../../../../tests/fixtures/git/changes.patch");

fn diff() -> Diff {
    let mut files = parse_patch(PATCH, false);
    files.push(new_file(
        "notes.md".into(),
        "100644",
        "# \u{1b}[31mNotes\u{7}\n\n\tindented \u{202e}x\n".as_bytes(),
    ));
    files.push(FileDiff::named("zz/large.bin".into(), Change::Untracked));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let state = WorktreeState {
        branch: Some("feat/\u{1b}[31mlogin".into()),
        commit: Some("c".into()),
        ..WorktreeState::default()
    };
    Diff { base: Base { name: "HEAD".into(), commit: Some("c".into()) }, state, files, is_cut: false }
}

/// The number of the answer that is awaited.
fn asked(effects: &[Effect]) -> u64 {
    let found =
        effects.iter().find_map(|e| if let Effect::Diff(_, number, ..) = e { Some(*number) } else { None });
    found.unwrap_or_else(|| panic!("{effects:?}"))
}

fn answer(m: &mut Model, number: u64, result: Result<Diff, String>) -> Vec<Effect> {
    let id = m.selected().unwrap().clone();
    update(m, Msg::Done(Done::Diff(id, number, Box::new(result))))
}

fn open(size: (u16, u16)) -> Model {
    let mut m = model(FULL, size);
    let number = asked(&press(&mut m, "D"));
    answer(&mut m, number, Ok(diff()));
    m
}

#[test]
fn ctrl_c_leaves_a_comment_then_the_panel() {
    let mut m = open((120, 36));
    press(&mut m, "tab tab tab tab tab n j j c x");
    assert!(m.diff().is_some_and(|p| p.writing.is_some()));
    for writes in [false, true] {
        let effects = press(&mut m, "ctrl-c");
        assert_eq!((m.diff().is_some(), effects.contains(&Effect::Quit)), (!writes, false));
    }
}

#[test]
fn the_panel_at_three_sizes() {
    for size in [(80, 24), (120, 36), (200, 50)] {
        let name = |what: &str| format!("{what}-{}x{}", size.0, size.1);
        let mut m = open(size);
        press(&mut m, "tab tab tab tab tab");
        insta::assert_snapshot!(name("diff"), shown(&m));
        press(&mut m, "n j j j c w h y space ? enter k c o l d enter");
        insta::assert_snapshot!(name("commented"), shown(&m));
        press(&mut m, "c");
        insta::assert_snapshot!(name("writing"), shown(&m));
        press(&mut m, "esc enter");
        insta::assert_snapshot!(name("sending"), shown(&m));
    }
    let mut m = open((200, 50));
    press(&mut m, "tab tab tab tab tab s n");
    insta::assert_snapshot!("side-by-side-200x50", shown(&m));
    let mut m = open((80, 24));
    press(&mut m, "tab tab tab tab tab tab tab tab tab");
    insta::assert_snapshot!("hostile-80x24", shown(&m));
    press(&mut m, "?");
    insta::assert_snapshot!("keys-80x24", shown(&m));
    insta::assert_snapshot!("small-44x12", shown(&open((44, 12))));
}

#[test]
fn what_each_part_means() {
    let m = open((80, 24));
    insta::assert_snapshot!(with_roles(&m));
}

#[test]
fn what_there_is_to_say_without_lines() {
    let mut m = model(FULL, (80, 24));
    let number = asked(&press(&mut m, "D"));
    assert!(shown(&m).contains("reading…"));
    answer(&mut m, number, Err("/a/b is not in a git repository (`git init` makes one)".into()));
    assert!(shown(&m).contains("/a/b is not in a git repository"), "{}", shown(&m));
    let number = asked(&press(&mut m, "b"));
    let clean = Diff { files: Vec::new(), ..diff() };
    answer(&mut m, number, Ok(clean.clone()));
    assert!(shown(&m).contains("no changes compared with HEAD"), "{}", shown(&m));
    let number = asked(&press(&mut m, "b"));
    let first = Diff { state: WorktreeState::default(), ..clean };
    answer(&mut m, number, Ok(first));
    assert!(shown(&m).contains("no commit yet, and no files"), "{}", shown(&m));
    // Every key finds nothing to do.
    for key in "tab backtab n N j k g G h l c enter s y space pageup r".split(' ') {
        press(&mut m, key);
        press(&mut m, "esc");
        press(&mut m, "D");
    }
}

#[test]
fn late_answers_are_dropped_and_the_place_is_kept() {
    let mut m = open((120, 36));
    let id = m.selected().unwrap().clone();
    press(&mut m, "tab tab tab tab tab n j j");
    let before = shown(&m);
    // The agent has moved on: the same lines elsewhere, and a new file before them.
    assert_eq!(update(&mut m, Msg::Changes(id.clone(), Some((1, 1)))), [], "what was read first is no news");
    let number = asked(&update(&mut m, Msg::Changes(id.clone(), Some((1, 2)))));
    assert_eq!(update(&mut m, Msg::Changes(id.clone(), Some((1, 2)))), [], "one at a time");
    let old = answer(&mut m, number - 1, Err("an old answer".into()));
    assert_eq!((old, shown(&m).contains("an old answer")), (Vec::new(), false));
    let mut moved = diff();
    moved.files.insert(0, new_file("aaa".into(), "100644", b"1\n"));
    let again = answer(&mut m, number, Ok(moved.clone()));
    let again = asked(&again);
    answer(&mut m, again, Ok(moved));
    let line = |text: &str| text.lines().find(|l| l.contains("▌ 28")).map(str::to_owned);
    assert!(line(&before).is_some(), "{before}");
    assert_eq!(line(&shown(&m)), line(&before), "{}", shown(&m));
    // Another session's answer, and one after the panel was closed.
    let number = asked(&press(&mut m, "r"));
    let other = SessionId::new("id-billing");
    update(&mut m, Msg::Done(Done::Diff(other, number, Box::new(Err("another's".into())))));
    assert!(!shown(&m).contains("another's"));
    assert!(press(&mut m, "esc").contains(&Effect::StopDiff));
    answer(&mut m, number, Err("too late".into()));
    assert!(!shown(&m).contains("too late") && m.diff().is_none());
    // Another row closes it.
    press(&mut m, "D");
    let other = m.profile.snapshot.profile.sessions.iter().find(|s| s.id != id).unwrap().id.clone();
    m.view.cursor = Some(crate::domain::tree::RowKey::Session(other));
    assert!(update(&mut m, Msg::Focus(true)).contains(&Effect::StopDiff));
    assert!(m.diff().is_none());
}

#[test]
fn comments_go_to_the_agent_as_one_message() {
    let mut m = open((120, 36));
    let id = m.selected().unwrap().clone();
    press(&mut m, "tab tab tab tab tab n j j c w h y enter tab");
    assert!(shown(&m).contains("1 comment"), "{}", shown(&m));
    // They stay while deck is open.
    press(&mut m, "esc");
    let number = asked(&press(&mut m, "D"));
    answer(&mut m, number, Ok(diff()));
    press(&mut m, "j c o k enter");
    let effects = press(&mut m, "enter enter");
    let text = "Comments on your changes:\n\nadded:1\n> added\nok\n\nmodified.rs:28\n> fn line_28\nwhy";
    assert_eq!(
        effects.first(),
        Some(&Effect::Send(id.clone(), text.to_owned(), Unsent::Refuse)),
        "{effects:?}"
    );
    assert_eq!(m.comments(&id), []);
    assert!(!shown(&m).contains("2 comments"), "{}", shown(&m));
    // One that can't be sent becomes a draft, as any message does.
    update(&mut m, Msg::Done(Done::NotSent(id.clone(), text.to_owned(), "it asks".into())));
    press(&mut m, "esc s");
    assert!(shown(&m).contains("modified.rs:28"), "{}", shown(&m));
    // An emptied one is gone.
    press(&mut m, "ctrl-u esc D");
    let number = m.view.diffs;
    answer(&mut m, number, Ok(diff()));
    press(&mut m, "j c x enter c backspace enter");
    assert_eq!(m.comments(&id), []);
}

#[test]
fn lines_that_were_too_many_are_read_when_their_file_is_chosen() {
    let mut m = open((80, 24));
    let id = m.selected().unwrap().clone();
    let files = m.diff().unwrap().files();
    let at = files.iter().position(|f| f.path == "zz/large.bin").unwrap();
    let effects = press(&mut m, "tab ".repeat(at).trim());
    let number = m.view.diffs;
    let want = Effect::Diff(id, number, Default::default(), Lines::Of("zz/large.bin".into()));
    assert!(effects.contains(&want), "{effects:?}");
    let mut read = diff();
    read.files[at] = new_file("zz/large.bin".into(), "100644", b"now it is\n");
    assert_eq!(answer(&mut m, number, Ok(read)), []);
    assert!(shown(&m).contains("+now it is"), "{}", shown(&m));
}

#[test]
fn the_mouse_chooses_files_and_lines() {
    let mut m = open((120, 36));
    let text = shown(&m);
    let row = |text: &str, words: &str| text.lines().position(|l| l.contains(words)).unwrap() as u16;
    let mouse = |m: &mut Model, kind, row| update(m, Msg::Mouse(Mouse { kind, column: 80, row }));
    mouse(&mut m, MouseKind::Press, row(&text, "crlf.txt"));
    let text = shown(&m);
    assert!(text.contains("-crlf␍") && text.contains("+crlf"), "{text}");
    mouse(&mut m, MouseKind::Press, row(&text, "+crlf"));
    press(&mut m, "c x enter");
    assert!(shown(&m).contains("1 comment"));
    mouse(&mut m, MouseKind::WheelUp, 20);
    assert!(m.diff().is_some(), "the wheel scrolls here");
    mouse(&mut m, MouseKind::WheelDown, 20);
    // A press in the list goes there.
    update(&mut m, Msg::Mouse(Mouse { kind: MouseKind::Press, column: 5, row: 4 }));
    update(&mut m, Msg::Mouse(Mouse { kind: MouseKind::Release, column: 5, row: 4 }));
    assert!(m.diff().is_none());
}

#[test]
fn the_heading_has_the_numbers() {
    let mut m = model(FULL, (120, 36));
    let id = m.selected().unwrap().clone();
    update(&mut m, Msg::Changes(id.clone(), Some((14, 2))));
    press(&mut m, "j");
    update(&mut m, Msg::Changes(SessionId::new("id-billing"), Some((14, 2))));
    assert!(shown(&m).contains("login ↑2 · +14 −2 · 43 % context"), "{}", shown(&m));
    update(&mut m, Msg::Changes(SessionId::new("id-billing"), None));
    assert!(!shown(&m).contains("+14"), "{}", shown(&m));
}

#[test]
fn any_keys_in_the_panel() {
    let keys = "tab backtab up down left right n N j k g G h l c s b y r q D esc enter space pageup pagedown ctrl-d ctrl-u \
                home end ? a x backspace 日";
    let keys: Vec<Key> = keys.split_whitespace().map(|k| Key::parse(k).unwrap()).collect();
    let sizes = [(40, 10), (80, 24), (44, 12), (200, 50), (60, 18), (100, 10), (140, 11)];
    let mut seed = 3u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % n
    };
    for _ in 0..30 {
        let mut m = open((120, 36));
        for _ in 0..120 {
            let effects = match random(12) {
                0 => {
                    let (width, height) = sizes[random(sizes.len())];
                    update(&mut m, Msg::Resize(width, height))
                }
                1 => {
                    let kind = [MouseKind::Press, MouseKind::WheelUp, MouseKind::WheelDown][random(3)];
                    let (column, row) = (random(200) as u16, random(50) as u16);
                    update(&mut m, Msg::Mouse(Mouse { kind, column, row }))
                }
                2 => update(&mut m, Msg::Paste("a\n\u{1b}[31m日本\t".into())),
                _ => update(&mut m, Msg::Key(keys[random(keys.len())])),
            };
            for effect in effects {
                if let Effect::Diff(id, number, ..) = effect {
                    let mut diff = diff();
                    diff.files.truncate(random(20));
                    let result = if random(9) == 0 { Err("no".into()) } else { Ok(diff) };
                    update(&mut m, Msg::Done(Done::Diff(id, number, Box::new(result))));
                }
            }
            shown(&m);
        }
    }
}

#[test]
fn a_comment_may_have_several_lines() {
    for size in [(120, 36), (44, 12)] {
        let mut m = open(size);
        press(&mut m, "tab tab tab tab tab n j j j c w h y space ? alt-enter ctrl-j n o t space 2");
        insta::assert_snapshot!(format!("writing-lines-{}x{}", size.0, size.1), shown(&m));
        press(&mut m, "up up end backspace ! enter");
        insta::assert_snapshot!(format!("lines-{}x{}", size.0, size.1), shown(&m));
        // Each of its rows is the comment.
        press(&mut m, "j j c");
        update(&mut m, Msg::Paste("\nand\u{7}\rthree".into()));
        press(&mut m, "enter enter");
        let effects = press(&mut m, "enter");
        let Some(Effect::Send(_, text, _)) = effects.first() else { panic!("{effects:?}") };
        assert!(text.ends_with("\nwhy !\n\nnot 2\nand\nthree"), "{text}");
    }
}

#[test]
fn the_keys_of_the_panel_are_the_users() {
    let own = |id: &str, keys: &[&str]| (id.to_owned(), keys.iter().map(|k| (*k).to_owned()).collect());
    let mut m = open((120, 36));
    let (map, problems) = crate::app::Keymap::with(&[
        own("diff-next-file", &["]"]),
        own("diff-base", &["g b"]),
        own("diff-first", &["g g"]),
        own("diff-comment", &["x"]),
        own("diff-refresh", &[]),
        own("stop", &["f9"]),
    ]);
    assert_eq!(problems, []);
    m.app.keymap = Arc::new(map);
    let file = |m: &Model| m.diff().unwrap().file;
    press(&mut m, "]");
    assert_eq!(file(&m), 1);
    press(&mut m, "tab");
    assert_eq!(file(&m), 1, "it isn't bound any more");
    assert!(
        shown(&m).contains("tab is not bound in the diff; ? shows its keys, esc closes it"),
        "{}",
        shown(&m)
    );
    press(&mut m, "g");
    let line = |m: &Model| shown(m).lines().last().unwrap().to_owned();
    assert!(line(&m).contains("b base") && line(&m).contains("g first"), "{}", line(&m));
    assert!(matches!(press(&mut m, "b")[..], [Effect::Diff(..)]));
    assert!(line(&m).contains("] next file") && !line(&m).contains("refresh"), "{}", line(&m));
    press(&mut m, "n j x");
    assert!(m.diff().unwrap().writing.is_some());
    // A click on what the footer shows runs it, however many keys that takes.
    press(&mut m, "esc");
    let before = file(&m);
    let at = line(&m).chars().position(|c| c == ']').unwrap() - 1;
    update(&mut m, Msg::Mouse(Mouse { kind: MouseKind::Press, column: at.try_into().unwrap(), row: 35 }));
    assert_eq!(file(&m), before + 1);
    press(&mut m, "?");
    assert!(shown(&m).contains("g b") && !shown(&m).contains("Read the changes again"), "{}", shown(&m));
}

#[test]
fn help_lists_the_keys_of_the_panel_too() {
    let mut m = model(FULL, (100, 30));
    press(&mut m, "? h u n k");
    assert!(shown(&m).contains("In the diff"), "{}", shown(&m));
    press(&mut m, "enter");
    assert!(shown(&m).contains("unavailable: open the diff first"), "{}", shown(&m));
}
