//! The list of changed files: what `git diff --raw --numstat -z` prints.

use std::collections::HashMap;

use super::{Change, Content, FileDiff};

/// Reads the list. What it holds in full is read, whatever the end is like.
pub fn parse_files(bytes: &[u8]) -> Vec<FileDiff> {
    let mut fields = bytes.split(|b| *b == 0);
    let mut files: Vec<FileDiff> = Vec::new();
    let mut at: HashMap<String, usize> = HashMap::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    while let Some(field) = fields.next() {
        if field.starts_with(b":") {
            let raw = text(field);
            let Some(path) = fields.next().map(text) else { break };
            let Some((change, modes)) = status(&raw) else { continue };
            let moved = matches!(change, Change::Renamed | Change::Copied);
            let (old_path, path) =
                if moved { (Some(path), fields.next().map(text)) } else { (None, Some(path)) };
            let Some(path) = path.filter(|p| !p.is_empty()) else { break };
            let file = FileDiff { old_path, modes, ..FileDiff::named(path.clone(), change) };
            match at.get(&path).and_then(|i| files.get_mut(*i)) {
                // One in conflict is listed twice.
                Some(known) if change == Change::Conflicted => known.change = change,
                Some(_) => {}
                None => {
                    at.insert(path, files.len());
                    files.push(file);
                }
            }
            continue;
        }
        let mut parts = field.splitn(3, |b| *b == b'\t');
        let (Some(added), Some(removed), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        // A renamed file has both its paths behind an empty one.
        let path = if path.is_empty() { fields.next().and(fields.next()) } else { Some(path) };
        let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.parse::<usize>().ok();
        let file = path.and_then(|p| at.get(&text(p))).and_then(|i| files.get_mut(*i));
        if let Some(file) = file {
            file.counts = number(added).zip(number(removed));
            if added == b"-" {
                file.content = Content::Binary;
            }
        }
    }
    files
}

type Modes = (Option<String>, Option<String>);

/// `:OLDMODE NEWMODE OLDID NEWID STATUS`, with one more colon, mode and id for each further parent.
fn status(raw: &str) -> Option<(Change, Modes)> {
    let words: Vec<&str> = raw.trim_start_matches(':').split(' ').collect();
    let parents = raw.chars().take_while(|c| *c == ':').count();
    let (old, new, status) = (words.first()?, words.get(parents)?, words.last()?);
    let change = match status.chars().next()? {
        _ if parents > 1 => Change::Conflicted,
        'A' => Change::Added,
        'D' => Change::Deleted,
        'R' => Change::Renamed,
        'C' => Change::Copied,
        'T' => Change::Retyped,
        'U' => Change::Conflicted,
        _ => Change::Modified,
    };
    let mode = |mode: &&str| mode.chars().any(|c| c != '0').then(|| (*mode).to_owned());
    Some((change, (mode(old), mode(new))))
}
