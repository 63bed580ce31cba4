//! deck's screen in a real terminal.

mod answers;
mod diff;
mod many;
mod pastes;
mod stops;
mod switching;
mod tools;
mod tour;

use crate::support::{Sandbox, Screen, wait_until};

fn with_sessions() -> Sandbox {
    let s = Sandbox::new();
    s.program("agent", "echo \"hello from $1\"; exec cat");
    for (title, group) in [("alpha", "work"), ("beta", "work/deep"), ("gamma", "play")] {
        s.deck(&["add", &s.project(title), "-t", title, "-g", group, "-c", "agent", "--", title]).ok();
    }
    s
}

#[test]
fn moving_attaching_and_coming_back() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["G"]);
    screen.shows("hello from gamma");
    screen.keys(&["Enter"]);
    screen.shows("ctrl-q detaches");
    screen.keys(&["typed here", "Enter"]);
    screen.shows("typed here");
    screen.keys(&["C-q"]);
    screen.shows("commands");
    screen.shows("typed here");
    screen.keys(&["q"]);
    screen.after_end("");
    assert_eq!(s.list().len(), 3, "sessions go on");
}

#[test]
fn the_form_adds_a_session() {
    let s = with_sessions();
    let dir = s.project("fresh");
    let screen = Screen::open(&s, "t", (110, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["n"]);
    screen.shows("New session");
    screen.keys(&["C-u"]);
    screen.keys(&[dir.trim_end_matches("sh")]);
    screen.keys(&["Tab"]);
    screen.shows("fresh/");
    screen.keys(&["Tab"]);
    screen.shows("choose");
    screen.keys(&["Left"]);
    screen.shows("Command");
    screen.keys(&["agent new"]);
    screen.shows("agent new");
    screen.shows("in ");
    screen.keys(&["Enter"]);
    screen.shows("started fresh");
    screen.shows("hello from new");
    assert_eq!(s.session("fresh")["command"], "agent new");
}

#[test]
fn rename_move_delete_undo() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["r", "C-u"]);
    screen.keys(&["omega", "Enter"]);
    screen.shows("omega");
    screen.keys(&["m"]);
    screen.shows("Move omega to");
    screen.keys(&["play", "Enter"]);
    wait_until("it moved", || {
        let v = s.session("omega");
        if v["group_path"] == "play" { Ok(()) } else { Err(v.to_string()) }
    });
    screen.keys(&["d"]);
    screen.shows("Delete omega?");
    screen.keys(&["Enter"]);
    // The question says "u restores it", too.
    screen.shows("deleted omega; u restores it");
    screen.keys(&["u"]);
    screen.shows("restored omega");
    assert_eq!(s.session("omega")["status"], "stopped");
}

#[test]
fn finding_help_palette_and_groups() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (80, 24), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["/", "gam"]);
    screen.hides("alpha");
    screen.keys(&["Escape"]);
    screen.shows("alpha");
    screen.keys(&["?"]);
    screen.shows("type to find a key");
    screen.keys(&["undo"]);
    screen.shows("Undo the last deletion.");
    screen.keys(&["Escape"]);
    screen.keys(&[":", "new group"]);
    screen.keys(&["Enter"]);
    screen.shows("New group");
    screen.keys(&["C-u"]);
    screen.keys(&["fresh/one", "Enter"]);
    screen.shows("fresh");
    assert!(s.deck(&["group", "list"]).ok().contains("fresh"));
}

#[test]
fn two_screens_see_forty_adds() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    let screens = [Screen::open(&s, "one", (100, 50), &[]), Screen::open(&s, "two", (120, 60), &[])];
    for screen in &screens {
        screen.shows("add a session");
    }
    let children: Vec<_> =
        (0..40).map(|i| s.spawn_deck(&["add", &dir, "-t", &format!("t{i:02}"), "-c", "claude"])).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    for screen in &screens {
        for i in 0..40 {
            screen.shows(&format!("t{i:02} "));
        }
    }
}

#[test]
fn keys_on_a_screen_too_small_to_show_anything_do_nothing() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (38, 9), &[]);
    screen.shows("deck needs 40 columns");
    screen.keys(&["d", "Enter", "n", "x", "y"]);
    s.tmux("outer", &["resize-window", "-t", "t", "-x", "80", "-y", "24"]);
    screen.shows("hello from alpha");
    assert_eq!(s.list().len(), 3);
}

#[test]
fn an_agent_that_ends_while_attached_says_how_to_come_back() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["Enter"]);
    screen.shows("ctrl-q detaches");
    screen.keys(&["C-d"]);
    screen.shows("ended · ctrl-q to go back");
    screen.keys(&["C-q"]);
    wait_until("it is no longer running", || {
        let v = s.session("alpha");
        if v["status"] == "stopped" || v["reason"] == "ended" { Ok(()) } else { Err(v.to_string()) }
    });
}

#[test]
fn leaving_finishes_what_was_begun() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    let before = s.session("alpha")["tmux"]["pid"].clone();
    screen.keys(&["R"]);
    screen.keys(&["q"]);
    screen.after_end("");
    wait_until("it was restarted", || {
        let now = s.session("alpha");
        if now["tmux"]["pid"].is_i64() && now["tmux"]["pid"] != before {
            Ok(())
        } else {
            Err(now.to_string())
        }
    });
}

#[test]
fn the_list_and_the_screen_agree() {
    let s = with_sessions();
    s.program("fails", "exit 3");
    s.deck(&["add", &s.project("bad"), "-t", "delta", "-c", "fails"]).ok();
    let screen = Screen::open(&s, "t", (80, 40), &[]);
    wait_until("both say the same of every session", || {
        let text = screen.text();
        for v in s.list() {
            let title = v["title"].as_str().unwrap();
            let word = v["reason"].as_str().or(v["status"].as_str()).unwrap();
            let row = text.lines().skip(3).find(|l| l.contains(&format!(" {title} "))).unwrap_or_default();
            if !row.contains(word) || v["status"] == "starting" {
                return Err(format!("{title} is {word}\n{text}"));
            }
        }
        Ok(())
    });
}

#[test]
fn the_terminal_is_put_back() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (90, 24), &[]);
    screen.shows("hello from alpha");
    let pid: i32 = screen.ask("#{pane_pid}").parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGTERM).unwrap();
    assert_eq!(screen.after_end("#{alternate_on} #{mouse_any_flag}"), "0 0");
}

#[test]
fn the_demo_shows_every_status_and_leaves_nothing() {
    let s = Sandbox::new();
    let screen = Screen::open(&s, "t", (120, 40), &["demo"]);
    for status in ["◐", "●", "✕", "■"] {
        screen.shows(status);
    }
    screen.shows("permission");
    screen.shows("idle");
    screen.keys(&["q"]);
    screen.after_end("");
    let left: Vec<_> = std::fs::read_dir(s.path("tmp")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_question_is_answered_and_a_status_explained() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.ask_session("api");
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("nothing needs your attention");
    screen.keys(&["a"]);
    screen.shows("the session isn't asking a question with choices");
    s.deck(&["send", "api", "ask everything"]).ok();
    screen.shows("asks: permission");
    screen.keys(&["E"]);
    screen.shows("Why api");
    screen.shows("rule ask");
    screen.keys(&["Escape"]);
    screen.hides("Why api");
    screen.keys(&["a"]);
    screen.shows("api asks");
    screen.keys(&["7"]);
    screen.shows("no choice 7");
    screen.keys(&["3"]);
    screen.shows("attach to answer");
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
    let notifier = || std::fs::read_to_string(s.path("proj").join("notices")).unwrap_or_default();
    wait_until("the command ran", || if notifier().is_empty() { Err(screen.text()) } else { Ok(()) });
    assert_eq!(notifier(), "other asks: permission (Delete two?)\n");

    // The line below an attached session, and the key that goes to the one that needs you.
    screen.keys(&["Enter"]);
    screen.shows("ctrl-q detaches");
    screen.shows("◐ other");
    screen.keys(&["C-b", "Space"]);
    screen.shows("Delete two?");
    screen.shows("◐ api");
    screen.keys(&["C-q"]);
    screen.shows("commands");
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
    screen.shows("3 sessions were lost");
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
fn putting_away_and_bringing_back() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["A"]);
    screen.shows("Archive alpha?");
    screen.keys(&["Enter"]);
    screen.shows("archived alpha");
    assert_eq!(s.list().len(), 2);
    assert_eq!(s.deck(&["unarchive", "-q"]).ok(), "alpha\n");
    s.deck(&["unarchive", "alpha"]).ok();
    screen.shows("■ alpha");
}

#[test]
fn settings_are_read_again_and_changed_in_place() {
    let s = with_sessions();
    s.file("config.toml", "# mine\n[ui]\ntheme = \"dark\" # here\n");
    let screen = Screen::open(&s, "t", (110, 30), &[]);
    screen.shows("hello from alpha");
    s.file(
        "config.toml",
        "# mine\nkeys = { rename = \"f2\", stop = \"r\" }\n[ui]\ntheme = \"dark\" # here\n",
    );
    screen.shows("keys is now { rename");
    screen.keys(&["F2"]);
    screen.shows("Rename session");
    screen.keys(&["Escape"]);
    screen.hides("Rename session");
    screen.keys(&["r"]);
    screen.shows("Stop alpha?");
    screen.keys(&["Escape"]);
    screen.hides("Stop alpha?");
    s.file("config.toml", "[ui\n");
    screen.shows("config.toml:1: ");
    screen.shows("keeping the previous settings");
    s.file("config.toml", "# mine\nkeys = { nonsense = \"x\" }\n[ui]\ntheme = \"dark\" # here\n");
    screen.shows("unknown command `nonsense`");
    let check = s.deck(&["config", "check"]);
    assert!(check.stdout().contains("config.toml:2: unknown command `nonsense`"));
    check.fails(1);
    screen.keys(&[","]);
    screen.shows("Settings");
    let text = || std::fs::read_to_string(s.path("deck/config.toml")).unwrap();
    // From the top to the theme.
    for _ in 0..4 {
        screen.keys(&["j"]);
    }
    screen.shows("by the terminal's background");
    screen.keys(&["Enter"]);
    wait_until("it is in the file", || {
        if text().contains("theme = \"light\" # here") { Ok(()) } else { Err(text()) }
    });
    assert!(text().starts_with("# mine\n"), "{}", text());
    screen.keys(&["Escape"]);
    screen.hides("by the terminal's background");
    s.file("themes/own.toml", "accent = { fg = \"#ff0000\", fg16 = \"red\" }\n");
    s.file("config.toml", "[ui]\ntheme = \"own\"\n");
    screen.shows("2 settings changed");
    s.file("config.toml", "[ui]\ntheme = \"gone\"\n");
    screen.shows("unknown theme");
}

#[test]
fn the_terminal_survives_what_agents_and_windows_do() {
    let s = Sandbox::new();
    // It takes the mouse, the alternate screen and the kitty keyboard, and never gives them back.
    s.program("wild", r"printf '\033[?1049h\033[?1003h\033[?1006h\033[>1u\033[?25lwild agent'; exec cat");
    s.deck(&["add", &s.project("p"), "-t", "w", "-c", "wild"]).ok();
    let screen = Screen::open(&s, "t", (90, 24), &[]);
    screen.shows("wild agent");
    screen.keys(&["Enter"]);
    screen.shows("ctrl-q detaches");
    let pid = s.session("w")["tmux"]["pid"].as_i64().unwrap();
    let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
    screen.shows("ended · ctrl-q");
    screen.keys(&["C-q"]);
    screen.shows("commands");
    for (width, height) in [("1", "1"), ("300", "90"), ("90", "24")] {
        s.tmux("outer", &["resize-window", "-t", "t", "-x", width, "-y", height]);
    }
    screen.shows("commands");
    screen.keys(&["q"]);
    let modes = "#{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag} #{keypad_flag}";
    assert_eq!(screen.after_end(modes), "0 0 0 0");
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

#[test]
fn suspended_and_brought_back() {
    let s = with_sessions();
    let screen = Screen::shell(&s, "t");
    screen.keys(&["-l", &format!("{} ", env!("CARGO_BIN_EXE_deck"))]);
    screen.keys(&["Enter"]);
    screen.shows("hello from alpha");
    screen.keys(&["C-z"]);
    screen.hides("hello from alpha");
    wait_until("the terminal is the shell's", || {
        let modes = screen.ask("#{alternate_on} #{mouse_any_flag} #{cursor_flag}");
        if modes == "0 0 1" { Ok(()) } else { Err(modes) }
    });
    screen.keys(&["echo the shell lives", "Enter"]);
    screen.shows("\nthe shell lives");
    screen.keys(&["fg", "Enter"]);
    screen.shows("hello from alpha");
    screen.keys(&["j", "j"]);
    screen.shows("hello from beta");
    screen.keys(&["q"]);
    screen.shows("the shell lives");
}

#[test]
fn attaching_leaves_nothing_on_the_users_own_screen() {
    let s = with_sessions();
    let screen = Screen::shell(&s, "t");
    screen.keys(&["echo the shell lives", "Enter"]);
    screen.shows("\nthe shell lives");
    screen.keys(&["-l", &format!("{} ", env!("CARGO_BIN_EXE_deck"))]);
    screen.keys(&["Enter"]);
    screen.shows("hello from alpha");
    for _ in 0..2 {
        screen.keys(&["Enter"]);
        screen.shows("ctrl-q detaches");
        screen.keys(&["C-q"]);
        screen.shows("attach");
    }
    screen.keys(&["q"]);
    screen.hides("attach");
    screen.keys(&["echo still here", "Enter"]);
    screen.shows("\nstill here");
    let text = screen.text();
    assert!(!text.contains("[detached") && text.contains("\nthe shell lives"), "{text}");
}

#[test]
fn a_panic_while_drawing_leaves_the_shell_as_it_was() {
    let s = with_sessions();
    let screen = Screen::shell(&s, "t");
    screen.keys(&["-l", &format!("DECK_FAULT=draw {} ", env!("CARGO_BIN_EXE_deck"))]);
    screen.keys(&["Enter"]);
    screen.shows("hello from alpha");
    screen.keys(&["?"]);
    screen.shows("a fault in a widget");
    screen.shows("Your sessions are still running");
    wait_until("the terminal is the shell's", || {
        let modes = screen.ask("#{alternate_on} #{mouse_any_flag} #{cursor_flag}");
        if modes == "0 0 1" { Ok(()) } else { Err(modes) }
    });
    screen.keys(&["echo the shell lives", "Enter"]);
    screen.shows("\nthe shell lives");
    assert!(s.list().iter().all(|v| v["status"] != "error"), "{:?}", s.list());
}
