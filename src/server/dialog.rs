//! The name of a dialog that is shown: an answer that carries it is for no other one.

use crate::domain::screen::AgentDialog;
use crate::ops::Question;

use super::secret;

/// The name of a question with its choices, wherever the cursor is.
pub(super) fn name(question: &Question) -> String {
    let AgentDialog { rule, choices, several, .. } = &question.dialog;
    let choices: Vec<String> = choices.iter().map(|c| format!("{}\u{0}{}", c.number, c.label)).collect();
    let text = format!("{rule}\u{1}{:?}\u{1}{several}\u{1}{}", question.dialog.asks, choices.join("\u{1}"));
    secret::checksum(&text).chars().take(16).collect()
}
