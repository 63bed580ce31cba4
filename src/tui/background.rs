//! What the terminal answers when it is asked for its background.
//!
//! Invariant: read before anything else reads the terminal, and no longer than for a moment.
//!
//! The crate `terminal-colorsaurus` asks the same question, but drops the keys that are pressed before the
//! answer comes, and takes an arrow key among them for a terminal without an answer. Here they are kept.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::app::{Key, KeyCode};

/// Reads up to the answer to the question for the terminal's attributes, or until the time is up.
pub(super) fn answer(patience: Duration) -> io::Result<Vec<u8>> {
    let stdin = io::stdin();
    let begun = Instant::now();
    let mut got = Vec::new();
    while begun.elapsed() < patience && !is_whole(&got) {
        let left =
            PollTimeout::try_from(patience.saturating_sub(begun.elapsed())).unwrap_or(PollTimeout::ZERO);
        if poll(&mut [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)], left)? == 0 {
            break;
        }
        let mut buffer = [0; 256];
        let n = nix::unistd::read(stdin.as_fd(), &mut buffer)?;
        if n == 0 {
            break;
        }
        got.extend_from_slice(buffer.get(..n).unwrap_or_default());
    }
    Ok(got)
}

/// Whether the answer about its attributes has come: `CSI ? … c`.
fn is_whole(got: &[u8]) -> bool {
    let text = String::from_utf8_lossy(got);
    text.rsplit_once("\u{1b}[?").is_some_and(|(_, rest)| rest.contains('c'))
}

/// Whether `OSC 11 ; rgb:RRRR/GGGG/BBBB` is a light colour; `None` when there is no such answer.
pub(super) fn is_light(answer: &[u8]) -> Option<bool> {
    let text = String::from_utf8_lossy(answer);
    let colour = text.split_once("]11;")?.1.split(['\u{1b}', '\u{7}']).next()?.to_owned();
    let parts = colour.strip_prefix("rgb:").or_else(|| colour.strip_prefix("rgba:"))?;
    let levels: Vec<f64> = parts
        .split('/')
        .take(3)
        .filter_map(|p| {
            let most = (1_u32 << (4 * u32::try_from(p.len()).ok().filter(|n| (1..=4).contains(n))?)) - 1;
            Some(f64::from(u32::from_str_radix(p, 16).ok()?) / f64::from(most))
        })
        .collect();
    // Rec. 709: how bright red, green and blue seem.
    match levels[..] {
        [r, g, b] => Some(0.2126 * r + 0.7152 * g + 0.0722 * b > 0.5),
        _ => None,
    }
}

/// The keys that the user pressed meanwhile: what is left of it without the terminal's answers. Of keys that
/// are sequences themselves only the arrows are known; an unknown one does nothing.
pub(super) fn keys(got: &[u8]) -> Vec<Key> {
    let text = String::from_utf8_lossy(got);
    let mut rest = text.as_ref();
    let mut keys = Vec::new();
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let (key, next) = match after.chars().next() {
            // OSC, to its end; CSI and SS3, to their final letter.
            Some(']') if c == '\u{1b}' => {
                let end = after.find(['\u{7}', '\u{1b}']).map_or(after.len(), |at| at + 1);
                let next = after.get(end..).unwrap_or_default();
                (None, next.strip_prefix('\\').unwrap_or(next))
            }
            Some('[' | 'O') if c == '\u{1b}' => {
                let body = after.get(1..).unwrap_or_default();
                let end = body.find(|c: char| ('@'..='~').contains(&c)).map_or(body.len(), |at| at + 1);
                let key = match body.get(..end) {
                    Some("A") => Some(KeyCode::Up),
                    Some("B") => Some(KeyCode::Down),
                    Some("C") => Some(KeyCode::Right),
                    Some("D") => Some(KeyCode::Left),
                    _ => None,
                };
                (key.map(Key::plain), body.get(end..).unwrap_or_default())
            }
            _ => (plain(c), after),
        };
        keys.extend(key);
        rest = next;
    }
    keys
}

/// The key of one character of a terminal's input.
fn plain(c: char) -> Option<Key> {
    let code = match c {
        '\r' | '\n' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        '\u{1b}' => KeyCode::Esc,
        '\u{7f}' => KeyCode::Backspace,
        '\u{1}'..='\u{1a}' => {
            let letter = char::from(b'a' + u8::try_from(u32::from(c)).ok()? - 1);
            return Some(Key { ctrl: true, ..Key::char(letter) });
        }
        c if c.is_control() || c == char::REPLACEMENT_CHARACTER => return None,
        c => KeyCode::Char(c),
    };
    Some(Key::plain(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_pressed_meanwhile_are_kept() {
        let got = "j\u{1b}]11;rgb:1e/1e/2e\u{1b}\\n\u{1b}[B\u{4}\u{1b}[?62;22c\rü";
        let words: Vec<String> = keys(got.as_bytes()).iter().map(ToString::to_string).collect();
        assert_eq!(words, ["j", "n", "down", "ctrl-d", "enter", "ü"]);
        assert_eq!(keys(b"\x1b]11;rgb:1e/1e/2e\x07\x1b[?1;2c"), []);
        proptest::proptest!(|(any in ".{0,40}")| { keys(any.as_bytes()); });
    }

    #[test]
    fn answers_of_terminals() {
        assert_eq!(is_light(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;c"), Some(true));
        assert_eq!(is_light(b"\x1b]11;rgb:1e/1e/2e\x07\x1b[?1;2c"), Some(false));
        assert_eq!(is_light(b"\x1b[?1;2c"), None);
        assert_eq!(is_light(b"\x1b]11;rgb:zz/0/0\x07"), None);
        assert!(is_whole(b"\x1b]11;rgb:0/0/0\x07\x1b[?1;2c"));
        assert!(!is_whole(b"\x1b]11;rgb:0/0/c\x07"));
    }
}
