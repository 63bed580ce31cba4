//! What the terminal answers when it is asked for its background.
//!
//! Invariant: read before anything else reads the terminal, and no longer than for a moment.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

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

/// Whether `OSC 11 ; rgb:RRRR/GGGG/BBBB` tells of a light colour; `None` when there is no such answer.
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

#[cfg(test)]
mod tests {
    use super::*;

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
