//! Making, replacing and ending sessions. What tmux announces to all its clients is done under the server's lock.

use super::protocol::Reply;
use super::quote::{line, no_format};
use super::tmux_mux::{TmuxMux, checked, joined};
use crate::ports::mux::{Made, MuxError, MuxSession, NewSession, Pane, Respawn};

pub(super) fn create(mux: &TmuxMux, new: &NewSession) -> Result<Made, MuxError> {
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
    // In one line with what makes it, so that the server runs all of it before anything that the script
    // sets itself. A line stops at its first error: if there is a session of this name, nothing is set on
    // it. Each new session's name is another (it ends in its id), and `=` matches no other than the whole.
    let target = format!("={}:", new.name);
    let mut line_of_all = line(&words);
    let mut set = |words: &[&str]| line_of_all.extend([" ; ", &line(words)]);
    for (name, value) in &new.options {
        set(&["set-option", "-t", &target, name, value]);
    }
    set(&["set-option", "-F", "-t", &target, "@deck_pane", "#{pane_id}"]);
    if !mux.own_server {
        set(&["set-option", "-w", "-t", &target, "remain-on-exit", "on"]);
    }
    let path = new.env.get("PATH").map(String::as_str);
    let reply = mux.make(&line_of_all, path)?.map(|r| checked(r, "new-session")).transpose()?;
    made(reply.as_ref(), "new-session")
}

pub(super) fn respawn(mux: &TmuxMux, respawn: &Respawn) -> Result<Made, MuxError> {
    let dir = no_format(&respawn.dir);
    let mut lines: Vec<String> =
        respawn.options.iter().map(|(k, v)| line(&["set-option", "-t", &respawn.session.0, k, v])).collect();
    let words = ["respawn-pane", "-k", "-t", &respawn.pane.0, "-c", &dir, "sh", "-c", &respawn.script];
    lines.push(line(&words));
    let format = "#{session_id} #{pane_id} #{pane_pid}";
    lines.push(line(&["display-message", "-p", "-t", &respawn.pane.0, format]));
    let replies = mux.all(&lines, "respawn-pane")?;
    made(replies.last(), "respawn-pane")
}

pub(super) fn kill(mux: &TmuxMux, session: &MuxSession) -> Result<(), MuxError> {
    if session.0.is_empty() {
        // An empty target means the current session to tmux.
        return Ok(());
    }
    let replies = mux.announce(&[line(&["kill-session", "-t", &session.0])]);
    let replies = match replies {
        Err(MuxError::NoServer(_)) => return Ok(()),
        other => other?,
    };
    match replies.into_iter().try_for_each(|r| checked(r, "kill-session").map(|_| ())) {
        Err(MuxError::Refused { message, .. }) if message.contains("find session") => Ok(()),
        other => other,
    }
}

pub(super) fn close(mux: &TmuxMux, pane: &Pane) -> Result<(), MuxError> {
    let replies = match mux.announce(&[line(&["kill-pane", "-t", &pane.0])]) {
        Err(MuxError::NoServer(_)) => return Ok(()),
        other => other?,
    };
    match replies.into_iter().try_for_each(|r| checked(r, "kill-pane").map(|_| ())) {
        Err(MuxError::Refused { message, .. }) if message.contains("find pane") => Ok(()),
        other => other,
    }
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
