//! Where worktrees are made.

use std::path::{Path, PathBuf};

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

/// The folder of worktrees in a repository.
pub const INSIDE: &str = ".worktrees";

/// What a pattern may hold.
const NAMES: [&str; 4] = ["repo", "parent", "branch", "home"];

/// What a place is made from.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The main worktree, or the folder of a bare repository.
    pub main: &'a Path,
    pub is_bare: bool,
    /// The branch as the name of a folder.
    pub slug: &'a str,
    pub home: &'a str,
}

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

    /// The path of a new worktree.
    pub fn path(&self, site: Site<'_>) -> PathBuf {
        let parent = site.main.parent().unwrap_or(site.main);
        let repo = site.main.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        match self {
            // A bare repository is there for its worktrees alone: they are beside it.
            Self::Sibling | Self::Inside if site.is_bare => parent.join(site.slug),
            Self::Sibling => parent.join(format!("{repo}-worktrees")).join(site.slug),
            Self::Inside => site.main.join(INSIDE).join(site.slug),
            Self::Pattern(pattern) => {
                let pattern = match pattern.strip_prefix('~') {
                    Some(rest) => format!("{{home}}{rest}"),
                    None => pattern.clone(),
                };
                // The branch last: nothing in its name is replaced.
                let text = pattern
                    .replace("{parent}", &parent.to_string_lossy())
                    .replace("{home}", site.home)
                    .replace("{repo}", &repo)
                    .replace("{branch}", site.slug);
                PathBuf::from(text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(location: &str, main: &str, is_bare: bool) -> String {
        let site = Site { main: Path::new(main), is_bare, slug: "feat-x", home: "/home/u" };
        Location::parse(location).unwrap().path(site).display().to_string()
    }

    #[test]
    fn where_worktrees_are_made() {
        assert_eq!(path("sibling", "/src/api", false), "/src/api-worktrees/feat-x");
        assert_eq!(path("inside", "/src/api", false), "/src/api/.worktrees/feat-x");
        assert_eq!(path("sibling", "/src/api/.bare", true), "/src/api/feat-x");
        assert_eq!(path("~/wt/{repo}/{branch}", "/src/api", false), "/home/u/wt/api/feat-x");
        assert_eq!(path("{parent}/{branch}", "/src/api", false), "/src/feat-x");
    }

    #[test]
    fn patterns_that_are_none() {
        for bad in ["", "/wt", "/wt/{name}/{branch}", "/wt/{branch", "wt/{branch}"] {
            assert!(Location::parse(bad).is_err(), "{bad}");
        }
    }
}
