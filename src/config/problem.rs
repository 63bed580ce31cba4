//! What is wrong with the settings: where, what, and what to do.

use std::path::PathBuf;

/// Something in a settings file, or in a file that it names, that deck works in spite of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// The setting, such as `ui.theme`.
    pub key: Option<String>,
    /// What is wrong, and what to do.
    pub message: String,
    /// Whether it only says what follows from a setting: no mistake.
    pub is_note: bool,
}

impl Problem {
    /// A mistake in a file.
    pub fn new(path: impl Into<PathBuf>, line: Option<usize>, message: impl Into<String>) -> Self {
        Self { path: path.into(), line, key: None, message: message.into(), is_note: false }
    }

    /// The same, about a setting.
    #[must_use]
    pub fn about(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// In a few words, where there is little room: the file is named without its folder.
    pub fn brief(&self) -> String {
        let name = self
            .path
            .file_name()
            .map_or_else(|| self.path.display().to_string(), |name| name.to_string_lossy().into_owned());
        self.with(&name)
    }

    fn with(&self, file: &str) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{file}{line}: {}", self.message)
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.with(&self.path.display().to_string()))
    }
}
