//! What was shown of a profile, as the next deck shows it again.

use serde::{Deserialize, Serialize};

use super::id::SessionId;
use super::shell::ShellId;

/// The selected row, the filter, and sizes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptView {
    /// The selected session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The selected group, by its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The selected headless shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<ShellId>,
    /// Whether the heading of the shells is folded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shells_folded: bool,
    /// The status filter, by its word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
    /// What is searched for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub find: String,
    /// The width of the list in percent, if the user has chosen one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<u16>,
    /// Columns and rows of the preview: new sessions have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<(u16, u16)>,
}

impl KeptView {
    /// Reads what was kept. What can't be read is nothing: it costs no more than the first row being selected.
    pub fn parse(text: &str) -> Self {
        let mut kept: Self = serde_json::from_str(text).unwrap_or_default();
        // A size that nobody could have had is none.
        let is_size =
            |(columns, rows): &(u16, u16)| (20..=1000).contains(columns) && (5..=1000).contains(rows);
        kept.preview = kept.preview.filter(is_size);
        kept.split = kept.split.map(|split| split.clamp(20, 80));
        kept
    }

    /// What [`KeptView::parse`] reads.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read() {
        let kept = KeptView {
            session: SessionId::parse("01a2078b-11ac-70e1-8b07-cffc02012330"),
            find: "api".to_owned(),
            split: Some(40),
            preview: Some((73, 29)),
            ..KeptView::default()
        };
        assert_eq!(KeptView::parse(&kept.to_json()), kept);
        assert_eq!(KeptView::parse("{"), KeptView::default());
    }

    #[test]
    fn sizes_that_nobody_had_are_not_taken() {
        let kept = KeptView::parse(r#"{"preview":[0,9],"split":200}"#);
        assert_eq!((kept.preview, kept.split), (None, Some(80)));
        assert_eq!(KeptView::parse(r#"{"preview":[60000,24]}"#).preview, None);
    }
}
