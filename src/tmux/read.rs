//! Reading from one server: the batched list, facts, captures.

use super::protocol::Reply;
use super::quote::line;
use super::tmux_mux::{TmuxMux, checked, has_no_session, joined};
use super::{rows, server, tags};
use crate::ports::mux::{MuxError, PaneList, PaneRef, RecordTags, ScreenCapture, SessionRef, TagName};

/// What of a session's belongings is read, in order.
const TAGS: [TagName; 7] = [
    TagName::Home,
    TagName::Profile,
    TagName::Title,
    TagName::Tool,
    TagName::Command,
    TagName::Path,
    TagName::Group,
];

impl TmuxMux {
    /// The agents' panes, as [`MuxRead::panes`] lists them.
    pub(super) fn panes(&self, changed_since: Option<i64>) -> Result<PaneList, MuxError> {
        let (filter, format) = (rows::filter(changed_since), rows::format());
        let words = ["list-panes", "-a", "-f", &filter, "-F", &format];
        let reply =
            self.ask(&[line(&words)])?.pop().ok_or_else(|| MuxError::Closed("no reply".to_owned()))?;
        if has_no_session(&reply) {
            return Ok(PaneList { at: reply.time, ..PaneList::default() });
        }
        let reply = checked(reply, "list-panes")?;
        let mut list = PaneList { at: reply.time, ..PaneList::default() };
        for row in reply.lines.iter().filter_map(|l| rows::parse(self.id(), l)) {
            match row {
                rows::Row::Agent(row) => list.rows.push(*row),
                rows::Row::Terminal(row) => list.terminals.push(*row),
            }
        }
        Ok(list)
    }

    pub(super) fn record_tags(&self, sessions: &[SessionRef]) -> Result<Vec<Option<RecordTags>>, MuxError> {
        // One command an option: a value may hold a newline, so none can share a line.
        let lines: Vec<String> = sessions
            .iter()
            .flat_map(|s| {
                TAGS.map(|name| line(&["show-options", "-qv", "-t", &s.session, tags::option(name)]))
            })
            .collect();
        let replies = self.ask(&lines)?;
        let read = |of: &[Reply]| {
            let mut values = of.iter().map(|r| r.ok.then(|| joined(r)));
            let mut next = || values.next().flatten();
            Some(RecordTags {
                home: next()?,
                profile: next()?,
                title: next()?,
                tool: next()?,
                command: next()?,
                path: next()?,
                group: next()?,
            })
        };
        Ok(replies.chunks(TAGS.len()).map(read).collect())
    }

    pub(super) fn environment(
        &self,
        wanted: &[(SessionRef, String)],
    ) -> Result<Vec<Option<String>>, MuxError> {
        let lines: Vec<String> = wanted
            .iter()
            .map(|(session, name)| line(&["show-environment", "-t", &session.session, name]))
            .collect();
        let replies = self.ask(&lines)?;
        let value = |(reply, (_, name)): (&Reply, &(SessionRef, String))| {
            // A removed variable is shown as `-NAME`, an unknown one is an error.
            let text = reply.ok.then(|| joined(reply))?;
            text.strip_prefix(name.as_str())?.strip_prefix('=').map(str::to_owned)
        };
        Ok(replies.iter().zip(wanted).map(value).collect())
    }

    pub(super) fn screens(&self, panes: &[PaneRef]) -> Result<Vec<Option<String>>, MuxError> {
        let lines: Vec<String> = panes.iter().map(|p| line(&["capture-pane", "-p", "-t", &p.pane])).collect();
        let replies = self.ask(&lines)?;
        Ok(replies.iter().map(|r| r.ok.then(|| joined(r))).collect())
    }

    pub(super) fn capture(&self, pane: &PaneRef, back: u32) -> Result<Option<ScreenCapture>, MuxError> {
        let facts =
            "#{pane_id} #{pane_width} #{pane_height} #{cursor_flag} #{cursor_x} #{cursor_y} #{history_size}";
        let (top, bottom);
        let mut capture = vec!["capture-pane", "-e", "-p", "-N", "-t", &pane.pane];
        if back > 0 {
            (top, bottom) = self.window(pane, back)?;
            capture.extend(["-S", &top, "-E", &bottom]);
        }
        let replies =
            self.ask(&[line(&["display-message", "-p", "-t", &pane.pane, facts]), line(&capture)])?;
        let [about, text] = &replies[..] else { return Ok(None) };
        let words = joined(about);
        let fields: Vec<&str> = words.split(' ').collect();
        // Of a pane that is gone tmux reports nothing, but without an error.
        if !text.ok || fields.first() != Some(&pane.pane.as_str()) {
            return Ok(None);
        }
        let number = |i: usize| fields.get(i).and_then(|f| f.parse::<u16>().ok());
        let size = (number(1).unwrap_or(0), number(2).unwrap_or(0));
        if text.lines.len() != usize::from(size.1) {
            // A pane's text broke the framing, or it was resized in between: the next one is whole.
            return Ok(Some(ScreenCapture { size, ..ScreenCapture::default() }));
        }
        let cursor = match (number(3), number(4), number(5)) {
            (Some(1), Some(x), Some(y)) => Some((x, y)),
            _ => None,
        };
        let history = fields.get(6).and_then(|f| f.parse().ok()).unwrap_or(0);
        let (back, cursor) = (back.min(history), cursor.filter(|_| back == 0));
        Ok(Some(ScreenCapture { lines: text.lines.clone(), size, cursor, history, back }))
    }

    pub(super) fn history(&self, pane: &PaneRef, lines: u32) -> Result<Option<String>, MuxError> {
        let start = format!("-{lines}");
        let replies = self.ask(&[line(&["capture-pane", "-p", "-J", "-S", &start, "-t", &pane.pane])])?;
        Ok(replies.first().filter(|r| r.ok).map(joined))
    }

    pub(super) fn last_typed(&self, sessions: &[SessionRef]) -> Result<Vec<Option<i64>>, MuxError> {
        // What tmux calls a session's activity is its creation, and then what clients do: not what its panes print.
        let times = "#{session_created} #{session_activity}";
        let ask = |s: &SessionRef| line(&["display-message", "-p", "-t", &s.session, times]);
        let replies = self.ask(&sessions.iter().map(ask).collect::<Vec<_>>())?;
        let read = |reply: &Reply| {
            let words = reply.ok.then(|| joined(reply))?;
            let (created, activity) = words.trim().split_once(' ')?;
            let activity: i64 = activity.parse().ok()?;
            (activity > created.parse().ok()?).then_some(activity)
        };
        Ok(replies.iter().map(read).collect())
    }

    pub(super) fn last_session_of(&self, client: i32) -> Result<Option<SessionRef>, MuxError> {
        let words = self.one(&["show-options", "-sqv", server::SHOWN]).map(|r| joined(&r))?;
        let of_client = words.split_once(' ').filter(|(pid, _)| pid.parse() == Ok(client));
        Ok(of_client.map(|(_, session)| SessionRef::new(self.id(), session)))
    }

    pub(super) fn version(&self) -> Result<String, MuxError> {
        self.one(&["display-message", "-p", "#{version}"]).map(|r| joined(&r))
    }

    /// The first and last line of a pane's capture N lines back, as `capture-pane` counts them.
    fn window(&self, pane: &PaneRef, back: u32) -> Result<(String, String), MuxError> {
        let reply =
            self.one(&["display-message", "-p", "-t", &pane.pane, "#{history_size} #{pane_height}"])?;
        let words = joined(&reply);
        let mut numbers = words.split(' ').map(|w| w.parse::<i64>().unwrap_or(0));
        let (history, height) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let back = i64::from(back).min(history);
        Ok(((-back).to_string(), (height - 1 - back).to_string()))
    }
}
