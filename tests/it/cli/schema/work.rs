//! The verbs for what sessions work with: worktrees, workers, shells, MCP servers and conversations of deck's own.

use super::checked::Checked;

pub(super) fn places(c: &mut Checked<'_>) {
    let path = crate::places::repository(c.sandbox, "api");
    let worktree = c.sandbox.path("home").join("src/wt");
    c.sandbox.git(&path, &["worktree", "add", "-q", "-b", "feat", worktree.to_str().unwrap()]);
    for (name, args) in [
        ("repo add", &[path.as_str()][..]),
        ("repo list", &[]),
        ("repo show", &["api"]),
        ("repo set", &["api", "base=main"]),
        ("worktree list", &["api"]),
        ("worktree list", &["--all"]),
        ("worktree show", &["feat"]),
        ("worktree lock", &["feat", "--reason", "why"]),
        ("worktree unlock", &["feat"]),
        ("repo trust", &["api"]),
        ("worktree add", &["new", "-r", "api"]),
    ] {
        c.ok(name, args);
    }
    c.ok("add", &[&path, "-w", "placed", "-c", "asker", "--no-start"]);
    let placed = c.sandbox.session("placed")["project_path"].as_str().unwrap().to_owned();
    std::fs::remove_dir_all(placed).unwrap();
    c.ok("worktree restore", &["placed"]);
    std::fs::write(format!("{path}/.deck.toml"), "setup = ['true']\n").unwrap();
    crate::places::commit(c.sandbox, &path, "setup");
    c.ok("repo trust", &["api"]);
    c.ok("repo trust", &["api", "--show"]);
    c.ok("add", &[&path, "-w", "set-up", "-c", "asker"]);
    c.ok("worktree setup", &["set-up"]);
    c.ok("worktree finish", &["set-up", "--dry-run", "--stop"]);
    c.ok("worktree finish", &["set-up", "--stop"]);
    c.ok("worktree rm", &["new"]);
    c.ok("worktree prune", &["--yes"]);
    c.ok("repo rm", &["api", "--keep-sessions"]);
    c.exits(3, "repo show", &["api"]);
    c.exits(2, "repo add", &["/"]);
}

pub(super) fn workers(c: &mut Checked<'_>, dir: &str) {
    std::fs::write(format!("{dir}/PLAN.md"), "# Plan\n").unwrap();
    c.ok("add", &[dir, "-t", "worked", "-c", "asker"]);
    for (name, args) in [
        ("worker add", &["worked", "-n", "sh", "-c", "cat"][..]),
        ("worker add", &["worked", "-n", "ended", "-c", "true"]),
        ("worker add", &["worked", "--type", "markdown", "--file", "PLAN.md"]),
        ("worker add", &["worked", "--type", "diff", "--against", "base"]),
        ("worker add", &["worked", "--type", "link", "--url", "http://localhost:{port}"]),
        ("worker add", &["worked", "--type", "agent", "-n", "further", "-c", "asker"]),
        ("worker list", &["worked"]),
        ("worker rename", &["worked:diff", "changes"]),
        ("worker restart", &["worked:sh"]),
        ("show", &["worked:sh"]),
        ("show", &["worked"]),
        ("send", &["worked:sh", "hello"]),
        ("keys", &["worked:sh", "enter"]),
        ("output", &["worked:sh"]),
        ("output", &["worked:PLAN.md"]),
        ("wait", &["worked:ended", "--for", "exit"]),
        ("worker rm", &["worked:sh", "--stop"]),
        ("worker rm", &["worked:further", "--stop"]),
        ("rm", &["worked", "--stop"]),
    ] {
        c.ok(name, args);
    }
}

pub(super) fn shells(c: &mut Checked<'_>) {
    for (name, args) in [
        ("shell start", &["--name", "sh"][..]),
        ("shell exec", &["sh", "sleep 600 & echo hi; echo err >&2"]),
        ("shell exec", &["sh", "printf '\\377'; head -c 3000000 /dev/zero"]),
        ("shell exec", &["sh", "cat", "--background", "--stdin", "open"]),
        ("shell list", &[]),
        ("shell show", &["sh"]),
        ("job write", &["sh/3", "text", "--eof"]),
        ("job wait", &["sh/3", "--all"]),
        ("job wait", &["sh/1", "sh/2"]),
        ("job output", &["sh/2"]),
        ("job list", &["sh"]),
        ("job show", &["sh/1"]),
        ("job kill", &["sh/1"]),
        ("job kill", &["sh/1", "sh/2"]),
        ("shell update", &["sh", "--env", "A=1"]),
        ("shell checkpoint", &["sh", "one"]),
        ("shell restore", &["sh", "one"]),
        ("shell open", &["sh"]),
        ("shell history", &["sh"]),
        ("job prune", &["sh"]),
        ("shell end", &["sh"]),
    ] {
        c.ok(name, args);
    }
    crate::shells::lost(c.sandbox, "py");
    c.ok("shell replay", &["py"]);
    c.ok("shell start", &["--name", "again"]);
    let code = format!("{} --json job run -- true", env!("CARGO_BIN_EXE_deck"));
    let ran = c.ok("shell exec", &["again", &code]);
    c.validate("job run", ran["stdout"].as_str().unwrap());
    c.exits(3, "shell exec", &["sh", "true"]);
    c.exits(2, "shell start", &["vim"]);
    c.exits(6, "job write", &["again/1", "late"]);
}

pub(super) fn mcp_servers(c: &mut Checked<'_>, dir: &str) {
    c.ok("add", &[dir, "-t", "served", "-c", "claude", "--no-start"]);
    for (name, args) in [
        ("mcp add", &["memory", "--env", "A=$B", "--", "true", "x"][..]),
        ("mcp add", &["linear", "--url", "https://example.com/mcp", "--header", "X=$Y"]),
        ("mcp list", &[]),
        ("mcp show", &["memory"]),
        ("mcp show", &["linear"]),
        ("mcp attach", &["served", "memory"]),
        ("mcp attach", &["served", "resumable", "linear"]),
        ("mcp detach", &["served", "memory"]),
        ("mcp status", &["served"]),
        ("mcp status", &[]),
        ("mcp rm", &["memory"]),
        ("rm", &["served"]),
    ] {
        c.ok(name, args);
    }
    c.exits(3, "mcp show", &["memory"]);
    std::fs::write(
        std::path::Path::new(dir).join("servers.json"),
        r#"{"servers": {"fetch": {"command": "x"}}}"#,
    )
    .unwrap();
    let file = format!("{dir}/servers.json");
    c.ok("mcp import", &["--from", &file]);
    c.ok("mcp import", &["--from", &file, "fetch"]);
    c.exits(3, "mcp import", &["--from", &file, "none"]);
    c.sandbox.mcp_server("greets");
    c.ok("mcp add", &["greets", "--", "greets"]);
    assert_eq!(c.ok("mcp check", &["greets"])["against_sharing"], serde_json::json!([]));
    c.sandbox.share_server("shared");
    assert_eq!(c.ok("mcp pool", &[])[0]["name"], "shared");
    c.ok("mcp restart", &["shared"]);
    c.exits(3, "mcp restart", &["memory"]);
    c.exits(2, "mcp add", &["Bad Name", "--", "true"]);
    c.exits(6, "mcp add", &["linear", "--", "true"]);
}

pub(super) fn talks(c: &mut Checked<'_>) {
    let shown = c.ok("checkpoint", &["resumable"]);
    assert!(shown["user_messages"].is_array(), "{shown}");
    let handed = c.ok("handoff", &["resumable", "--to", "asker", "--keep", "--force"]);
    assert_eq!(handed["receipt"], "not_verified");
    let id = "pm-feature-auth";
    for (name, args) in [
        ("conversation open", &["--role", "pm", "--feature", "auth"][..]),
        ("conversation open", &["--role", "dev", "--feature", "auth", "--task", "login"]),
        ("conversation add", &[id, "--role", "user", "--id", "m1", "Hello."]),
        ("conversation add", &[id, "--role", "assistant", "--tokens", "12,3", "--meta", "model=x", "Yes."]),
        ("conversation add", &[id, "--role", "user", "Go on."]),
        ("conversation pin", &[id, "m1"]),
        ("conversation pin", &[id, "Never."]),
        ("conversation unpin", &[id, "2"]),
        ("conversation messages", &[id]),
        ("conversation context", &[id, "dependencies=a,b"]),
        ("conversation preview", &[id]),
        ("conversation request", &[id, "Next?", "--add"]),
        ("conversation compact", &[id, "--force", "--model", "none"]),
        ("conversation checkpoint", &[id]),
        ("conversation show", &[id]),
        ("conversation compact", &[id, "--undo"]),
        ("conversation list", &[]),
        ("conversation describe", &[id]),
        ("conversation carry", &["dev-task", "resumable"]),
        ("conversation detach", &["dev-task"]),
        ("conversation export", &[id, "exported"]),
        ("conversation clear", &[id, "--yes"]),
        ("conversation archive", &[id]),
        ("conversation unarchive", &[id, "dev-task"]),
        ("conversation rm", &[id]),
        ("conversation undo", &[id]),
        ("conversation rm", &[id, "dev-task"]),
        ("conversation import", &["exported"]),
    ] {
        c.ok(name, args);
    }
    let events = c.sandbox.deck(&["conversation", "events", "--json"]).ok();
    let validate = |line: &str| c.validate("conversation events", line);
    assert!(events.lines().map(validate).count() > 3, "{events}");
    c.exits(6, "conversation compact", &[id]);
    c.exits(3, "conversation show", &["none"]);
}
