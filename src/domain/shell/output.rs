//! Offsets of output: absolute bytes of a stream, whatever of it is kept.

use super::Stream;

/// Bytes in one segment of a stream.
pub const SEGMENT: u64 = 256 * 1024;
/// How many of a stream's first bytes are always kept.
pub const HEAD: u64 = 64 * 1024;
/// How many of its last bytes at least.
pub const TAIL: u64 = 1024 * 1024;

/// A part of a stream that was asked for, by what is kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Where what is given begins.
    pub start: u64,
    /// Where it ends: the next one begins here.
    pub end: u64,
    /// The bytes within it that are not kept.
    pub gap: Option<(u64, u64)>,
}

impl Window {
    /// The part from `since` on, with at most `limit` bytes that are kept. `None` beyond the end.
    pub fn of(stream: Stream, since: u64, limit: u64) -> Option<Self> {
        if since > stream.total {
            return None;
        }
        let gone = |at: u64| stream.is_truncated() && at >= stream.head && at < stream.first;
        let start = if gone(since) { stream.first } else { since };
        // What is before the gap, and then what is behind it.
        let before = if start < stream.head && stream.is_truncated() { stream.head - start } else { 0 };
        if stream.is_truncated() && start < stream.head {
            let end = if limit <= before {
                start + limit
            } else {
                stream.first.saturating_add(limit - before).min(stream.total)
            };
            let gap = (end > stream.first || (end == stream.first && limit > before))
                .then_some((stream.head, stream.first));
            return Some(Self { start, end, gap });
        }
        Some(Self { start, end: start.saturating_add(limit).min(stream.total), gap: None })
    }

    /// The ranges of bytes that it consists of.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        match self.gap {
            Some((from, to)) => vec![(self.start, from), (to, self.end)],
            None => vec![(self.start, self.end)],
        }
    }
}

/// How many of these bytes are whole characters of UTF-8: a character that is cut off at the end is left out.
pub fn whole_characters(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let at = bytes.len() - back;
        let Some(byte) = bytes.get(at) else { break };
        let needs = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        return if needs > back { at } else { bytes.len() };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_gap_is_skipped_and_named() {
        let stream = Stream { total: 1000, first: 600, head: 100 };
        let window = |since, limit| Window::of(stream, since, limit);
        assert_eq!(window(0, u64::MAX), Some(Window { start: 0, end: 1000, gap: Some((100, 600)) }));
        assert_eq!(window(0, 5000), Some(Window { start: 0, end: 1000, gap: Some((100, 600)) }));
        assert_eq!(window(0, 50), Some(Window { start: 0, end: 50, gap: None }));
        assert_eq!(window(0, 100), Some(Window { start: 0, end: 100, gap: None }));
        assert_eq!(window(90, 20), Some(Window { start: 90, end: 610, gap: Some((100, 600)) }));
        assert_eq!(window(300, 20), Some(Window { start: 600, end: 620, gap: None }));
        assert_eq!(window(1000, 20), Some(Window { start: 1000, end: 1000, gap: None }));
        assert_eq!(window(1001, 20), None);
    }

    proptest! {
        #[test]
        fn reading_on_gives_every_kept_byte_once(
            head in 0u64..200, gap in 1u64..300, tail in 0u64..300, limit in 1u64..120,
        ) {
            let stream = Stream { total: head + gap + tail, first: head + gap, head };
            let (mut at, mut seen) = (0, Vec::new());
            while at < stream.total {
                let window = Window::of(stream, at, limit).unwrap();
                let bytes: Vec<u64> = window.ranges().iter().flat_map(|(a, b)| *a..*b).collect();
                prop_assert!(bytes.len() as u64 <= limit);
                prop_assert!(window.end > at);
                seen.extend(bytes);
                at = window.end;
            }
            let want: Vec<u64> = (0..head).chain(stream.first..stream.total).collect();
            prop_assert_eq!(seen, want);
        }

        #[test]
        fn any_cut_of_a_text_is_whole(text in "\\PC{0,20}", cut in 0usize..80) {
            let bytes = &text.as_bytes()[..cut.min(text.len())];
            let whole = whole_characters(bytes);
            prop_assert!(std::str::from_utf8(&bytes[..whole]).is_ok());
            prop_assert!(bytes.len() - whole < 4);
            prop_assert_eq!(std::str::from_utf8(bytes).is_ok(), whole == bytes.len());
        }
    }
}
