//! The versions of the tools that are installed.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::Cx;

/// What each installed tool reports its version is, by the tool's name. All are asked at the same time.
pub fn versions(cx: &Cx) -> BTreeMap<String, String> {
    let path = cx.caller.var("PATH").unwrap_or("/usr/bin:/bin");
    let found = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for entry in cx.tools.all() {
            let (found, cx) = (&found, cx);
            scope.spawn(move || {
                let program = entry.tool.command.split_whitespace().next().filter(|w| !w.starts_with('$'));
                let file = program.and_then(|p| cx.host.find_program(p, path, &cx.caller.cwd));
                let said = file.and_then(|file| cx.host.version_of(&file));
                if let Some(version) = said.as_deref().and_then(number) {
                    let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    found.insert(entry.tool.name.clone(), version);
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The version in what a program prints: `2.1.330 (Claude Code)`, `codex-cli 0.169.0`.
fn number(said: &str) -> Option<String> {
    let words = said.lines().take(3).flat_map(str::split_whitespace);
    let plain = words.map(|w| w.trim_start_matches('v').trim_matches([',', '(', ')']));
    let is_version = |w: &&str| {
        w.len() < 30
            && w.starts_with(|c: char| c.is_ascii_digit())
            && w.contains('.')
            && w.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'))
    };
    plain.filter(is_version).map(str::to_owned).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_as_programs_print_them() {
        let of = |said| number(said);
        assert_eq!(of("2.1.330 (Claude Code)\n").as_deref(), Some("2.1.330"));
        assert_eq!(of("codex-cli 0.169.0").as_deref(), Some("0.169.0"));
        assert_eq!(of("tool version v1.2-rc1, built 3 days ago").as_deref(), Some("1.2-rc1"));
        assert_eq!(of("usage: x [--help]"), None);
        assert_eq!(of("\u{1b}[31m"), None);
    }
}
