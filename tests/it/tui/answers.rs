//! Answering in the TUI while the agent continues.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{Sandbox, Screen, wait_until};

fn answers(dir: &str) -> String {
    std::fs::read_to_string(format!("{dir}/answers")).unwrap_or_default()
}

#[test]
fn two_questions_that_look_the_same_take_two_looks() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.ask_session("api");
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("nothing needs your attention");
    s.deck(&["send", "api", "twice everything"]).ok();
    screen.shows("asks: permission");
    screen.keys(&["a"]);
    screen.shows("1-3 answer");
    // A hand that presses twice.
    screen.keys(&["1", "a", "1"]);
    wait_until("the first is answered", || match answers(&dir).as_str() {
        "" => Err(screen.text()),
        _ => Ok(()),
    });
    screen.shows("answered api: 1 Yes");
    assert_eq!(answers(&dir), "1\n");
    screen.shows("1-3 answer");
    screen.keys(&["2"]);
    screen.shows("answered api: 2 No, never");
    assert_eq!(answers(&dir), "1\n2\n");
}

#[test]
fn a_key_for_a_question_that_is_gone_answers_nothing() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.ask_session("api");
    let screen = Screen::open_below_a_shell(&s, "t", (100, 30));
    screen.shows("nothing needs your attention");
    s.deck(&["send", "api", "turn everything"]).ok();
    screen.shows("asks: permission");
    screen.keys(&["a"]);
    screen.shows("1-3 answer");
    // deck sees nothing while the agent continues to the next question, and the key comes first.
    let pid = Pid::from_raw(screen.below_the_shell());
    kill(pid, Signal::SIGSTOP).unwrap();
    let stat = format!("/proc/{pid}/stat");
    wait_until("deck is stopped", || match std::fs::read_to_string(&stat).unwrap() {
        state if state.contains(") T ") => Ok(()),
        state => Err(state),
    });
    std::fs::File::create(format!("{dir}/go")).unwrap();
    wait_until("it asks the next", || {
        let shown = s.tmux(&s.socket(), &["list-panes", "-a", "-F", "#{pane_id} #{session_name}"]);
        let pane = shown.lines().find(|l| l.contains(" api-")).and_then(|l| l.split(' ').next());
        let text = s.tmux(&s.socket(), &["capture-pane", "-p", "-t", pane.unwrap_or_default()]);
        if text.contains("Delete more?") { Ok(()) } else { Err(format!("{shown}{text}")) }
    });
    screen.keys(&["1"]);
    assert!(std::fs::read_to_string(&stat).unwrap().contains(") T "), "it is stopped all the time");
    kill(pid, Signal::SIGCONT).unwrap();
    screen.shows("Delete more?");
    // What is pressed next is heard: all before it was taken.
    screen.keys(&["Escape", "%"]);
    screen.shows("% is not bound here");
    assert_eq!(answers(&dir), "", "{}", screen.text());
}

#[test]
fn a_text_is_typed_in_place_and_the_next_question_comes() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.ask_session("api");
    s.ask_session("web");
    s.ask_session("docs");
    for title in ["api", "web"] {
        s.deck(&["send", title, "ask everything"]).ok();
        s.deck(&["wait", title]).ok();
    }
    let screen = Screen::open(&s, "t", (120, 36), &[]);
    screen.shows("◐ 2 ask");
    screen.keys(&["Space", "a"]);
    screen.shows("api asks · 1 of 2");
    screen.keys(&["3"]);
    screen.shows("type your answer");
    screen.keys(&["o", "l", "d", "Tab"]);
    screen.shows("web asks · 2 of 2");
    screen.keys(&["Tab"]);
    screen.shows("api asks · 1 of 2");
    screen.keys(&["Enter"]);
    screen.shows("answered api: 3 Type something");
    assert_eq!(answers(&dir), "3 old\n");
    // web is selected: its question is one key away.
    screen.keys(&["a"]);
    screen.shows("web asks");
    screen.keys(&["2"]);
    screen.shows("answered web: 2 No, never");
}
