//! What agents do, and what is done to them: questions, messages, losses.

use super::with_sessions;
use crate::support::{Sandbox, Screen, wait_until};

#[test]
fn a_question_is_answered_and_a_status_explained() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.ask_session("api");
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("nothing needs your attention");
    screen.keys(&["a"]);
    screen.shows("api asks nothing right now");
    s.deck(&["send", "api", "ask everything"]).ok();
    screen.shows("asks: permission");
    screen.keys(&["E"]);
    screen.shows("Why api");
    screen.shows("matched \"ask\"");
    screen.keys(&["Escape"]);
    screen.hides("Why api");
    screen.keys(&["a"]);
    screen.shows("api asks");
    screen.keys(&["7"]);
    screen.shows("no choice 7");
    screen.keys(&["3"]);
    screen.shows("type your answer");
    screen.keys(&["Escape"]);
    screen.shows("1-3 answer");
    screen.keys(&["2"]);
    screen.shows("answered api: 2 No, never");
    assert_eq!(std::fs::read_to_string(format!("{dir}/answers")).unwrap(), "2\n");
}

#[test]
fn the_user_is_notified_of_the_others_only() {
    let s = Sandbox::new();
    s.asker();
    s.file("config.toml", "[notify]\ncommand = [\"sh\", \"-c\", \"echo \\\"$DECK_TEXT\\\" >> notices\"]\n");
    s.ask_session("api");
    s.ask_session("other");
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("nothing needs your attention");
    s.deck(&["send", "api", "ask one"]).ok();
    screen.shows("◐ api");
    s.deck(&["send", "other", "ask two"]).ok();
    wait_until("the bell rings", || match screen.ask("#{window_bell_flag}") {
        flag if flag == "1" => Ok(()),
        flag => Err(flag),
    });
    let notices = || std::fs::read_to_string(s.path("proj").join("notices")).unwrap_or_default();
    wait_until("the command ran", || if notices().is_empty() { Err(screen.text()) } else { Ok(()) });
    assert_eq!(notices(), "other asks: permission (Delete two?)\n");

    // The line below an attached session, and the key that goes to the one that needs you.
    screen.keys(&["Enter"]);
    screen.shows("ctrl-q detaches");
    screen.shows("◐ other");
    screen.keys(&["C-b", "Space"]);
    screen.shows("Delete two?");
    screen.shows("◐ api");
    screen.keys(&["C-q"]);
    screen.shows("commands");
    // What was left last is selected, not what was opened.
    screen.shows("▌ ◐ A other");
}

#[test]
fn what_was_lost_is_offered_and_brought_back() {
    let s = with_sessions();
    s.tmux(&s.socket(), &["kill-server"]);
    wait_until("they are lost", || match s.deck(&["revive", "-q"]).ok() {
        lost if lost.lines().count() == 3 => Ok(()),
        lost => Err(lost),
    });
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("3 lost · ⏎ restart all");
    screen.keys(&["Enter"]);
    screen.shows("revived 3");
    screen.shows("hello from alpha");
    assert_eq!(s.deck(&["revive", "-q"]).ok(), "");
}

#[test]
fn typing_goes_straight_to_the_agent() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["i"]);
    screen.shows("typing");
    screen.shows("back to deck");
    // What deck would take for itself goes through, too.
    screen.keys(&["-l", "q? d ; 'x' #{pane_id} ü"]);
    screen.keys(&["Enter"]);
    screen.shows("q? d ; 'x' #{pane_id} ü\n");
    s.tmux("outer", &["set-buffer", "-b", "b", "pasted one\npasted two"]);
    s.tmux("outer", &["paste-buffer", "-p", "-b", "b", "-t", "t"]);
    screen.shows("pasted two");
    screen.keys(&["C-q"]);
    screen.hides("back to deck");
    screen.keys(&["j", "j"]);
    screen.shows("hello from beta");
    assert!(s.deck(&["output", "alpha"]).ok().contains("ü"));
}

#[test]
fn a_message_goes_to_all_that_are_marked() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["v", "G", "v"]);
    screen.shows("2 marked");
    screen.keys(&["s"]);
    screen.shows("To 2 sessions: alpha, gamma");
    screen.keys(&["first line"]);
    screen.keys(&["C-j"]);
    screen.keys(&["second line", "Enter"]);
    for title in ["alpha", "gamma"] {
        wait_until(&format!("{title} got it"), || {
            let text = s.deck(&["output", title]).ok();
            if text.contains("first line") && text.contains("second line") { Ok(()) } else { Err(text) }
        });
    }
    assert!(!s.deck(&["output", "beta"]).ok().contains("first line"));
    // What was written and not sent is there again, and what was sent can be had again.
    screen.hides("marked");
    screen.keys(&["s", "unsent"]);
    screen.keys(&["Escape"]);
    screen.hides("To ");
    screen.keys(&["s"]);
    screen.shows("unsent");
    screen.keys(&["Up"]);
    screen.shows("second line");
    screen.keys(&["Escape"]);
    // It is listed once its receipt has come, which is later than the message itself.
    wait_until("the message to alpha is listed", || {
        screen.hides("Messages");
        screen.keys(&["M"]);
        screen.shows("Messages");
        let text = screen.text();
        screen.keys(&["Escape"]);
        if text.contains("alpha: ") { Ok(()) } else { Err(text) }
    });
    screen.hides("Messages");
    screen.keys(&["b"]);
    screen.hides("commands");
    screen.keys(&["echo in $PWD", "Enter"]);
    screen.shows("in /");
    screen.keys(&["exit", "Enter"]);
    screen.shows("commands");
}

#[test]
fn an_agent_of_the_users_own_is_adopted_from_the_screen() {
    let s = Sandbox::new();
    s.program("claude", "echo \"agent of mine\"\nwhile read -r line; do echo \"got $line\"; done");
    let dir = s.project("p");
    s.tmux("default", &["-f", "/dev/null", "new-session", "-d", "-s", "mine", "-c", &dir, "exec claude"]);
    let screen = Screen::open(&s, "t", (110, 30), &[]);
    screen.shows("add a session");
    screen.keys(&[":", "adopt"]);
    screen.shows("Adopt an agent");
    screen.keys(&["Enter"]);
    screen.shows("default:mine");
    screen.keys(&["Enter"]);
    screen.shows("agent of mine");
    screen.shows("prefix d detaches");
    screen.keys(&["i", "hello", "Enter"]);
    screen.shows("got hello");
    assert_eq!(s.tmux("default", &["list-clients"]), "");
}
