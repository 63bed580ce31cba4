//! A folder that does not exist: asked for, made, and then the session is added to it.

use super::super::Step;
use super::path::{expand, tilde};
use super::{Field, NewSession};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Role, Span, span};
use crate::app::panel_layout::wrap_spans;
use crate::app::state::Model;
use crate::domain::text;

/// What becomes of the folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum MakeFolder {
    #[default]
    Not,
    /// The user is asked.
    Asked,
    /// It is being made.
    Begun,
    /// It could not be made, and why.
    Failed(String),
}

impl NewSession {
    /// Takes a key while the user is asked; any other than these is for the form again.
    pub(super) fn make_key(&mut self, key: Key, model: &Model) -> Option<Step> {
        match (&self.make, key.code) {
            (MakeFolder::Not, _) => return None,
            (MakeFolder::Begun, _) => {}
            (MakeFolder::Asked, KeyCode::Enter) => {
                self.make = MakeFolder::Begun;
                let path = expand(self.path.text(), model);
                return Some(Step::Stay(vec![Effect::MakeFolder(self.number, path)]));
            }
            (_, KeyCode::Esc) => self.make = MakeFolder::Not,
            _ => {
                self.make = MakeFolder::Not;
                return None;
            }
        }
        Some(Step::Stay(Vec::new()))
    }

    /// Asks whether the folder is to be made.
    pub(super) fn ask_for_folder(&mut self) {
        self.make = MakeFolder::Asked;
        self.focus(Field::Path);
    }

    /// It was made, and the session follows as soon as its command is known; or it could not be made.
    pub(super) fn folder_made(&mut self, made: &Result<(), String>, model: &Model) -> Step {
        match made {
            Ok(()) => {
                self.make = MakeFolder::Not;
                let effects = self.changed(model);
                self.enter_waits = true;
                Step::Stay(effects)
            }
            Err(why) => {
                self.make = MakeFolder::Failed(why.clone());
                Step::Stay(Vec::new())
            }
        }
    }

    /// What is said of the folder in place of others, in lines of this width.
    pub(super) fn folder_lines(&self, width: usize, model: &Model) -> Option<Vec<Vec<Span>>> {
        let path = expand(self.path.text(), model).to_string_lossy().into_owned();
        let path = text::clean(&tilde(&path, model));
        let with_path = |before: &str, after: &str| {
            let room = width.saturating_sub(text::cells(before) + text::cells(after));
            format!("{before}{}{after}", text::fit_end(&path, room))
        };
        Some(match &self.make {
            MakeFolder::Not => return None,
            MakeFolder::Asked => vec![
                vec![span(Role::Waiting, with_path("", " doesn't exist."))],
                vec![span(Role::Text, "Create it and start there?")],
            ],
            MakeFolder::Begun => vec![vec![span(Role::Dim, with_path("creating ", " …"))]],
            MakeFolder::Failed(why) => wrap_spans(&[span(Role::Error, why.clone())], width),
        })
    }
}
