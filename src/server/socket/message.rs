//! What a page sends about a pane.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::server::route::Effect;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum FromPage {
    /// What a terminal would send, as it is.
    Input { data: String, id: Option<Value> },
    /// A key by its name, such as `up` or `enter`: tmux writes it as the program in the pane wants it.
    Key {
        name: String,
        #[serde(default)]
        ctrl: bool,
        #[serde(default)]
        alt: bool,
        #[serde(default)]
        shift: bool,
        id: Option<Value>,
    },
    /// A text that is pasted, bracketed if the program asked for that.
    Paste { data: String, id: Option<Value> },
    /// The size at which the page would show it. With `take` the pane gets it, unless a terminal shows its session.
    Resize {
        cols: u16,
        rows: u16,
        #[serde(default)]
        take: bool,
    },
    /// Whether the page is hidden: then the pane is not watched for it.
    Hidden { on: bool },
    /// Older lines: up to `lines` of them before the line with this number.
    More { before: u64, lines: u32 },
    /// An image, in base64: it is kept in a file whose path is pasted.
    Image { data: String, mime_type: String, id: Option<Value> },
    /// Turns of the wheel.
    Wheel { up: bool, times: u8 },
}

/// Every message with what it does: a viewer who may only read is refused all that change something.
pub const MESSAGES: &[(&str, Effect)] = &[
    ("input", Effect::Changes),
    ("key", Effect::Changes),
    ("paste", Effect::Changes),
    ("resize", Effect::Changes),
    ("hidden", Effect::Reads),
    ("more", Effect::Reads),
    ("image", Effect::Changes),
    ("wheel", Effect::Changes),
];

impl FromPage {
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Input { .. } => "input",
            Self::Key { .. } => "key",
            Self::Paste { .. } => "paste",
            Self::Resize { .. } => "resize",
            Self::Hidden { .. } => "hidden",
            Self::More { .. } => "more",
            Self::Image { .. } => "image",
            Self::Wheel { .. } => "wheel",
        }
    }

    /// What is not declared to read changes something.
    pub fn effect(&self) -> Effect {
        let declared = MESSAGES.iter().find(|(name, _)| *name == self.name());
        declared.map_or(Effect::Changes, |(_, effect)| *effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_message_is_in_the_table() {
        let schema = schemars::schema_for!(FromPage).to_value();
        let mut all: Vec<&str> = schema["oneOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["properties"]["type"]["const"].as_str().unwrap())
            .collect();
        all.sort_unstable();
        let mut table: Vec<&str> = MESSAGES.iter().map(|(name, _)| *name).collect();
        table.sort_unstable();
        assert_eq!(all, table);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,200}") {
            let _ = serde_json::from_str::<FromPage>(&text);
        }
    }
}
