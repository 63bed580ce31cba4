//! The file of a markdown worker: below its session's folder, of a size and kind that can be shown.

use std::path::Path;

use super::WorkerError;
use crate::domain::session::Session;
use crate::ops::{Cx, OpResult};
use crate::ports::folders::Kind;

/// The most bytes that are shown.
const MOST: u64 = 2 * 1024 * 1024;

/// Reads the text of a file below a session's folder.
///
/// # Errors
/// [`WorkerError::BadFile`] for one that leads out of it, is no file, is too large, or isn't UTF-8.
pub fn read_file(cx: &Cx, session: &Session, file: &str) -> OpResult<String> {
    let bad = |why: &str| WorkerError::BadFile { file: file.to_owned(), why: why.to_owned() };
    let top = Path::new(&session.project_path);
    let top = cx.host.real_path(top).ok_or_else(|| bad("can't be read: the session's folder is gone"))?;
    let path =
        cx.host.real_path(&top.join(file)).ok_or_else(|| bad("doesn't exist in the session's folder"))?;
    if !path.starts_with(&top) {
        return Err(bad("leads out of the session's folder").into());
    }
    match cx.folders.kind(&path) {
        Some(Kind::File { len, .. }) if len > MOST => return Err(bad("is larger than 2 MiB").into()),
        Some(Kind::File { .. }) => {}
        _ => return Err(bad("is not a file").into()),
    }
    let bytes = cx.folders.content(&path, MOST).map_err(|error| bad(&format!("can't be read: {error}")))?;
    Ok(String::from_utf8(bytes).map_err(|_| bad("is not UTF-8"))?)
}
