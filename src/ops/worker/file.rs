//! The file of a markdown worker: below its session's folder, of a size and kind that can be shown.

use std::path::Path;

use super::WorkerError;
use crate::domain::session::Session;
use crate::ops::{Cx, OpResult};
use crate::ports::folders::Kind;

/// The most bytes of a text that is shown, and what that is in words.
const TEXT: (u64, &str) = (2 * 1024 * 1024, "2 MiB");
/// The same of a picture.
#[cfg(feature = "web")]
const PICTURE: (u64, &str) = (10 * 1024 * 1024, "10 MiB");

/// Reads the text of a file below a session's folder.
///
/// # Errors
/// [`WorkerError::BadFile`] for one that leads out of it, is no file, is too large, or isn't UTF-8.
pub fn read_file(cx: &Cx, session: &Session, file: &str) -> OpResult<String> {
    let bytes = read(cx, session, file, TEXT)?;
    let why = || WorkerError::BadFile { file: file.to_owned(), why: "is not UTF-8".to_owned() };
    Ok(String::from_utf8(bytes).map_err(|_| why())?)
}

/// Reads a file that a markdown file names as its picture: `path` is from its folder.
///
/// # Errors
/// As above.
#[cfg(feature = "web")]
pub fn read_picture(cx: &Cx, session: &Session, file: &str, path: &str) -> OpResult<Vec<u8>> {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    if Path::new(path).is_absolute() {
        let why = "leads out of the session's folder".to_owned();
        return Err(WorkerError::BadFile { file: path.to_owned(), why }.into());
    }
    read(cx, session, &folder.join(path).to_string_lossy(), PICTURE)
}

fn read(cx: &Cx, session: &Session, file: &str, (most, words): (u64, &str)) -> OpResult<Vec<u8>> {
    let bad = |why: &str| WorkerError::BadFile { file: file.to_owned(), why: why.to_owned() };
    let top = Path::new(&session.project_path);
    let top = cx.host.real_path(top).ok_or_else(|| bad("can't be read: the session's folder is gone"))?;
    let path =
        cx.host.real_path(&top.join(file)).ok_or_else(|| bad("doesn't exist in the session's folder"))?;
    if !path.starts_with(&top) {
        return Err(bad("leads out of the session's folder").into());
    }
    match cx.folders.kind(&path) {
        Some(Kind::File { len, .. }) if len > most => {
            return Err(bad(&format!("is larger than {words}")).into());
        }
        Some(Kind::File { .. }) => {}
        _ => return Err(bad("is not a file").into()),
    }
    Ok(cx.folders.content(&path, most).map_err(|error| bad(&format!("can't be read: {error}")))?)
}
