//! What an MCP server of the catalogue is: a program to run, or an address.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::digest::digest;
use super::share::{Seconds, Share};
use super::variables::{is_variable, variables_in};

/// How an agent talks to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// A program's stdin and stdout.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// Server-sent events, the older one over HTTP.
    Sse,
}

impl Transport {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
        }
    }
}

/// A server: either `command` with what belongs to it, or `url` with what belongs to that.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Definition {
    /// What it is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its program.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The program's arguments; `{project}`, `{home}` and a leading `~/` are filled in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its own variables. `$NAME` in a value is a variable of the agent's environment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// A file with more of them, as `NAME=value` lines; read when it starts.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub env_file: String,
    /// The folder that it works in; empty: the session's.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// Its address.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// How its address is talked to; none: `http`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// Whether sessions share one process of it, and which ones.
    #[serde(skip_serializing_if = "Share::is_no")]
    pub share: Share,
    /// Whether calls of several sessions may run in it at the same time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
    /// How long a call may take without progress, while it is shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Seconds>,
    /// How long it stays after its last session, while it is shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<Seconds>,
    /// Headers of each request. `$NAME` in a value is a variable of the agent's environment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// The keys of a server's table with their docs.
pub const KEYS: &[(&str, &str)] = &[
    ("description", "what it is for"),
    ("command", "the program to run; or `url`"),
    ("args", "the program's arguments; {project}, {home} and a leading ~/ are filled in"),
    ("env", "its own variables; $NAME in a value is a variable of the agent's environment"),
    ("env_file", "a file of NAME=value lines, read when the server starts"),
    ("cwd", "the folder that it works in; {project} and {home} are filled in; default: the session's"),
    ("url", "its address; or `command`"),
    ("transport", "how the address is talked to: http or sse"),
    (
        "share",
        "whether sessions share one process of it: false, \"project\" (those in the same folder) or \"profile\" (all)",
    ),
    ("parallel", "whether calls of several sessions may run at the same time in a shared one"),
    ("timeout", "how long a call may take without progress in a shared one, such as \"300s\""),
    ("idle", "how long a shared one stays after its last session, such as \"60s\""),
    ("headers", "headers of each request; $NAME in a value is a variable of the agent's environment"),
];

/// The most characters that a server's name may have.
const LONGEST_NAME: usize = 32;
/// deck's own server.
pub const OWN: &str = "deck";

/// Whether this can be the name of a server: agents make names of tools from it.
///
/// # Errors
/// Why not, to follow the name.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_fine) {
        return Err("must be 1 to 32 of the characters a-z, 0-9, _ and -");
    }
    if name.contains("__") {
        return Err("must not contain __, by which agents separate a server's name from those of its tools");
    }
    if name == OWN {
        return Err("is deck's own server, which `mcp` of a session is for");
    }
    Ok(())
}

impl Definition {
    /// How agents talk to it.
    pub fn transport(&self) -> Transport {
        match self.transport {
            _ if self.url.is_empty() => Transport::Stdio,
            Some(Transport::Sse) => Transport::Sse,
            _ => Transport::Http,
        }
    }

    /// The same, with a process for each session.
    #[must_use]
    pub fn not_shared(&self) -> Self {
        Self { share: Share::No, parallel: false, timeout: None, idle: None, ..self.clone() }
    }

    /// Whether it is one that can be started.
    ///
    /// # Errors
    /// The key that is wrong, and why, to follow it.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let wrong = |key, why: &str| Err((key, why.to_owned()));
        match (self.command.trim().is_empty(), self.url.is_empty()) {
            (true, true) => return wrong("command", "is missing: a server has a `command` or a `url`"),
            (false, false) => return wrong("url", "can't be given beside `command`"),
            _ => {}
        }
        if self.url.is_empty() {
            if self.transport.is_some_and(|t| t != Transport::Stdio) {
                return wrong("transport", "goes with `url`, not with `command`");
            }
            if !self.headers.is_empty() {
                return wrong("headers", "goes with `url`, not with `command`");
            }
        } else {
            let host = self.url.strip_prefix("https://").or_else(|| self.url.strip_prefix("http://"));
            let is_fine = |c: char| !c.is_whitespace() && !c.is_control() && c != '"';
            if !host.is_some_and(|h| !h.is_empty() && !h.starts_with('/') && h.chars().all(is_fine)) {
                return wrong("url", "must be an address such as \"https://example.com/mcp\"");
            }
            if self.transport == Some(Transport::Stdio) {
                return wrong("transport", "of an address must be \"http\" or \"sse\"");
            }
            if self.share != Share::No {
                return wrong("share", "goes with `command`: a server at an address is shared already");
            }
            let of_command = [
                ("args", self.args.is_empty()),
                ("env", self.env.is_empty()),
                ("env_file", self.env_file.is_empty()),
                ("cwd", self.cwd.is_empty()),
            ];
            if let Some((key, _)) = of_command.into_iter().find(|(_, is_unset)| !is_unset) {
                return wrong(key, "goes with `command`, not with `url`");
            }
        }
        let shared_only =
            [("parallel", self.parallel), ("timeout", self.timeout.is_some()), ("idle", self.idle.is_some())];
        if let Some((key, _)) = shared_only.into_iter().find(|(_, is_set)| *is_set && self.share == Share::No)
        {
            return wrong(key, "goes with `share`");
        }
        let texts = self.args.iter().chain(self.env.values()).chain([&self.cwd, &self.command]);
        if self.share == Share::Profile && texts.into_iter().any(|text| text.contains("{project}")) {
            return wrong(
                "share",
                "can't be \"profile\" where {project} is used: the folder is one session's",
            );
        }
        if let Some(name) = self.env.keys().find(|name| !is_variable(name)) {
            return Err(("env", format!("has {name:?}, which is no name of a variable")));
        }
        let is_header = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        if let Some(name) = self.headers.keys().find(|name| !is_header(name)) {
            return Err(("headers", format!("has {name:?}, which is no name of a header")));
        }
        let texts = self.args.iter().chain(self.env.values()).chain(self.headers.values());
        let single = [&self.command, &self.env_file, &self.cwd];
        if texts.chain(single).any(|t| t.contains('\0')) {
            return wrong("command", "and what belongs to it can't contain a NUL character");
        }
        if self.headers.values().any(|v| v.contains(['\r', '\n'])) {
            return wrong("headers", "can't contain a line break");
        }
        Ok(())
    }

    /// The variables of the agent's environment that it names, each once.
    pub fn variables(&self) -> Vec<String> {
        let values = self.env.values().chain(self.headers.values());
        let mut names: Vec<String> = values.flat_map(|v| variables_in(v)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The keys whose values look like a secret that is written out.
    pub fn written_secrets(&self) -> Vec<String> {
        let all = [("env", &self.env), ("headers", &self.headers)];
        let of = |(key, values): (&str, &BTreeMap<String, String>)| {
            let is_secret = |(name, value): &(&String, &String)| {
                let name = name.to_ascii_uppercase();
                let is_named = ["TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "AUTHORIZATION", "COOKIE"];
                is_named.iter().any(|word| name.contains(word))
                    && !value.is_empty()
                    && variables_in(value).is_empty()
                    && !value.starts_with(['~', '/'])
            };
            values.iter().filter(is_secret).map(|(name, _)| format!("{key}.{name}")).collect::<Vec<_>>()
        };
        all.into_iter().flat_map(of).collect()
    }

    /// What names this definition: another one where it means something else, however it is written.
    pub fn digest(&self) -> String {
        digest(&serde_json::to_value(self).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(toml: &str) -> Definition {
        toml::from_str(toml).unwrap()
    }

    #[test]
    fn names_that_agents_can_make_tools_of() {
        for name in ["memory", "a", "web-2", "x_y"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for name in ["", "Memory", "a b", "a.b", "a__b", "deck", "über", &"x".repeat(33)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_server_is_a_program_or_an_address() {
        for fine in [
            "command = \"npx\"\nargs = [\"-y\", \"x\"]\nenv = { A = \"$B\" }",
            "command = \"x\"\nshare = \"profile\"\nparallel = true\ntimeout = \"5m\"\nidle = \"90s\"",
            "command = \"x\"\nshare = false",
            "url = \"https://example.com/mcp\"\ntransport = \"sse\"\nheaders = { Authorization = \"Bearer $T\" }",
        ] {
            assert_eq!(of(fine).check(), Ok(()), "{fine}");
        }
        for (bad, key) in [
            ("", "command"),
            ("command = \"  \"", "command"),
            ("command = \"x\"\nurl = \"https://a\"", "url"),
            ("command = \"x\"\nheaders = { A = \"b\" }", "headers"),
            ("command = \"x\"\ntransport = \"http\"", "transport"),
            ("url = \"ftp://a\"", "url"),
            ("url = \"https://\"", "url"),
            ("url = \"https://a b\"", "url"),
            ("url = \"https://a\"\ntransport = \"stdio\"", "transport"),
            ("url = \"https://a\"\nargs = [\"x\"]", "args"),
            ("url = \"https://a\"\nshare = \"profile\"", "share"),
            ("command = \"x\"\nparallel = true", "parallel"),
            ("command = \"x\"\nidle = \"5m\"", "idle"),
            ("command = \"x\"\nshare = \"profile\"\nargs = [\"{project}\"]", "share"),
            ("command = \"x\"\nenv = { \"A B\" = \"c\" }", "env"),
            ("url = \"https://a\"\nheaders = { \"A B\" = \"c\" }", "headers"),
            ("url = \"https://a\"\nheaders = { A = \"b\\nc\" }", "headers"),
        ] {
            assert_eq!(of(bad).check().unwrap_err().0, key, "{bad}");
        }
    }

    #[test]
    fn what_is_no_share_and_no_time() {
        for bad in [
            "share = true",
            "share = \"all\"",
            "idle = \"5\"",
            "idle = \"0s\"",
            "timeout = \"25h\"",
            "idle = 5",
        ] {
            assert!(toml::from_str::<Definition>(bad).is_err(), "{bad}");
        }
        assert_eq!(of("idle = \"2m\"").idle, Some(Seconds(120)));
    }

    #[test]
    fn a_digest_is_of_what_it_means() {
        let one = of("command = \"x\"\nenv = { A = \"1\", B = \"2\" }");
        let same = of("env = { B = \"2\", A = \"1\" }\ncommand = \"x\"");
        assert_eq!(one.digest(), same.digest());
        assert_ne!(one.digest(), of("command = \"x\"\nenv = { A = \"1\" }").digest());
        assert_eq!(one.digest().len(), 16);
    }

    #[test]
    fn secrets_that_are_written_out() {
        let server = of(
            "command = \"x\"\nenv = { GITHUB_TOKEN = \"ghp_1\", KEY_FILE = \"~/k\", API_KEY = \"$K\", A = \"b\" }",
        );
        assert_eq!(server.written_secrets(), ["env.GITHUB_TOKEN"]);
    }
}
