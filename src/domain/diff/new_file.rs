//! A file that git doesn't know yet, as if all its lines had been added.

use super::{Change, Content, DiffLine, FileDiff, Hunk, Sign};

/// A file that holds a zero byte this near its beginning isn't text.
const LOOKED_AT: usize = 8000;

/// A new file with these bytes.
pub fn new_file(path: String, mode: &str, bytes: &[u8]) -> FileDiff {
    let file = FileDiff { modes: (None, Some(mode.to_owned())), ..FileDiff::named(path, Change::Untracked) };
    if bytes.iter().take(LOOKED_AT).any(|b| *b == 0) {
        return FileDiff { content: Content::Binary, ..file };
    }
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(bytes.split_inclusive(|b| *b == b'\n')) {
        let text = line.strip_suffix(b"\n");
        lines.push(DiffLine {
            sign: Sign::Added,
            old: None,
            new: Some(number),
            text: String::from_utf8_lossy(text.unwrap_or(line)).into_owned(),
            ends: text.is_some(),
        });
    }
    let count = lines.len();
    let all = u32::try_from(count).unwrap_or(u32::MAX);
    let hunk = Hunk { old: (0, 0), new: (1, all), section: String::new(), lines };
    let hunks = if count == 0 { Vec::new() } else { vec![hunk] };
    FileDiff { counts: Some((count, 0)), content: Content::Text(hunks), ..file }
}
