//! What is typed into a pane: keys, text, pastes, the wheel.

use super::quote::line;
use super::tmux_mux::{TmuxMux, checked, joined};
use crate::ports::mux::{MuxError, PaneRef};

impl TmuxMux {
    pub(super) fn keys(&self, pane: &PaneRef, keys: &[&str]) -> Result<(), MuxError> {
        // A pane that is scrolled back swallows keys.
        let mut words = vec!["send-keys", "-t", &pane.pane, "--"];
        words.extend(keys);
        let lines = [line(&["copy-mode", "-q", "-t", &pane.pane]), line(&words)];
        self.all(&lines, "send-keys").map(|_| ())
    }

    pub(super) fn type_text(&self, pane: &PaneRef, text: &str) -> Result<(), MuxError> {
        let lines = [
            line(&["copy-mode", "-q", "-t", &pane.pane]),
            line(&["send-keys", "-t", &pane.pane, "-l", "--", text]),
        ];
        self.all(&lines, "send-keys").map(|_| ())
    }

    pub(super) fn paste(&self, pane: &PaneRef, text: &str) -> Result<(), MuxError> {
        if text.is_empty() {
            return Ok(());
        }
        let text = without_paste_end(text);
        let buffer = format!("deck-{}", pane.pane.trim_start_matches('%'));
        let paste = line(&["paste-buffer", "-p", "-d", "-b", &buffer, "-t", &pane.pane]);
        // tmux 3.3a crashes when it pastes into a dead pane: the server itself must look first.
        let guarded = line(&[
            "if-shell",
            "-F",
            "-t",
            &pane.pane,
            "#{pane_dead}",
            "show-options -g -q @deck_none",
            &paste,
        ]);
        let lines =
            [line(&["copy-mode", "-q", "-t", &pane.pane]), line(&["set-buffer", "-b", &buffer, "--", &text])];
        let mut replies = self.all(&lines, "set-buffer")?;
        // Two blocks come back for the guarded line: one for if-shell, one for what it ran.
        match self.connection()? {
            Some(connection) => replies.extend(connection.request_many(&guarded, 2)?),
            None => replies.extend(self.request(&[guarded])?),
        }
        replies.into_iter().try_for_each(|r| checked(r, "paste-buffer").map(|_| ()))
    }

    pub(super) fn wheel(&self, pane: &PaneRef, up: bool) -> Result<(), MuxError> {
        let facts = "#{pane_id} #{mouse_any_flag}#{mouse_sgr_flag} #{alternate_on}";
        let reply = self.one(&["display-message", "-p", "-t", &pane.pane, facts])?;
        let words = joined(&reply);
        let key = if up { "Up" } else { "Down" };
        // xterm's mouse reports, SGR form: button 64 is the wheel upwards, 65 downwards.
        let report = if up { "1b 5b 3c 36 34 3b 31 3b 31 4d" } else { "1b 5b 3c 36 35 3b 31 3b 31 4d" };
        let mut keys: Vec<&str> = vec!["send-keys", "-t", &pane.pane];
        match words.split(' ').collect::<Vec<_>>()[..] {
            [id, "11", _] if id == pane.pane => {
                keys.push("-H");
                keys.extend(report.split(' '));
            }
            [id, _, "1"] if id == pane.pane => keys.extend(["-N", "3", key]),
            _ => return Ok(()),
        }
        self.one(&keys).map(|_| ())
    }
}

/// A pasted text must not hold the mark that ends a bracketed paste: what follows it would be
/// read as typed. tmux doesn't filter it.
fn without_paste_end(text: &str) -> String {
    text.chars().filter(|c| *c == '\n' || *c == '\t' || !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_can_not_end_itself() {
        assert_eq!(without_paste_end("a\u{1b}[201~rm\n\tb\r\u{3}"), "a[201~rm\n\tb");
    }
}
