//! The one place that quotes for tmux's command parser.
//!
//! Single quotes, since inside double quotes the server expands `$NAME`. A newline ends a
//! command on the pipe, so it goes outside the quotes as `\n`, which the parser turns back.

/// One argument of a command line.
pub(super) fn arg(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' => out.push_str(r"'\''"),
            '\n' => out.push_str(r"'\n'"),
            '\r' => out.push_str(r"'\r'"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// A path for an argument that tmux expands as a format: `#` doubled.
pub(super) fn no_format(text: &str) -> String {
    text.replace('#', "##")
}

/// A command line from its words.
pub(super) fn line<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|w| arg(w.as_ref())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_quotes_and_newlines_is_special() {
        assert_eq!(arg("$HOME `x` \"y\" \\ ;"), "'$HOME `x` \"y\" \\ ;'");
        assert_eq!(arg("it's\nhere"), r"'it'\''s'\n'here'");
        assert_eq!(line(&["a", ""]), "'a' ''");
    }
}
