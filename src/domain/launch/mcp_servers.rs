//! The user's MCP servers, passed to an agent when it starts: by a file, by arguments, by a variable, or in the settings
//! file that deck passes already.
//!
//! Invariants: no file of the user's is written; what can't be passed is named with its reason, and the agent is started
//! without it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::hooks::SettingsFile;
use super::mcp::merged;
use crate::domain::mcp_servers::{Definition, Loaded, Pools, SetFile, entry};
use crate::domain::session::{LeftOut, Session};
use crate::domain::tool::Tool;

/// The servers of a session that is started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Servers {
    /// What deck is to pass.
    pub wanted: BTreeMap<String, Definition>,
    /// What the agent's own files give it.
    pub theirs: Vec<Loaded>,
    /// What can't be passed, whatever the tool is.
    pub left_out: Vec<LeftOut>,
    /// What shared ones are found by.
    pub pools: Pools,
}

/// What an agent is started with besides, and what it isn't.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Passed {
    pub args: Vec<String>,
    pub files: Vec<SettingsFile>,
    /// What goes into the settings file of the tool.
    pub settings: Option<Value>,
    pub variable: Option<(String, String)>,
    /// Those that it is given.
    pub loaded: Vec<Loaded>,
    pub left_out: Vec<LeftOut>,
}

/// A file of one session.
fn file_of(files: &Path, session: &Session, name: &str) -> PathBuf {
    files.join("mcp").join(format!("{}-{name}", session.id))
}

/// The session's file of servers.
fn set_file(files: &Path, session: &Session) -> PathBuf {
    file_of(files, session, "set.json")
}

/// The file that its agent is told of.
fn agent_file(files: &Path, session: &Session, tool: &Tool) -> PathBuf {
    file_of(files, session, &format!("{}.json", tool.name))
}

fn settings_file(files: &Path, session: &Session, tool: &Tool) -> PathBuf {
    file_of(files, session, &format!("{}-settings.json", tool.name))
}

/// All files that there may be of a session's servers.
pub fn mcp_files(files: &Path, session: &Session, tool: Option<&Tool>) -> Vec<PathBuf> {
    let of_tool = tool.map(|tool| [agent_file(files, session, tool), settings_file(files, session, tool)]);
    of_tool.into_iter().flatten().chain([set_file(files, session)]).collect()
}

/// What passes these servers to an agent of the tool. `own_settings` says why its settings file can't be passed, `env` is
/// its environment with what deck puts there already.
pub(super) fn pass(
    session: &Session,
    tool: &Tool,
    servers: &Servers,
    own_settings: &Result<(), String>,
    env: &BTreeMap<String, String>,
    deck: &str,
    files: &Path,
) -> Passed {
    let of = &tool.mcp.servers;
    let mut passed = Passed::default();
    let Servers { wanted: servers, pools, .. } = servers;
    if servers.is_empty() {
        return passed;
    }
    let why = if of.is_empty() {
        let tool = if tool.name.is_empty() { "custom" } else { &tool.name };
        Some(format!("deck can't pass servers to the tool {tool:?}: its table has no `mcp.servers`"))
    } else if !of.settings.is_empty() {
        own_settings.clone().err().map(|why| format!("deck can't pass a settings file: {why}"))
    } else {
        None
    };
    if let Some(why) = why {
        passed.left_out = servers.keys().map(|name| LeftOut::in_passing(name, &why)).collect();
        return passed;
    }
    let set = set_file(files, session);
    let mut entries = Vec::new();
    let mut given = BTreeMap::new();
    for (name, server) in servers {
        match entry(of, name, server, env, deck, &set.to_string_lossy()) {
            Ok(text) => {
                entries.push(text);
                given.insert(name.clone(), server.clone());
            }
            Err(why) => passed.left_out.push(LeftOut::in_passing(name, &why.to_string())),
        }
    }
    if entries.is_empty() {
        return passed;
    }
    let object = |template: &str| {
        let text = template.replace("{entries}", &entries.join(","));
        serde_json::from_str::<Value>(&text).ok().filter(Value::is_object)
    };
    let broken = |passed: &mut Passed, why: &str| {
        passed.left_out.extend(given.keys().map(|name| LeftOut::in_passing(name, why)));
    };
    let template = || format!("`mcp.servers` of the tool {:?} makes no JSON object", tool.name);
    if !of.settings.is_empty() {
        passed.settings = object(&of.settings);
        if passed.settings.is_none() {
            broken(&mut passed, &template());
            return passed;
        }
    }
    if !of.value.is_empty() {
        let Some(own) = object(&of.value) else {
            broken(&mut passed, &template());
            return passed;
        };
        let variable = &tool.mcp.env;
        let users = env.get(variable).map(|v| v.trim()).filter(|v| !v.is_empty());
        let both = match users.map(serde_json::from_str::<Value>) {
            None => own,
            Some(Ok(users @ Value::Object(_))) => merged(own, users),
            Some(_) => {
                let why = format!("deck can't add to {variable}, whose value is no JSON object");
                broken(&mut passed, &why);
                return passed;
            }
        };
        passed.variable = Some((variable.clone(), both.to_string()));
    }
    let path = agent_file(files, session, tool);
    let name = path.to_string_lossy();
    passed.args = of.args.iter().map(|a| a.replace("{file}", &name)).collect();
    for entry in &entries {
        passed.args.extend(of.each.iter().map(|a| a.replace("{entry}", entry)));
    }
    if !of.file.is_empty() {
        let text = of.file.replace("{entries}", &entries.join(","));
        passed.files.push(SettingsFile { path: path.clone(), text });
    }
    passed.loaded = given.iter().map(|(name, server)| Loaded::passed(name, server)).collect();
    let text = SetFile::new(session.id.as_str(), &session.project_path, pools.clone(), given).text();
    passed.files.push(SettingsFile { path: set, text });
    passed
}

/// The tool's settings file with these servers in it, under a name of the session's own.
pub(super) fn in_settings(
    session: &Session,
    tool: &Tool,
    own: SettingsFile,
    servers: &Value,
    files: &Path,
) -> SettingsFile {
    let text = match serde_json::from_str::<Value>(&own.text) {
        Ok(value @ Value::Object(_)) => merged(value, servers.clone()).to_string(),
        _ => servers.to_string(),
    };
    SettingsFile { path: settings_file(files, session, tool), text }
}

/// The value of a variable without the servers that deck put there for another session, by a template with `{entries}`;
/// none if nothing else is in it. They are known by the session's file, which is in `files`, or by these names.
pub fn without_servers(template: &str, value: &str, files: &str, names: &[String]) -> Option<String> {
    let all = Some(value.to_owned());
    let template = serde_json::from_str::<Value>(&template.replace("{entries}", ""));
    let (Ok(template), Ok(mut rest)) = (template, serde_json::from_str::<Value>(value)) else { return all };
    let mut keys: Vec<&str> = Vec::new();
    let mut at = &template;
    while let Some((key, below)) = at.as_object().and_then(|o| o.iter().next()) {
        keys.push(key);
        at = below;
    }
    let Some(servers) = keys.iter().try_fold(&mut rest, |at, key| at.get_mut(*key)) else { return all };
    let Some(servers) = servers.as_object_mut().filter(|_| !keys.is_empty() && !files.is_empty()) else {
        return all;
    };
    let before = servers.len();
    servers.retain(|name, server| !names.contains(name) && !server.to_string().contains(files));
    if servers.len() == before {
        return all;
    }
    // What is empty then was made for them.
    for depth in (0..keys.len()).rev() {
        let (above, key) =
            (keys.get(..depth).unwrap_or_default(), keys.get(depth).copied().unwrap_or_default());
        let Some(object) = above.iter().try_fold(&mut rest, |at, key| at.get_mut(*key)) else { break };
        let Some(object) = object.as_object_mut() else { break };
        if object.get(key).and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
            object.remove(key);
        }
    }
    rest.as_object().is_none_or(|o| !o.is_empty()).then(|| rest.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::id::SessionId;
    use crate::domain::mcp_servers::ServerEntries;
    use crate::domain::tool::McpServer;

    fn tool(servers: ServerEntries, env: &str) -> Tool {
        let mcp = McpServer { servers, env: env.into(), ..McpServer::default() };
        Tool { name: "agent".into(), mcp, ..Tool::default() }
    }

    fn entries() -> ServerEntries {
        ServerEntries { stdio: r#""{name}":{"command":"{deck}"}"#.into(), ..ServerEntries::default() }
    }

    fn passed(tool: &Tool, own: Result<(), String>, env: &[(&str, &str)]) -> Passed {
        let session = Session::new(SessionId::new("s1"), "api", jiff::Timestamp::UNIX_EPOCH);
        let stdio = Definition { command: "x".into(), ..Definition::default() };
        let remote = Definition { url: "https://a".into(), ..Definition::default() };
        let wanted = BTreeMap::from([("here".to_owned(), stdio), ("there".to_owned(), remote)]);
        let servers = Servers { wanted, ..Servers::default() };
        let env = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        pass(&session, tool, &servers, &own, &env, "/deck", Path::new("/files"))
    }

    #[test]
    fn by_a_file() {
        let of = ServerEntries {
            file: r#"{"mcpServers":{{entries}}}"#.into(),
            args: vec!["--config={file}".into()],
            ..entries()
        };
        let passed = passed(&tool(of, ""), Ok(()), &[]);
        assert_eq!(passed.args, ["--config=/files/mcp/s1-agent.json"]);
        assert_eq!(passed.files[0].text, r#"{"mcpServers":{"here":{"command":"/deck"}}}"#);
        assert_eq!(passed.files[1].path, Path::new("/files/mcp/s1-set.json"));
        let set = SetFile::parse(&passed.files[1].text).unwrap();
        assert_eq!(set.servers.into_keys().collect::<Vec<_>>(), ["here"]);
        assert_eq!(passed.loaded[0].name, "here");
        assert_eq!(passed.left_out, [LeftOut::in_passing("there", "its agent can't use http servers")]);
    }

    #[test]
    fn by_a_variable_beside_what_is_there() {
        let tool = tool(ServerEntries { value: r#"{"mcp":{{entries}}}"#.into(), ..entries() }, "CONFIG");
        let value = |users| -> Value {
            let text = passed(&tool, Ok(()), &[("CONFIG", users)]).variable.unwrap().1;
            serde_json::from_str(&text).unwrap()
        };
        assert_eq!(value(""), serde_json::json!({"mcp": {"here": {"command": "/deck"}}}));
        let both = value(r#"{"model":"m","mcp":{"here":{"command":"mine"}}}"#);
        assert_eq!(both, serde_json::json!({"model": "m", "mcp": {"here": {"command": "mine"}}}));
        let bad = passed(&tool, Ok(()), &[("CONFIG", "[]")]);
        assert_eq!((bad.variable, bad.loaded.len(), bad.left_out.len()), (None, 0, 2));
    }

    #[test]
    fn by_settings_that_may_be_passed() {
        let tool = tool(ServerEntries { settings: r#"{"m":{{entries}}}"#.into(), ..entries() }, "");
        let fine = passed(&tool, Ok(()), &[]);
        assert_eq!(fine.settings.unwrap().to_string(), r#"{"m":{"here":{"command":"/deck"}}}"#);
        let refused = passed(&tool, Err("/etc/x is there".into()), &[]);
        assert_eq!(refused.loaded.len(), 0);
        assert_eq!(refused.left_out[0].why, "deck can't pass a settings file: /etc/x is there");
    }

    #[test]
    fn what_deck_put_into_a_variable_is_taken_out_again() {
        let of =
            |value: &str| without_servers(r#"{"mcp":{{entries}}}"#, value, "/files", &["far".to_owned()]);
        let own = r#"{"mcp":{"a":{"command":["deck","mcp","run","a","--set","/files/mcp/s1/set.json"]}}}"#;
        assert_eq!(of(own), None);
        assert_eq!(of(r#"{"mcp":{"far":{"url":"https://a"}}}"#), None);
        let both = own.replace("{\"mcp\":{", "{\"model\":\"m\",\"mcp\":{\"mine\":{},");
        assert_eq!(of(&both).as_deref(), Some(r#"{"model":"m","mcp":{"mine":{}}}"#));
        for users in ["// mine", r#"{ "model": "m" }"#, r#"{"mcp":{"mine":{}}}"#, r#"{"mcp":{}}"#, "[]"] {
            assert_eq!(of(users).as_deref(), Some(users));
        }
    }

    #[test]
    fn a_tool_without_data_gets_none() {
        let none = passed(&tool(ServerEntries::default(), ""), Ok(()), &[]);
        assert!(none.left_out[0].why.ends_with("\"agent\": its table has no `mcp.servers`"));
        assert_eq!((none.files.len(), none.left_out.len()), (0, 2));
    }
}
