//! deck's MCP server, passed to an agent when it starts: by a file, by arguments, by a variable, or in the settings
//! file that deck passes already.
//!
//! Invariants: no file of the user's is written; what the user passes stands, and deck's server is put beside it; what
//! can't be passed is an error, so that nobody believes an agent to have what it doesn't.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::hooks::{SettingsFile, in_string};
use crate::domain::tool::{McpServer, Tool};

/// Why an agent can't be given deck's MCP server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// Its tool has no data for it.
    #[error("deck can't pass its MCP server to the tool {0:?}: its table has no `mcp`")]
    Unknown(String),
    /// The settings file that it would be in isn't passed.
    #[error("deck can't pass its MCP server to the tool {tool:?} in a settings file: {why}")]
    Settings {
        tool: String,
        /// What is in the way.
        why: String,
    },
    /// The user's value of the variable.
    #[error("deck can't add its MCP server to {0}, whose value is no JSON object")]
    NotAnObject(String),
    /// The tool's own data.
    #[error("`mcp` of the tool {tool:?} makes no JSON object: {text}")]
    Template { tool: String, text: String },
}

/// What an agent is started with besides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Passed {
    pub args: Vec<String>,
    pub file: Option<SettingsFile>,
    pub variable: Option<(String, String)>,
}

/// The arguments, the file and the variable that pass a server with these scopes.
pub(super) fn pass(
    tool: &Tool,
    scopes: &[String],
    env: &BTreeMap<String, String>,
    deck: &str,
    files: &Path,
) -> Result<Passed, McpError> {
    let McpServer { file, args, settings, env: variable, value, .. } = &tool.mcp;
    if args.is_empty() && settings.is_empty() && variable.is_empty() {
        let name = if tool.name.is_empty() { "custom" } else { &tool.name };
        return Err(McpError::Unknown(name.to_owned()));
    }
    let fill = |text: &str| fill(text, scopes, deck);
    let path = files.join(format!("{}-mcp-{}.json", tool.name, scopes.join("-")));
    let name = path.to_string_lossy();
    let args = args.iter().map(|a| fill(a).replace("{file}", &name)).collect();
    let file = (!file.is_empty()).then(|| SettingsFile { path: path.clone(), text: fill(file) });
    let variable = match variable.as_str() {
        "" => None,
        variable => {
            let not_an_object = || McpError::NotAnObject(variable.to_owned());
            let users = env.get(variable).map(|v| v.trim()).filter(|v| !v.is_empty());
            let users = users.map(serde_json::from_str).transpose().map_err(|_| not_an_object())?;
            let own = object(tool, &fill(value))?;
            let both = match users {
                Some(users @ Value::Object(_)) => merged(own, users),
                Some(_) => return Err(not_an_object()),
                None => own,
            };
            Some((variable.to_owned(), both.to_string()))
        }
    };
    Ok(Passed { args, file, variable })
}

/// deck's settings file for a tool with the server in it, under a name of its own.
pub(super) fn in_settings(
    tool: &Tool,
    scopes: &[String],
    own: Option<SettingsFile>,
    may_pass: Result<(), String>,
    deck: &str,
) -> Result<Option<SettingsFile>, McpError> {
    if tool.mcp.settings.is_empty() {
        return Ok(own);
    }
    let Some(SettingsFile { path, text }) = own else {
        let named = || format!("{} names one of yours", tool.settings.env);
        return Err(McpError::Settings {
            tool: tool.name.clone(),
            why: may_pass.err().unwrap_or_else(named),
        });
    };
    let both = merged(object(tool, &fill(&tool.mcp.settings, scopes, deck))?, object(tool, &text)?);
    let path = path.with_file_name(format!("{}-settings-mcp-{}.json", tool.name, scopes.join("-")));
    Ok(Some(SettingsFile { path, text: both.to_string() }))
}

/// A template with deck's program and the scopes filled in, the former as the inside of a JSON or TOML string.
pub fn fill(text: &str, scopes: &[String], deck: &str) -> String {
    text.replace("{deck}", &in_string(deck)).replace("{scopes}", &scopes.join(","))
}

/// The value of a variable without deck's server, which this template puts there; none if nothing else is in it. What isn't
/// deck's stays as it is.
pub fn without_server(template: &str, value: &str) -> Option<String> {
    let both = (serde_json::from_str::<Value>(template), serde_json::from_str::<Value>(value));
    let (Ok(template), Ok(mut rest)) = both else { return Some(value.to_owned()) };
    if !remove_server(&template, &mut rest) {
        return Some(value.to_owned());
    }
    (rest != Value::Object(serde_json::Map::new())).then(|| rest.to_string())
}

/// Removes `deck` where the template has it, and what is empty then. Returns whether anything was removed.
fn remove_server(template: &Value, from: &mut Value) -> bool {
    let (Some(template), Some(from)) = (template.as_object(), from.as_object_mut()) else { return false };
    let mut removed = template.contains_key(SERVER) && from.remove(SERVER).is_some();
    for (key, below) in template.iter().filter(|(key, _)| *key != SERVER) {
        let Some(inner) = from.get_mut(key) else { continue };
        if remove_server(below, inner) {
            removed = true;
            if inner.as_object().is_some_and(serde_json::Map::is_empty) {
                from.remove(key);
            }
        }
    }
    removed
}

/// The name of deck's server in agents' settings.
const SERVER: &str = "deck";

fn object(tool: &Tool, text: &str) -> Result<Value, McpError> {
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        _ => Err(McpError::Template { tool: tool.name.clone(), text: text.to_owned() }),
    }
}

/// Two objects in one; of what both have, `over` counts.
pub(super) fn merged(mut under: Value, over: Value) -> Value {
    match (&mut under, over) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                let value = match into.remove(&key) {
                    Some(old) => merged(old, value),
                    None => value,
                };
                into.insert(key, value);
            }
            under
        }
        (_, over) => over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::tool::OwnSettings;

    fn tool(mcp: McpServer) -> Tool {
        Tool { name: "agent".into(), mcp, ..Tool::default() }
    }

    fn passed(tool: &Tool, env: &[(&str, &str)]) -> Result<Passed, McpError> {
        let env = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        pass(tool, &["shells".into()], &env, r#"/opt/"deck""#, Path::new("/s"))
    }

    #[test]
    fn a_file_is_named_by_what_it_gives() {
        let mcp = McpServer {
            file: r#"{"deck":{"command":"{deck}","args":["mcp","--scopes","{scopes}"]}}"#.into(),
            args: vec!["--mcp-config={file}".into()],
            ..McpServer::default()
        };
        let passed = passed(&tool(mcp), &[]).unwrap();
        assert_eq!(passed.args, ["--mcp-config=/s/agent-mcp-shells.json"]);
        let value: Value = serde_json::from_str(&passed.file.unwrap().text).unwrap();
        assert_eq!(value.pointer("/deck/command").unwrap(), r#"/opt/"deck""#);
        assert_eq!(value.pointer("/deck/args/2").unwrap(), "shells");
    }

    #[test]
    fn a_variable_keeps_what_its_user_put_there() {
        let mcp = McpServer {
            env: "CONFIG".into(),
            value: r#"{"mcp":{"deck":{"command":["{deck}"]}}}"#.into(),
            ..McpServer::default()
        };
        let tool = tool(mcp);
        let of = |users: &str| passed(&tool, &[("CONFIG", users)]).map(|p| p.variable.unwrap().1);
        assert_eq!(of("").unwrap(), r#"{"mcp":{"deck":{"command":["/opt/\"deck\""]}}}"#);
        let both: Value =
            serde_json::from_str(&of(r#"{"model":"m","mcp":{"own":{},"deck":{"enabled":false}}}"#).unwrap())
                .unwrap();
        assert_eq!(both.pointer("/model").unwrap(), "m");
        assert!(both.pointer("/mcp/own").is_some() && both.pointer("/mcp/deck/command").is_some());
        assert_eq!(both.pointer("/mcp/deck/enabled").unwrap(), false, "what the user says of it stands");
        for bad in ["// a comment", "[]"] {
            assert_eq!(of(bad), Err(McpError::NotAnObject("CONFIG".into())));
        }
    }

    #[test]
    fn a_settings_file_that_is_not_passed_passes_no_server() {
        let mut tool =
            tool(McpServer { settings: r#"{"mcpServers":{"deck":{}}}"#.into(), ..McpServer::default() });
        tool.settings =
            OwnSettings { env: "SETTINGS".into(), instead: "/etc/agent.json".into(), file: "{}".into() };
        let scopes = ["shells".to_owned()];
        let own = SettingsFile { path: "/s/agent-settings.json".into(), text: r#"{"hooks":{}}"#.into() };
        let with = |own, may_pass| in_settings(&tool, &scopes, own, may_pass, "/deck");
        let file = with(Some(own), Ok(())).unwrap().unwrap();
        assert_eq!(file.path, Path::new("/s/agent-settings-mcp-shells.json"));
        let value: Value = serde_json::from_str(&file.text).unwrap();
        assert_eq!(value, serde_json::json!({"hooks": {}, "mcpServers": {"deck": {}}}));
        let why = |may_pass| with(None, may_pass).unwrap_err().to_string();
        assert!(
            why(Err("/etc/agent.json is there".into())).ends_with("settings file: /etc/agent.json is there")
        );
        assert!(why(Ok(())).ends_with("settings file: SETTINGS names one of yours"));
    }

    #[test]
    fn a_tool_without_data_is_refused() {
        assert_eq!(passed(&tool(McpServer::default()), &[]), Err(McpError::Unknown("agent".into())));
    }

    #[test]
    fn what_deck_put_into_a_variable_is_taken_out_again() {
        let template = r#"{"mcp":{"deck":{"command":["{deck}"]}}}"#;
        let of = |value: &str| without_server(template, value);
        assert_eq!(of(r#"{"mcp":{"deck":{"command":["/bin/deck"]}}}"#), None);
        assert_eq!(
            of(r#"{"model":"m","mcp":{"deck":{},"mine":{}}}"#).as_deref(),
            Some(r#"{"model":"m","mcp":{"mine":{}}}"#)
        );
        for users in ["// mine", r#"{ "model": "deck" }"#, r#"{"deck":1}"#, "[]"] {
            assert_eq!(of(users).as_deref(), Some(users));
        }
    }
}
