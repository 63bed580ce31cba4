//! What viewers on other screens need of a pane: captures of one instant, older lines, raw input.

use super::protocol::Reply;
use super::quote::line;
use super::tmux_mux::TmuxMux;
use crate::domain::frame::{Capture, Facts};
use crate::ports::mux::{MuxError, PaneRef};

impl TmuxMux {
    pub(super) fn instant(&self, pane: &PaneRef, back: u32) -> Result<Option<Capture>, MuxError> {
        let facts = "#{pane_id} #{pane_width} #{pane_height} #{cursor_flag} #{cursor_x} #{cursor_y} #{history_size} \
                     #{history_limit} #{alternate_on} #{pane_pid}";
        let start = format!("-{back}");
        let mut capture = vec!["capture-pane", "-e", "-p", "-N", "-t", &pane.pane];
        if back > 0 {
            capture.extend(["-S", &start]);
        }
        // One line: between two lines a pane may print.
        let both = [line(&["display-message", "-p", "-t", &pane.pane, facts]), line(&capture)].join(" ; ");
        let replies = self.ask_line(&both, 2)?;
        if replies.iter().any(|r| !r.ok) {
            return Ok(None);
        }
        let mut lines = replies.into_iter().flat_map(|r| r.lines);
        let about = lines.next().map(|l| String::from_utf8_lossy(&l).into_owned()).unwrap_or_default();
        let mut words = about.split(' ');
        // Of a pane that is gone tmux reports nothing, but without an error.
        if words.next() != Some(&pane.pane) {
            return Ok(None);
        }
        let mut numbers = words.map(|w| w.parse::<i64>().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        let mut cell = || u16::try_from(next()).unwrap_or(0);
        let size = (cell(), cell());
        let cursor_shown = cell() == 1;
        let cursor = (cell(), cell());
        let mut count = || u32::try_from(next()).unwrap_or(0);
        let (history, limit, alternate) = (count(), count(), count() == 1);
        let pid = i32::try_from(next()).ok().filter(|pid| *pid > 0);
        let facts = Facts { size, cursor, cursor_shown, history, limit, alternate, pid };
        let rows: Vec<Vec<u8>> = lines.collect();
        let whole = back.min(history) as usize + usize::from(size.1);
        // A pane's text broke the framing: the next one is whole.
        let rows = if rows.len() == whole { rows } else { Vec::new() };
        Ok(Some(Capture { facts, rows }))
    }

    pub(super) fn older(
        &self,
        pane: &PaneRef,
        newer: u32,
        lines: u32,
    ) -> Result<Option<Vec<Vec<u8>>>, MuxError> {
        let first = format!("-{}", u64::from(newer) + u64::from(lines));
        let last = format!("-{}", u64::from(newer) + 1);
        let capture = ["capture-pane", "-e", "-p", "-N", "-S", &first, "-E", &last, "-t", &pane.pane];
        let count = line(&["display-message", "-p", "-t", &pane.pane, "#{history_size}"]);
        let replies = self.ask_line(&format!("{count} ; {}", line(&capture)), 2)?;
        if replies.iter().any(|r| !r.ok) {
            return Ok(None);
        }
        let mut rows = replies.into_iter().flat_map(|r| r.lines);
        let history = rows.next().and_then(|l| String::from_utf8_lossy(&l).parse::<u32>().ok());
        // Of what is above the history tmux captures its first line.
        let there = history.unwrap_or(0).saturating_sub(newer).min(lines) as usize;
        Ok(Some(rows.take(there).collect()))
    }

    pub(super) fn bytes(&self, pane: &PaneRef, bytes: &[u8]) -> Result<(), MuxError> {
        /// How many go into one command.
        const MAX: usize = 1024;
        let mut lines = vec![line(&["copy-mode", "-q", "-t", &pane.pane])];
        for part in bytes.chunks(MAX) {
            let codes: Vec<String> = part.iter().map(|b| format!("{b:02x}")).collect();
            let mut words = vec!["send-keys", "-t", &pane.pane, "-H"];
            words.extend(codes.iter().map(String::as_str));
            lines.push(line(&words));
        }
        self.all(&lines, "send-keys").map(|_| ())
    }

    /// Asks one line of several commands that all answer. By a process of its own they answer as one.
    fn ask_line(&self, line: &str, answers: usize) -> Result<Vec<Reply>, MuxError> {
        let ask = || match self.connection()? {
            Some(connection) => connection.request_many(line, answers),
            None => self.request(&[line.to_owned()]),
        };
        match ask() {
            Err(MuxError::Closed(_)) => ask(),
            other => other,
        }
    }
}
