//! Where worktrees are made.

/// Where a repository's worktrees are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// Beside the repository, in a folder for its worktrees.
    Sibling,
    /// In a folder of the repository that git is told to ignore.
    Inside,
    /// By a pattern with `{repo}`, `{parent}`, `{branch}` and `{home}`.
    Pattern(String),
}

/// What a pattern may hold.
const NAMES: [&str; 4] = ["repo", "parent", "branch", "home"];

impl Location {
    /// Reads a setting.
    ///
    /// # Errors
    /// What is wrong with it, to follow the setting's name.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "sibling" => return Ok(Self::Sibling),
            "inside" => return Ok(Self::Inside),
            _ => {}
        }
        let names = || NAMES.map(|name| format!("{{{name}}}")).join(", ");
        let mut rest = text;
        let mut has_branch = false;
        while let Some((_, after)) = rest.split_once('{') {
            let (name, behind) = after.split_once('}').ok_or("has a { that is not closed")?;
            if !NAMES.contains(&name) {
                return Err(format!("has {{{name}}}, and may have {}", names()));
            }
            has_branch |= name == "branch";
            rest = behind;
        }
        if !has_branch {
            return Err(
                "must be sibling, inside, or a path with {branch}, such as {parent}/wt/{repo}/{branch}"
                    .to_owned(),
            );
        }
        if !text.starts_with(['/', '~']) && !text.starts_with("{parent}") && !text.starts_with("{home}") {
            return Err("must be absolute, or begin with {parent} or {home}".to_owned());
        }
        Ok(Self::Pattern(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_are_none() {
        for bad in ["", "/wt", "/wt/{name}/{branch}", "/wt/{branch", "wt/{branch}"] {
            assert!(Location::parse(bad).is_err(), "{bad}");
        }
    }
}
