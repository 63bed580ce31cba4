//! What a user means by `-c`: a tool's name, a command, or a line for a shell.

/// A command as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParsedCommand {
    /// A program with arguments.
    Argv(Vec<String>),
    /// A line with shell syntax: runs under `sh -c`.
    Shell(String),
}

/// Splits `line` as a shell would; a line with unquoted shell syntax stays whole.
/// `None` when there is nothing in it.
pub fn parse_command(line: &str) -> Option<ParsedCommand> {
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    if has_shell_syntax(line) {
        return Some(ParsedCommand::Shell(line.to_owned()));
    }
    match shlex::split(line) {
        Some(words) if words.is_empty() => None,
        // `A=b cmd` sets a variable: only a shell does that.
        Some(words) if words.first().is_some_and(|w| w.contains('=')) => {
            Some(ParsedCommand::Shell(line.to_owned()))
        }
        Some(words) => Some(ParsedCommand::Argv(words)),
        None => Some(ParsedCommand::Shell(line.to_owned())),
    }
}

/// Whether every quote in `line` is closed, as a shell reads it.
pub fn is_closed(line: &str) -> bool {
    let mut quote = None;
    let mut escaped = false;
    for c in line.chars() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(c),
            _ => {}
        }
    }
    quote.is_none() && !escaped
}

fn has_shell_syntax(line: &str) -> bool {
    let mut quote = None;
    let mut escaped = false;
    let mut at_word = true;
    for c in line.chars() {
        if escaped {
            escaped = false;
        } else {
            match (quote, c) {
                (Some('\''), '\'') | (Some('"'), '"') => quote = None,
                (Some('\''), _) => {}
                (_, '\\') => escaped = true,
                (Some(_), '$' | '`') => return true,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(c),
                (None, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '*' | '?' | '[' | '\n') => {
                    return true;
                }
                (None, '~' | '#') if at_word => return true,
                (None, _) => {}
            }
        }
        at_word = quote.is_none() && c.is_whitespace();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_or_a_shell_line() {
        let argv = |line: &str, want: &[&str]| {
            let want = want.iter().map(|w| (*w).to_owned()).collect();
            assert_eq!(parse_command(line), Some(ParsedCommand::Argv(want)), "{line}");
        };
        argv("claude", &["claude"]);
        argv("claude --model 'opus 5'", &["claude", "--model", "opus 5"]);
        argv(r"x a\ b 'it;s' '$x'", &["x", "a b", "it;s", "$x"]);
        for line in
            ["a | b", "cd x && y", "FOO=1 claude", "echo $HOME", "~/bin/x", "x > y", "'open", "echo \"$x\""]
        {
            assert_eq!(parse_command(line), Some(ParsedCommand::Shell(line.to_owned())), "{line}");
        }
        assert_eq!(parse_command("  "), None);
        for (line, closed) in [("a 'b", false), ("a \"b'\"", true), ("a \\", false), ("it\\'s", true)] {
            assert_eq!(is_closed(line), closed, "{line}");
        }
    }
}
