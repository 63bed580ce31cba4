//! What the documents, the pictures and the tests of the whole program are made from.

pub use crate::api::{Code, ERROR, SCHEMA_VERSION, WATCH, outputs};
pub use crate::app::commands::SECTIONS;
pub use crate::app::{DIFF_SECTION, Role};
pub use crate::config::example as example_settings;
pub use crate::domain::screen::{Choice, Lines};
pub use crate::domain::secrets::Redactor;
pub use crate::ports::Catalogue;
#[cfg(feature = "web")]
pub use crate::server::{Effect, MESSAGES};
pub use crate::tools::{BUILTIN, Registry};
pub use crate::tui::{THEMES, svg};

/// Compares a file that is made from the code with what it should have; `DECK_UPDATE_DOCS=1 cargo test docs_` writes it.
#[cfg(feature = "web")]
#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a file of the repository's own")]
pub(crate) fn up_to_date(name: &str, want: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("DECK_UPDATE_DOCS").is_some() {
        std::fs::write(&path, want).unwrap();
    }
    let have = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(have == want, "{name} is out of date: run DECK_UPDATE_DOCS=1 cargo test docs_");
}
