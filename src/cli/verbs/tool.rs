//! `deck tool …`: tools.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Done;
use crate::api::{self, Choice, Code, ToolProblem, ToolSettings, ToolTest, Version};
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::resolve::nearest;
use crate::domain::screen::Lines;
use crate::domain::status::{Exit, Observation};
use crate::ports::{Catalogue, Host};
use crate::sys::host::SystemHost;
use crate::tools::Problem;

/// The most that is read of a captured screen, in bytes.
const MOST_SCREEN: u64 = 16 * 1024 * 1024;

/// List, show and check tools.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "Examples:\n  deck tool list\n  deck tool show claude\n  deck tool check")]
pub enum Args {
    /// List all tools, and which are installed.
    #[command(after_help = "Examples:\n  deck tool list\n  deck tool list --json")]
    List,
    /// Show a tool's merged settings, and where each key comes from.
    #[command(after_help = "Examples:\n  deck tool show claude")]
    Show {
        /// The tool.
        #[arg(add = complete::tools())]
        name: String,
    },
    /// Check tool files and tables for mistakes.
    #[command(after_help = "Exits 1 if any of them is an error.\n\nExamples:\n  deck tool check")]
    Check,
    /// Run a tool's rules on a recorded screen.
    #[command(
        after_help = "Examples:\n  deck output api --ansi > screen.txt\n  deck tool test claude screen.txt\n  deck tool test claude screen.txt --title '✳ Fix the login'"
    )]
    Test {
        /// The tool.
        #[arg(add = complete::tools())]
        tool: String,
        /// File with a recorded screen, with or without colours.
        screen: PathBuf,
        /// Title of the pane.
        #[arg(long, default_value = "", allow_hyphen_values = true)]
        title: String,
        /// Exit status, for a process that has ended.
        #[arg(long, value_name = "STATUS", allow_hyphen_values = true)]
        dead: Option<String>,
    },
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    match args {
        Args::List => list(context),
        Args::Show { name } => show(context, name),
        Args::Check => check(context),
        Args::Test { tool, screen, title, dead } => test(context, tool, screen, title, dead.as_deref()),
    }
}

fn list(context: &Context) -> Done {
    let path = context.wiring.env.get("PATH").unwrap_or_default();
    let mut all = Vec::new();
    for entry in context.wiring.tools.all() {
        let tool = &entry.tool;
        let program = tool.command.split_whitespace().next().unwrap_or_default();
        let found = if program == "$SHELL" {
            context.wiring.env.get("SHELL").map(PathBuf::from)
        } else {
            SystemHost.find_program(program, path, Path::new("/"))
        };
        let place = found.as_ref().map_or_else(|| "not found".to_owned(), |p| p.display().to_string());
        if !context.out.json {
            let (name, title) = (
                crate::domain::text::pad(&tool.name, 12),
                crate::domain::text::pad(tool.display_title(), 14),
            );
            context.out.line(&format!("{name}  {title}  {place}"))?;
        }
        all.push(api::Tool::of(tool, found));
    }
    if context.out.json {
        context.out.value(&all)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn unknown(context: &Context, name: &str) -> CliError {
    let all = context.wiring.tools.all();
    let names: Vec<&str> = all.iter().map(|e| e.tool.name.as_str()).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("available: {}", names.join(", ")),
    };
    CliError::new(Code::NotFound, format!("no tool {name:?}")).hint(hint)
}

fn show(context: &Context, name: &str) -> Done {
    let merged = context.wiring.tools.get(name).ok_or_else(|| unknown(context, name))?;
    if context.out.json {
        let keys = serde_json::to_value(&merged.table).map_err(std::io::Error::other)?;
        context.out.value(&ToolSettings {
            schema_version: Version,
            name: name.to_owned(),
            keys: keys.as_object().cloned().unwrap_or_default(),
            origins: merged.origins.clone(),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    for (key, value) in &merged.table {
        let origin = merged.origins.get(key).map_or("", String::as_str);
        let origin = context.out.dim(&format!("# {origin}"));
        lines(key, value, &origin).iter().try_for_each(|line| context.out.line(line))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A key as TOML, with its origin: a table one line a key, so that it takes none of the keys that follow it, and a list of
/// tables one line a table.
fn lines(key: &str, value: &toml::Value, origin: &str) -> Vec<String> {
    match value {
        toml::Value::Table(table) if table.values().any(toml::Value::is_table) => {
            let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            let name = |sub: &str| match !sub.is_empty() && sub.chars().all(is_bare) {
                true => sub.to_owned(),
                false => toml::Value::from(sub).to_string(),
            };
            table
                .iter()
                .flat_map(|(sub, value)| lines(&format!("{key}.{}", name(sub)), value, origin))
                .collect()
        }
        toml::Value::Array(all) if all.len() > 1 && all.iter().any(toml::Value::is_table) => {
            let first = std::iter::once(format!("{key} = [  {origin}"));
            let each = all.iter().map(|one| format!("  {one},"));
            first.chain(each).chain(std::iter::once("]".to_owned())).collect()
        }
        _ => vec![format!("{key} = {value}  {origin}")],
    }
}

fn check(context: &Context) -> Done {
    let problems = context.wiring.tools.problems();
    if context.out.json {
        let one = |p: &Problem| ToolProblem {
            schema_version: Version,
            tool: p.tool.clone(),
            path: p.path.clone(),
            line: p.line,
            message: p.message.clone(),
            error: p.is_error(),
        };
        let all: Vec<_> = problems.iter().map(one).collect();
        context.out.value(&all)?;
    } else {
        for problem in problems {
            context.out.line(&problem.to_string())?;
        }
        if problems.is_empty() {
            context.out.line(&format!("{} tools, no problems", context.wiring.tools.all().len()))?;
        }
    }
    Ok(if problems.iter().any(|p| p.is_error()) { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn test(context: &Context, name: &str, screen: &Path, title: &str, dead: Option<&str>) -> Done {
    let entry = context.wiring.tools.tool(name).ok_or_else(|| unknown(context, name))?;
    let bytes = crate::sys::files::read(screen, MOST_SCREEN).map_err(|e| {
        let mut error = CliError::from(e);
        error.causes.insert(0, std::mem::take(&mut error.message));
        error.message = format!("can't read {}", screen.display());
        error
    })?;
    let lines = Lines::of(&String::from_utf8_lossy(&bytes));
    let reading = entry.rules().read(&lines, title);
    let what = match dead {
        Some(code) => Observation::Gone(code.parse().map_or(Exit::NotYetKnown, Exit::Code)),
        None => reading.what.clone(),
    };
    let kind = what.kind();
    let choices = entry.rules().dialog(&lines, &reading).map(|d| d.choices);
    let by_rule = dead.is_none();
    let rule = reading.rule.filter(|_| by_rule);
    let line = reading.line.filter(|_| by_rule);
    if context.out.json {
        context.out.value(&ToolTest {
            schema_version: Version,
            observation: what.word(),
            kind,
            rule,
            line,
            asks: reading.asks,
            choices: choices.map(|all| all.iter().map(Choice::from).collect()),
        })?;
    } else {
        let kind = kind.map(|k| format!(" · {k}")).unwrap_or_default();
        let rule = rule.map(|r| format!("   rule {r}")).unwrap_or_default();
        let line = line.map(|l| format!("   {:?}", l.trim())).unwrap_or_default();
        context.out.line(&format!("{}{kind}{rule}{line}", what.word()))?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_lines_are_toml_again() {
        let text = r#"
            command = "a"
            rules = [{ name = "x" }, { name = "y", any = ["[", "]"] }]
            [hooks]
            events = ["Stop"]
            [regions.bottom]
            last = 3
            [regions."odd name"]
            last = 4
        "#;
        let table: toml::Table = toml::from_str(text).unwrap();
        let all: Vec<String> =
            table.iter().flat_map(|(key, value)| lines(key, value, "# built in")).collect();
        assert_eq!(toml::from_str::<toml::Table>(&all.join("\n")).unwrap(), table);
        assert_eq!(all.iter().filter(|l| l.starts_with("  { ")).count(), 2, "{all:#?}");
    }
}
