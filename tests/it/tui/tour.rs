//! Every key of the screen once, on the demo, as a user would press them.

use std::collections::BTreeSet;

use crate::support::{Sandbox, Screen, wait_until};

/// A screen that notes which keys were pressed on it.
struct Tour<'a> {
    screen: &'a Screen<'a>,
    pressed: BTreeSet<String>,
}

impl Tour<'_> {
    /// Presses a key, by tmux's name for it, and sees what comes of it.
    #[track_caller]
    fn key(&mut self, key: &str, shows: &str) {
        self.screen.keys(&[key]);
        self.screen.shows(shows);
        self.pressed.insert(key.to_owned());
    }

    /// Sees one row of the list above another.
    #[track_caller]
    fn order(&self, above: &str, below: &str) {
        wait_until(&format!("{above} stands above {below}"), || {
            let shown = self.screen.text();
            match (row_of(&shown, above), row_of(&shown, below)) {
                (Some(a), Some(b)) if a < b => Ok(()),
                _ => Err(shown),
            }
        });
    }

    /// Presses the mouse on one row of the list and lets go of it on another.
    #[track_caller]
    fn drag(&self, from: &str, to: &str) {
        let shown = self.screen.text();
        let row = |title| row_of(&shown, title).unwrap() + 1;
        // SGR reports: button 0 at column 8; 32 more while it moves, `m` when it is let go of.
        let report = |button, row, end| format!("\u{1b}[<{button};8;{row}{end}");
        self.screen.raw(&report(0, row(from), 'M'));
        self.screen.raw(&report(32, row(to), 'M'));
        self.screen.shows("drop: move");
        self.screen.raw(&report(0, row(to), 'm'));
        self.screen.hides("drop: move");
    }

    /// Closes what is open with esc, and sees it gone.
    #[track_caller]
    fn esc(&mut self, hides: &str) {
        self.screen.keys(&["Escape"]);
        self.screen.hides(hides);
        self.pressed.insert("Escape".to_owned());
    }
}

/// The row of the list that holds a text; the first rows are no list.
fn row_of(shown: &str, title: &str) -> Option<usize> {
    let list = |l: &str| l.split('│').next().is_some_and(|l| l.contains(title));
    shown.lines().enumerate().skip(3).find(|(_, l)| list(l)).map(|(at, _)| at)
}

#[test]
fn every_key_of_the_screen() {
    let s = Sandbox::new();
    // An editor that is there and ends at once.
    s.program("vi", "echo done >>\"$HOME/vi\"");
    let screen = Screen::open(&s, "t", (120, 40), &["demo"]);
    screen.shows("permission");
    screen.shows("exited 1");
    let mut t = Tour { screen: &screen, pressed: BTreeSet::new() };

    // Moving.
    t.key("g", "g first");
    t.key("g", "scratch");
    t.key("j", "backend");
    t.key("j", "asks: permission");
    t.key("k", "4 sessions");
    t.key("Down", "asks: permission");
    t.key("Up", "4 sessions");
    t.key("h", "▸ backend");
    t.key("l", "▾ backend");
    t.key("z", "▸ backend");
    t.key("z", "▾ backend");
    t.key("Z", "▸ frontend");
    t.key("Z", "▾ frontend");
    t.key("Left", "▸ backend");
    t.key("Right", "▾ backend");
    t.key("Enter", "▸ backend");
    t.key("Enter", "▾ backend");
    t.key("G", "frontend");
    t.key("C-u", "deck");
    t.key("C-d", "deck");
    t.key("Home", "deck");
    t.key("End", "deck");

    // Who needs the user, and answering.
    t.key("Space", "asks: permission");
    t.key("E", "Why api");
    t.esc("Why api");
    t.key("C", "MCP servers of api");
    t.esc("MCP servers of api");
    t.key("O", "Hand over api");
    screen.shows("asks something");
    t.esc("Hand over api");
    screen.keys(&["g"]);
    t.key("t", "There are no conversations here yet");
    t.esc("There are no conversations");
    t.key("a", "api asks");
    t.esc("api asks");

    // Talking.
    t.key("i", "all other keys go to the agent");
    t.key("C-q", "attach");
    t.key("/", "enter keep");
    screen.keys(&["docs"]);
    screen.hides("billing");
    screen.keys(&["Enter"]);
    screen.shows("esc clears");
    t.esc("esc clears");
    t.key("s", "To ");
    t.esc("To ");
    screen.shows("✓ done in");
    t.key("o", "❯ Store all dates in UTC");
    screen.shows("All dates are stored in UTC.");
    // The reader's own keys.
    screen.keys(&["{"]);
    screen.shows("▌");
    screen.keys(&["c"]);
    screen.shows("What was asked first");
    screen.keys(&["Tab"]);
    screen.shows("this session carries no conversation");
    screen.keys(&["Tab"]);
    screen.shows("❯ Store all dates in UTC");
    screen.keys(&["p"]);
    screen.shows("this session carries no conversation");
    t.esc("esc close");
    t.key("y", "copied");
    t.key("Y", "copied");
    screen.shows("◆ done");
    t.key(".", "deck");
    screen.hides("◆ done");
    t.key("M", "Messages");
    t.esc("Messages");
    t.key("PageUp", "deck");
    t.key("PageDown", "deck");

    // Filters.
    for (key, words) in
        [("!", "only running"), ("@", "only waiting"), ("#", "only idle"), ("&", "only error")]
    {
        t.key(key, words);
        screen.keys(&[key]);
        screen.hides(words);
    }

    // Sessions.
    screen.keys(&["g", "g"]);
    screen.keys(&["j", "j"]);
    screen.shows("asks: permission");
    t.key("v", "1 marked");
    t.esc("marked");
    t.key("V", "marked");
    t.esc("marked");
    t.key("C-v", "marked");
    t.esc("marked");
    t.key("n", "New session");
    t.esc("New session");
    t.key("N", "New session");
    t.esc("New session");
    screen.keys(&["g", "g"]);
    screen.keys(&["j", "j"]);
    screen.shows("asks: permission");
    t.key("r", "Rename session");
    t.esc("Rename session");
    t.key("m", "Move api to");
    t.esc("Move api to");
    t.key("J", "billing");
    t.order("billing", " api");
    t.key("K", "billing");
    t.order(" api", "billing");
    // The same with the mouse: from one row to another.
    t.drag(" api", "docs");
    t.order("docs", " api");
    t.drag(" api", "billing");
    t.order(" api", "billing");
    t.key("S", "newest first");
    screen.keys(&["by title", "Enter"]);
    screen.shows("sorted by title; S restores the order");
    t.key("S", "order before the last sort");
    screen.keys(&["Enter"]);
    t.order(" api", "billing");
    t.key("F", "Fork");
    t.esc("Title");
    t.key("f", "can't be forked");
    t.key("x", "Stop api?");
    t.esc("Stop api?");
    t.key("A", "Archive api?");
    t.esc("Archive api?");
    t.key("U", "nothing is archived");
    t.key("d", "Delete api?");
    screen.keys(&["Enter"]);
    // Not what the question says as well: until it is done, `u` is for the command before.
    screen.shows("deleted api");
    t.key("u", "restored api");
    t.key("R", "started");
    // Beside the agent.
    t.key("t", "2 terminal");
    t.key("1", "2 terminal");
    t.key("2", "2 terminal");
    for digit in ["3", "4", "5", "6", "7", "8", "9"] {
        t.key(digit, "the session has no such tab");
    }
    screen.keys(&["w"]);
    t.pressed.insert("w".to_owned());
    screen.keys(&["x"]);
    screen.shows("Remove the terminal?");
    screen.keys(&["Enter"]);
    screen.hides("2 terminal");
    screen.keys(&["w", "f"]);
    screen.shows("select a session in a worktree");
    t.key("c", "New group");
    t.esc("New group");
    t.key("D", "compared with HEAD");
    t.esc("compared with HEAD");
    screen.keys(&["e"]);
    wait_until("vi was run, and deck has its terminal back", || {
        let ran = s.path("home/vi").exists();
        let back = screen.ask("#{alternate_on}") == "1";
        if ran && back { Ok(()) } else { Err(format!("ran {ran}, back {back}")) }
    });
    t.pressed.insert("e".to_owned());
    screen.shows("commands");
    screen.keys(&["b"]);
    screen.hides("commands");
    screen.keys(&["exit", "Enter"]);
    screen.shows("commands");
    t.pressed.insert("b".to_owned());

    // deck itself.
    t.key("p", "default");
    screen.shows("esc");
    screen.keys(&["Escape"]);
    t.key(",", "Settings");
    t.esc("Settings");
    t.key(":", "type the name of a command");
    t.esc("type the name of a command");
    t.key("C-p", "type the name of a command");
    t.esc("type the name of a command");
    t.key("?", "type to find a key");
    t.esc("type to find a key");
    t.key("[", "deck");
    t.key("]", "deck");
    t.key("C-r", "deck");
    screen.keys(&["q"]);
    t.pressed.insert("q".to_owned());
    screen.after_end("");

    // What the tour leaves out is named here, so that a new key is not forgotten.
    let left_out = ["ctrl-c", "ctrl-z", "delete", "tab"];
    let names = [
        ("space", "Space"),
        ("enter", "Enter"),
        ("esc", "Escape"),
        ("pageup", "PageUp"),
        ("pagedown", "PageDown"),
    ];
    let tmux = |key: &str| {
        let plain = names.iter().find(|(n, _)| *n == key).map_or(key, |(_, t)| t);
        let mut text = plain.replace("ctrl-", "C-");
        if matches!(key, "up" | "down" | "left" | "right" | "home" | "end") {
            text = text[..1].to_uppercase() + &text[1..];
        }
        text
    };
    // The demo has no headless shell: theirs are pressed by the test of shells.
    let sections = deck::reference::SECTIONS.iter().filter(|(name, _)| *name != "Headless shells");
    let all = sections.flat_map(|(_, commands)| *commands);
    let missing: Vec<&str> = all
        .flat_map(|command| command.keys)
        .flat_map(|keys| keys.split_whitespace())
        .filter(|k| !left_out.contains(k) && !t.pressed.contains(&tmux(k)))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}
