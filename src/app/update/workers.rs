//! What was asked for of workers.

use super::super::dialogs::Pager;
use super::super::state::Model;
use crate::domain::id::SessionId;
use crate::domain::text;

/// Shows a file, if its user is still there.
pub(super) fn show_file(model: &mut Model, id: &SessionId, name: &str, text: Result<String, String>) {
    match text {
        Err(why) => model.notify_error(why),
        Ok(_) if model.selected() != Some(id) || !model.is_free() => {}
        Ok(file) => {
            let pager = Pager::of_markdown(&text::clean(name), file, model);
            model.dialogs.push(Box::new(pager));
        }
    }
}
