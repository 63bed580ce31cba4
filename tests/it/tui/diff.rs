//! `D`: what changed in a session's folder, as git shows it to its user.

use crate::support::{Sandbox, Screen, wait_until};

fn git(s: &Sandbox, dir: &str, args: &[&str]) -> String {
    let mut command = s.command("git");
    let output = command.current_dir(dir).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A session in a repository with one commit.
fn repository() -> (Sandbox, String) {
    let s = Sandbox::new();
    s.agent("agent");
    let dir = s.project("repo");
    git(&s, &dir, &["init", "-q"]);
    std::fs::File::create(format!("{dir}/old.txt")).unwrap();
    git(&s, &dir, &["add", "old.txt"]);
    git(&s, &dir, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"]);
    s.deck(&["add", &dir, "-t", "repo", "-c", "agent"]).ok();
    (s, dir)
}

fn write(path: &str, text: &str) {
    std::io::Write::write_all(&mut std::fs::File::create(path).unwrap(), text.as_bytes()).unwrap();
}

#[test]
fn a_folder_without_changes_says_so() {
    let (s, _) = repository();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("agent ");
    screen.keys(&["D"]);
    screen.shows("no changes");
    screen.keys(&["q"]);
    screen.after_end("");
}

#[test]
fn new_files_are_shown_in_the_users_own_pager_and_nothing_is_written() {
    let (s, dir) = repository();
    // A pager that reads all and ends by itself.
    s.program("mypager", "echo MINE; exec cat");
    git(&s, &dir, &["config", "--global", "core.pager", "mypager"]);
    // An agent may write the repository's own settings.
    let ran = s.path("tmp/ran");
    for key in ["core.pager", "pager.diff", "core.fsmonitor", "diff.external"] {
        git(&s, &dir, &["config", key, &format!("touch {}; false", ran.display())]);
    }
    write(&format!("{dir}/old.txt"), "changed line\n");
    write(&format!("{dir}/new.txt"), "new line\n");
    let files = || {
        let list = s.command("find").current_dir(&dir).args([".git", "-type", "f"]).output().unwrap();
        let index = std::fs::read(format!("{dir}/.git/index")).unwrap();
        let mut names: Vec<_> = String::from_utf8(list.stdout).unwrap().lines().map(str::to_owned).collect();
        names.sort();
        (names, index)
    };
    let before = files();
    let screen = Screen::open(&s, "t", (100, 50), &[]);
    screen.shows("agent ");
    screen.keys(&["D"]);
    screen.shows("MINE");
    screen.shows("changed line");
    screen.shows("new line");
    screen.shows("enter: back to deck");
    screen.keys(&["Enter"]);
    screen.shows("commands");
    assert_eq!(files(), before);
    assert!(!ran.exists(), "a program of the repository's ran");
    let left = std::fs::read_dir(s.path("deck/run")).unwrap().flatten();
    let left: Vec<_> = left.map(|e| e.file_name().into_string().unwrap()).collect();
    assert!(!left.iter().any(|n| n.starts_with("diff-")), "{left:?}");
}

#[test]
fn an_interrupt_in_the_pager_is_the_pagers() {
    let (s, dir) = repository();
    write(&format!("{dir}/old.txt"), "changed line\n");
    let screen = Screen::shell(&s, "t");
    screen.keys(&["-l", &format!("{} ", env!("CARGO_BIN_EXE_deck"))]);
    screen.keys(&["Enter"]);
    screen.shows("agent ");
    screen.keys(&["D"]);
    screen.shows("changed line");
    screen.shows("(END)");
    screen.keys(&["C-c"]);
    // less shows its prompt again.
    screen.keys(&["g"]);
    screen.shows("(END)");
    // What ends at once would be taken for a pager that ends by itself.
    wait_until("it has been read for a moment", || {
        let tty = screen.ask("#{pane_tty}");
        let ps = s.command("ps").args(["-o", "etimes=,comm=", "-t", &tty]).output().unwrap();
        let all = String::from_utf8(ps.stdout).unwrap();
        let less = all.lines().find_map(|l| l.trim().strip_suffix(" less"));
        if less.is_some_and(|n| n.trim() != "0") { Ok(()) } else { Err(all) }
    });
    screen.keys(&["q"]);
    screen.shows("commands");
    screen.keys(&["?"]);
    screen.shows("type to find a key");
    screen.keys(&["Escape"]);
    screen.hides("type to find a key");
    screen.keys(&["q"]);
    wait_until("the shell has the terminal", || match screen.ask("#{alternate_on}") {
        flag if flag == "0" => Ok(()),
        flag => Err(flag),
    });
    screen.keys(&["echo clean", "Enter"]);
    wait_until("the shell lives", || {
        let text = screen.text();
        let said = text.lines().any(|l| l.trim_start_matches("# ").trim_end() == "clean");
        if said { Ok(()) } else { Err(text) }
    });
    assert!(!screen.text().contains("^[["), "{}", screen.text());
}
