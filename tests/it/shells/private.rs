//! What shells hold stays where it belongs: secrets in private files, and nothing in the user's own.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::nothing_runs;
#[cfg(feature = "mcp")]
use crate::mcp::client::Client;
use crate::support::Sandbox;

/// What no message, log or record may hold.
const SECRET: &str = "hunter2-marked-secret";

/// The files below a folder, sorted.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            all.extend(files(&entry.path()));
        } else if kind.is_file() {
            all.push(entry.path());
        }
    }
    all.sort();
    all
}

/// Runs deck with a secret in its environment. Returns all that it said.
fn deck(s: &Sandbox, args: &[&str]) -> String {
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    let output = command.args(args).env("API_TOKEN", SECRET).env("DECK_LOG", "trace").output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn a_secret_of_the_environment_is_in_states_alone() {
    let s = Sandbox::new();
    let gone = s.project("gone");
    let mut said = deck(&s, &["shell", "start", "--name", "api", "--env", &format!("OWN={SECRET}")]);
    for args in [
        &["shell", "exec", "api", "test \"$API_TOKEN$OWN\" && cd gone && export MORE=$OWN"][..],
        &["shell", "exec", "api", "false"],
        &["shell", "exec", "api", "( "],
        &["--json", "shell", "exec", "api", "exit 3", "--env", &format!("ONCE={SECRET}")],
        &["--json", "shell", "exec", "api", "sleep 100", "--background"],
        &["shell", "exec", "api", "sleep 100", "--timeout", "1ms"],
        &["job", "kill", "api/5"],
        &["job", "kill", "api/6"],
        &["shell", "checkpoint", "api", "one"],
        &["shell", "restore", "api", "one"],
        &["shell", "restore", "api", "nonesuch"],
        &["shell", "restore", "api", "one", "--as", "copy"],
        &["--json", "shell", "list", "--all"],
        &["--json", "shell", "show", "api"],
        &["shell", "show", "api"],
        &["--json", "shell", "history", "api"],
        &["--json", "job", "list"],
        &["--json", "job", "show", "api/1"],
        &["--json", "job", "output", "api/1"],
        &["shell", "start", "vim"],
        &["shell", "start", "--name", "-"],
        &["shell", "exec", "--once", "true"],
        &["doctor"],
    ] {
        said.push_str(&deck(&s, args));
    }
    std::fs::remove_dir_all(&gone).unwrap();
    said.push_str(&deck(&s, &["shell", "exec", "api", "true"]));
    said.push_str(&deck(&s, &["shell", "open", "api"]));
    said.push_str(&deck(&s, &["shell", "end", "api", "copy"]));
    said.push_str(&deck(&s, &["undo"]));
    assert!(!said.contains(SECRET), "{said}");
    // It was there all the time.
    assert!(deck(&s, &["shell", "show", "api", "--env"]).contains(SECRET));
    let mut holders = Vec::new();
    for path in files(&s.path("deck")) {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.windows(SECRET.len()).any(|w| w == SECRET.as_bytes()) {
            let mode = path.metadata().unwrap().permissions().mode() & 0o777;
            let folder = path.parent().unwrap();
            let around = folder.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!((mode, around), (0o600, 0o700), "{}", path.display());
            let is_state = ["state", "checkpoints"].iter().any(|name| folder.ends_with(name));
            assert!(is_state || path.ends_with("env"), "{}", path.display());
            holders.push(path);
        }
    }
    assert!(holders.len() > 3, "{holders:?}");
    nothing_runs(&s);
}

#[cfg(feature = "mcp")]
#[test]
fn an_agent_is_told_no_secret_of_another_ones_shell() {
    let s = Sandbox::new();
    deck(&s, &["shell", "start", "--name", "api"]);
    deck(&s, &["shell", "exec", "api", "export MORE=$API_TOKEN"]);
    let mut client = Client::open(&s);
    let mut said = String::new();
    for (tool, arguments) in [
        ("listSessions", json!({})),
        ("listJobs", json!({})),
        ("listJobs", json!({ "sessionId": "api" })),
        ("exec", json!({ "sessionId": "api", "code": "env" })),
        ("getJobOutput", json!({ "jobId": "api/1" })),
        ("list_agents", json!({})),
    ] {
        said.push_str(&client.call(tool, arguments).to_string());
    }
    assert!(said.contains("is not this agent's"), "some of it was refused: {said}");
    assert!(!said.contains(SECRET), "{said}");
}

/// What is in a folder: each file's bytes, by its path.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    files(dir).into_iter().map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

#[test]
fn the_users_files_are_as_they_were() {
    let s = Sandbox::new();
    let repo = s.project("repo");
    std::fs::create_dir_all(s.path("home/.claude")).unwrap();
    for name in
        [".bashrc", ".profile", ".bash_history", ".gitconfig", ".claude/settings.json", ".claude.json"]
    {
        std::fs::write(s.path("home").join(name), "[user]\n\tname = me\n").unwrap();
    }
    s.git(&repo, &["init", "-q"]);
    std::fs::write(format!("{repo}/file"), "text\n").unwrap();
    s.git(&repo, &["add", "file"]);
    s.git(&repo, &["-c", "user.email=a@b", "commit", "-qm", "one"]);
    let tree = format!("{repo}-tree");
    s.git(&repo, &["worktree", "add", "-q", &tree]);
    let before = (contents(&s.path("home")), contents(Path::new(&repo)), contents(Path::new(&tree)));
    for kind in ["bash", "sh"] {
        s.deck(&["shell", "start", "--name", kind, "--cwd", &tree, kind]).ok();
        for code in ["x=1; f() { :; }", "exit 3", "git log -1 > /dev/null; sleep 0.01 & cd /", "( "] {
            s.deck(&["shell", "exec", kind, code]);
        }
        s.deck(&["shell", "exec", kind, "--background", "echo hi"]).ok();
        s.deck(&["job", "wait", &format!("{kind}/5"), "--all"]).ok();
        s.deck(&["shell", "checkpoint", kind, "one"]).ok();
        s.deck(&["shell", "end", kind]).ok();
    }
    assert_eq!(s.git(&tree, &["status", "--porcelain", "--ignored"]), "");
    assert_eq!(s.git(&repo, &["status", "--porcelain", "--ignored"]), "");
    // git itself refreshes its index when it is asked.
    let is_index = |path: &PathBuf| path.ends_with("index");
    let mut after = (contents(&s.path("home")), contents(Path::new(&repo)), contents(Path::new(&tree)));
    let mut before = before;
    for map in [&mut before.0, &mut before.1, &mut before.2, &mut after.0, &mut after.1, &mut after.2] {
        map.retain(|path, _| !is_index(path));
    }
    assert_eq!(before, after);
    nothing_runs(&s);
}
