//! How much of what was printed is answered: the beginning, where it says what runs, and the end, where it says how it went.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::job::Part;

/// How many bytes of both streams are answered unless more are asked for.
pub const USUAL: u64 = 32 * 1024;
/// How much of that is from the beginning: one part in N.
const HEAD: usize = 4;

/// Bytes of a stream that are not in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Omitted {
    /// `stdout` or `stderr`.
    pub stream: &'static str,
    /// From this byte on.
    pub from: u64,
    /// Up to this one.
    pub to: u64,
    /// Whether they are kept: then getJobOutput has them with `since` at `from`.
    pub kept: bool,
}

/// A part as text of at most so many bytes, and what is left out of it.
pub fn clip(part: &Part, stream: &'static str, most: usize) -> (String, Vec<Omitted>) {
    let mut omitted = Vec::new();
    if let Some((from, to)) = part.gap {
        omitted.push(Omitted { stream, from, to, kept: false });
    }
    let bytes = part.bytes.as_slice();
    if bytes.len() <= most {
        return (String::from_utf8_lossy(bytes).into_owned(), omitted);
    }
    // No character is cut, and a line only where one is longer than all there is room for.
    let head = floor(bytes, most / HEAD);
    let tail = ceil(bytes, bytes.len() - (most - most / HEAD));
    let at = |index: usize| offset(part, index);
    omitted.push(Omitted { stream, from: at(head), to: at(tail), kept: true });
    omitted.sort_by_key(|o| o.from);
    let words = format!("\n[… {} bytes are left out here …]\n", at(tail) - at(head));
    let text = [
        String::from_utf8_lossy(bytes.get(..head).unwrap_or_default()),
        words.into(),
        String::from_utf8_lossy(bytes.get(tail..).unwrap_or_default()),
    ];
    (text.concat(), omitted)
}

/// The offset in the stream of a byte of a part.
fn offset(part: &Part, index: usize) -> u64 {
    let plain = part.start + index as u64;
    match part.gap {
        Some((from, to)) if plain >= from => plain + (to - from),
        _ => plain,
    }
}

fn is_inside(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|b| (0x80..0xc0).contains(b))
}

fn floor(bytes: &[u8], mut at: usize) -> usize {
    while at > 0 && is_inside(bytes, at) {
        at -= 1;
    }
    at
}

fn ceil(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_inside(bytes, at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(bytes: &[u8], start: u64, gap: Option<(u64, u64)>) -> Part {
        let kept = bytes.len() as u64 + gap.map_or(0, |(from, to)| to - from);
        Part {
            bytes: bytes.to_vec(),
            start,
            end: start + kept,
            total: start + kept,
            gap,
            is_truncated: false,
        }
    }

    #[test]
    fn what_fits_is_whole() {
        assert_eq!(clip(&part(b"abc", 0, None), "stdout", 3), ("abc".to_owned(), vec![]));
    }

    #[test]
    fn the_middle_goes_and_is_named_by_its_offsets() {
        let text = "ü".repeat(50);
        let (clipped, omitted) = clip(&part(text.as_bytes(), 10, None), "stdout", 21);
        assert!(clipped.starts_with("üü\n[… ") && clipped.ends_with("üüüüüüüü"), "{clipped}");
        let [one] = omitted.as_slice() else { panic!("{omitted:?}") };
        assert_eq!((one.from, one.to, one.kept), (14, 94, true));
    }

    #[test]
    fn what_is_not_kept_is_named_as_well() {
        let (_, omitted) = clip(&part(&[b'x'; 100], 0, Some((10, 1000))), "stderr", 40);
        let ranges: Vec<_> = omitted.iter().map(|o| (o.from, o.to, o.kept)).collect();
        assert_eq!(ranges, [(10, 1000, false), (1000, 1060, true)]);
    }
}
