//! Making, replacing and ending sessions. What tmux tells all its clients of takes turns.

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
    // The connection first: it may need the turn for itself.
    let connection = mux.connection(true)?;
    let turn = mux.turns.take()?;
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
    if !mux.own_server {
        lines.push(line(&["set-option", "-w", "-t", &target, "remain-on-exit", "on"]));
    }
    for reply in connection.request(&lines)? {
        checked(reply, "set-option")?;
    }
    Ok(made)
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
    let kill = [line(&["kill-session", "-t", &session.0])];
    let replies = if mux.visited {
        mux.request(&kill)
    } else {
        match mux.connection(false) {
            Err(error) => Err(error),
            Ok(connection) => {
                let _turn = mux.turns.take()?;
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

pub(super) fn close(mux: &TmuxMux, pane: &Pane) -> Result<(), MuxError> {
    match mux.one(&["kill-pane", "-t", &pane.0]) {
        Err(MuxError::NoServer(_)) => Ok(()),
        Err(MuxError::Refused { message, .. }) if message.contains("find pane") => Ok(()),
        other => other.map(|_| ()),
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
