//! The servers that agents' own files give them: read when they have changed, never written.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use crate::domain::mcp_servers::{AgentFile, Loaded, Source, servers_in};
use crate::domain::tool::Tool;
use crate::ports::Host;
use crate::ports::store::Stamp;

/// What was read of agents' files.
#[derive(Debug, Default)]
pub struct AgentsFiles {
    known: HashMap<PathBuf, File>,
}

#[derive(Debug, Default)]
struct File {
    /// What it was like when it was read.
    stamp: Option<Stamp>,
    /// The servers of each place in it that was asked for, with what names their definitions.
    places: HashMap<Vec<String>, BTreeMap<String, String>>,
    /// All of it, until the end of a round: most of it is asked for several times, and then not for long.
    value: Option<serde_json::Value>,
}

impl AgentsFiles {
    /// The servers that an agent of this tool finds by itself in this folder, with these variables. A file that can't be read
    /// or parsed gives none: what the agent makes of it isn't known.
    pub fn servers(
        &mut self,
        host: &dyn Host,
        tool: &Tool,
        project: &str,
        env: &BTreeMap<String, String>,
    ) -> Vec<Loaded> {
        let mut all: Vec<Loaded> = Vec::new();
        for of in &tool.mcp.read {
            let Some(path) = path_of(of, project, env) else { continue };
            let at: Vec<String> = of.at.iter().map(|key| key.replace("{project}", project)).collect();
            let source = of.source.unwrap_or(Source::User);
            let servers = self.read(host, path, at);
            all.extend(servers.into_iter().map(|(name, digest)| Loaded { name, source, digest }));
        }
        all
    }

    fn read(&mut self, host: &dyn Host, path: PathBuf, at: Vec<String>) -> BTreeMap<String, String> {
        let stamp = host.stamp(&path);
        let file = self.known.entry(path.clone()).or_default();
        if file.stamp != stamp {
            *file = File { stamp, ..File::default() };
        }
        if stamp.is_none() {
            return BTreeMap::new();
        }
        if let Some(servers) = file.places.get(&at) {
            return servers.clone();
        }
        if file.value.is_none() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let read = host.read(&path).map_err(|e| e.to_string());
            let read = read.and_then(|text| crate::domain::mcp_servers::parse_agent_file(&name, &text));
            file.value = Some(read.unwrap_or_else(|error| {
                tracing::debug!(path = %path.display(), %error, "can't read an agent's MCP servers");
                serde_json::Value::Null
            }));
        }
        let servers = servers_in(file.value.as_ref().unwrap_or(&serde_json::Value::Null), &at);
        file.places.insert(at, servers.clone());
        servers
    }

    /// Ends a round: what was read whole is forgotten, and what was read of it kept.
    pub fn end_round(&mut self) {
        for file in self.known.values_mut() {
            file.value = None;
        }
    }
}

/// Where a file is: the first of its paths whose variables are all set.
pub(super) fn path_of(file: &AgentFile, project: &str, env: &BTreeMap<String, String>) -> Option<PathBuf> {
    let value = |name: &str| env.get(name).filter(|v| !v.is_empty());
    file.file.iter().find_map(|path| {
        let path = path.replace("{project}", project);
        if let Some(rest) = path.strip_prefix("~/") {
            return Some(PathBuf::from(value("HOME")?).join(rest));
        }
        match path.strip_prefix('$') {
            None => Some(path.into()),
            Some(named) => {
                let (name, rest) = named.split_once('/').map_or((named, None), |(n, r)| (n, Some(r)));
                let folder = PathBuf::from(value(name)?);
                Some(rest.map_or_else(|| folder.clone(), |rest| folder.join(rest)))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::tool::McpServer;
    use crate::ports::fake::FakeHost;

    fn env(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        all.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn a_file_is_where_the_agent_looks_for_it() {
        let of = |files: &[&str]| AgentFile {
            file: files.iter().map(|f| (*f).to_owned()).collect(),
            ..AgentFile::default()
        };
        let both = of(&["$C_DIR/c.json", "~/.c.json"]);
        let path = |file: &AgentFile, vars: &[(&str, &str)]| path_of(file, "/p", &env(vars));
        assert_eq!(path(&both, &[("HOME", "/h")]), Some("/h/.c.json".into()));
        assert_eq!(path(&both, &[("HOME", "/h"), ("C_DIR", "/c")]), Some("/c/c.json".into()));
        assert_eq!(path(&both, &[]), None);
        assert_eq!(path(&of(&["{project}/.mcp.json"]), &[]), Some("/p/.mcp.json".into()));
        assert_eq!(path(&of(&["$FILE"]), &[("FILE", "/x.json")]), Some("/x.json".into()));
    }

    #[test]
    fn a_file_is_read_again_when_it_has_changed() {
        let read = vec![AgentFile { file: vec!["~/.c.json".into()], at: vec!["m".into()], source: None }];
        let tool = Tool { mcp: McpServer { read, ..McpServer::default() }, ..Tool::default() };
        let host = FakeHost::default();
        let mut files = AgentsFiles::default();
        let mut names = |host: &FakeHost| -> Vec<String> {
            let found = files.servers(host, &tool, "/p", &env(&[("HOME", "/h")]));
            files.end_round();
            found.into_iter().map(|l| l.name).collect()
        };
        assert_eq!(names(&host), [""; 0]);
        host.put("/h/.c.json".as_ref(), r#"{"m":{"a":{}}}"#).unwrap();
        assert_eq!(names(&host), ["a"]);
        assert_eq!(names(&host), ["a"], "from what is known");
        host.put("/h/.c.json".as_ref(), r#"{"m":{"a":{},"bc":{}}}"#).unwrap();
        assert_eq!(names(&host), ["a", "bc"]);
        host.put("/h/.c.json".as_ref(), "no json").unwrap();
        assert_eq!(names(&host), [""; 0]);
    }
}
