//! Names and paths that mean something to shells and to tmux.

use crate::support::{Sandbox, wait_until};

#[test]
fn any_folder_works() {
    let s = Sandbox::new();
    s.program("where", "pwd; exec cat");
    for (i, name) in
        ["two words", "it's", "a\"b", "$HOME", "x;y", "#(touch pwned)", "#{pid}", "ünï", "-dash", "a%H\\b"]
            .iter()
            .enumerate()
    {
        let dir = s.project(name);
        let title = format!("t{i}");
        s.deck(&["add", &dir, "-t", &title, "-c", "where"]).ok();
        wait_until(&format!("it runs in {dir}"), || {
            let text = s.deck(&["output", &title]).ok();
            if text.contains(&dir) { Ok(()) } else { Err(text) }
        });
        assert_eq!(s.session(&title)["project_path"], dir.as_str());
    }
}

#[test]
fn a_title_an_agent_sets_runs_nothing() {
    let s = Sandbox::new();
    s.program("evil", r#"printf '\033]2;#(touch pwned) #[fg=red] #{T:x}\007'; printf '\033[2J\033]0;x\007%%end 1 2 1\n'; echo ready; exec cat"#);
    let dir = s.project("p");
    s.deck(&["add", &dir, "-t", "#(touch pwned2) ✳", "-c", "evil"]).ok();
    wait_until("it is up", || {
        let text = s.deck(&["output", "#(touch pwned2) ✳"]).ok();
        if text.contains("ready") { Ok(()) } else { Err(text) }
    });
    s.deck(&["list"]).ok();
    s.deck(&["show", "#(touch pwned2) ✳"]).ok();
    for file in ["pwned", "pwned2"] {
        assert!(
            !s.path("proj").join(file).exists() && !std::path::Path::new(&format!("{dir}/{file}")).exists()
        );
    }
}

#[test]
fn an_agent_gets_its_callers_environment_and_not_its_callers_session() {
    let s = Sandbox::new();
    s.program("claude", "env; echo done; exec cat");
    let out = s
        .command(env!("CARGO_BIN_EXE_deck"))
        .envs([("FOO", "bar baz"), ("CLAUDECODE", "1"), ("TMUX_PANE", "%99"), ("MULTI", "a\nb")])
        .args(["add", &s.project("p"), "-t", "e", "-c", "claude", "--env", "MINE=1"])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    wait_until("it printed its environment", || {
        let text = s.deck(&["output", "e", "--lines", "200"]).ok();
        if text.contains("done") { Ok(()) } else { Err(text) }
    });
    let text = s.deck(&["output", "e", "--lines", "200"]).ok();
    for there in ["FOO=bar baz", "MINE=1", "MULTI=a", "DECK_PROFILE=default", "DECK_SESSION_ID="] {
        assert!(text.contains(there), "{there} is missing:\n{text}");
    }
    for gone in ["CLAUDECODE", "TMUX_PANE=%99", "DECK_SERVER"] {
        assert!(!text.contains(gone), "{gone} leaked:\n{text}");
    }
}

#[test]
fn what_is_no_text_is_refused_in_words_and_never_recorded_as_another() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let s = Sandbox::new();
    s.agent("claude");
    let odd = s.path("proj").join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("screen"), "x").unwrap();
    let run = |cwd: &std::path::Path, args: &[&OsStr]| {
        let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
        let output = command.args(args).current_dir(cwd).output().unwrap();
        let report = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!report.contains("panicked"), "{args:?}: {report}");
        (output.status.code(), report)
    };
    let word = OsStr::new;
    let here = s.path("proj");
    let (code, report) = run(&here, &[word("add"), odd.as_os_str(), word("--no-start")]);
    assert_eq!(code, Some(2), "{report}");
    assert!(report.contains("UTF-8"), "{report}");
    let (code, report) = run(&here, &[word("--json"), word("list"), odd.as_os_str()]);
    assert_eq!(code, Some(2), "{report}");
    assert!(report.contains("\"usage\""), "{report}");
    // From inside of it everything works that doesn't have to write the path down.
    assert_eq!(run(&odd, &[word("list")]).0, Some(0));
    let (code, report) = run(&odd, &[word("add"), word("-c"), word("claude"), word("--no-start")]);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("UTF-8") && report.contains("caf\\xE9"), "{report}");
    let (code, report) = run(&odd, &[word("group"), word("add"), word("g"), word("--path"), word(".")]);
    assert_ne!(code, Some(0), "{report}");
    // A file is only read.
    let screen = odd.join("screen");
    let (code, report) = run(&here, &[word("tool"), word("test"), word("claude"), screen.as_os_str()]);
    assert_eq!(code, Some(0), "{report}");
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    let output = command.args(["list"]).env("DECK_HOME", &odd).output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && report.contains("DECK_HOME"), "another home is not taken: {report}");
    let all = s.path("deck").join("profiles/default/sessions.json");
    assert!(!std::fs::read_to_string(all).unwrap_or_default().contains('\u{fffd}'));
}

#[test]
fn a_relative_home_is_refused() {
    let s = Sandbox::new();
    let dir = s.project("p");
    for (name, value) in [("HOME", "rel/home"), ("HOME", ".")] {
        let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
        command.env_remove("DECK_HOME").env(name, value).current_dir(&dir);
        let output = command.args(["add", "/tmp", "-c", "cat", "--no-start"]).output().unwrap();
        let report = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{report}");
        assert!(report.contains("HOME") && report.contains("absolute"), "{report}");
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0, "nothing is made in the caller's folder");
    }
}
