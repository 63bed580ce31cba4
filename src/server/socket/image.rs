//! Images that are given to an agent: kept in a file of deck's, of which the agent is told the path.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base64::Engine as _;

use crate::server::error::ApiError;
use crate::server::{picture, secret};
use crate::sys::files;

/// The most bytes of an image.
const MAX_BYTES: usize = 10 * 1024 * 1024;
/// How long a file is kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Keeps an image in a folder. Returns its file.
///
/// # Errors
/// For what is no image, or too large.
pub fn keep(folder: &Path, data: &str, mime_type: &str) -> Result<PathBuf, ApiError> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(data);
    let bytes = bytes.map_err(|_| ApiError::usage("the image is not base64"))?;
    if bytes.len() > MAX_BYTES {
        return Err(ApiError::too_large(MAX_BYTES));
    }
    let Some(kind) = picture::kind(&bytes).filter(|kind| kind.mime_type == mime_type) else {
        return Err(ApiError::usage("the image is not png, jpeg, gif or webp"));
    };
    files::make_dir(folder)?;
    forget_old(folder);
    let path = folder.join(format!("{}.{}", secret::new(9)?, kind.ending));
    files::create_new(&path, &bytes, 0o600)?;
    Ok(path)
}

fn forget_old(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let modified = entry.metadata().and_then(|m| m.modified());
        let is_old =
            modified.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > KEPT));
        if is_old && let Err(error) = std::fs::remove_file(entry.path()) {
            tracing::debug!(%error, "can't remove an old image");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::keep;
    use base64::Engine as _;

    #[test]
    fn only_what_is_an_image_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let code = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
        let png = code(b"\x89PNG\r\n\x1a\nx");
        let path = keep(folder.path(), &png, "image/png").unwrap();
        assert_eq!(crate::sys::files::read(&path, 100).unwrap(), b"\x89PNG\r\n\x1a\nx");
        for (data, kind) in [
            (png.as_str(), "image/gif"),
            ("%%%", "image/png"),
            (&code(b"#!/bin/sh"), "image/png"),
            (&code(b"RIFF0000WAVE"), "image/webp"),
        ] {
            assert_eq!(keep(folder.path(), data, kind).unwrap_err().code, "usage");
        }
    }
}
