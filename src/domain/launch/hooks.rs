//! Hooks that are passed to an agent when it starts, so that it reports to deck.
//!
//! Invariants: none of the user's files is written or replaced: if the user passes the same flag,
//! theirs wins and deck adds none; a hook that can't run never fails the agent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::domain::quote;
use crate::domain::session::Session;
use crate::domain::tool::Tool;

/// A settings file for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// Where it must be.
    pub path: PathBuf,
    /// What must be in it.
    pub text: String,
}

/// The arguments that pass the tool's hooks, and the settings file that they name.
pub(super) fn args(
    session: &Session,
    tool: &Tool,
    deck: &str,
    files: &Path,
) -> (Vec<String>, Option<SettingsFile>) {
    let hooks = &tool.hooks;
    // A tool's own command may pass the flag, too.
    let own = !hooks.file.is_empty() && passes(session, tool, &hooks.args);
    if hooks.is_empty() || own {
        return (Vec::new(), None);
    }
    let entries = entries(tool, deck);
    let path = files.join(format!("{}-hooks.json", tool.name));
    let name = path.to_string_lossy();
    let mut args: Vec<String> = hooks.args.iter().map(|a| a.replace("{file}", &name)).collect();
    for entry in &entries {
        args.extend(hooks.each.iter().map(|a| a.replace("{entry}", entry)));
    }
    let text = hooks.file.replace("{entries}", &entries.join(","));
    let file = (!hooks.file.is_empty()).then_some(SettingsFile { path, text });
    (args, file)
}

/// The settings of each event.
fn entries(tool: &Tool, deck: &str) -> Vec<String> {
    let entry = |event: &String| {
        let command = format!("{} hook {event} || :", quote::sh(deck));
        tool.hooks.entry.replace("{event}", event).replace("{command}", &in_string(&command))
    };
    tool.hooks.events.iter().map(entry).collect()
}

/// The tool's settings file written by deck, unless the user's variable points to another.
pub(super) fn own_settings(
    tool: &Tool,
    env: &BTreeMap<String, String>,
    deck: &str,
    files: &Path,
) -> Option<SettingsFile> {
    let own = &tool.settings;
    let is_users = env.get(&own.env).is_some_and(|v| !v.is_empty());
    if own.file.is_empty() || own.env.is_empty() || is_users {
        return None;
    }
    let path = files.join(format!("{}-settings.json", tool.name));
    let text = own.file.replace("{entries}", &entries(tool, deck).join(","));
    Some(SettingsFile { path, text })
}

/// Whether the user passes the flag that these arguments begin with: most agents take the last
/// one only.
pub(super) fn passes(session: &Session, tool: &Tool, args: &[String]) -> bool {
    let Some(flag) = args.first().filter(|a| a.starts_with("--")) else { return false };
    let is_flag =
        |word: &str| word == flag || word.strip_prefix(flag.as_str()).is_some_and(|r| r.starts_with('='));
    let line = if session.command.is_empty() { &tool.command } else { &session.command };
    let command = shlex::split(line).unwrap_or_default();
    let mut all = tool.args.iter().chain(&session.args).chain(&command);
    all.any(|word| is_flag(word))
}

/// The inside of a JSON string, which is one of a TOML basic string as well.
pub(in crate::domain) fn in_string(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    // Only those around it: the text may end with one.
    let inside = quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"'));
    inside.unwrap_or(&quoted).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::id::SessionId;
    use crate::domain::tool::Hooks;
    use jiff::Timestamp;

    fn tool() -> Tool {
        Tool {
            name: "claude".into(),
            command: "claude".into(),
            hooks: Hooks {
                events: vec!["Stop".into(), "PreToolUse".into()],
                entry: r#""{event}":[{"hooks":[{"type":"command","command":"{command}"}]}]"#.into(),
                file: r#"{"hooks":{{entries}}}"#.into(),
                args: vec!["--settings".into(), "{file}".into()],
                each: Vec::new(),
            },
            ..Tool::default()
        }
    }

    fn session(args: &[&str]) -> Session {
        let mut session = Session::new(SessionId::new("id"), "t", Timestamp::UNIX_EPOCH);
        session.args = args.iter().map(|a| (*a).to_owned()).collect();
        session
    }

    #[test]
    fn a_settings_file_is_json_whatever_decks_path_is() {
        let deck = r#"/opt/it's "deck"\bin/deck"#;
        let (args, file) = args(&session(&[]), &tool(), deck, Path::new("/s"));
        assert_eq!(args, ["--settings", "/s/claude-hooks.json"]);
        let value: serde_json::Value = serde_json::from_str(&file.unwrap().text).unwrap();
        let command = value.pointer("/hooks/Stop/0/hooks/0/command").unwrap().as_str().unwrap();
        assert_eq!(command, format!("{} hook Stop || :", quote::sh(deck)));
        assert!(value.pointer("/hooks/PreToolUse").is_some());
    }

    #[test]
    fn a_flag_of_the_users_own_stands() {
        for own in [&["--settings", "{}"][..], &["--settings=/my.json"]] {
            assert_eq!(args(&session(own), &tool(), "/deck", Path::new("/s")), (Vec::new(), None));
        }
        let mut session = session(&[]);
        session.command = "claude --settings '{}'".into();
        assert_eq!(args(&session, &tool(), "/deck", Path::new("/s")).1, None);
    }

    #[test]
    fn arguments_for_each_event() {
        let mut tool = tool();
        tool.hooks.entry = r#"hooks.{event}="{command}""#.into();
        tool.hooks.each = vec!["-c".into(), "{entry}".into()];
        (tool.hooks.args, tool.hooks.file) = (vec!["--trust".into()], String::new());
        let (args, file) = args(&session(&["--trust"]), &tool, "/deck", Path::new("/s"));
        let want = [
            "--trust",
            "-c",
            r#"hooks.Stop="/deck hook Stop || :""#,
            "-c",
            r#"hooks.PreToolUse="/deck hook PreToolUse || :""#,
        ];
        assert_eq!((args, file), (want.map(str::to_owned).to_vec(), None));
    }
}
