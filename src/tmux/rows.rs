//! The batched list's format, and reading its rows.
//!
//! Fields are separated by tabs. Those that deck or tmux write come first; the title, which an
//! agent sets, comes last and may hold anything.

use crate::domain::id::SessionId;
use crate::domain::session::Adopted;
use crate::domain::status::{Exit, HookNote, Resized, SetupStep, StartKind};
use crate::domain::text;
use crate::domain::worker::WorkerId;
use crate::ports::mux::{PaneFacts, PaneRef, PaneRow, ServerId, SessionRef, SessionTags, TerminalRow};

/// The start of each row, so that other lines are recognised.
const PREFIX: &str = "deck:";

/// The row's fields, in order.
const FIELDS: &[&str] = &[
    "#{pane_id}",
    "#{session_id}",
    "#{session_name}",
    "#{pane_pid}",
    "#{pane_dead}",
    "#{pane_dead_status}",
    "#{pane_dead_signal}",
    "#{window_activity}",
    "#{session_attached_list}",
    "#{window_active}",
    "#{window_activity_flag}",
    "#{pane_width}",
    "#{pane_height}",
    "#{@deck_id}",
    "#{@deck_ack}",
    "#{@deck_answered}",
    "#{@deck_resized}",
    "#{@deck_started}",
    "#{@deck_began}",
    "#{@deck_resume_id}",
    "#{@deck_port}",
    "#{@deck_note}",
    "#{@deck_setup}",
    "#{@deck_status}",
    "#{@deck_hook}",
    "#{@deck_adopted}",
    // The option is the pane's own, and an agent could set it on its pane: that stays the agent's.
    "#{?#{==:#{@deck_pane},#{pane_id}},,#{@deck_worker}}",
    "#{pane_title}",
];

/// The value of `list-panes -F`.
pub(super) fn format() -> String {
    format!("{PREFIX}{}", FIELDS.join("\t"))
}

/// The value of `list-panes -f`: the agent's own pane of every session, and the terminals beside them; with `since` only
/// those agents that are dead and those whose window changed, or whose hook reported something, in that server
/// second or later.
///
/// Comparing activity for inequality instead would miss repaints within one second.
pub(super) fn filter(since: Option<i64>) -> String {
    // A session without @deck_pane was cut off while it was made: its only pane is the agent's.
    let ours = "#{||:#{==:#{@deck_pane},},#{==:#{@deck_pane},#{pane_id}}}";
    match since {
        None => format!("#{{||:{ours},#{{!=:#{{@deck_worker}},}}}}"),
        Some(since) => {
            let drawn = format!("#{{e|>=:#{{window_activity}},{since}}}");
            // What a hook reports need not show on the screen.
            let reported = format!("#{{e|>=:#{{?@deck_hook_at,#{{@deck_hook_at}},0}},{since}000}}");
            format!("#{{&&:{ours},#{{||:#{{pane_dead}},#{{||:{drawn},{reported}}}}}}}")
        }
    }
}

/// One line of the list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Row {
    Agent(Box<PaneRow>),
    Terminal(Box<TerminalRow>),
}

/// Reads one line of the list; `None` for the holder and for what is no row.
pub(super) fn parse(server: &ServerId, line: &[u8]) -> Option<Row> {
    let line = String::from_utf8_lossy(line);
    let fields: Vec<&str> = line.strip_prefix(PREFIX)?.splitn(FIELDS.len(), '\t').collect();
    let [
        pane,
        session,
        name,
        pid,
        dead,
        status,
        signal,
        activity,
        attached,
        active,
        reported,
        width,
        height,
        id,
        ack,
        answered,
        resized,
        started,
        start_kind,
        resume,
        port,
        note,
        setup,
        memory,
        hook,
        adopted,
        worker,
        title,
    ] = fields[..]
    else {
        return None;
    };
    if name == super::server::HOLDER {
        return None;
    }
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let attached = terminals(attached);
    let facts = PaneFacts {
        pid: pid.parse().ok().filter(|p| *p > 0),
        dead: (dead == "1").then(|| exit(status, signal)),
        activity: activity.parse().unwrap_or(0),
        attached,
        is_current: active == "1",
        is_looked_at: attached > 0 && active == "1",
        reported: reported == "1",
        size: (width.parse().unwrap_or(0), height.parse().unwrap_or(0)),
        title: text::clean(title).trim().to_owned(),
    };
    let (session, pane) = (SessionRef::new(server, session), PaneRef::new(server, pane));
    let name = name.to_owned();
    if !worker.is_empty() {
        let (of, worker) = (SessionId::parse(id)?, WorkerId::parse(worker)?);
        return Some(Row::Terminal(Box::new(TerminalRow { session, name, pane, of, worker, facts })));
    }
    Some(Row::Agent(Box::new(PaneRow {
        session,
        name,
        pane,
        facts,
        tags: SessionTags {
            id: some(id).map(SessionId::new),
            adopted: Adopted::parse(adopted).filter(|a| pid.parse() == Ok(a.shell)),
            memory: memory.to_owned(),
            ack: ack.parse().ok(),
            answered: answered.parse().ok(),
            resized: Resized::parse(resized),
            started: started.parse().ok(),
            start_kind: StartKind::from_word(start_kind),
            resume_id: some(resume),
            port: port.parse().ok(),
            note: text::clean(note),
            setup: SetupStep::parse(setup),
            hook: HookNote::parse(hook),
        },
    })))
}

/// How many of a session's clients are terminals: those are named by their device, and a connection that shows nothing by
/// its process, `client-PID`.
fn terminals(clients: &str) -> u32 {
    u32::try_from(clients.split(',').filter(|name| name.starts_with('/')).count()).unwrap_or(u32::MAX)
}

/// How a dead pane ended. Some versions say that it is dead before they know how.
fn exit(status: &str, signal: &str) -> Exit {
    if !signal.is_empty() {
        return Exit::Signal(signal_name(signal));
    }
    match status.parse::<i32>() {
        // A shell reports a child that a signal ended as 128 + the signal's number.
        Ok(code) => Exit::Code(code),
        Err(_) => Exit::NotYetKnown,
    }
}

fn signal_name(signal: &str) -> String {
    let number = signal.parse::<i32>().ok().and_then(|n| nix::sys::signal::Signal::try_from(n).ok());
    let name = number.map_or(signal, |s| s.as_str());
    name.trim_start_matches("SIG").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row whose last fields, as far as they are not given, are empty.
    fn row(fields: &[&str]) -> Option<PaneRow> {
        let mut fields = fields.to_vec();
        fields.resize(FIELDS.len(), "");
        match parse(&ServerId::from("deck"), format!("deck:{}", fields.join("\t")).as_bytes()) {
            Some(Row::Agent(row)) => Some(*row),
            _ => None,
        }
    }

    #[test]
    fn a_title_may_hold_anything() {
        let mut fields = vec![
            "%1",
            "$2",
            "api-1",
            "42",
            "0",
            "",
            "",
            "99",
            "/dev/pts/1,client-7",
            "1",
            "1",
            "200",
            "50",
            "id",
            "5",
            "7",
            "8 9",
            "6",
            "resumed",
            "r",
            "4096",
            "",
            "",
            "{}",
            "",
            "",
            "",
        ];
        fields.push("✳ a\tb\u{1b}[31m#(touch pwned)");
        let row = row(&fields).unwrap();
        assert_eq!(row.facts.title, "✳ a b#(touch pwned)");
        assert_eq!(
            (row.facts.pid, row.facts.dead, row.facts.activity, row.facts.attached),
            (Some(42), None, 99, 1)
        );
        assert_eq!((row.tags.answered, row.tags.resized), (Some(7), Some(Resized { at: 8, drawn: 9 })));
        assert_eq!(
            (row.tags.ack, row.tags.started, row.tags.resume_id.as_deref()),
            (Some(5), Some(6), Some("r"))
        );
    }

    #[test]
    fn who_looks_is_a_terminal_that_shows_the_window() {
        let seen = |clients: &str, active: &str| {
            let row = row(&["%1", "$2", "n", "9", "0", "", "", "1", clients, active]).unwrap();
            (row.facts.attached, row.facts.is_looked_at)
        };
        assert_eq!(seen("/dev/pts/1,client-7", "1"), (1, true));
        assert_eq!(seen("/dev/pts/1,/dev/pts/2", "0"), (2, false), "they show another window");
        assert_eq!(seen("client-7", "1"), (0, false), "nobody sees what a connection is told");
        assert_eq!(seen("", "1"), (0, false));
    }

    #[test]
    fn a_terminal_is_no_agent() {
        let mut fields = vec!["%3", "$2", "n", "9", "0", "", "", "1", "", "1", "0", "80", "24", "s-1"];
        fields.resize(FIELDS.len() - 2, "");
        fields.extend(["w-1", "title"]);
        let line = format!("deck:{}", fields.join("\t"));
        let Some(Row::Terminal(row)) = parse(&ServerId::from("deck"), line.as_bytes()) else {
            panic!("{line}")
        };
        assert_eq!((row.of.as_str(), row.worker.as_str(), row.facts.pid), ("s-1", "w-1", Some(9)));
    }

    #[test]
    fn how_panes_died() {
        let dead = |status, signal| {
            row(&["%1", "$2", "n", "0", "1", status, signal, "1", "", "0", "0", "1", "1"]).unwrap().facts.dead
        };
        assert_eq!(dead("0", ""), Some(Exit::Code(0)));
        assert_eq!(dead("3", ""), Some(Exit::Code(3)));
        assert_eq!(dead("", "9"), Some(Exit::Signal("KILL".into())));
        assert_eq!(dead("", ""), Some(Exit::NotYetKnown));
    }

    #[test]
    fn other_lines_are_no_rows() {
        let server = ServerId::from("deck");
        assert_eq!(parse(&server, b"hello"), None);
        assert_eq!(parse(&server, b"deck:%1\t$1"), None);
        assert_eq!(row(&["%1", "$0", "_deck", "", "0", "", "", "1", "", "0", "0", "1", "1"]), None);
    }
}
