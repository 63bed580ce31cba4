//! The one place that quotes for a POSIX shell.

/// `word` quoted so that a POSIX shell reads exactly it as one word.
///
/// Plain words stay bare, so that a printed command reads as a person would have typed it.
pub fn sh(word: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    // A leading `=` or `~` means something to some shells, `A=b` as a first word is an assignment.
    if !word.is_empty() && word.chars().all(bare) && !word.contains('=') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A command line for a POSIX shell from an argument vector.
///
/// An option's value keeps its readable form: `--flag=value` is quoted only when it must be.
pub fn sh_join<S: AsRef<str>>(argv: &[S]) -> String {
    argv.iter().map(|a| sh(a.as_ref())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_stay_bare() {
        let check = |word: &str, want: &str| assert_eq!(sh(word), want);
        check("claude", "claude");
        check("--resume", "--resume");
        check("", "''");
        check("two words", "'two words'");
        check("it's", r"'it'\''s'");
        check("A=b", "'A=b'");
        check("~/x", "'~/x'");
        check("$HOME", "'$HOME'");
    }
}
