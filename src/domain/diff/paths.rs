//! Paths as git prints them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A path from its bytes.
pub fn path_of(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}

/// Reads a path that git quotes if it holds unusual characters. Returns it, and what follows.
pub(super) fn unquote(bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = bytes.strip_prefix(b"\"")?;
    let mut out = Vec::new();
    loop {
        match rest {
            [b'"', after @ ..] => return Some((out, after)),
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..] => {
                out.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = after;
            }
            [b'\\', c, after @ ..] => {
                out.push(match c {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    other => *other,
                });
                rest = after;
            }
            [c, after @ ..] => {
                out.push(*c);
                rest = after;
            }
            [] => return None,
        }
    }
}

/// A path that is the rest of a line. Behind one with blanks git puts a tab.
pub(super) fn to_end(bytes: &[u8]) -> Vec<u8> {
    unquote(bytes).map_or_else(|| bytes.strip_suffix(b"\t").unwrap_or(bytes).to_vec(), |(path, _)| path)
}

/// A path without the `a/` or `b/` before it; none for `/dev/null`.
pub(super) fn without_prefix(path: &[u8]) -> Option<String> {
    let path = path.strip_prefix(b"a/").or_else(|| path.strip_prefix(b"b/"))?;
    Some(String::from_utf8_lossy(path).into_owned())
}

/// The path in `a/PATH b/PATH`, where both are the same.
pub(super) fn of_header(bytes: &[u8]) -> Option<String> {
    if let Some((path, _)) = unquote(bytes) {
        return without_prefix(&path);
    }
    // Both halves are as long, with a blank between them.
    let half = bytes.len().checked_sub(1)? / 2;
    let (first, second) = (bytes.get(..half)?, bytes.get(half + 1..)?);
    let (first, second) = (without_prefix(first)?, without_prefix(second)?);
    (first == second).then_some(first)
}
