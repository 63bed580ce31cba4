//! What may stand where deck or an agent has a file: pipes, devices, links, old rights.

use crate::support::{Sandbox, wait_until};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

fn fifo(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    nix::unistd::mkfifo(path, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn a_pipe_in_place_of_decks_own_file_is_reported_and_not_waited_for() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude", "--no-start"]).ok();
    let deck = s.path("deck");
    fifo(&deck.join("config.toml"));
    let answer = s.deck(&["list"]);
    let report = answer.stderr();
    assert!(report.contains("config.toml") && report.contains("not a regular file"), "{report}");
    assert!(answer.ok().contains("api"));
    s.deck(&["config", "check"]).fails(1);
    s.deck(&["config", "set", "ui.theme", "dark"]).fails(1);
    fs::remove_file(deck.join("config.toml")).unwrap();

    fifo(&deck.join("profiles/default.toml"));
    let answer = s.deck(&["list"]);
    assert!(answer.stderr().contains("not a regular file"), "{}", answer.stderr());
    assert!(answer.ok().contains("api"));
    fs::remove_file(deck.join("profiles/default.toml")).unwrap();

    fifo(&deck.join("tools/vibe.toml"));
    assert!(s.deck(&["tool", "check"]).stdout().contains("not a regular file"));
    assert!(s.deck(&["list"]).ok().contains("api"));

    fifo(&deck.join("profiles/default/sessions.json"));
    let report = s.deck(&["list"]).fails(1);
    assert!(report.contains("sessions.json") && report.contains("not a regular file"), "{report}");
    s.deck(&["add", &s.project("p"), "-c", "claude", "--no-start"]).fails(1);
    fs::remove_file(deck.join("profiles/default/sessions.json")).unwrap();
    fifo(&deck.join("profiles/default/sessions.json.lock"));
    s.deck(&["add", &s.project("p"), "-c", "claude", "--no-start"]).fails(1);
}

#[test]
fn a_device_in_place_of_a_backup_is_passed_over() {
    let s = Sandbox::new();
    s.agent("claude");
    for title in ["a", "b", "c"] {
        s.deck(&["add", &s.project("p"), "-t", title, "-c", "claude", "--no-start"]).ok();
    }
    let profile = s.path("deck").join("profiles/default");
    fs::write(profile.join("sessions.json"), "{").unwrap();
    fifo(&profile.join("sessions.json.bak"));
    let shown = s.deck(&["list"]).ok();
    assert!(shown.contains('a'), "{shown}");
}

#[test]
fn a_pipe_in_place_of_an_agents_file_is_no_evidence() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    let session = s.session("api");
    let (pid, id) = (&session["tmux"]["pid"], session["resume_id"].as_str().unwrap().to_owned());
    let claude = s.path("home").join(".claude");
    fifo(&claude.join(format!("sessions/{pid}.json")));
    fifo(&claude.join(format!("projects/-p/{id}.jsonl")));
    for args in [
        vec!["list"],
        vec!["show", "api"],
        vec!["explain", "api"],
        vec!["import", "--conversations"],
        vec!["restart", "api"],
    ] {
        s.deck(&args).ok();
    }
    assert_ne!(s.deck(&["output", "api", "--last"]).code(), -1);
    let history = s.path("deck").join("state/history");
    fifo(&history.join(format!("{}.jsonl", session["id"].as_str().unwrap())));
    s.deck(&["explain", "api", "--history"]);
    s.deck(&["list"]).ok();
}

#[test]
fn a_link_stays_and_its_target_is_replaced() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "a", "-c", "claude", "--no-start"]).ok();
    let file = s.path("deck").join("profiles/default/sessions.json");
    let target = s.path("home").join("synced.json");
    fs::rename(&file, &target).unwrap();
    symlink(&target, &file).unwrap();
    s.deck(&["add", &s.project("p"), "-t", "b", "-c", "claude", "--no-start"]).ok();
    assert!(file.is_symlink(), "the link is there");
    assert!(fs::read_to_string(&target).unwrap().contains("\"b\""), "what it leads to is the new one");
    assert_eq!(s.list().len(), 2);
    // A damaged file is recovered in place, too.
    fs::write(&target, "{").unwrap();
    assert_eq!(s.list().len(), 1);
    assert!(file.is_symlink() && fs::read_to_string(&target).unwrap().contains("\"a\""));
}

#[test]
fn nothing_of_decks_is_for_others_to_read() {
    let s = Sandbox::new();
    let run = |args: &[&str]| {
        let words = args.join(" ");
        let line = format!("umask 000; exec {} {words}", env!("CARGO_BIN_EXE_deck"));
        let mut command = s.command("sh");
        let output = command.args(["-c", &line]).env("DECK_LOG", "debug").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let log = s.path("deck").join("state/deck.log");
    run(&["list"]);
    assert_eq!(mode(&log), 0o600);
    fs::set_permissions(&log, fs::Permissions::from_mode(0o666)).unwrap();
    run(&["list"]);
    assert_eq!(mode(&log), 0o600, "one that an older deck left open is closed");

    let report = run(&["demo", "--keep"]);
    let home = report.trim().strip_prefix("DECK_HOME=").unwrap().split(' ').next().unwrap().to_owned();
    let written = Path::new(&home).join("conversations");
    wait_until("the stand-ins have written their conversations", || {
        let all = fs::read_dir(&written).unwrap().count();
        if all > 0 { Ok(()) } else { Err(all.to_string()) }
    });
    let mut open = Vec::new();
    let mut folders = vec![Path::new(&home).to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in [folder.clone()]
            .into_iter()
            .chain(fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()))
        {
            // The agents go on: a file that one of them has just replaced may be gone.
            let Ok(facts) = entry.symlink_metadata() else { continue };
            let mode = facts.permissions().mode() & 0o777;
            if mode & 0o077 != 0 && !facts.is_symlink() {
                open.push(format!("{} {mode:o}", entry.display()));
            }
            if entry.is_dir() && entry != folder {
                folders.push(entry);
            }
        }
    }
    assert!(open.is_empty(), "{open:#?}");
}

#[test]
fn a_full_disk_leaves_no_part_of_a_copy() {
    let s = Sandbox::new();
    s.agent("claude");
    let title = |n: u32| format!("{n}-{}", "x".repeat(400));
    for n in 0..8 {
        s.deck(&["add", &s.project("p"), "-t", &title(n), "-c", "claude", "--no-start"]).ok();
    }
    let profile = s.path("deck").join("profiles/default");
    let names = || {
        let mut all: Vec<String> =
            fs::read_dir(&profile).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        all.sort();
        all
    };
    let whole = fs::read(profile.join("sessions.json")).unwrap();
    // No file may grow longer than this: to its writer it is as a disk that is full.
    let full = |args: &str| {
        let line = format!("trap '' XFSZ; ulimit -f 2; exec {} {args}", env!("CARGO_BIN_EXE_deck"));
        s.command("sh").args(["-c", &line]).output().unwrap()
    };
    let today = names().into_iter().find(|n| n.len() == "sessions.json.2026-01-01".len()).unwrap();
    fs::remove_file(profile.join(today)).unwrap();
    let before = names();
    let output = full(&format!("rename {} y", title(3)));
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && report.contains("sessions.json"), "{report}");
    assert_eq!(names(), before);
    assert_eq!(fs::read(profile.join("sessions.json")).unwrap(), whole);

    fs::write(profile.join("sessions.json"), &whole[..whole.len() - 9]).unwrap();
    for _ in 0..2 {
        let output = full("list -q");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 7, "from the backup");
        assert_eq!(names(), before);
    }
}
