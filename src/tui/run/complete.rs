//! Names of files and folders that begin as typed.

use std::path::PathBuf;

use crate::app::Settings;
use crate::ops::Cx;

/// Files and folders below a folder that begin as typed.
pub(super) fn files(folder: &str, typed: &str) -> Vec<String> {
    let (shown, start) = typed.rsplit_once('/').map_or((String::new(), typed), |(f, s)| (format!("{f}/"), s));
    let entries = std::fs::read_dir(PathBuf::from(folder).join(&shown)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|e| {
            let name = e.file_name().into_string().ok()?;
            let slash = if e.path().is_dir() { "/" } else { "" };
            let fits = name.starts_with(start) && (start.starts_with('.') || !name.starts_with('.'));
            fits.then(|| format!("{shown}{name}{slash}"))
        })
        .collect();
    names.sort();
    names
}

/// Folders that a path may be completed to, as the user writes them.
pub(super) fn folders(cx: &Cx, settings: &Settings, text: &str) -> Vec<String> {
    let (folder, start) = text.rsplit_once('/').map_or(("", text), |(f, s)| (f, s));
    let shown = if text.contains('/') { format!("{folder}/") } else { String::new() };
    let real = match shown.strip_prefix('~') {
        Some(rest) => PathBuf::from(format!("{}{rest}", settings.home.as_deref().unwrap_or("/"))),
        None => cx.caller.cwd.join(&shown),
    };
    let mut names: Vec<String> = std::fs::read_dir(real)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|e| e.path().is_dir())
        .filter_map(|e| e.file_name().into_string().ok())
        .filter(|n| n.starts_with(start) && (start.starts_with('.') || !n.starts_with('.')))
        .map(|n| format!("{shown}{n}/"))
        .collect();
    names.sort();
    names
}
