//! All tools by name, merged from built-in files, users' files and the config's tables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::builtin::BUILTIN;
use super::check::{self, Problem, Severity, build, unknown_keys};
use crate::domain::launch::{ParsedCommand, parse_command};
use crate::domain::source_pos::{key_line, line_of};
use crate::ports::{Catalogue, ToolEntry};
use crate::sys::files;

/// The most that is read of a tool file, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// A tool with its compiled rules and where each key came from.
#[derive(Debug, Clone)]
pub struct Merged {
    /// The tool and its rules.
    pub entry: Arc<ToolEntry>,
    /// The merged table.
    pub table: toml::Table,
    /// Key to the place it came from, such as `built in` or a path.
    pub origins: BTreeMap<String, String>,
}

/// The place that keys of a tool that comes with deck come from.
const BUILT_IN: &str = "built in";

/// All tools.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    order: Vec<String>,
    tools: BTreeMap<String, Merged>,
    problems: Vec<Problem>,
}

/// One layer of tables: a place, its text for line numbers, and tables by tool.
struct Layer {
    place: String,
    path: PathBuf,
    text: String,
    tables: Vec<(String, toml::Table)>,
}

impl Registry {
    /// Merges the built-in tools, the files in `folder`, and `tables` from the config file.
    /// What is wrong is kept in [`Self::problems`]; a tool that can't be used is left out.
    pub fn load(folder: &Path, config: &Path, config_text: &str, tables: &toml::Table) -> Self {
        let mut registry = Self::default();
        let mut layers = vec![];
        for (name, text) in BUILTIN {
            let path = PathBuf::from(format!("{name}.toml"));
            registry.read_file(name, text, BUILT_IN, path, &mut layers);
        }
        registry.read_folder(folder, &mut layers);
        let tables = tables.iter().filter_map(|(n, t)| Some((n.clone(), t.as_table()?.clone()))).collect();
        let place = config.display().to_string();
        layers.push(Layer { place, path: config.to_owned(), text: config_text.to_owned(), tables });
        registry.merge(layers);
        registry
    }

    fn read_folder(&mut self, folder: &Path, layers: &mut Vec<Layer>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut files: Vec<PathBuf> = entries
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|e| e == "toml"))
            .collect();
        files.sort();
        for path in files {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match files::read_text(&path, MAX_BYTES) {
                Ok(text) => self.read_file(&name, &text, &path.display().to_string(), path.clone(), layers),
                Err(e) => self.problem(&name, Severity::Error, path, None, e.to_string()),
            }
        }
    }

    fn read_file(&mut self, name: &str, text: &str, place: &str, path: PathBuf, layers: &mut Vec<Layer>) {
        match toml::from_str::<toml::Table>(text) {
            Ok(table) => {
                let tables = vec![(name.to_owned(), table)];
                layers.push(Layer { place: place.to_owned(), path, text: text.to_owned(), tables });
            }
            Err(e) => {
                let line = e.span().map(|s| line_of(text, s.start));
                self.problem(name, Severity::Error, path, line, e.message().to_owned());
            }
        }
    }

    fn problem(
        &mut self,
        tool: &str,
        severity: Severity,
        path: PathBuf,
        line: Option<usize>,
        message: String,
    ) {
        self.problems.push(Problem { tool: tool.to_owned(), severity, path, line, message });
    }

    fn merge(&mut self, layers: Vec<Layer>) {
        let mut merged: BTreeMap<String, (toml::Table, BTreeMap<String, String>, PathBuf, String)> =
            BTreeMap::new();
        for layer in layers {
            for (name, table) in layer.tables {
                self.problems.extend(unknown_keys(&name, &table, &layer.path, &layer.text));
                if !self.order.contains(&name) {
                    self.order.push(name.clone());
                }
                let entry = merged.entry(name).or_default();
                for (key, value) in table {
                    entry.1.insert(key.clone(), layer.place.clone());
                    entry.0.insert(key, value);
                }
                (entry.2, entry.3) = (layer.path.clone(), layer.text.clone());
            }
        }
        for (name, (table, origins, path, text)) in merged {
            let is_builtin = origins.values().all(|o| o == BUILT_IN);
            match build(&name, &table, is_builtin) {
                Ok(entry) => {
                    if let Some(message) = check::icon(&entry.tool) {
                        let line = key_line(&text, "icon");
                        self.problem(&name, Severity::Warning, path, line, message);
                    }
                    let entry = Arc::new(entry);
                    self.tools.insert(name, Merged { entry, table, origins });
                }
                Err(message) => {
                    let line = key_line(&text, &name);
                    self.problem(&name, Severity::Error, path, line, message);
                }
            }
        }
        let tools = &self.tools;
        self.order.retain(|n| tools.contains_key(n));
    }

    /// All usable tools: built-in ones first, in their order.
    pub fn merged(&self) -> impl Iterator<Item = &Merged> {
        self.order.iter().filter_map(|n| self.tools.get(n))
    }

    /// The tool of this name, with where its keys came from.
    pub fn get(&self, name: &str) -> Option<&Merged> {
        self.tools.get(name)
    }

    /// What is wrong with tools.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl Catalogue for Registry {
    fn tool(&self, name: &str) -> Option<Arc<ToolEntry>> {
        self.get(name).map(|m| m.entry.clone())
    }

    fn all(&self) -> Vec<Arc<ToolEntry>> {
        self.merged().map(|m| m.entry.clone()).collect()
    }

    fn unset_env(&self) -> Vec<String> {
        self.merged().flat_map(|m| m.entry.tool.unset_env.clone()).collect()
    }

    fn tool_of(&self, command: &str) -> (String, String) {
        let command = command.trim();
        if self.tools.contains_key(command) {
            return (command.to_owned(), String::new());
        }
        if let Some(ParsedCommand::Argv(argv)) = parse_command(command) {
            let program = argv.first().and_then(|p| p.rsplit('/').next()).unwrap_or_default();
            // All of a tool's own command: `python` is not every tool that Python runs.
            let same = |m: &&Merged| {
                let mut own = m.entry.tool.command.split_whitespace();
                let mut rest = argv.iter().skip(1);
                own.next() == Some(program) && own.all(|word| rest.next().is_some_and(|w| w == word))
            };
            if let Some(found) = self.get(program).or_else(|| self.merged().find(same)) {
                return (found.entry.tool.name.clone(), command.to_owned());
            }
        }
        ("custom".to_owned(), command.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::screen::RuleSet;

    fn with_config(text: &str) -> Registry {
        let table: toml::Table = toml::from_str(text).unwrap();
        let tools = table.get("tools").and_then(|t| t.as_table()).cloned().unwrap_or_default();
        Registry::load(Path::new("/nonexistent"), Path::new("config.toml"), text, &tools)
    }

    #[test]
    fn the_built_in_tools_have_no_problems() {
        let registry = with_config("");
        assert_eq!(registry.problems(), []);
        for merged in registry.merged() {
            assert!(RuleSet::of(&merged.entry.tool).is_ok(), "{}", merged.entry.tool.name);
        }
        let names: Vec<_> = registry.merged().map(|m| m.entry.tool.name.as_str()).collect();
        assert_eq!(names, ["claude", "gemini", "codex", "opencode", "shell"]);
    }

    #[test]
    fn a_user_overrides_key_by_key() {
        let registry = with_config("[tools.claude]\nargs = ['--model', 'opus']\n");
        let claude = registry.get("claude").unwrap();
        assert_eq!(claude.entry.tool.args, ["--model", "opus"]);
        assert_eq!(claude.entry.tool.new_id_flag.as_deref(), Some("--session-id"));
        assert_eq!(claude.origins["args"], "config.toml");
        assert_eq!(claude.origins["command"], "built in");
    }

    #[test]
    fn problems_name_line_key_and_way_out() {
        let registry = with_config(
            "[tools.x]\ncommand = 'x'\nbusy_paterns = []\n\n[tools.y]\ncommand = 'y'\nbusy_patterns = ['re:(']\n[tools.z]\nicon = 'z'\n",
        );
        let problems: Vec<_> = registry.problems().iter().map(ToString::to_string).collect();
        assert_eq!(
            problems[0],
            "warning: tool x: config.toml:3: unknown key `busy_paterns`; did you mean `busy_patterns`?"
        );
        assert!(
            problems[1].starts_with("error: tool y: config.toml:5: rule `busy_patterns`")
                && problems[1].contains('^')
        );
        assert_eq!(problems[2], "error: tool z: config.toml:8: `command` (the program to run) is missing");
        assert!(registry.get("x").is_some() && registry.get("y").is_none());
    }

    #[test]
    fn an_icon_of_two_cells_is_reported_and_the_tool_is_used() {
        let registry = with_config("[tools.x]\ncommand = 'x'\nicon = '🚀'\n");
        let problems: Vec<_> = registry.problems().iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            ["warning: tool x: config.toml:3: `icon` must be one cell wide, and \"🚀\" takes 2"]
        );
        assert!(registry.get("x").is_some());
    }

    #[test]
    fn which_tool_a_command_is() {
        let registry = with_config("[tools.vibe]\ncommand = 'vibe-cli run'\n");
        let check = |command: &str, tool: &str, line: &str| {
            assert_eq!(registry.tool_of(command), (tool.to_owned(), line.to_owned()), "{command}");
        };
        check("claude", "claude", "");
        check("claude --model x", "claude", "claude --model x");
        check("/opt/bin/gemini", "gemini", "/opt/bin/gemini");
        check("vibe-cli run", "vibe", "vibe-cli run");
        check("/opt/vibe-cli run --fast", "vibe", "/opt/vibe-cli run --fast");
        // The program alone is another command.
        check("vibe-cli", "custom", "vibe-cli");
        check("vibe-cli stop", "custom", "vibe-cli stop");
        check("make watch", "custom", "make watch");
        check("claude | tee log", "custom", "claude | tee log");
    }
}
