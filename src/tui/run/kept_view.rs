//! What is shown of each profile, kept for the next deck: the selected row, the filter, the width of the list.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::app::Model;
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::status::StatusFilter;
use crate::domain::tree::RowKey;
use crate::ops::Cx;
use crate::sys::files;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct KeptView {
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    only: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    find: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<u16>,
}

/// Where they are kept.
fn file(cx: &Cx) -> PathBuf {
    cx.installation.files.with_file_name("views.json")
}

fn read(cx: &Cx) -> BTreeMap<String, KeptView> {
    let text = files::read_text(&file(cx), files::MAX_BYTES).ok();
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Shows the model's profile as the last deck did, as far as that still exists.
pub(super) fn restore(cx: &Cx, model: &mut Model) {
    let Some(kept) = read(cx).remove(model.profile.name.as_str()) else { return };
    model.view.split = kept.split.map(|split| split.clamp(20, 80)).or(model.view.split);
    model.view.filter.only = kept.only.as_deref().and_then(StatusFilter::from_word);
    model.view.filter.words = kept.find;
    let group = kept.group.and_then(|path| GroupPath::parse(&path).ok()).map(RowKey::Group);
    model.view.cursor = kept.session.map(RowKey::Session).or(group).or(model.view.cursor.take());
    model.relayout();
}

/// Keeps how the model's profile is shown. Without it the next deck begins at the first row.
pub(super) fn keep(cx: &Cx, model: &Model) {
    let (session, group) = match &model.view.cursor {
        Some(RowKey::Session(id)) => (Some(id.clone()), None),
        Some(RowKey::Group(path)) => (None, Some(path.to_string())),
        None => (None, None),
    };
    let filter = &model.view.filter;
    let only = filter.only.map(|f| f.word.to_owned());
    // What the settings say is not the user's choice for this profile.
    let split = model.view.split.filter(|split| Some(*split) != model.app.settings.split);
    let kept = KeptView { session, group, only, find: filter.words.clone(), split };
    let mut all = read(cx);
    all.insert(model.profile.name.to_string(), kept);
    let text = serde_json::to_string(&all).unwrap_or_default();
    if let Err(error) = cx.host.put(&file(cx), &text) {
        tracing::warn!(%error, "can't keep what is shown of a profile");
    }
}
