//! What lives as long as deck, whichever profile is shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::messages::Messages;
use super::settings::Settings;
use crate::app::keymap::Keymap;
use crate::app::revival::Revival;
use crate::domain::diff::Comment;
use crate::domain::id::{ProfileName, SessionId};

/// How many sent messages are kept.
const SENT: usize = 100;

/// What belongs to the user and their terminal, not to a profile.
#[derive(Debug)]
pub struct AppState {
    /// The settings, as they were read last.
    pub settings: Arc<Settings>,
    /// Which keys stand for what.
    pub keymap: Arc<Keymap>,
    pub profiles: Vec<ProfileName>,
    /// Whether the terminal's window has the focus, as far as it is known.
    pub focused: bool,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The present time.
    pub now: Timestamp,
    /// What deck has said.
    pub messages: Messages,
    /// Versions of the tools, as far as they were asked for.
    pub versions: BTreeMap<String, String>,
    /// What was written and not sent yet, by the sessions that it is for: nobody else gets it. Kept by
    /// session: no other profile shows a draft, and it is there when its profile is shown again.
    pub drafts: BTreeMap<Vec<SessionId>, String>,
    /// Comments on changes that were not sent yet, by session as the drafts are.
    pub comments: BTreeMap<SessionId, Vec<Comment>>,
    /// Sessions that something is being done to, of any profile: what, and since when.
    pub working: BTreeMap<SessionId, (&'static str, Timestamp)>,
    /// Sessions that are being brought back, of any profile.
    pub revival: Option<Revival>,
    /// Whether nothing was pressed since a message was sent: a question about it takes no key that was meant for
    /// something else.
    pub untouched: bool,
    /// The receipts of what was sent last.
    pub receipts: Vec<String>,
    /// What was sent, oldest first.
    pub sent: Vec<String>,
    /// Which setting was looked at last.
    pub setting: usize,
    /// The commands that were run from the palette, by their ids, the last one first.
    pub recent: Vec<&'static str>,
}

impl AppState {
    pub(super) fn new(settings: Arc<Settings>, size: (u16, u16), now: Timestamp) -> Self {
        Self {
            settings,
            keymap: Arc::default(),
            profiles: Vec::new(),
            focused: true,
            size,
            now,
            messages: Messages::default(),
            versions: BTreeMap::new(),
            drafts: BTreeMap::new(),
            comments: BTreeMap::new(),
            working: BTreeMap::new(),
            revival: None,
            untouched: false,
            receipts: Vec::new(),
            sent: Vec::new(),
            setting: 0,
            recent: Vec::new(),
        }
    }

    /// Keeps what was written for these sessions and not sent; nothing but blanks is not worth it.
    pub fn keep_draft(&mut self, to: Vec<SessionId>, text: String) {
        if text.trim().is_empty() {
            self.drafts.remove(&to);
        } else {
            self.drafts.insert(to, text);
        }
    }

    /// Remembers what was sent.
    pub fn note_sent(&mut self, text: &str) {
        self.receipts.clear();
        self.untouched = true;
        self.remember_sent(text);
    }

    /// Keeps a text among those that were sent.
    pub fn remember_sent(&mut self, text: &str) {
        self.sent.retain(|t| t != text);
        if self.sent.len() >= SENT {
            self.sent.remove(0);
        }
        self.sent.push(text.to_owned());
    }

    /// Remembers a command that was run from the palette.
    pub(in crate::app) fn note_run(&mut self, command: &'static str) {
        self.recent.retain(|id| *id != command);
        self.recent.insert(0, command);
    }
}
