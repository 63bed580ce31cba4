//! A definition as it stands in a project's file: for all who have the project, with or without deck.

use serde_json::{Map, Value, json};

use super::super::variables::fill;
use super::super::{Definition, Transport};

/// Why a definition can't be for all who have a project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotForProject {
    #[error(
        "{0} is written out, and the file is for all who have the project: write the name of a variable, $NAME"
    )]
    Secret(String),
    #[error("it takes variables from the file {0}, which others don't have: name them in `env`")]
    EnvFile(String),
    #[error("it works in the folder {0}, and a project's servers are started in the project")]
    Folder(String),
    #[error(
        "it names {{project}} in {0}, and others have the project elsewhere: write a path that begins in it"
    )]
    Project(&'static str),
}

/// The definition as the value of its name in the file. Variables are `${NAME}` there.
///
/// # Errors
/// [`NotForProject`].
pub fn project_entry(server: &Definition) -> Result<Value, NotForProject> {
    if let Some(key) = server.written_secrets().into_iter().next() {
        return Err(NotForProject::Secret(key));
    }
    if !server.env_file.is_empty() {
        return Err(NotForProject::EnvFile(server.env_file.clone()));
    }
    if !matches!(server.cwd.as_str(), "" | "{project}") {
        return Err(NotForProject::Folder(server.cwd.clone()));
    }
    let text = |key: &'static str, text: &str| {
        if text.contains("{project}") { Err(NotForProject::Project(key)) } else { Ok(for_all(text)) }
    };
    let table = |key: &'static str, all: &std::collections::BTreeMap<String, String>| {
        let one = |(name, value): (&String, &String)| Ok((name.clone(), Value::from(text(key, value)?)));
        all.iter().map(one).collect::<Result<Map<_, _>, NotForProject>>()
    };
    let mut entry = Map::new();
    if server.transport() == Transport::Stdio {
        entry.insert("command".into(), text("command", &server.command)?.into());
        let args: Result<Vec<String>, _> = server.args.iter().map(|arg| text("args", arg)).collect();
        let args = args?;
        if !args.is_empty() {
            entry.insert("args".into(), args.into());
        }
        let env = table("env", &server.env)?;
        if !env.is_empty() {
            entry.insert("env".into(), env.into());
        }
    } else {
        entry.insert("type".into(), json!(server.transport().word()));
        entry.insert("url".into(), text("url", &server.url)?.into());
        let headers = table("headers", &server.headers)?;
        if !headers.is_empty() {
            entry.insert("headers".into(), headers.into());
        }
    }
    Ok(entry.into())
}

/// A text in which variables, and the user's own folder, are written as agents fill them in.
fn for_all(text: &str) -> String {
    let text = match text.strip_prefix("~/") {
        Some(rest) => format!("${{HOME}}/{rest}"),
        None if text == "~" => "${HOME}".to_owned(),
        None => text.replace("{home}", "${HOME}"),
    };
    let braced = |name: &str| Ok::<_, std::convert::Infallible>(format!("${{{name}}}"));
    match fill(&text, braced) {
        Ok(text) => text,
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(toml: &str) -> Result<Value, NotForProject> {
        project_entry(&toml::from_str(toml).unwrap())
    }

    #[test]
    fn it_is_written_for_those_who_have_no_deck() {
        let text = "command = \"npx\"\nargs = [\"-y\", \"x\", \"~/a\"]\nenv = { T = \"$TOKEN\", D = \"{home}/d\" }\nshare = \"profile\"";
        assert_eq!(
            of(text).unwrap(),
            json!({"command": "npx", "args": ["-y", "x", "${HOME}/a"], "env": {"D": "${HOME}/d", "T": "${TOKEN}"}})
        );
        let text = "url = \"https://x.example\"\nheaders = { Authorization = \"Bearer $T\" }";
        assert_eq!(
            of(text).unwrap(),
            json!({"type": "http", "url": "https://x.example", "headers": {"Authorization": "Bearer ${T}"}})
        );
    }

    #[test]
    fn what_is_one_users_alone_is_refused() {
        for (text, words) in [
            ("command = \"x\"\nenv = { TOKEN = \"abc\" }", "env.TOKEN is written out"),
            ("command = \"x\"\nenv_file = \"~/e\"", "from the file ~/e"),
            ("command = \"x\"\ncwd = \"/srv\"", "in the folder /srv"),
            ("command = \"x\"\nargs = [\"{project}/a\"]", "{project} in args"),
        ] {
            assert!(of(text).unwrap_err().to_string().contains(words), "{text}");
        }
    }
}
