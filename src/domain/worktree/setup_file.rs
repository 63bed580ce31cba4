//! What is to be done with a new worktree: the file `.deck.toml` of a repository, or a table of the user's settings.

use std::collections::BTreeMap;

use crate::domain::resolve::nearest;
use crate::domain::source_pos::{line_of, unknown};

/// The name of the file, at the top of a worktree.
pub const SETUP_FILE: &str = ".deck.toml";
/// The most that is read of it, and of a script that it names, in bytes.
pub const MOST: usize = 256 * 1024;

/// What one of the two says; what it leaves out is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SetupPart {
    /// Commands that are run in the worktree before the agent is started.
    pub setup: Option<Vec<String>>,
    /// Commands that are run before the worktree is removed.
    pub teardown: Option<Vec<String>>,
    /// Files and folders of the main worktree to which links are made.
    pub link: Option<Vec<String>>,
    /// Variables for the commands and for what is started in the worktree.
    pub env: Option<BTreeMap<String, String>>,
}

/// The keys that there are.
const KEYS: [&str; 4] = ["setup", "teardown", "link", "env"];

impl SetupPart {
    /// Reads the file.
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let at = |span: Option<std::ops::Range<usize>>| line_of(text, span.unwrap_or_default().start);
        let table = toml::de::DeTable::parse(text)
            .map_err(|error| format!("line {}: {}", at(error.span()), error.message()))?;
        let mut part = Self::default();
        for (key, value) in table.get_ref() {
            let line = line_of(text, key.span().start);
            let value: Option<toml::Value> =
                serde::Deserialize::deserialize(toml::de::ValueDeserializer::from(value.clone())).ok();
            let value = value.ok_or_else(|| format!("line {line}: `{}` can't be read", key.get_ref()))?;
            part.put(key.get_ref(), &value).map_err(|why| format!("line {line}: {why}"))?;
        }
        Ok(part)
    }

    /// Reads a table of the settings.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn of_table(table: &toml::Table) -> Result<Self, (String, String)> {
        let mut part = Self::default();
        for (key, value) in table {
            part.put(key, value).map_err(|why| (key.clone(), why))?;
        }
        Ok(part)
    }

    fn put(&mut self, key: &str, value: &toml::Value) -> Result<(), String> {
        let list = || {
            let all = value.as_array().into_iter().flatten().map(|v| v.as_str().map(str::to_owned));
            all.collect::<Option<Vec<String>>>().filter(|_| value.is_array())
        };
        let commands =
            || list().ok_or_else(|| format!("`{key}` must be a list of commands, such as [\"npm ci\"]"));
        match key {
            "setup" => self.setup = Some(commands()?),
            "teardown" => self.teardown = Some(commands()?),
            "link" => {
                let paths = list().filter(|all| all.iter().all(|path| is_inside(path)));
                self.link = Some(paths.ok_or(
                    "`link` must be a list of paths inside the repository, such as [\"node_modules\"]",
                )?);
            }
            "env" => {
                let table = value.as_table().ok_or("`env` must be a table, such as { NAME = \"value\" }")?;
                let one = |(name, value): (&String, &toml::Value)| {
                    let text = value.as_str().filter(|text| !text.contains('\0'))?;
                    is_name(name).then(|| (name.clone(), text.to_owned()))
                };
                let all: Option<BTreeMap<String, String>> = table.iter().map(one).collect();
                self.env = Some(all.ok_or("`env` must have names of variables, and texts")?);
            }
            _ => return Err(unknown(key, nearest(key, KEYS))),
        }
        Ok(())
    }

    /// This one, and where it says nothing, what the other says.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            setup: self.setup.or(other.setup),
            teardown: self.teardown.or(other.teardown),
            link: self.link.or(other.link),
            env: self.env.or(other.env),
        }
    }

    /// What of this one counts if the other comes first.
    #[must_use]
    pub fn beyond(self, first: &Self) -> Self {
        Self {
            setup: self.setup.filter(|_| first.setup.is_none()),
            teardown: self.teardown.filter(|_| first.teardown.is_none()),
            link: self.link.filter(|_| first.link.is_none()),
            env: self.env.filter(|_| first.env.is_none()),
        }
    }

    /// Whether it says nothing that would be done.
    pub fn is_empty(&self) -> bool {
        let none = |list: &Option<Vec<String>>| list.as_ref().is_none_or(Vec::is_empty);
        none(&self.setup)
            && none(&self.teardown)
            && none(&self.link)
            && self.env.as_ref().is_none_or(BTreeMap::is_empty)
    }

    /// Paths that its commands run, from the worktree's top: those of files there are scripts of the repository.
    pub fn named_paths(&self) -> Vec<String> {
        let commands = self.setup.iter().chain(&self.teardown).flatten();
        let mut paths: Vec<String> = commands
            .flat_map(|line| line.split([';', '&', '|', '(', ')', '`', '\n']))
            .flat_map(programs)
            .map(|word| word.trim_start_matches("./").to_owned())
            .filter(|path| is_inside(path))
            .collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

/// Words behind which a command begins.
const BEFORE: [&str; 16] = [
    "!", "{", "if", "then", "else", "elif", "while", "until", "do", "exec", "env", "command", "time",
    "nohup", "nice", "sudo",
];
/// Programs that run the file that is named behind them.
const RUN: [&str; 16] = [
    ".", "source", "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "node", "deno", "bun",
    "ruby", "perl", "php",
];

/// What one command of a line runs: its program, and the script that this one is given.
fn programs(command: &str) -> Vec<String> {
    // What a shell would read otherwise is looked at word by word.
    let plain = || command.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect();
    let words: Vec<String> = shlex::split(command).unwrap_or_else(plain);
    let is_set = |word: &str| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let mut rest = words.into_iter().skip_while(|word| BEFORE.contains(&word.as_str()) || is_set(word));
    let Some(program) = rest.next() else { return Vec::new() };
    let script = rest.find(|word| !word.starts_with('-')).filter(|_| RUN.contains(&program.as_str()));
    std::iter::once(program).chain(script).collect()
}

/// Whether a path leads to something below the folder that it is from.
pub fn is_inside(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".").peekable();
    !path.starts_with('/') && !path.contains('\0') && parts.peek().is_some() && parts.all(|part| part != "..")
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_and_mistakes_have_their_line() {
        let part = SetupPart::parse(
            "setup = [\"npm ci > log\", 'A=1 ./scripts/db.sh x && sh -e ./b.sh arg; if . c; then echo d >> e; fi']\nlink = ['node_modules']\n[env]\nA = 'b'\n",
        )
        .unwrap();
        assert_eq!(part.setup.as_deref().unwrap().len(), 2);
        assert_eq!(part.named_paths(), ["b.sh", "c", "echo", "fi", "npm", "scripts/db.sh", "sh"]);
        assert_eq!(part.env.unwrap()["A"], "b");
        for (text, want) in [
            ("\nsetpu = []\n", "line 2: unknown key `setpu`; did you mean `setup`?"),
            ("setup = 'x'\n", "line 1: `setup` must be a list of commands, such as [\"npm ci\"]"),
            (
                "\n\nlink = ['../x']\n",
                "line 3: `link` must be a list of paths inside the repository, such as [\"node_modules\"]",
            ),
            ("env = { '1' = 'a' }\n", "line 1: `env` must have names of variables, and texts"),
            ("setup = [1]\n", "line 1: `setup` must be a list of commands, such as [\"npm ci\"]"),
        ] {
            assert_eq!(SetupPart::parse(text).unwrap_err(), want);
        }
        assert!(SetupPart::parse("a\nsetup = [\n").unwrap_err().starts_with("line "));
        assert!(SetupPart::parse("").unwrap().is_empty());
    }

    #[test]
    fn the_users_settings_come_first() {
        let of = |text: &str| SetupPart::parse(text).unwrap();
        let (user, file) = (of("setup = ['mine']\n"), of("setup = ['theirs']\nlink = ['a']\n"));
        let both = user.clone().or(file.clone());
        assert_eq!(both.setup.unwrap(), ["mine"]);
        assert_eq!(both.link.unwrap(), ["a"]);
        let rest = file.beyond(&user);
        assert_eq!((rest.setup.is_none(), rest.link.is_some()), (true, true));
        assert!(of("setup = ['x']\n").beyond(&user).is_empty());
    }

    #[test]
    fn paths_that_stay_inside() {
        for (path, inside) in [
            ("a", true),
            ("./a/b", true),
            ("../a", false),
            ("/a", false),
            ("a/../..", false),
            ("", false),
            (".", false),
        ] {
            assert_eq!(is_inside(path), inside, "{path}");
        }
    }
}
