//! Which kinds of pictures there are, known by their first bytes: a name or a type can say anything.

/// A kind of picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub mime_type: &'static str,
    /// How its files end.
    pub ending: &'static str,
    start: &'static [u8],
}

const KINDS: &[Kind] = &[
    Kind { mime_type: "image/png", ending: "png", start: b"\x89PNG\r\n\x1a\n" },
    Kind { mime_type: "image/jpeg", ending: "jpg", start: b"\xff\xd8\xff" },
    Kind { mime_type: "image/gif", ending: "gif", start: b"GIF8" },
    Kind { mime_type: "image/webp", ending: "webp", start: b"RIFF" },
];

/// The kind of a picture; none for what isn't one.
pub(super) fn kind(bytes: &[u8]) -> Option<Kind> {
    let kind = KINDS.iter().find(|kind| bytes.starts_with(kind.start))?;
    let is_whole = kind.ending != "webp" || bytes.get(8..12) == Some(b"WEBP");
    is_whole.then_some(*kind)
}
