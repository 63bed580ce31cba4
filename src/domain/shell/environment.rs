//! The environment that a shell starts with: its caller's, less what belongs to the caller's terminal or session, and
//! with what keeps programs from asking a person.

use crate::domain::launch::{is_never_passed_on, matches_any};

/// What is set unless the caller says otherwise: nobody sees a pager, an editor or a prompt.
pub const DEFAULTS: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "false"),
    ("SSH_ASKPASS_REQUIRE", "never"),
];

/// The environment at the start, as bytes. `unset` are further names that never pass on; `own` override all.
pub fn start_environment(
    caller: &[(Vec<u8>, Vec<u8>)],
    clean: bool,
    unset: &[String],
    own: &[(String, String)],
) -> Vec<(Vec<u8>, Vec<u8>)> {
    const CLEAN: &[&str] = &["HOME", "PATH", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR"];
    let passes = |name: &[u8]| {
        let Ok(name) = std::str::from_utf8(name) else { return !clean };
        let locale = name.starts_with("LC_");
        if clean {
            locale || CLEAN.contains(&name)
        } else {
            !is_never_passed_on(name) && name != "CI" && !matches_any(unset, name)
        }
    };
    let mut env: Vec<(Vec<u8>, Vec<u8>)> = caller.iter().filter(|(name, _)| passes(name)).cloned().collect();
    let defaults = DEFAULTS.iter().map(|(k, v)| (k.as_bytes().to_vec(), v.as_bytes().to_vec()));
    let own = own.iter().map(|(k, v)| (k.clone().into_bytes(), v.clone().into_bytes()));
    for (name, value) in defaults.chain(own) {
        env.retain(|(k, _)| *k != name);
        env.push((name, value));
    }
    env
}

/// Whether a shell can hold a variable of this name. What it can't is passed to each command as it was at the start.
pub fn is_variable_name(name: &[u8]) -> bool {
    name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// Whether a name of the start's environment that isn't a variable's is passed on: exported functions are part of the
/// state.
pub fn is_passed_beside(name: &[u8]) -> bool {
    let is_function = name.starts_with(b"BASH_FUNC_") && name.ends_with(b"%%");
    !is_variable_name(name) && !is_function
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_asked_and_the_callers_session_is_left_out() {
        let pair = |kv: &str| {
            let (k, v) = kv.split_once('=').unwrap();
            (k.as_bytes().to_vec(), v.as_bytes().to_vec())
        };
        let caller: Vec<_> =
            ["PATH=/bin", "TMUX=x", "DECK_SESSION_ID=1", "TERM=xterm", "CI=1", "a.b=c"].map(pair).to_vec();
        let text = |env: Vec<(Vec<u8>, Vec<u8>)>| {
            let one = |(k, v): &(Vec<u8>, Vec<u8>)| {
                format!("{}={}", String::from_utf8_lossy(k), String::from_utf8_lossy(v))
            };
            env.iter().map(one).collect::<Vec<_>>()
        };
        let all = text(start_environment(&caller, false, &[], &[("PAGER".into(), "less".into())]));
        for want in ["PATH=/bin", "TERM=dumb", "a.b=c", "PAGER=less", "GIT_TERMINAL_PROMPT=0"] {
            assert!(all.iter().any(|v| v == want), "{want} in {all:?}");
        }
        for not in ["TMUX=x", "DECK_SESSION_ID=1", "CI=1", "PAGER=cat"] {
            assert!(!all.iter().any(|v| v == not), "{not} in {all:?}");
        }
        assert!(!text(start_environment(&caller, true, &[], &[])).contains(&"a.b=c".to_owned()));
        assert!(is_passed_beside(b"a.b") && is_passed_beside(b"x%%") && !is_passed_beside(b"BASH_FUNC_f%%"));
    }
}
