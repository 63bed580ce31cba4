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
    for gone in ["CLAUDECODE", "TMUX_PANE=%99"] {
        assert!(!text.contains(gone), "{gone} leaked:\n{text}");
    }
}
