//! The settings as a whole: what is wrong with them, whichever part of deck finds it, and changing one.

use super::theme::{BUILTIN, Depth, Theme};
use crate::app::Keymap;
use crate::config::paths::Environment;
use crate::config::{self, Changed, Loaded, Paths, Problem, SetError};
use crate::domain::mcp_servers::{Definition, Share, why_not_shared};
use crate::domain::resolve::nearest;
use crate::wiring::{self, Registry};

/// Everything that is wrong with the settings, the theme that they name and the tools, in the order of the file;
/// notes come last.
pub fn check(settings: &Loaded, tools: &Registry, paths: &Paths) -> Vec<Problem> {
    let mut all = settings.problems.clone();
    all.extend(keys(settings));
    all.extend(theme(settings, paths));
    all.extend(servers(settings));
    all.extend(wiring::tool_problems(tools));
    all.sort_by_key(|p| (p.is_note, p.path != settings.path, p.path.clone(), p.line));
    all
}

/// Sets `key`, such as `ui.theme` or `keys.stop`, to what `words` stand for: checked before it is written.
///
/// # Errors
/// [`SetError`]; the file is then as it was.
pub fn set(paths: &Paths, env: &Environment, key: &str, words: &[String]) -> Result<Changed, SetError> {
    let lock = paths.state.join("config.lock");
    config::set(&paths.config_file, &lock, key, words, |settings| {
        let mut settings = settings.clone();
        let tools = wiring::tools_of(paths, &settings);
        wiring::drop_unknown_tools(&mut settings, &tools, env);
        check(&settings, &tools, paths)
    })
}

fn keys(settings: &Loaded) -> Vec<Problem> {
    let (_, problems) = Keymap::with(&settings.config.key_overrides());
    let one = |problem: crate::app::KeyProblem| {
        let key = format!("keys.{}", problem.command);
        let line = settings.line(&key).or_else(|| settings.line("keys"));
        let message = if problem.message.contains(&format!("`{}`", problem.command)) {
            problem.message
        } else {
            format!("`{key}`: {}", problem.message)
        };
        Problem { is_note: problem.is_note, ..Problem::new(&settings.path, line, message).about(key) }
    };
    problems.into_iter().map(one).collect()
}

/// What its user should know of MCP servers: secrets that are written out, and what isn't for sharing.
fn servers(settings: &Loaded) -> Vec<Problem> {
    let of = |(name, server): (&String, &Definition)| {
        let table = format!("mcps.{name}");
        let secrets = server
            .written_secrets()
            .into_iter()
            .map(|key| format!("`{key}` is written out; \"$NAME\" takes it from the environment"));
        let shared = why_not_shared(server)
            .filter(|_| server.share != Share::No)
            .map(|why| format!("`share` has sessions share it, but {why}"));
        let note = |words: String| {
            let in_config = settings.line(&table).is_some();
            let file = config::mcp_folder(&settings.path).join(format!("{name}.toml"));
            let path = if in_config { settings.path.clone() } else { file };
            let words = format!("MCP server \"{name}\": {words}");
            Problem { is_note: true, ..Problem::new(path, settings.line(&table), words).about(&table) }
        };
        secrets.chain(shared).map(note).collect::<Vec<_>>()
    };
    settings.mcps.servers.iter().flat_map(of).collect()
}

fn theme(settings: &Loaded, paths: &Paths) -> Option<Problem> {
    let name = &settings.config.ui.theme;
    let (_, trouble) = Theme::chosen(name, Depth::True, &paths.themes, false);
    let message = trouble?;
    // A mistake in a theme file is reported for that file.
    let own = paths.themes.join(format!("{name}.toml"));
    let in_file = message.strip_prefix(&own.display().to_string());
    let Some(rest) = in_file.and_then(|rest| rest.strip_prefix(':')) else {
        let near = nearest(name, BUILTIN.iter().map(|(name, _)| *name).chain(["auto"]));
        let near = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        return Some(settings.problem("ui.theme", format!("`ui.theme`: {message}{near}")));
    };
    let (line, words) = match rest.split_once(':') {
        Some((line, words)) if line.parse::<usize>().is_ok() => (line.parse().ok(), words),
        _ => (None, rest),
    };
    Some(Problem::new(own, line, words.trim()).about("ui.theme"))
}
