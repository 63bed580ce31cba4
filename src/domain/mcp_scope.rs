//! What an agent may do through deck's MCP server, and to other sessions by deck's own commands.

/// What an agent may be given. Where there are two of a kind, the wider one holds the narrower one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Shells and their jobs.
    Shells,
    /// To see itself, its parent and what it started.
    Look,
    /// To see all sessions of the profile, and the shells of others.
    LookAll,
    /// To send messages to its parent and its children.
    Talk,
    /// To send messages to every session of the profile.
    TalkAll,
    /// To start sessions in its own folder, or in a worktree of the same repository, and to stop them.
    Spawn,
    /// To start them in any folder.
    SpawnAnywhere,
    /// To answer what its children ask, except for permission, trust and logins.
    Answer,
    /// To answer all that its children ask.
    AnswerPermissions,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Shells,
        Self::Look,
        Self::LookAll,
        Self::Talk,
        Self::TalkAll,
        Self::Spawn,
        Self::SpawnAnywhere,
        Self::Answer,
        Self::AnswerPermissions,
    ];

    /// What an agent gets whose user doesn't say more.
    pub const USUAL: [Self; 2] = [Self::Shells, Self::Look];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Shells => "shells",
            Self::Look => "look",
            Self::LookAll => "look=all",
            Self::Talk => "talk",
            Self::TalkAll => "talk=all",
            Self::Spawn => "spawn",
            Self::SpawnAnywhere => "spawn=anywhere",
            Self::Answer => "answer",
            Self::AnswerPermissions => "answer=permissions",
        }
    }

    /// The scope with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.word() == word)
    }

    /// The narrower one of its kind; itself if there is none.
    pub const fn narrow(self) -> Self {
        match self {
            Self::LookAll => Self::Look,
            Self::TalkAll => Self::Talk,
            Self::SpawnAnywhere => Self::Spawn,
            Self::AnswerPermissions => Self::Answer,
            other => other,
        }
    }

    /// Whether who has this one may do what the other one allows.
    pub fn holds(self, other: Self) -> bool {
        self == other || self.narrow() == other
    }
}

/// Whether any of these allows what `wanted` does.
pub fn allow(scopes: &[Scope], wanted: Scope) -> bool {
    scopes.iter().any(|scope| scope.holds(wanted))
}

/// The scopes with these words, separated by commas, each once, without what a wider one holds.
///
/// # Errors
/// A word that is none, or that there is no word.
pub fn parse(text: &str) -> Result<Vec<Scope>, String> {
    let known = || Scope::ALL.map(Scope::word).join(", ");
    let words = text.split(',').map(str::trim).filter(|w| !w.is_empty());
    let one =
        |w: &str| Scope::from_word(w).ok_or_else(|| format!("unknown scope {w:?}; scopes are {}", known()));
    let scopes = words.map(one).collect::<Result<Vec<Scope>, String>>()?;
    if scopes.is_empty() {
        return Err(format!("no scope is given; scopes are {}", known()));
    }
    Ok(fewest(scopes))
}

/// The scopes of a record: what a newer deck wrote, and this one doesn't know, gives nothing.
pub fn known(words: &[String]) -> Vec<Scope> {
    fewest(words.iter().filter_map(|word| Scope::from_word(word)).collect())
}

/// Each once, in order, without what a wider one holds.
fn fewest(mut scopes: Vec<Scope>) -> Vec<Scope> {
    scopes.sort_unstable();
    scopes.dedup();
    let all = scopes.clone();
    scopes.retain(|scope| !all.iter().any(|wider| wider != scope && wider.holds(*scope)));
    scopes
}

/// What both give.
pub fn common(one: &[Scope], other: &[Scope]) -> Vec<Scope> {
    let held = |of: &[Scope], by: &[Scope]| -> Vec<Scope> {
        of.iter().filter_map(|s| [*s, s.narrow()].into_iter().find(|scope| allow(by, *scope))).collect()
    };
    fewest([held(one, other), held(other, one)].concat())
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
        assert_eq!(parse("talk=all,look,talk"), Ok(vec![Scope::Look, Scope::TalkAll]));
        let all = "shells, look, look=all, talk, talk=all, spawn, spawn=anywhere, answer, answer=permissions";
        assert_eq!(parse("bogus").unwrap_err(), format!("unknown scope \"bogus\"; scopes are {all}"));
        assert_eq!(parse("").unwrap_err(), format!("no scope is given; scopes are {all}"));
        assert_eq!(known(&["look".into(), "fly".into()]), [Scope::Look]);
    }

    #[test]
    fn a_wider_scope_holds_the_narrower_one() {
        for scope in Scope::ALL {
            assert_eq!(Scope::from_word(scope.word()), Some(scope));
            assert!(scope.holds(scope) && scope.holds(scope.narrow()));
            assert_eq!(scope.narrow().holds(scope), scope.narrow() == scope);
        }
        let parent = [Scope::Shells, Scope::TalkAll, Scope::Look];
        assert_eq!(common(&parent, &[Scope::Talk, Scope::LookAll, Scope::Spawn]), [Scope::Look, Scope::Talk]);
    }
}
