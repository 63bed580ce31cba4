//! The environment an agent gets: its caller's, without what would tie it to another session.

use std::collections::BTreeMap;

/// Variables that never pass from a caller to an agent.
///
/// The terminal's own belong to the pane, which has others; those of tmux and deck name the
/// session the caller runs in; the shell's bookkeeping is recreated by the next shell.
const NEVER: &[&str] = &[
    "TMUX",
    "TMUX_PANE",
    "DECK_*",
    "TERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TERM_SESSION_ID",
    "STY",
    "WINDOW",
    "WINDOWID",
    "VTE_VERSION",
    "KITTY_*",
    "WEZTERM_*",
    "ALACRITTY_*",
    "GHOSTTY_*",
    "ITERM_*",
    "LC_TERMINAL*",
    "COLUMNS",
    "LINES",
    "SHLVL",
    "PWD",
    "OLDPWD",
    "_",
];

/// The caller's environment as an agent should see it: less the terminal's and deck's own variables and what any tool's
/// `unset_env` names, plus the tool's, then the session's own.
pub fn agent_env(
    caller: &[(String, String)],
    unset: &[String],
    tool: &BTreeMap<String, String>,
    session: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut env: BTreeMap<String, String> = caller
        .iter()
        .filter(|(name, _)| is_name(name))
        .filter(|(name, _)| !is_never_passed_on(name) && !matches_any(unset, name))
        .cloned()
        .collect();
    for (name, value) in tool.iter().chain(session) {
        env.insert(name.clone(), value.clone());
    }
    env
}

/// Whether a variable belongs to the caller's terminal, session or shell alone.
pub fn is_never_passed_on(name: &str) -> bool {
    NEVER.iter().any(|p| matches(p, name))
}

pub fn matches_any(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|p| matches(p, name))
}

/// A shell's exported functions have names that tmux can't carry.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether `pattern`, in which `*` stands for any run of characters, matches all of `name`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, rest)) => name
            .strip_prefix(head)
            .is_some_and(|tail| (0..=tail.len()).any(|i| tail.get(i..).is_some_and(|t| matches(rest, t)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        let check = |pattern: &str, name: &str, want: bool| {
            assert_eq!(matches(pattern, name), want, "{pattern} {name}")
        };
        check("TMUX", "TMUX", true);
        check("TMUX", "TMUX_PANE", false);
        check("DECK_*", "DECK_HOME", true);
        check("CLAUDE_*SESSION*", "CLAUDE_CODE_SESSION_ID", true);
        check("CLAUDE_*SESSION*", "CLAUDE_CONFIG_DIR", false);
    }

    #[test]
    fn an_agent_is_not_tied_to_its_callers_session() {
        let caller =
            ["PATH=/bin", "TMUX=x", "DECK_SESSION_ID=1", "CLAUDECODE=1", "BASH_FUNC_f%%=()", "FOO=a"]
                .map(|kv| kv.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned())).unwrap());
        let own = BTreeMap::from([("FOO".to_owned(), "b".to_owned())]);
        let env = agent_env(&caller, &["CLAUDECODE".to_owned()], &BTreeMap::new(), &own);
        let pairs: Vec<_> = env.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(pairs, ["FOO=b", "PATH=/bin"]);
    }
}
