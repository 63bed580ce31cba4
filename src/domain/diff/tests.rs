//! What git prints, recorded from git 2.47, and what it could print at its worst.

use proptest::prelude::*;

use super::*;

const CHANGES: &[u8] = include_bytes!("../../../tests/fixtures/git/changes.patch");
const CHANGES_LIST: &[u8] = include_bytes!("../../../tests/fixtures/git/changes.list");
const CONFLICT: &[u8] = include_bytes!("../../../tests/fixtures/git/conflict.patch");
const CONFLICT_LIST: &[u8] = include_bytes!("../../../tests/fixtures/git/conflict.list");

/// A file in short: what happened to it, numbers, notes, lines.
fn words(file: &FileDiff) -> String {
    let counts = file.counts.map_or_else(|| "-".to_owned(), |(a, r)| format!("+{a} -{r}"));
    let mut out =
        format!("{:?} {:?} {counts} {:?}{}\n", file.change, file.path, file.notes(), cut(file.is_cut));
    let hunks = match &file.content {
        Content::Text(hunks) => hunks.as_slice(),
        _ => &[],
    };
    for hunk in hunks {
        out.push_str(&format!("  {:?} {:?} {:?}\n", hunk.old, hunk.new, hunk.section));
        for line in &hunk.lines {
            let number = |n: Option<u32>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
            let end = if line.ends { "" } else { " (no end)" };
            let sign = match line.sign {
                Sign::Same => ' ',
                Sign::Added => '+',
                Sign::Removed => '-',
            };
            out.push_str(&format!(
                "    {:>3} {:>3} {sign}{:?}{end}\n",
                number(line.old),
                number(line.new),
                line.text
            ));
        }
    }
    out
}

fn cut(is_cut: bool) -> &'static str {
    if is_cut { " cut" } else { "" }
}

fn all(files: &[FileDiff]) -> String {
    files.iter().map(words).collect()
}

#[test]
fn every_kind_of_change_as_git_prints_it() {
    insta::assert_snapshot!(all(&parse_patch(CHANGES, false)));
}

#[test]
fn the_list_agrees_with_the_lines() {
    let listed = parse_files(CHANGES_LIST);
    let read = parse_patch(CHANGES, false);
    let short = |f: &FileDiff| (f.path.clone(), f.old_path.clone(), f.change, f.counts);
    assert_eq!(
        listed.iter().map(short).collect::<Vec<_>>(),
        read.iter().map(short).collect::<Vec<_>>(),
        "names and numbers are the same in both"
    );
}

#[test]
fn a_merge_that_is_in_conflict() {
    insta::assert_snapshot!(all(&parse_patch(CONFLICT, false)));
    let files = parse_files(CONFLICT_LIST);
    let files: Vec<_> = files.iter().map(|f| (f.path.as_str(), f.change)).collect();
    assert_eq!(files, [("both", Change::Conflicted)]);
}

#[test]
fn a_patch_without_its_end_says_so() {
    let whole = CHANGES;
    for end in 0..whole.len() {
        let files = parse_patch(&whole[..end], true);
        assert_eq!(files.iter().filter(|f| f.is_cut).count(), usize::from(!files.is_empty()), "{end}");
        assert!(files.last().is_none_or(|f| f.is_cut));
    }
}

#[test]
fn new_files_are_lines_that_were_added() {
    assert_eq!(
        words(&new_file("a".into(), "100644", b"one\r\ntwo")),
        "Untracked \"a\" +2 -0 [\"untracked\"]\n  (0, 0) (1, 2) \"\"\n      -   1 +\"one\\r\"\n      -   2 +\"two\" (no end)\n"
    );
    assert_eq!(
        words(&new_file("a".into(), "100755", b"")),
        "Untracked \"a\" +0 -0 [\"untracked\", \"executable\"]\n"
    );
    assert_eq!(
        words(&new_file("a".into(), "100644", b"x\0")),
        "Untracked \"a\" - [\"untracked\", \"binary\"]\n"
    );
}

#[test]
fn paths_are_unquoted() {
    let read = |text: &str| String::from_utf8_lossy(&paths::to_end(text.as_bytes())).into_owned();
    assert_eq!(read("plain/path"), "plain/path");
    assert_eq!(read("with blanks\t"), "with blanks");
    assert_eq!(read(r#""q\"uo\\te\ttab\nline\303\274""#), "q\"uo\\te\ttab\nlineü");
    assert_eq!(read("\"never ends"), "\"never ends");
}

/// Pieces that patches consist of, so that what is made of them gets far.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let known: Vec<&[u8]> = vec![
        b"diff --git a/x b/x\n",
        b"diff --git \"a/\\t\" \"b/\\t\"\n",
        b"diff --cc x\n",
        b"@@ -1,2 +1,3 @@ fn\n",
        b"@@@ -1,2 -1,2 +1,4 @@@\n",
        b"@@ -1 +4294967295,4294967295 @@\n",
        b"--- a/x\n",
        b"+++ b/x\n",
        b"+a\n",
        b"-b\n",
        b" c\n",
        b"\n",
        b"\\ No newline at end of file\n",
        b"rename from x\n",
        b"rename to y\n",
        b"Binary files a/x and b/x differ\n",
        b":100644 100644 a b R90\0x\0y\0",
        b"1\t2\tx\0",
        b"\xff",
    ];
    let one = prop_oneof![
        prop::sample::select(known).prop_map(<[u8]>::to_vec),
        proptest::collection::vec(any::<u8>(), 0..20),
    ];
    proptest::collection::vec(one, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in pieces(), is_cut: bool) {
        for file in parse_patch(&bytes, is_cut).iter().chain(&parse_files(&bytes)) {
            file.notes();
            let Content::Text(hunks) = &file.content else { continue };
            let lines = hunks.iter().flat_map(|h| &h.lines);
            let count = |sign| lines.clone().filter(|l| l.sign == sign).count();
            prop_assert_eq!(file.counts, Some((count(Sign::Added), count(Sign::Removed))));
        }
    }
}
