//! Making, replacing and ending sessions. What tmux announces to all its clients is done under the server's lock.

use super::protocol::Reply;
use super::quote::{line, no_format};
use super::tags;
use super::tmux_mux::{TmuxMux, checked, joined};
use crate::domain::worker::WorkerId;
use crate::ports::mux::{
    CreatedPane, MuxError, NewSession, NewWindow, PaneRef, Respawn, RespawnWindow, SessionRef, Tag, TagName,
};

/// What the pane of a terminal is marked with: its worker. It is the pane's own, so that one that is split off stays
/// unmarked.
pub(super) const WORKER: &str = "@deck_worker";

/// What a session's fact of its agent's pane says where there is none.
const NO_PANE: &str = "none";

/// What is asked of a session or window that was made.
const MADE: &str = "#{session_id} #{pane_id} #{pane_pid}";

impl TmuxMux {
    pub(super) fn create(&self, new: &NewSession) -> Result<CreatedPane, MuxError> {
        if new.name.is_empty() {
            return Err(MuxError::Refused {
                command: "new-session".to_owned(),
                message: "it has no name".to_owned(),
            });
        }
        let path = new.env.get("PATH").map(String::as_str);
        let run = |command: &str| {
            let reply = self.make(command, path)?;
            reply.map(|r| checked(r, "new-session")).transpose()
        };
        let (columns, rows) = (new.size.0.to_string(), new.size.1.to_string());
        let session = ["new-session", "-d", "-s", &new.name, "-x", &columns, "-y", &rows];
        let reply = match run(&command(self, new, &session)) {
            Err(MuxError::Refused { command: what, message }) if message.contains("duplicate session") => {
                let Some(closed) = closed_pane(self, new)? else {
                    return Err(MuxError::Refused { command: what, message });
                };
                // In the same session, before what works beside the agent, if that pane is still the last that deck made
                // there: another deck may have been faster, and then this answers nothing.
                let first = format!("{}{{start}}", target(new));
                let window = command(self, new, &["new-window", "-b", "-t", &first]);
                let same = format!("#{{==:#{{@deck_pane}},{closed}}}");
                run(&line(&["if-shell", "-F", "-t", &target(new), &same, &window]))?
            }
            other => other?,
        };
        made(self, reply.as_ref(), "new-session")
    }

    /// In one line, as the last window, so that it is marked before its program can ask for anything, and also if this deck
    /// is killed. Whatever it prints wakes no deck.
    pub(super) fn create_window(&self, new: &NewWindow) -> Result<CreatedPane, MuxError> {
        let dir = no_format(&new.dir);
        let last = format!("{}:{{end}}", new.session.session);
        let mut words = vec!["new-window", "-d", "-a", "-t", &last, "-P", "-F", MADE];
        words.extend(["-n", &new.name, "-c", &dir, "sh", "-c", &new.script]);
        let mut all = line(&words);
        all.push_str(&self.mark(&last, &new.worker));
        let reply = self.announce_in(&[all], new.path.as_deref())?.into_iter().next();
        let reply = reply.ok_or_else(|| MuxError::Closed("no reply".to_owned()))?;
        made(self, Some(&checked(reply, "new-window")?), "new-window")
    }

    /// The commands that mark the pane at a target as a terminal's.
    fn mark(&self, target: &str, worker: &WorkerId) -> String {
        let mut all = vec![
            line(&["set-option", "-p", "-t", target, WORKER, worker.as_str()]),
            line(&["set-option", "-w", "-t", target, "monitor-activity", "off"]),
        ];
        if !self.own_server {
            all.push(line(&["set-option", "-w", "-t", target, "remain-on-exit", "on"]));
            // The line that says that it is dead would scroll the first one away. Some versions have no such option.
            all.push(line(&["set-option", "-qp", "-t", target, "remain-on-exit-format", ""]));
        }
        all.iter().map(|command| format!(" ; {command}")).collect()
    }

    /// A session that has a terminal alone: the pane of its agent is none.
    pub(super) fn create_with_terminal(
        &self,
        new: &NewSession,
        worker: &WorkerId,
    ) -> Result<CreatedPane, MuxError> {
        let path = new.env.get("PATH").map(String::as_str);
        let (columns, rows) = (new.size.0.to_string(), new.size.1.to_string());
        let start = ["new-session", "-d", "-s", &new.name, "-x", &columns, "-y", &rows];
        let mut all = start_line(new, &start);
        let target = target(new);
        let mut set = |words: &[&str]| all.extend([" ; ", &line(words)]);
        for tag in &new.tags {
            set(&["set-option", "-t", &target, tags::option(tag.name), &tag.value]);
        }
        set(&["set-option", "-t", &target, tags::option(TagName::Pane), NO_PANE]);
        all.push_str(&self.mark(&target, worker));
        match self.make(&all, path)?.map(|r| checked(r, "new-session")).transpose() {
            // Something of its user's is left in it, or another deck was faster: it goes beside that.
            Err(MuxError::Refused { message, .. }) if message.contains("duplicate session") => {
                self.window_in(&target, new, worker)
            }
            other => made(self, other?.as_ref(), "new-session"),
        }
    }

    /// Makes a window for a terminal in the session of this target.
    fn window_in(&self, target: &str, new: &NewSession, worker: &WorkerId) -> Result<CreatedPane, MuxError> {
        let last = format!("{target}{{end}}");
        let mut all = start_line(new, &["new-window", "-d", "-a", "-t", &last]);
        all.push_str(&self.mark(&last, worker));
        let path = new.env.get("PATH").map(String::as_str);
        let reply = self.announce_in(&[all], path)?.into_iter().next();
        let reply = reply.ok_or_else(|| MuxError::Closed("no reply".to_owned()))?;
        made(self, Some(&checked(reply, "new-window")?), "new-window")
    }

    pub(super) fn respawn_window(&self, respawn: &RespawnWindow) -> Result<(), MuxError> {
        let dir = no_format(&respawn.dir);
        let words = ["respawn-pane", "-k", "-t", &respawn.pane.pane, "-c", &dir, "sh", "-c", &respawn.script];
        self.one(&words).map(|_| ())
    }

    pub(super) fn respawn(&self, respawn: &Respawn) -> Result<CreatedPane, MuxError> {
        let dir = no_format(&respawn.dir);
        let mut lines: Vec<String> =
            respawn.tags.iter().map(|tag| tags::set(&respawn.session, tag)).collect();
        let words = ["respawn-pane", "-k", "-t", &respawn.pane.pane, "-c", &dir, "sh", "-c", &respawn.script];
        lines.push(line(&words));
        lines.push(line(&["display-message", "-p", "-t", &respawn.pane.pane, MADE]));
        let replies = self.all(&lines, "respawn-pane")?;
        made(self, replies.last(), "respawn-pane")
    }

    pub(super) fn tag(&self, session: &SessionRef, tags: &[Tag]) -> Result<(), MuxError> {
        let lines: Vec<String> = tags.iter().map(|tag| tags::set(session, tag)).collect();
        self.all(&lines, "set-option").map(|_| ())
    }

    pub(super) fn tag_each(&self, tags: &[(SessionRef, Tag)]) -> Result<(), MuxError> {
        let lines: Vec<String> = tags.iter().map(|(session, tag)| tags::set(session, tag)).collect();
        self.ask(&lines).map(|_| ())
    }

    pub(super) fn set_environment(
        &self,
        session: &SessionRef,
        name: &str,
        value: &str,
    ) -> Result<(), MuxError> {
        self.one(&["set-environment", "-t", &session.session, name, value]).map(|_| ())
    }

    pub(super) fn kill(&self, session: &SessionRef) -> Result<(), MuxError> {
        if session.session.is_empty() {
            // An empty target means the current session to tmux.
            return Ok(());
        }
        let replies = self.announce(&[line(&["kill-session", "-t", &session.session])]);
        let replies = match replies {
            Err(MuxError::NoServer(_)) => return Ok(()),
            other => other?,
        };
        match replies.into_iter().try_for_each(|r| checked(r, "kill-session").map(|_| ())) {
            Err(MuxError::Refused { message, .. }) if message.contains("find session") => Ok(()),
            other => other,
        }
    }

    pub(super) fn close(&self, pane: &PaneRef) -> Result<(), MuxError> {
        let replies = match self.announce(&[line(&["kill-pane", "-t", &pane.pane])]) {
            Err(MuxError::NoServer(_)) => return Ok(()),
            other => other?,
        };
        match replies.into_iter().try_for_each(|r| checked(r, "kill-pane").map(|_| ())) {
            Err(MuxError::Refused { message, .. }) if message.contains("find pane") => Ok(()),
            other => other,
        }
    }

    /// `resize-window` sets a size by hand that would stay when a client attaches. Unset at once, the window keeps it only as
    /// long as no client shows it.
    pub(super) fn resize(
        &self,
        pane: &PaneRef,
        (columns, rows): (u16, u16),
        tag: Option<(&SessionRef, &Tag)>,
    ) -> Result<(), MuxError> {
        // The session's current window may be another one's.
        let id = &pane.pane;
        if !self.own_server || id.is_empty() {
            return Ok(());
        }
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let is_due = format!(
            "#{{&&:#{{!=:#{{window_width}}x#{{window_height}},{columns}x{rows}}},#{{==:#{{window_active_clients}},0}}}}"
        );
        let mut resize: Vec<String> = tag.iter().map(|(session, tag)| tags::set(session, tag)).collect();
        resize.push(line(&["resize-window", "-t", id, "-x", &columns, "-y", &rows]));
        resize.push(line(&["set-option", "-wu", "-t", id, "window-size"]));
        // As many answers either way: each command of the one that is run has its own.
        let nothing = vec![line(&["show-options", "-gq", "@deck_none"]); resize.len()];
        let guarded = line(&["if-shell", "-F", "-t", id, &is_due, &resize.join(" ; "), &nothing.join(" ; ")]);
        let replies = match self.connection()? {
            Some(connection) => connection.request_many(&guarded, 1 + resize.len())?,
            None => self.request(&[guarded])?,
        };
        replies.into_iter().try_for_each(|r| checked(r, "resize-window").map(|_| ()))
    }

    /// -C ends nothing: it clears what a session's windows have reported.
    pub(super) fn rearm(&self, sessions: &[SessionRef]) -> Result<(), MuxError> {
        if !self.own_server || sessions.is_empty() {
            return Ok(());
        }
        let named = sessions.iter().filter(|s| !s.session.is_empty());
        let lines: Vec<String> = named.map(|s| line(&["kill-session", "-C", "-t", &s.session])).collect();
        self.ask(&lines).map(|_| ())
    }

    pub(super) fn reap(&self) -> Result<(), MuxError> {
        self.one(&["run-shell", "true"]).map(|_| ())
    }

    pub(super) fn shut_down(&self) -> Result<(), MuxError> {
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
}

/// The session by its name. Each session's name is another (it ends in its id), and `=` matches no other
/// than the whole.
fn target(new: &NewSession) -> String {
    format!("={}:", new.name)
}

/// The commands that make a pane with its program by `start`, and set the session's options. In one line,
/// so that the server runs all of it before anything that the program sets itself. A line stops at its
/// first error: where nothing is made, nothing is set.
fn command(mux: &TmuxMux, new: &NewSession, start: &[&str]) -> String {
    let target = target(new);
    let mut all = start_line(new, start);
    let mut set = |words: &[&str]| all.extend([" ; ", &line(words)]);
    for tag in &new.tags {
        set(&["set-option", "-t", &target, tags::option(tag.name), &tag.value]);
    }
    set(&["set-option", "-F", "-t", &target, "@deck_pane", "#{pane_id}"]);
    if !mux.own_server {
        set(&["set-option", "-w", "-t", &target, "remain-on-exit", "on"]);
    }
    all
}

/// The command that makes a pane with its program by `start`.
fn start_line(new: &NewSession, start: &[&str]) -> String {
    let dir = no_format(&new.dir);
    let mut words = start.to_vec();
    words.extend(["-P", "-F", MADE, "-n", &new.name, "-c", &dir]);
    let env: Vec<String> = new.env.iter().map(|(k, v)| format!("{k}={v}")).collect();
    words.extend(env.iter().flat_map(|e| ["-e", e.as_str()]));
    words.extend(["sh", "-c", &new.script]);
    line(&words)
}

/// The pane that deck made last in the session of this name, if it was closed and others are left.
fn closed_pane(mux: &TmuxMux, new: &NewSession) -> Result<Option<String>, MuxError> {
    let words = ["list-panes", "-s", "-t", &target(new), "-F", "#{pane_id} #{@deck_pane}"];
    let panes = joined(&mux.one(&words)?);
    let panes: Vec<(&str, &str)> = panes.lines().filter_map(|l| l.split_once(' ')).collect();
    let own = panes.first().map(|(_, own)| *own).filter(|own| !own.is_empty());
    Ok(own.filter(|own| panes.iter().all(|(pane, _)| pane != own)).map(str::to_owned))
}

/// Reads `SESSION PANE PID`.
fn made(mux: &TmuxMux, reply: Option<&Reply>, command: &str) -> Result<CreatedPane, MuxError> {
    let text = reply.map(joined).unwrap_or_default();
    match text.split(' ').collect::<Vec<_>>()[..] {
        [session, pane, pid] if session.starts_with('$') && pane.starts_with('%') => Ok(CreatedPane {
            session: SessionRef::new(mux.id(), session),
            pane: PaneRef::new(mux.id(), pane),
            pid: pid.parse().ok(),
        }),
        _ => Err(MuxError::Unexpected {
            command: command.to_owned(),
            answer: crate::domain::text::clean(&text),
        }),
    }
}
