//! The log in the state folder, for `RUST_LOG`-style filters in `DECK_LOG`.

use std::path::Path;
use std::sync::Mutex;

/// Size at which the log is put aside, in bytes.
const ROTATE_AT: u64 = 4 * 1024 * 1024;

/// Starts logging into `dir/deck.log`. A log that can't be written doesn't keep deck from running.
pub fn start(dir: &Path, filter: Option<&str>) {
    let Some(filter) = filter.filter(|f| !f.is_empty()) else { return };
    if super::files::make_dir(dir).is_err() {
        return;
    }
    let path = dir.join("deck.log");
    if path.metadata().is_ok_and(|m| m.len() > ROTATE_AT) {
        // The log before the last is given up; losing it harms nothing.
        let _ = std::fs::rename(&path, dir.join("deck.log.1"));
    }
    let Ok(file) = std::fs::OpenOptions::new().append(true).create(true).open(&path) else { return };
    let filter = tracing_subscriber::EnvFilter::try_new(filter).unwrap_or_default();
    let subscriber =
        tracing_subscriber::fmt().with_writer(Mutex::new(file)).with_ansi(false).with_env_filter(filter);
    // Only fails when a subscriber is set already.
    let _ = subscriber.try_init();
}
