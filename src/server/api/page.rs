//! What the page itself has to know: which deck it is of, and the commands with their keys.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::shapes::of;
use crate::app::Keymap;
use crate::app::commands::SECTIONS;
use crate::server::assets;
use crate::server::error::ApiError;
use crate::server::route::{Call, Route};

pub(super) const ROUTES: &[Route] =
    &[Route::get("/api/page", "Show what the page itself has to know", of::<PageAnswer>(), page)];

/// What the page has to know.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
struct PageAnswer {
    /// deck's version.
    version: String,
    /// Names the page that this deck serves: it changes with an update.
    build: String,
    /// Whether who asks may change nothing.
    read_only: bool,
    profile: String,
    /// The commands of the screen, in the order of its help, with the user's keys.
    commands: Vec<PageCommand>,
}

/// A command of the screen.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct PageCommand {
    /// Its name in the settings.
    id: String,
    section: String,
    /// What it does, in a word or two.
    title: String,
    /// What it does, in a sentence.
    doc: String,
    /// Its keys, as they are written in the settings: `j`, `g g`, `ctrl-x`.
    keys: Vec<String>,
}

fn page(call: &Call) -> Result<Value, ApiError> {
    let (map, _) = Keymap::with(&call.app.served.wiring.config.key_overrides());
    let of_section = |(section, commands): &(&'static str, &'static [crate::app::commands::Command])| {
        let section = *section;
        let one = |command: &crate::app::commands::Command| PageCommand {
            id: command.id.to_owned(),
            section: section.to_owned(),
            title: command.title.to_owned(),
            doc: command.doc.to_owned(),
            keys: map.keys_of(command),
        };
        commands.iter().map(one).collect::<Vec<_>>()
    };
    Call::value(&PageAnswer {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: assets::build(),
        read_only: call.viewer.read_only,
        profile: call.cx.profile.name.to_string(),
        commands: SECTIONS.iter().flat_map(of_section).collect(),
    })
}
