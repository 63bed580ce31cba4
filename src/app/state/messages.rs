//! What deck says to its user: the message in the footer, and the log of all messages.

use jiff::{SignedDuration, Timestamp};

/// How long a message that is no error stays, at least.
const READ: SignedDuration = SignedDuration::from_secs(8);
/// How many messages are kept.
const LOGGED: usize = 500;

/// A message to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    /// The words.
    pub text: String,
    pub is_error: bool,
}

/// What deck has said.
#[derive(Debug, Default)]
pub struct Messages {
    /// The last message, until the next key or, if it is not an error, until it was long enough to be read.
    pub toast: Option<Toast>,
    /// The first tick of the clock that it was seen at.
    seen: Option<Timestamp>,
    /// Past messages, with their times.
    pub log: Vec<(Timestamp, Toast)>,
}

impl Messages {
    /// What a profile opens with: the words on its recovery, if there are any.
    pub(super) fn open_with(&mut self, recovered: Option<String>) {
        (self.toast, self.seen) = (recovered.map(|text| Toast { text, is_error: true }), None);
    }

    /// Shows a message and keeps it in the log.
    pub(super) fn show(&mut self, toast: Toast, now: Timestamp) {
        self.keep(toast.clone(), now);
        (self.toast, self.seen) = (Some(toast), None);
    }

    /// Shows a message that nobody needs to read again.
    pub(super) fn flash(&mut self, text: String) {
        (self.toast, self.seen) = (Some(Toast { text, is_error: false }), None);
    }

    /// Keeps words in the log alone.
    pub fn log_only(&mut self, text: &str, now: Timestamp) {
        self.keep(Toast { text: text.to_owned(), is_error: false }, now);
    }

    /// Keeps an error in the log alone.
    pub(super) fn log_error(&mut self, text: String, now: Timestamp) {
        self.keep(Toast { text, is_error: true }, now);
    }

    fn keep(&mut self, toast: Toast, now: Timestamp) {
        if self.log.len() >= LOGGED {
            self.log.remove(0);
        }
        self.log.push((now, toast));
    }

    /// Whether what is shown goes with time.
    pub(super) fn fades(&self) -> bool {
        self.toast.as_ref().is_some_and(|t| !t.is_error)
    }

    /// Clears what was shown long enough to be read. An error stays until a key is pressed.
    pub(in crate::app) fn fade(&mut self, now: Timestamp) {
        if !self.fades() {
            return;
        }
        let seen = *self.seen.get_or_insert(now);
        if now.duration_since(seen) >= READ {
            (self.toast, self.seen) = (None, None);
        }
    }
}
