//! What the documents, the pictures and the tests of the whole program are made from.

pub use crate::api::{Code, ERROR, OUTPUTS, SCHEMA_VERSION, WATCH};
pub use crate::app::commands::SECTIONS;
pub use crate::app::{DIFF_SECTION, Role};
pub use crate::config::example as example_settings;
pub use crate::domain::screen::{Choice, Lines};
pub use crate::domain::secrets::Redactor;
pub use crate::ports::Catalogue;
#[cfg(feature = "web")]
pub use crate::server::{
    Effect, MESSAGES, document as openapi, messages as socket_messages, reference as api_reference,
};
pub use crate::tools::{BUILTIN, Registry};
pub use crate::tui::{THEMES, svg};
