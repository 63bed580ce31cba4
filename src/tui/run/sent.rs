//! The messages that were sent, kept for the next deck.

use std::path::PathBuf;

use crate::app::Done;
use crate::ops::Cx;
use crate::sys::files;

/// Where they are kept.
fn file(cx: &Cx) -> PathBuf {
    cx.installation.files.with_file_name("sent.json")
}

/// Those of the last deck, oldest first; none if they can't be read.
pub(super) fn read(cx: &Cx) -> Vec<String> {
    let text = files::read_text(&file(cx), files::MAX_BYTES).ok();
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Keeps these.
pub(super) fn keep(cx: &Cx, all: &[String]) -> Done {
    let text = serde_json::to_string(all).unwrap_or_default();
    match cx.host.put(&file(cx), &text) {
        Ok(()) => Done::Ok(None),
        Err(error) => Done::Failed(None, format!("can't save the message history: {error}")),
    }
}
