//! How an agent is told of a server: an entry in its own format, made from a tool's template.
//!
//! Invariant: no value of the user's is in an entry that becomes an argument: programs are started by deck from the
//! session's file, and headers are named by variables.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::variables::{fill, variables_in};
use super::{Definition, Transport, is_passed_on};
use crate::domain::launch::in_string;

/// `mcp.servers` of a tool: how servers are passed to its agents.
///
/// The texts are templates. `{name}` is the server's name. In `stdio`, `{deck}` is deck's program, `{set}` the session's file
/// of servers, and `{variables}` all of `variable`, one for each variable that deck needs to start it. In `http` and `sse`,
/// `{url}` is the address, `{headers}` all of `header`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerEntries {
    /// A server that is a program.
    pub stdio: String,
    /// One at an address; empty: the agent has no such servers.
    pub http: String,
    /// One at an address of the older kind; empty: the agent has no such servers.
    pub sse: String,
    /// A variable that the agent must pass on; `{variable}` is its name.
    pub variable: String,
    /// A header; `{header}` is its name and `{value}` its value.
    pub header: String,
    /// How a value refers to a variable: `{variable}` is its name. Empty: headers must be a variable, by `header_variable`.
    pub reference: String,
    /// A header whose whole value is a variable: `{header}` and `{variable}`, collected as `{headers}`.
    pub header_variable: String,
    /// The header `Authorization: Bearer $NAME`, as `{bearer}`.
    pub bearer: String,
    /// A file with all entries, `{entries}`, separated by commas.
    pub file: String,
    /// Arguments; `{file}` is the path of that file.
    pub args: Vec<String>,
    /// Arguments for each entry; `{entry}` is it.
    pub each: Vec<String>,
    /// What is merged into the file of the tool's own settings: a JSON object with `{entries}`.
    pub settings: String,
    /// What is merged into the value of the variable `mcp.env`: a JSON object with `{entries}`.
    pub value: String,
    /// Whether a server that is passed so holds where the agent's own files give another one of its name.
    pub replaces: bool,
}

impl ServerEntries {
    /// Whether nothing is known of how its agents are given a server.
    pub fn is_empty(&self) -> bool {
        self.stdio.is_empty()
    }
}

/// Why an agent can't be told of a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoEntry {
    /// It has no servers of this kind.
    #[error("its agent can't use {} servers", .0.word())]
    Transport(Transport),
    /// It takes no such value but from a variable.
    #[error("its agent takes the header {0} from a variable only: write its value as \"$NAME\"")]
    Header(String),
    /// A header needs it.
    #[error("the variable {0} is not set")]
    Variable(String),
}

/// The entry of a server, for an agent with this environment.
///
/// # Errors
/// [`NoEntry`] when the agent can't have it.
pub fn entry(
    of: &ServerEntries,
    name: &str,
    server: &Definition,
    env: &BTreeMap<String, String>,
    deck: &str,
    set: &str,
) -> Result<String, NoEntry> {
    let transport = server.transport();
    let template = match transport {
        Transport::Stdio => &of.stdio,
        Transport::Http => &of.http,
        Transport::Sse => &of.sse,
    };
    if template.is_empty() {
        return Err(NoEntry::Transport(transport));
    }
    let is_set = |name: &String| env.get(name).is_some_and(|value| !value.is_empty());
    let named = server.variables();
    if let Some(missing) = named.iter().find(|name| transport != Transport::Stdio && !is_set(name)) {
        return Err(NoEntry::Variable(missing.clone()));
    }
    // One that isn't set is missed by deck when it starts the server, and named.
    let of_all = env.keys().filter(|name| is_passed_on(name)).cloned();
    let mut names: Vec<String> = named.into_iter().chain(of_all).filter(is_set).collect();
    names.sort();
    names.dedup();
    let one = |variable: &String| of.variable.replace("{variable}", variable);
    let variables: Vec<String> = names.iter().map(one).collect();
    let (headers, bearer) = headers(of, server)?;
    // What the user wrote is filled in last: nothing in it is a place of the template.
    let filled = template.replace("{name}", name).replace("{variables}", &variables.join(","));
    let filled = filled.replace("{bearer}", &bearer).replace("{deck}", &in_string(deck));
    let filled = filled.replace("{set}", &in_string(set));
    Ok(match filled.split_once("{headers}") {
        Some((before, after)) => {
            format!("{}{}{}", url(before, server), headers.join(","), url(after, server))
        }
        None => url(&filled, server),
    })
}

fn url(text: &str, server: &Definition) -> String {
    text.replace("{url}", &in_string(&server.url))
}

/// The headers of a server in the tool's form, and the one that is a bearer's.
fn headers(of: &ServerEntries, server: &Definition) -> Result<(Vec<String>, String), NoEntry> {
    let (mut all, mut bearer) = (Vec::new(), String::new());
    let written = server.written_secrets();
    for (name, value) in &server.headers {
        // Its entries are in a variable, which others of its user's programs can see.
        if !of.value.is_empty() && written.contains(&format!("headers.{name}")) {
            return Err(NoEntry::Header(name.clone()));
        }
        let of_bearer = value.strip_prefix("Bearer ").and_then(whole_variable);
        if let Some(variable) =
            of_bearer.filter(|_| name.eq_ignore_ascii_case("authorization") && !of.bearer.is_empty())
        {
            bearer = of.bearer.replace("{variable}", &variable);
        } else if !of.reference.is_empty() {
            let refer = |variable: &str| Ok::<_, NoEntry>(of.reference.replace("{variable}", variable));
            let value = fill(value, refer)?;
            all.push(of.header.replace("{header}", &in_string(name)).replace("{value}", &in_string(&value)));
        } else {
            let variable = whole_variable(value).ok_or_else(|| NoEntry::Header(name.clone()))?;
            let header = of.header_variable.replace("{header}", &in_string(name));
            all.push(header.replace("{variable}", &variable));
        }
    }
    Ok((all, bearer))
}

/// The variable that a value is, and nothing else.
fn whole_variable(value: &str) -> Option<String> {
    let name = variables_in(value).into_iter().next()?;
    (value == format!("${name}") || value == format!("${{{name}}}")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(toml: &str) -> Definition {
        toml::from_str(toml).unwrap()
    }

    fn made(of: &ServerEntries, name: &str, server: &Definition) -> Result<String, NoEntry> {
        let env = [("GH", "1"), ("T", "2"), ("Y", "3"), ("HOME", "/h"), ("LC_ALL", ""), ("API_KEY", "k")];
        let env = env.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        entry(of, name, server, &env, "/opt/\"deck\"", "/s/set.json")
    }

    fn json() -> ServerEntries {
        ServerEntries {
            stdio: r#""{name}":{"command":"{deck}","args":["mcp","run","{name}","--set","{set}"],"env":{{variables}}}"#
                .into(),
            http: r#""{name}":{"url":"{url}","headers":{{headers}}}"#.into(),
            variable: r#""{variable}":"${variable}""#.into(),
            header: r#""{header}":"{value}""#.into(),
            reference: "${{variable}}".into(),
            ..ServerEntries::default()
        }
    }

    #[test]
    fn an_entry_names_variables_and_no_value() {
        let stdio = server("command = \"npx\"\nargs = [\"secret\"]\nenv = { T = \"$GH\", H = \"$GONE\" }");
        let text = made(&json(), "memory", &stdio).unwrap();
        let value: serde_json::Value = serde_json::from_str(&format!("{{{text}}}")).unwrap();
        assert_eq!(
            value,
            serde_json::json!({"memory": {
                "command": "/opt/\"deck\"",
                "args": ["mcp", "run", "memory", "--set", "/s/set.json"],
                "env": {"GH": "$GH", "HOME": "$HOME"},
            }})
        );
    }

    #[test]
    fn an_address_with_headers() {
        let remote =
            server("url = \"https://a/{deck}\"\nheaders = { Authorization = \"Bearer $T\", X = \"a\\\"b\" }");
        let text = made(&json(), "linear", &remote).unwrap();
        let value: serde_json::Value = serde_json::from_str(&format!("{{{text}}}")).unwrap();
        assert_eq!(
            value,
            serde_json::json!({"linear": {
                "url": "https://a/{deck}",
                "headers": {"Authorization": "Bearer ${T}", "X": "a\"b"},
            }})
        );
        let sse = server("url = \"https://a\"\ntransport = \"sse\"");
        let refused = made(&json(), "x", &sse).unwrap_err();
        assert_eq!(refused.to_string(), "its agent can't use sse servers");
        let unset = server("url = \"https://a\"\nheaders = { X = \"$GONE\" }");
        assert_eq!(made(&json(), "x", &unset), Err(NoEntry::Variable("GONE".into())));
    }

    #[test]
    fn no_secret_is_written_into_a_variable() {
        let of = ServerEntries {
            http: "{{headers}}".into(),
            header: r#""{header}":"{value}""#.into(),
            reference: "{env:{variable}}".into(),
            value: "{{entries}}".into(),
            ..ServerEntries::default()
        };
        let open = server("url = \"https://a\"\nheaders = { Authorization = \"Bearer $T\", Accept = \"x\" }");
        assert_eq!(made(&of, "a", &open).unwrap(), r#"{"Accept":"x","Authorization":"Bearer {env:T}"}"#);
        let secret = server("url = \"https://a\"\nheaders = { Authorization = \"Bearer marked\" }");
        assert_eq!(made(&of, "a", &secret), Err(NoEntry::Header("Authorization".into())));
    }

    #[test]
    fn headers_of_an_agent_that_takes_variables_only() {
        let of = ServerEntries {
            http: r#"{name}={url="{url}"{bearer},env_http_headers={{headers}}}"#.into(),
            header_variable: r#""{header}"="{variable}""#.into(),
            bearer: r#",bearer_token_env_var="{variable}""#.into(),
            ..ServerEntries::default()
        };
        let remote = server("url = \"https://a\"\nheaders = { Authorization = \"Bearer ${T}\", X = \"$Y\" }");
        let text = made(&of, "linear", &remote).unwrap();
        assert_eq!(text, r#"linear={url="https://a",bearer_token_env_var="T",env_http_headers={"X"="Y"}}"#);
        let table: BTreeMap<String, toml::Value> = toml::from_str(&text).unwrap();
        assert_eq!(table["linear"]["bearer_token_env_var"].as_str(), Some("T"));
        let literal = server("url = \"https://a\"\nheaders = { X = \"secret\" }");
        let refused = made(&of, "linear", &literal).unwrap_err();
        assert!(!refused.to_string().contains("secret"), "{refused}");
    }
}
