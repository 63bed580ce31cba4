//! The environment, folder and arguments of a server's program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::variables::fill;
use super::{Definition, MissingVariable, Share};
use crate::domain::launch::matches_any;

/// What of its starter's environment every server gets: what programs need to run and to reach the network. An agent's keys
/// and what ties it to its session are none of that.
const PASSED_ON: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TMPDIR",
    "USER",
    "LOGNAME",
    "SHELL",
    "XDG_*",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "npm_config_registry",
    "npm_config_cache",
    "NVM_DIR",
    "UV_INDEX_URL",
    "PIP_INDEX_URL",
    "SYSTEMROOT",
];

/// Whether every server gets this variable of its starter's environment.
pub fn is_passed_on(name: &str) -> bool {
    PASSED_ON.iter().any(|pattern| matches_any(&[(*pattern).to_owned()], name))
}

/// Where a server is started.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The session's folder.
    pub project: &'a str,
    /// The user's own folder.
    pub home: &'a str,
}

/// A server's program as it is to be run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepared {
    pub program: String,
    pub args: Vec<String>,
    /// All of its environment.
    pub env: BTreeMap<String, String>,
    /// The folder that it works in.
    pub dir: String,
}

/// Fills in what a definition leaves open. `from` is the environment of who starts it, `more` what its file of variables
/// says.
///
/// # Errors
/// [`MissingVariable`] when a variable that it names has no value.
pub fn prepare(
    server: &Definition,
    place: Place<'_>,
    from: &BTreeMap<String, String>,
    more: &BTreeMap<String, String>,
) -> Result<Prepared, MissingVariable> {
    let text = |text: &str| place.fill(text);
    let mut env: BTreeMap<String, String> =
        from.iter().filter(|(name, _)| is_passed_on(name)).map(|(n, v)| (n.clone(), v.clone())).collect();
    env.extend(more.clone());
    for (name, value) in &server.env {
        let value = fill(value, |variable| {
            let known = from.get(variable).or_else(|| more.get(variable)).filter(|v| !v.is_empty());
            known.cloned().ok_or_else(|| MissingVariable(variable.to_owned()))
        })?;
        env.insert(name.clone(), text(&value));
    }
    let dir = match server.cwd.as_str() {
        // It is all sessions', wherever they work.
        "" if server.share == Share::Profile => place.home.to_owned(),
        "" => place.project.to_owned(),
        cwd => text(cwd),
    };
    Ok(Prepared {
        program: text(&server.command),
        args: server.args.iter().map(|a| text(a)).collect(),
        env,
        dir,
    })
}

impl Place<'_> {
    /// A text with the folders filled in.
    pub fn fill(&self, text: &str) -> String {
        let text = text.replace("{project}", self.project).replace("{home}", self.home);
        match text.strip_prefix("~/") {
            Some(rest) => format!("{}/{rest}", self.home.trim_end_matches('/')),
            None if text == "~" => self.home.to_owned(),
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        all.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    const PLACE: Place<'_> = Place { project: "/work/api", home: "/home/me" };

    #[test]
    fn a_server_gets_what_it_needs_and_what_is_named() {
        let server = Definition {
            command: "~/bin/serve".into(),
            args: vec!["{project}/db".into(), "$HOME".into()],
            env: map(&[("TOKEN", "x-$GH"), ("FILE", "~/m.json"), ("MORE", "${OF_FILE}")]),
            ..Definition::default()
        };
        let from = map(&[
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("GH", "1"),
            ("ANTHROPIC_API_KEY", "k"),
            ("DECK_SESSION_ID", "1"),
        ]);
        let more = map(&[("OF_FILE", "2")]);
        let got = prepare(&server, PLACE, &from, &more).unwrap();
        assert_eq!(got.program, "/home/me/bin/serve");
        assert_eq!(got.args, ["/work/api/db", "$HOME"]);
        assert_eq!(got.dir, "/work/api");
        let want = [
            ("FILE", "/home/me/m.json"),
            ("LC_ALL", "C"),
            ("MORE", "2"),
            ("OF_FILE", "2"),
            ("PATH", "/bin"),
            ("TOKEN", "x-1"),
        ];
        assert_eq!(got.env, map(&want));
    }

    #[test]
    fn a_variable_without_a_value_is_named() {
        let server = Definition { command: "x".into(), env: map(&[("A", "$GONE")]), ..Definition::default() };
        for from in [map(&[]), map(&[("GONE", "")])] {
            let error = prepare(&server, PLACE, &from, &map(&[])).unwrap_err();
            assert_eq!(error.to_string(), "the variable GONE is not set");
        }
    }

    #[test]
    fn folders_of_a_server() {
        let of = |cwd: &str| {
            let server = Definition { command: "x".into(), cwd: cwd.into(), ..Definition::default() };
            prepare(&server, PLACE, &map(&[]), &map(&[])).unwrap().dir
        };
        assert_eq!(of(""), "/work/api");
        assert_eq!(of("{home}/x"), "/home/me/x");
        assert_eq!(of("~"), "/home/me");
        assert_eq!(of("/srv"), "/srv");
    }
}
