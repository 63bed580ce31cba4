//! What an agent may do through deck's MCP server.

/// What a server may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Shells and their jobs.
    Shells,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::Shells];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Shells => "shells",
        }
    }

    /// The scope with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.word() == word)
    }
}

/// The scopes with these words, separated by commas, each once.
///
/// # Errors
/// A word that is none, or that there is no word.
pub fn parse(text: &str) -> Result<Vec<Scope>, String> {
    let known = || Scope::ALL.map(Scope::word).join(", ");
    let words = text.split(',').map(str::trim).filter(|w| !w.is_empty());
    let one =
        |w: &str| Scope::from_word(w).ok_or_else(|| format!("unknown scope {w:?}; scopes are {}", known()));
    let mut scopes = words.map(one).collect::<Result<Vec<Scope>, String>>()?;
    scopes.sort_unstable();
    scopes.dedup();
    if scopes.is_empty() { Err(format!("no scope is given; scopes are {}", known())) } else { Ok(scopes) }
}

/// Their words.
pub fn words(scopes: &[Scope]) -> Vec<String> {
    scopes.iter().map(|s| s.word().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_from_words() {
        assert_eq!(parse("shells, shells"), Ok(vec![Scope::Shells]));
        assert_eq!(parse("bogus").unwrap_err(), "unknown scope \"bogus\"; scopes are shells");
        assert_eq!(parse("").unwrap_err(), "no scope is given; scopes are shells");
    }
}
