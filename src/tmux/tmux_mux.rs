//! The [`Mux`] on a real tmux server.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::connection::{Connection, Event, Target, text_of};
use super::protocol::Reply;
use super::quote::{line, no_format};
use super::turn::Turns;
use super::{rows, server, wedged};
use crate::ports::Clock;
use crate::ports::mux::{
    Belongs, Made, Mux, MuxError, MuxSession, NewSession, Pane, PaneList, Picture, Respawn, Stranger,
};
use crate::sys::clock::SystemClock;

/// Whether reading may start a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// Reading answers "no server" when none runs; only making a session starts one.
    IfRunning,
    /// The connection is kept open and starts the server: for a deck that stays.
    Always,
}

/// How often connecting is tried while the server goes down. A server that ends takes nobody in and
/// waits for its clients to leave, which takes seconds on a busy machine: the pauses double, 6 s in all.
const ATTEMPTS: u32 = 8;
/// After so many attempts the server has had its time to end.
const ENDING: u32 = 3;
/// How long the first pause between two attempts is.
const BETWEEN: Duration = Duration::from_millis(50);

type SharedListener = Arc<dyn Fn(Event) + Send + Sync>;

/// One tmux server, reached over one connection that is opened when it is first needed and
/// again after it broke.
pub struct TmuxMux {
    target: Target,
    tmpdir: Option<String>,
    own_server: bool,
    visited: bool,
    open: Open,
    listener: Option<SharedListener>,
    connection: Mutex<Option<Arc<Connection>>>,
    turns: Turns,
}

impl std::fmt::Debug for TmuxMux {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TmuxMux")
            .field("target", &self.target)
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl TmuxMux {
    /// A server on `socket`, whose files deck keeps in `run`. On a server that isn't deck's own it
    /// brings no configuration and sets options on its own sessions only.
    pub fn new(tmux: &str, socket: &str, run: &Path, own_server: bool, open: Open) -> Self {
        let config = own_server.then(|| run.join("tmux.conf"));
        Self {
            own_server,
            visited: false,
            turns: Turns::new(run, socket),
            target: Target {
                socket: socket.to_owned(),
                config,
                program: tmux.to_owned(),
                run: run.to_owned(),
            },
            tmpdir: std::env::var("TMUX_TMPDIR").ok(),
            open,
            listener: None,
            connection: Mutex::new(None),
        }
    }

    /// A server that is its user's own and on which sessions were adopted: it is asked by a process
    /// each time, and never started.
    pub fn visit(tmux: &str, socket: &str, run: &Path) -> Self {
        let mut mux = Self::new(tmux, socket, run, false, Open::IfRunning);
        mux.visited = true;
        mux
    }

    /// Tells `listener` of events on the server, from the connection's own thread.
    #[must_use]
    pub fn listen(mut self, listener: impl Fn(Event) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// The open connection, opened if `may_start` or if a server runs.
    fn connection(&self, may_start: bool) -> Result<Arc<Connection>, MuxError> {
        let mut slot = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = slot.as_ref().filter(|c| !c.has_ended()) {
            return Ok(open.clone());
        }
        let may_start = may_start || self.open == Open::Always;
        let mut pause = BETWEEN;
        for attempt in 1.. {
            if !may_start && !server::socket_is_live(&self.target.socket, self.tmpdir.as_deref()) {
                return Err(MuxError::NoServer(self.target.socket.clone()));
            }
            // A broken connection's client leaves in this turn too.
            let turn = self.turns.take()?;
            *slot = None;
            let opened = self.connect();
            drop(turn);
            match opened {
                // A server that is just going down still listens for a moment.
                Err(MuxError::Closed(_)) if attempt < ATTEMPTS => {
                    if self.own_server && attempt > ENDING {
                        wedged::end(&server::socket_path(&self.target.socket, self.tmpdir.as_deref()));
                    }
                    SystemClock.pause(pause);
                    pause *= 2;
                }
                other => {
                    let connection = Arc::new(other?);
                    *slot = Some(connection.clone());
                    return Ok(connection);
                }
            }
        }
        Err(MuxError::NoServer(self.target.socket.clone()))
    }

    fn connect(&self) -> Result<Connection, MuxError> {
        if let Some(config) = &self.target.config {
            let write = |path: &PathBuf| {
                if std::fs::read_to_string(path).is_ok_and(|t| t == server::CONFIG) {
                    return Ok(());
                }
                path.parent().map_or(Ok(()), crate::sys::files::make_dir)?;
                crate::sys::files::replace(path, server::CONFIG.as_bytes(), || Ok(()))
            };
            write(config).map_err(MuxError::Start)?;
        }
        let listener = self.listener.clone().map(|l| Box::new(move |e| l(e)) as super::connection::Listener);
        let connection = Connection::open(&self.target, listener)?;
        let mut lines = vec![line(&["display-message", "-p", "#{version}"])];
        if self.own_server {
            lines.push(line(&["show-environment", "-g"]));
            lines.extend(server::OPTIONS.iter().map(|words| line(words)));
        }
        let replies = connection.request(&lines)?;
        let found = replies.first().map(text_of).unwrap_or_default();
        if self.own_server {
            let strangers = replies.get(1).map(strange_variables).unwrap_or_default();
            if !strangers.is_empty() {
                connection.request(&strangers)?;
            }
        }
        if !server::is_new_enough(&found) {
            return Err(MuxError::TooOld { found, needed: server::MINIMUM });
        }
        // An option that this version doesn't have is no reason not to work.
        Ok(connection)
    }

    /// Asks something that may be asked twice: a server that went down under the first question is
    /// no longer there for the second, and that is the answer.
    fn ask(&self, lines: &[String]) -> Result<Vec<Reply>, MuxError> {
        match self.request(lines) {
            Err(MuxError::Closed(_)) => self.request(lines),
            other => other,
        }
    }

    /// Runs lines, and returns what each answered.
    pub(super) fn request(&self, lines: &[String]) -> Result<Vec<Reply>, MuxError> {
        if self.visited && !server::socket_is_live(&self.target.socket, self.tmpdir.as_deref()) {
            return Err(MuxError::NoServer(self.target.socket.clone()));
        }
        if self.visited {
            super::visit::request(&self.target, lines)
        } else {
            self.connection(false)?.request(lines)
        }
    }

    fn one(&self, words: &[&str]) -> Result<Reply, MuxError> {
        let replies = self.ask(&[line(words)])?;
        let reply = replies.into_iter().next().ok_or_else(|| MuxError::Closed("no reply".to_owned()))?;
        checked(reply, words.first().copied().unwrap_or_default())
    }

    /// The first and last line of a pane's picture so many lines back, as `capture-pane` counts them.
    fn window(&self, pane: &Pane, back: u32) -> Result<(String, String), MuxError> {
        let reply = self.one(&["display-message", "-p", "-t", &pane.0, "#{history_size} #{pane_height}"])?;
        let words = joined(&reply);
        let mut numbers = words.split(' ').map(|w| w.parse::<i64>().unwrap_or(0));
        let (history, height) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let back = i64::from(back).min(history);
        Ok(((-back).to_string(), (height - 1 - back).to_string()))
    }

    /// Runs lines that must all succeed; the first refusal is the error.
    fn all(&self, lines: &[String], what: &str) -> Result<Vec<Reply>, MuxError> {
        let replies = self.request(lines)?;
        replies.into_iter().map(|r| checked(r, what)).collect()
    }
}

impl Drop for TmuxMux {
    fn drop(&mut self) {
        let slot = self.connection.get_mut().unwrap_or_else(PoisonError::into_inner);
        if slot.is_some() {
            // Without a turn (a folder that can't be written) there is still nothing to do but leave.
            let _turn = self.turns.take();
            *slot = None;
        }
    }
}

fn checked(reply: Reply, command: &str) -> Result<Reply, MuxError> {
    if reply.ok {
        Ok(reply)
    } else {
        Err(MuxError::Refused { command: command.to_owned(), message: text_of(&reply) })
    }
}

/// The commands that clear the server's environment of its starter's own variables.
fn strange_variables(environment: &Reply) -> Vec<String> {
    let text = joined(environment);
    let names = text.lines().filter_map(|l| l.split_once('=')).map(|(name, _)| name);
    let is_name = |n: &&str| !n.is_empty() && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    names
        .filter(is_name)
        .filter(|n| !server::SHARED_ENV.contains(n))
        .map(|n| line(&["set-environment", "-g", "-u", n]))
        .collect()
}

/// The lines of a reply as text.
fn joined(reply: &Reply) -> String {
    let lines: Vec<_> = reply.lines.iter().map(|l| String::from_utf8_lossy(l)).collect();
    lines.join("\n")
}

/// Reads `SESSION PANE PID`.
fn made(reply: Option<&Reply>, command: &str) -> Result<Made, MuxError> {
    let text = reply.map(joined).unwrap_or_default();
    match text.split(' ').collect::<Vec<_>>()[..] {
        [session, pane, pid] if session.starts_with('$') && pane.starts_with('%') => Ok(Made {
            session: MuxSession(session.to_owned()),
            pane: Pane(pane.to_owned()),
            pid: pid.parse().ok(),
        }),
        _ => Err(MuxError::Unexpected {
            command: command.to_owned(),
            answer: crate::domain::text::clean(&text),
        }),
    }
}

/// What of a session's belongings is read, in order.
const BELONGINGS: [&str; 7] = [
    "@deck_home",
    "@deck_profile",
    "@deck_title",
    "@deck_tool",
    "@deck_command",
    "@deck_path",
    "@deck_group",
];

impl Mux for TmuxMux {
    /// One server is all that this knows: [`super::Servers`] knows several.
    fn include(&self, _: &[&str]) {}

    fn strangers(&self) -> Result<Vec<Stranger>, MuxError> {
        Ok(Vec::new())
    }

    fn panes(&self, changed_since: Option<i64>) -> Result<PaneList, MuxError> {
        let (filter, format) = (rows::filter(changed_since), rows::format());
        let reply = self.one(&["list-panes", "-a", "-f", &filter, "-F", &format])?;
        Ok(PaneList { at: reply.time, rows: reply.lines.iter().filter_map(|l| rows::parse(l)).collect() })
    }

    fn belongings(&self, sessions: &[MuxSession]) -> Result<Vec<Option<Belongs>>, MuxError> {
        // One command an option: a value may hold a newline, so none can share a line.
        let lines: Vec<String> = sessions
            .iter()
            .flat_map(|s| BELONGINGS.map(|option| line(&["show-options", "-qv", "-t", &s.0, option])))
            .collect();
        let replies = self.ask(&lines)?;
        let read = |of: &[Reply]| {
            let mut values = of.iter().map(|r| r.ok.then(|| joined(r)));
            let mut next = || values.next().flatten();
            Some(Belongs {
                home: next()?,
                profile: next()?,
                title: next()?,
                tool: next()?,
                command: next()?,
                path: next()?,
                group: next()?,
            })
        };
        Ok(replies.chunks(BELONGINGS.len()).map(read).collect())
    }

    fn environment(&self, wanted: &[(MuxSession, String)]) -> Result<Vec<Option<String>>, MuxError> {
        let lines: Vec<String> = wanted
            .iter()
            .map(|(session, name)| line(&["show-environment", "-t", &session.0, name]))
            .collect();
        let replies = self.ask(&lines)?;
        let value = |(reply, (_, name)): (&Reply, &(MuxSession, String))| {
            // A removed variable is shown as `-NAME`, an unknown one is an error.
            let text = reply.ok.then(|| joined(reply))?;
            text.strip_prefix(name.as_str())?.strip_prefix('=').map(str::to_owned)
        };
        Ok(replies.iter().zip(wanted).map(value).collect())
    }

    fn screens(&self, panes: &[Pane]) -> Result<Vec<Option<String>>, MuxError> {
        let lines: Vec<String> = panes.iter().map(|p| line(&["capture-pane", "-p", "-t", &p.0])).collect();
        let replies = self.ask(&lines)?;
        Ok(replies.iter().map(|r| r.ok.then(|| joined(r))).collect())
    }

    fn wheel(&self, pane: &Pane, up: bool) -> Result<(), MuxError> {
        let facts = "#{pane_id} #{mouse_any_flag}#{mouse_sgr_flag} #{alternate_on}";
        let reply = self.one(&["display-message", "-p", "-t", &pane.0, facts])?;
        let words = joined(&reply);
        let key = if up { "Up" } else { "Down" };
        // xterm's mouse reports, SGR form: button 64 is the wheel upwards, 65 downwards.
        let report = if up { "1b 5b 3c 36 34 3b 31 3b 31 4d" } else { "1b 5b 3c 36 35 3b 31 3b 31 4d" };
        let mut keys: Vec<&str> = vec!["send-keys", "-t", &pane.0];
        match words.split(' ').collect::<Vec<_>>()[..] {
            [id, "11", _] if id == pane.0 => {
                keys.push("-H");
                keys.extend(report.split(' '));
            }
            [id, _, "1"] if id == pane.0 => keys.extend(["-N", "3", key]),
            _ => return Ok(()),
        }
        self.one(&keys).map(|_| ())
    }

    fn picture(&self, pane: &Pane, back: u32) -> Result<Option<Picture>, MuxError> {
        let facts =
            "#{pane_id} #{pane_width} #{pane_height} #{cursor_flag} #{cursor_x} #{cursor_y} #{history_size}";
        let (top, bottom);
        let mut capture = vec!["capture-pane", "-e", "-p", "-t", &pane.0];
        if back > 0 {
            (top, bottom) = self.window(pane, back)?;
            capture.extend(["-S", &top, "-E", &bottom]);
        }
        let replies = self.ask(&[line(&["display-message", "-p", "-t", &pane.0, facts]), line(&capture)])?;
        let [about, text] = &replies[..] else { return Ok(None) };
        let words = joined(about);
        let fields: Vec<&str> = words.split(' ').collect();
        // Of a pane that is gone tmux tells nothing, but without an error.
        if !text.ok || fields.first() != Some(&pane.0.as_str()) {
            return Ok(None);
        }
        let number = |i: usize| fields.get(i).and_then(|f| f.parse::<u16>().ok());
        let size = (number(1).unwrap_or(0), number(2).unwrap_or(0));
        if text.lines.len() != usize::from(size.1) {
            // A pane's text broke the framing, or it was resized in between: the next one is whole.
            return Ok(Some(Picture { size, ..Picture::default() }));
        }
        let cursor = match (number(3), number(4), number(5)) {
            (Some(1), Some(x), Some(y)) => Some((x, y)),
            _ => None,
        };
        let history = fields.get(6).and_then(|f| f.parse().ok()).unwrap_or(0);
        let (back, cursor) = (back.min(history), cursor.filter(|_| back == 0));
        Ok(Some(Picture { lines: text.lines.clone(), size, cursor, history, back }))
    }

    fn history(&self, pane: &Pane, lines: u32) -> Result<Option<String>, MuxError> {
        let start = format!("-{lines}");
        let replies = self.ask(&[line(&["capture-pane", "-p", "-J", "-S", &start, "-t", &pane.0])])?;
        Ok(replies.first().filter(|r| r.ok).map(joined))
    }

    fn create(&self, new: &NewSession) -> Result<Made, MuxError> {
        let (columns, rows) = (new.size.0.to_string(), new.size.1.to_string());
        let dir = no_format(&new.dir);
        let format = "#{session_id} #{pane_id} #{pane_pid}";
        let mut words =
            vec!["new-session", "-d", "-P", "-F", format, "-s", &new.name, "-n", &new.name, "-c", &dir];
        words.extend(["-x", &columns, "-y", &rows]);
        let env: Vec<String> = new.env.iter().map(|(k, v)| format!("{k}={v}")).collect();
        words.extend(env.iter().flat_map(|e| ["-e", e.as_str()]));
        words.extend(["sh", "-c", &new.script]);
        if new.name.is_empty() {
            return Err(MuxError::Refused {
                command: "new-session".to_owned(),
                message: "it has no name".to_owned(),
            });
        }
        // The connection first: it may need the turn for itself.
        let connection = self.connection(true)?;
        let turn = self.turns.take()?;
        let replies = connection.request(&[line(&words)])?;
        drop(turn);
        let reply = replies.into_iter().next().map(|r| checked(r, "new-session")).transpose()?;
        let made = made(reply.as_ref(), "new-session")?;
        // By its id, and only once it is this one's: another deck may have made one of this name. A deck
        // killed before this leaves a session that is known by its name.
        let target = made.session.0.clone();
        let mut lines: Vec<String> =
            new.options.iter().map(|(k, v)| line(&["set-option", "-t", &target, k, v])).collect();
        lines.push(line(&["set-option", "-t", &target, "@deck_pane", &made.pane.0]));
        if !self.own_server {
            lines.push(line(&["set-option", "-w", "-t", &target, "remain-on-exit", "on"]));
        }
        for reply in connection.request(&lines)? {
            checked(reply, "set-option")?;
        }
        Ok(made)
    }

    fn respawn(&self, respawn: &Respawn) -> Result<Made, MuxError> {
        let dir = no_format(&respawn.dir);
        let mut lines: Vec<String> = respawn
            .options
            .iter()
            .map(|(k, v)| line(&["set-option", "-t", &respawn.session.0, k, v]))
            .collect();
        let words = ["respawn-pane", "-k", "-t", &respawn.pane.0, "-c", &dir, "sh", "-c", &respawn.script];
        lines.push(line(&words));
        let format = "#{session_id} #{pane_id} #{pane_pid}";
        lines.push(line(&["display-message", "-p", "-t", &respawn.pane.0, format]));
        let replies = self.all(&lines, "respawn-pane")?;
        made(replies.last(), "respawn-pane")
    }

    fn set_options(&self, session: &MuxSession, options: &[(&str, &str)]) -> Result<(), MuxError> {
        let lines: Vec<String> =
            options.iter().map(|(k, v)| line(&["set-option", "-t", &session.0, k, v])).collect();
        self.all(&lines, "set-option").map(|_| ())
    }

    fn set_each(&self, options: &[(MuxSession, &str, String)]) -> Result<(), MuxError> {
        let lines: Vec<String> =
            options.iter().map(|(s, k, v)| line(&["set-option", "-t", &s.0, k, v])).collect();
        self.ask(&lines).map(|_| ())
    }

    fn set_environment(&self, session: &MuxSession, name: &str, value: &str) -> Result<(), MuxError> {
        self.one(&["set-environment", "-t", &session.0, name, value]).map(|_| ())
    }

    fn kill(&self, session: &MuxSession) -> Result<(), MuxError> {
        if session.0.is_empty() {
            // An empty target means the current session to tmux.
            return Ok(());
        }
        let kill = [line(&["kill-session", "-t", &session.0])];
        let replies = if self.visited {
            self.request(&kill)
        } else {
            match self.connection(false) {
                Err(error) => Err(error),
                Ok(connection) => {
                    let _turn = self.turns.take()?;
                    connection.request(&kill)
                }
            }
        };
        let replies = match replies {
            Err(MuxError::NoServer(_)) => return Ok(()),
            other => other?,
        };
        match replies.into_iter().try_for_each(|r| checked(r, "kill-session").map(|_| ())) {
            Err(MuxError::Refused { message, .. }) if message.contains("find session") => Ok(()),
            other => other,
        }
    }

    fn close(&self, pane: &Pane) -> Result<(), MuxError> {
        match self.one(&["kill-pane", "-t", &pane.0]) {
            Err(MuxError::NoServer(_)) => Ok(()),
            Err(MuxError::Refused { message, .. }) if message.contains("find pane") => Ok(()),
            other => other.map(|_| ()),
        }
    }

    fn keys(&self, pane: &Pane, keys: &[&str]) -> Result<(), MuxError> {
        // A pane that is scrolled back swallows keys.
        let mut words = vec!["send-keys", "-t", &pane.0, "--"];
        words.extend(keys);
        let lines = [line(&["copy-mode", "-q", "-t", &pane.0]), line(&words)];
        self.all(&lines, "send-keys").map(|_| ())
    }

    fn type_text(&self, pane: &Pane, text: &str) -> Result<(), MuxError> {
        let lines = [
            line(&["copy-mode", "-q", "-t", &pane.0]),
            line(&["send-keys", "-t", &pane.0, "-l", "--", text]),
        ];
        self.all(&lines, "send-keys").map(|_| ())
    }

    fn paste(&self, pane: &Pane, text: &str) -> Result<(), MuxError> {
        if text.is_empty() {
            return Ok(());
        }
        let text = without_paste_end(text);
        let buffer = format!("deck-{}", pane.0.trim_start_matches('%'));
        let paste = line(&["paste-buffer", "-p", "-d", "-b", &buffer, "-t", &pane.0]);
        // tmux 3.3a crashes when it pastes into a dead pane: the server itself must look first.
        let guarded =
            line(&["if-shell", "-F", "-t", &pane.0, "#{pane_dead}", "show-options -g -q @deck_none", &paste]);
        let lines =
            [line(&["copy-mode", "-q", "-t", &pane.0]), line(&["set-buffer", "-b", &buffer, "--", &text])];
        let mut replies = self.all(&lines, "set-buffer")?;
        // Two blocks come back for the guarded line: one for if-shell, one for what it ran.
        if self.visited {
            replies.extend(self.request(&[guarded])?);
        } else {
            replies.extend(self.connection(false)?.request_many(&guarded, 2)?);
        }
        replies.into_iter().try_for_each(|r| checked(r, "paste-buffer").map(|_| ()))
    }

    fn collect(&self) -> Result<(), MuxError> {
        self.one(&["run-shell", "true"]).map(|_| ())
    }

    fn shut_down(&self) -> Result<(), MuxError> {
        if !self.own_server {
            return Err(MuxError::Refused {
                command: "kill-server".to_owned(),
                message: "this server is not deck's own".to_owned(),
            });
        }
        match self.one(&["kill-server"]) {
            // It ends before it can answer.
            Err(MuxError::Closed(_) | MuxError::NoServer(_)) => Ok(()),
            other => other.map(|_| ()),
        }
    }

    fn version(&self) -> Result<String, MuxError> {
        self.one(&["display-message", "-p", "#{version}"]).map(|r| joined(&r))
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
