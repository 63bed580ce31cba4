//! The lines of changed files: what `git diff --patch` prints, also of a merge that isn't finished.

use super::paths::{of_header, to_end, without_prefix};
use super::{Change, Content, DiffLine, FileDiff, Hunk, Sign};

/// Reads a patch. Whatever isn't understood is left out; `is_cut` says that its end is missing.
pub fn parse_patch(bytes: &[u8], is_cut: bool) -> Vec<FileDiff> {
    let mut reader = Reader::default();
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        reader.line(line.strip_suffix(b"\n").unwrap_or(line));
    }
    let mut files: Vec<FileDiff> = Vec::new();
    for file in reader.files {
        match files.last_mut().filter(|last| last.path == file.path) {
            // One that became another kind of thing is taken away and added again.
            Some(last) => join(last, file),
            None => files.push(file),
        }
    }
    if let Some(last) = files.last_mut().filter(|_| is_cut) {
        last.is_cut = true;
    }
    files
}

fn join(first: &mut FileDiff, second: FileDiff) {
    first.change = Change::Retyped;
    first.modes.1 = second.modes.1;
    first.counts = first.counts.zip(second.counts).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
    match (&mut first.content, second.content) {
        (Content::Text(hunks), Content::Text(more)) => hunks.extend(more),
        (content, _) => (*content, first.counts) = (Content::Binary, None),
    }
}

#[derive(Default)]
struct Reader {
    files: Vec<FileDiff>,
    /// What is left of the hunk that is being read: lines of each parent, and of the result.
    left: Option<(Vec<u32>, u32)>,
    /// The numbers of the next lines before and now.
    next: (u32, u32),
}

impl Reader {
    fn line(&mut self, line: &[u8]) {
        if line.starts_with(b"\\") {
            // No line feed ends the line before.
            if let Some(last) = self.hunks().and_then(|h| h.last_mut()).and_then(|h| h.lines.last_mut()) {
                last.ends = false;
            }
            return;
        }
        if self.left.is_some() && self.hunk_line(line) {
            return;
        }
        self.left = None;
        if let Some(rest) = line.strip_prefix(b"diff --git ") {
            self.begin(of_header(rest));
        } else if let Some(rest) =
            line.strip_prefix(b"diff --cc ").or_else(|| line.strip_prefix(b"diff --combined "))
        {
            self.begin(Some(String::from_utf8_lossy(&to_end(rest)).into_owned()));
        } else if line.starts_with(b"@@") {
            self.begin_hunk(line);
        } else {
            self.header(line);
        }
    }

    /// Begins a file. The path may only follow.
    fn begin(&mut self, path: Option<String>) {
        let file = FileDiff::named(path.unwrap_or_default(), Change::Modified);
        self.files.push(FileDiff { counts: Some((0, 0)), content: Content::Text(Vec::new()), ..file });
    }

    fn header(&mut self, line: &[u8]) {
        let Some(file) = self.files.last_mut() else { return };
        let after = |start: &str| line.strip_prefix(start.as_bytes());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if let Some(mode) = after("old mode ") {
            file.modes.0 = Some(text(mode));
        } else if let Some(mode) = after("new mode ") {
            file.modes.1 = Some(text(mode));
        } else if let Some(mode) = after("new file mode ") {
            (file.change, file.modes.1) = (Change::Added, Some(text(mode)));
        } else if let Some(mode) = after("deleted file mode ") {
            (file.change, file.modes.0) = (Change::Deleted, Some(text(mode)));
        } else if let Some(path) = after("rename from ") {
            (file.change, file.old_path) = (Change::Renamed, Some(text(&to_end(path))));
        } else if let Some(path) = after("copy from ") {
            (file.change, file.old_path) = (Change::Copied, Some(text(&to_end(path))));
        } else if let Some(path) = after("rename to ").or_else(|| after("copy to ")) {
            file.path = text(&to_end(path));
        } else if let Some(path) = after("--- ").filter(|_| file.path.is_empty()) {
            file.path = without_prefix(&to_end(path)).unwrap_or_default();
        } else if let Some(path) = after("+++ ") {
            if let Some(path) = without_prefix(&to_end(path)) {
                file.path = path;
            }
        } else if after("Binary files ").is_some() || after("GIT binary patch").is_some() {
            (file.content, file.counts) = (Content::Binary, None);
        }
    }

    fn hunks(&mut self) -> Option<&mut Vec<Hunk>> {
        match &mut self.files.last_mut()?.content {
            Content::Text(hunks) => Some(hunks),
            _ => None,
        }
    }

    /// `@@ -A,B +C,D @@ section`, with one more `@` and range for each further parent.
    fn begin_hunk(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line).into_owned();
        let marks: String = line.chars().take_while(|c| *c == '@').collect();
        let Some((ranges, section)) =
            line.get(marks.len()..).and_then(|rest| rest.split_once(marks.as_str()))
        else {
            return;
        };
        let range = |word: &str| {
            let (start, count) = word.split_once(',').unwrap_or((word, "1"));
            Some((start.parse::<u32>().ok()?, count.parse::<u32>().ok()?))
        };
        let mut old = Vec::new();
        let mut new = None;
        for word in ranges.split_whitespace() {
            if let Some(range) = word.strip_prefix('-').and_then(range) {
                old.push(range);
            } else if let Some(range) = word.strip_prefix('+').and_then(range) {
                new = Some(range);
            }
        }
        let (Some(first), Some(new)) = (old.first().copied(), new) else { return };
        if old.len() + 1 != marks.len() {
            return;
        }
        let hunk = Hunk { old: first, new, section: section.trim().to_owned(), lines: Vec::new() };
        let Some(hunks) = self.hunks() else { return };
        hunks.push(hunk);
        self.next = (first.0, new.0);
        self.left = Some((old.iter().map(|r| r.1).collect(), new.1));
    }

    /// Takes a line of the hunk. Returns whether it is one.
    fn hunk_line(&mut self, line: &[u8]) -> bool {
        let Some((old, new)) = &mut self.left else { return false };
        if old.iter().all(|n| *n == 0) && *new == 0 {
            return false;
        }
        let width = old.len();
        // An editor may have taken the blank off an empty line, and git can leave it out.
        let (signs, text) = if line.is_empty() {
            (vec![b' '; width], line)
        } else {
            match (line.get(..width), line.get(width..)) {
                (Some(signs), Some(text)) => (signs.to_vec(), text),
                _ => return false,
            }
        };
        if !signs.iter().all(|s| matches!(s, b' ' | b'+' | b'-')) {
            return false;
        }
        let sign = if signs.contains(&b'-') {
            Sign::Removed
        } else if signs.contains(&b'+') {
            Sign::Added
        } else {
            Sign::Same
        };
        let in_parent = |s: &u8| if sign == Sign::Removed { *s == b'-' } else { *s == b' ' };
        for (left, _) in old.iter_mut().zip(&signs).filter(|(_, s)| in_parent(s)) {
            *left = left.saturating_sub(1);
        }
        if sign != Sign::Removed {
            *new = new.saturating_sub(1);
        }
        let was_there = signs.first().is_some_and(in_parent);
        let is_there = sign != Sign::Removed;
        let number = |there: bool, next: &mut u32| {
            let at = *next;
            *next = next.saturating_add(u32::from(there));
            there.then_some(at)
        };
        let line = DiffLine {
            sign,
            old: number(was_there, &mut self.next.0),
            new: number(is_there, &mut self.next.1),
            text: String::from_utf8_lossy(text).into_owned(),
            ends: true,
        };
        let Some(file) = self.files.last_mut() else { return false };
        if let Some((added, removed)) = &mut file.counts {
            match sign {
                Sign::Added => *added += 1,
                Sign::Removed => *removed += 1,
                Sign::Same => {}
            }
        }
        if let Some(hunk) = self.hunks().and_then(|h| h.last_mut()) {
            hunk.lines.push(line);
        }
        true
    }
}
