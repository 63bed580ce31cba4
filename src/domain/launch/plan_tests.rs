//! Plans by example, and quoting through a real shell.

use super::*;
use crate::domain::id::SessionId;
use crate::domain::tool::{Hooks, OwnSettings};
use jiff::Timestamp;

const PUBLISH: Publish = Publish {
    id: |env| format!("publish {}\n", env.unwrap_or("-")),
    note: |note| format!("note {note}\n"),
    setup: || "note-setup $code\n".to_owned(),
    settle: || "settle\n".to_owned(),
};

fn session(command: &str) -> Session {
    let mut s = Session::new(SessionId::new("id"), "t", Timestamp::UNIX_EPOCH);
    s.command = command.to_owned();
    s.project_path = "/src".to_owned();
    s
}

fn claude() -> Tool {
    Tool {
        command: "claude".into(),
        resume: Some(ResumeKind::Minted),
        resume_flag: Some("--resume".into()),
        new_id_flag: Some("--session-id".into()),
        session_id_env: Some("CLAUDE_SESSION_ID".into()),
        start_prompt: StartPrompt::Argv,
        ..Tool::default()
    }
}

fn vibe() -> Tool {
    Tool {
        command: "vibe".into(),
        resume_flag: Some("--resume".into()),
        session_id_env: Some("VIBE_SESSION_ID".into()),
        session_id_json_path: Some(".session_id".into()),
        output_format_flag: Some("--output-format json".into()),
        dangerous_flag: Some("--auto-approve".into()),
        dangerous_mode: true,
        ..Tool::default()
    }
}

fn made(session: &Session, tool: Option<&Tool>, start: Start, prompt: Option<&str>) -> LaunchPlan {
    let env = BTreeMap::new();
    plan(Launch {
        session,
        tool,
        start,
        prompt,
        minted: "U-1",
        env,
        deck: "/bin/deck",
        files: Path::new("/state"),
        hooks: true,
        own_settings: Ok(()),
        port: Some(4096),
        publish: PUBLISH,
        setup: None,
        servers: Servers::default(),
        shell: "/bin/zsh",
    })
    .unwrap()
}

#[test]
fn a_minted_id_is_passed_and_published() {
    let p = made(&session(""), Some(&claude()), Start::Fresh, Some("fix it"));
    assert_eq!(p.command_line(), "claude --session-id U-1 'fix it'");
    insta::assert_snapshot!(p.script, @r#"
    id=U-1
    publish CLAUDE_SESSION_ID
    exec claude --session-id U-1 'fix it'
    "#);
}

#[test]
fn what_is_shown_of_a_command_leaves_out_what_is_decks_own() {
    let mut tool = claude();
    (tool.name, tool.service.args) = ("claude".into(), vec!["--port".into(), "{port}".into()]);
    tool.hooks = Hooks {
        events: vec!["Stop".into(), "SessionStart".into()],
        entry: "{event}={command}".into(),
        file: "{{entries}}".into(),
        args: vec!["--settings".into(), "{file}".into()],
        each: vec!["-c".into(), "{entry}".into()],
    };
    tool.settings = OwnSettings { file: "{}".into(), env: "G_SETTINGS".into(), instead: String::new() };
    let mut s = session("claude --add-dir /state");
    s.args = vec!["-c".into(), "U-1".into()];
    let p = made(&s, Some(&tool), Start::Fresh, Some("look at\n/bin/deck"));
    assert_eq!(
        p.outline.brief(),
        "claude --add-dir /state --settings … -c … --port … --session-id … -c U-1 'look at\n/bin/deck'",
        "what the user wrote stays, whatever it is"
    );
    assert_eq!(
        p.outline.full(),
        "G_SETTINGS=/state/claude-settings.json claude --add-dir /state --settings /state/claude-hooks.json \
         -c 'Stop=/bin/deck hook Stop || :' -c 'SessionStart=/bin/deck hook SessionStart || :' --port <free port> \
         --session-id <new id> -c U-1 'look at\n/bin/deck'"
    );
    s.resume.record("old", IdSource::Minted, Timestamp::UNIX_EPOCH);
    let resumed = made(&s, Some(&claude()), Start::Resume, None);
    assert_eq!(resumed.outline.brief(), "claude --add-dir /state --resume old -c U-1");
}

#[test]
fn an_id_that_a_run_gets_is_part_of_what_is_shown() {
    let mut s = session("");
    s.args = vec!["--fast".into()];
    let p = made(&s, Some(&vibe()), Start::Fresh, Some("fix it"));
    assert_eq!(p.outline.brief(), "vibe --resume … --auto-approve --fast");
    assert_eq!(p.outline.full(), "vibe --resume <new id> --auto-approve --fast");
    assert_eq!(p.outline.before.as_deref(), Some("vibe --output-format json ."));
    assert_eq!(p.paste.as_deref(), Some("fix it"));
}

#[test]
fn a_copy_is_asked_for_where_its_id_would_not_be_reported() {
    let mut s = session("");
    s.resume.record("ses_1", IdSource::Captured, Timestamp::UNIX_EPOCH);
    let tool = Tool {
        command: "oc".into(),
        resume: Some(ResumeKind::Capture),
        resume_flag: Some("--session".into()),
        session_id_env: Some("OC_ID".into()),
        session_id_json_path: Some(".id".into()),
        capture_args: vec!["serve".into(), "{port}".into()],
        fork_post: Some("/session/{id}/fork".into()),
        fork: ["--session", "{id}", "--fork"].map(str::to_owned).to_vec(),
        ..Tool::default()
    };
    let p = made(&s, Some(&tool), Start::Fork, None);
    assert_eq!(p.id, None, "the copy will report its own id");
    insta::assert_snapshot!(p.script);
}

#[test]
fn a_settings_file_of_decks_own_never_takes_the_place_of_the_users() {
    let settings = OwnSettings { file: "{}".into(), env: "G_SETTINGS".into(), instead: String::new() };
    let tool = Tool { name: "g".into(), command: "g".into(), settings, ..Tool::default() };
    let p = made(&session(""), Some(&tool), Start::Fresh, None);
    assert_eq!(p.env.get("G_SETTINGS").map(String::as_str), Some("/state/g-settings.json"));
    assert_eq!(p.settings[0].text, "{}");
    let mut with_hooks = tool.clone();
    with_hooks.settings.file = r#"{"hooks":{{entries}}}"#.into();
    with_hooks.hooks.events = vec!["SessionStart".into()];
    with_hooks.hooks.entry = r#""{event}":"{command}""#.into();
    let p = made(&session(""), Some(&with_hooks), Start::Fresh, None);
    assert_eq!(p.settings[0].text, r#"{"hooks":{"SessionStart":"/bin/deck hook SessionStart || :"}}"#);
    assert_eq!((p.settings.len(), p.argv.len()), (1, 1), "nothing on the command line");
    let mut s = session("");
    s.env.insert("G_SETTINGS".into(), "/my.json".into());
    let env = s.env.clone();
    let p = plan(Launch {
        session: &s,
        tool: Some(&tool),
        start: Start::Fresh,
        prompt: None,
        minted: "U-1",
        env,
        deck: "/bin/deck",
        files: Path::new("/state"),
        hooks: true,
        own_settings: Ok(()),
        port: None,
        publish: PUBLISH,
        setup: None,
        servers: Servers::default(),
        shell: "/bin/sh",
    })
    .unwrap();
    assert_eq!((p.env["G_SETTINGS"].as_str(), p.settings.len()), ("/my.json", 0));
}

#[test]
fn a_known_id_is_resumed_and_keeps_its_source() {
    let mut s = session("claude --model opus");
    s.resume.record("old", IdSource::Minted, Timestamp::UNIX_EPOCH);
    let p = made(&s, Some(&claude()), Start::Resume, None);
    assert_eq!(p.command_line(), "claude --model opus --resume old");
    assert_eq!(p.id, Some(("old".into(), IdSource::Minted)));
    assert_eq!(
        made(&s, Some(&claude()), Start::SameId, None).command_line(),
        "claude --model opus --session-id old"
    );
    assert_eq!(
        made(&s, Some(&claude()), Start::Fresh, None).command_line(),
        "claude --model opus --session-id U-1"
    );
}

#[test]
fn a_subcommand_stands_before_the_arguments() {
    let codex = Tool {
        command: "codex".into(),
        resume: Some(ResumeKind::Subcommand),
        resume_flag: Some("resume".into()),
        hooks: Hooks {
            events: vec!["SessionStart".into()],
            entry: "{event}={command}".into(),
            each: vec!["-c".into(), "{entry}".into()],
            ..Hooks::default()
        },
        ..Tool::default()
    };
    let mut s = session("codex --full-auto");
    s.resume.record("T", IdSource::Reported, Timestamp::UNIX_EPOCH);
    let p = made(&s, Some(&codex), Start::Resume, None);
    assert_eq!(
        p.argv,
        ["codex", "resume", "T", "-c", "SessionStart=/bin/deck hook SessionStart || :", "--full-auto"]
    );
}

#[test]
fn a_captured_id_is_resumed_or_the_agent_starts_without() {
    let p = made(&session(""), Some(&vibe()), Start::Fresh, None);
    assert_eq!(p.id, None);
    insta::assert_snapshot!(p.script, @r#"
    id=$(/bin/deck capture-id --timeout 60 .session_id -- vibe --output-format json .) || id=
    if [ -n "$id" ]; then
    publish VIBE_SESSION_ID
    exec vibe --resume "$id" --auto-approve
    fi
    note started without a session id: its headless run printed none
    exec vibe --auto-approve
    "#);
}

#[test]
fn a_prompt_that_looks_like_an_option_is_none() {
    let p = made(&session(""), Some(&claude()), Start::Fresh, Some("--help me"));
    assert_eq!(p.argv, ["claude", "--session-id", "U-1", "--", "--help me"]);
    let p = made(&session("x"), Some(&vibe()), Start::Fresh, Some("hello"));
    assert_eq!(p.paste.as_deref(), Some("hello"));
}

#[test]
fn shells_and_shell_lines() {
    let shell = Tool { command: "$SHELL".into(), ..Tool::default() };
    assert_eq!(made(&session(""), Some(&shell), Start::Fresh, None).argv, ["/bin/zsh"]);
    assert_eq!(made(&session("a | b"), None, Start::Fresh, None).argv, ["sh", "-c", "a | b"]);
    let env = BTreeMap::new();
    let none = session("");
    let err = plan(Launch {
        session: &none,
        tool: None,
        start: Start::Fresh,
        prompt: None,
        minted: "",
        env,
        deck: "",
        files: Path::new("/"),
        hooks: true,
        own_settings: Ok(()),
        port: None,
        publish: PUBLISH,
        setup: None,
        servers: Servers::default(),
        shell: "",
    });
    assert_eq!(err, Err(PlanError::NoCommand("t".into())));
}
