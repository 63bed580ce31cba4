//! Where deck keeps its files, and the name of its tmux socket.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::domain::id::ProfileName;

/// The caller's environment, read once.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    vars: Vec<(String, String)>,
    /// Names of variables whose values are not UTF-8.
    odd: Vec<String>,
    /// The caller's working directory.
    pub cwd: PathBuf,
}

impl Environment {
    /// The process's own. Variables that are not UTF-8 can't be passed to tmux and are left out.
    pub fn of_process() -> Self {
        let (mut vars, mut odd) = (Vec::new(), Vec::new());
        for (name, value) in std::env::vars_os() {
            let Ok(name) = name.into_string() else { continue };
            match value.into_string() {
                Ok(value) => vars.push((name, value)),
                Err(_) => odd.push(name),
            }
        }
        Self { vars, odd, cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")) }
    }

    /// A made-up one.
    pub fn new(vars: &[(&str, &str)], cwd: &Path) -> Self {
        let vars = vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Self { vars, odd: Vec::new(), cwd: cwd.to_owned() }
    }

    /// A variable's value; none when it is unset or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.vars.iter().find(|(k, _)| k == name).map(|(_, v)| v.as_str()).filter(|v| !v.is_empty())
    }

    /// All variables.
    pub fn vars(&self) -> &[(String, String)] {
        &self.vars
    }
}

/// Why deck's files can't be located.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPlace {
    /// Neither `DECK_HOME` nor a home.
    #[error("can't locate deck's files: set HOME or DECK_HOME")]
    NoHome,
    /// A home that would differ in each folder.
    #[error("invalid HOME {0:?}: not an absolute path")]
    RelativeHome(PathBuf),
    /// A path that can't be recorded as text.
    #[error("invalid DECK_HOME: its path isn't UTF-8")]
    NotText,
}

/// deck's folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// `DECK_HOME`, resolved, when it is set.
    pub deck_home: Option<PathBuf>,
    /// The config file.
    pub config_file: PathBuf,
    /// Users' tool files.
    pub tools: PathBuf,
    /// Users' themes.
    pub themes: PathBuf,
    /// One folder a profile.
    pub profiles: PathBuf,
    /// Logs and what should survive a restart of the machine.
    pub state: PathBuf,
    /// What may be lost at any time.
    pub run: PathBuf,
}

impl Paths {
    /// How a profile was shown last.
    pub fn view(&self, profile: &ProfileName) -> PathBuf {
        self.state.join("views").join(format!("{profile}.json"))
    }

    /// The folders for this environment.
    ///
    /// # Errors
    /// [`NoPlace`] when there is neither `DECK_HOME` nor a home that can be used.
    pub fn find(env: &Environment) -> Result<Self, NoPlace> {
        // Continuing without it would open another deck.
        if env.odd.iter().any(|name| name == "DECK_HOME") {
            return Err(NoPlace::NotText);
        }
        if let Some(home) = env.get("DECK_HOME") {
            let home = env.cwd.join(home);
            // The real path, so that two spellings of one folder share one tmux server.
            let home = home.canonicalize().unwrap_or(home);
            return if home.to_str().is_some() { Ok(Self::under(&home)) } else { Err(NoPlace::NotText) };
        }
        let user = env
            .get("HOME")
            .map(PathBuf::from)
            .or_else(|| directories::BaseDirs::new().map(|d| d.home_dir().to_owned()))
            .ok_or(NoPlace::NoHome)?;
        if !user.is_absolute() {
            return Err(NoPlace::RelativeHome(user));
        }
        let xdg = |var: &str, default: &str| {
            env.get(var)
                .map(PathBuf::from)
                .filter(|p| p.is_absolute())
                .unwrap_or_else(|| user.join(default))
                .join("deck")
        };
        let config = xdg("XDG_CONFIG_HOME", ".config");
        let data = xdg("XDG_DATA_HOME", ".local/share");
        let state = xdg("XDG_STATE_HOME", ".local/state");
        let runtime = env.get("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|p| p.is_dir());
        Ok(Self {
            deck_home: None,
            config_file: config.join("config.toml"),
            tools: config.join("tools"),
            themes: config.join("themes"),
            profiles: data.join("profiles"),
            run: runtime.map_or_else(|| state.join("run"), |r| r.join("deck")),
            state,
        })
    }

    /// Everything below one folder.
    pub fn under(home: &Path) -> Self {
        Self {
            deck_home: Some(home.to_owned()),
            config_file: home.join("config.toml"),
            tools: home.join("tools"),
            themes: home.join("themes"),
            profiles: home.join("profiles"),
            state: home.join("state"),
            run: home.join("run"),
        }
    }

    /// What names this deck among others on a shared tmux server.
    pub fn home_key(&self) -> String {
        self.deck_home.as_ref().unwrap_or(&self.profiles).to_string_lossy().into_owned()
    }

    /// The tmux socket: `DECK_SOCKET`, else the config's, else one of this home's own.
    pub fn deck_socket(&self, env: &Environment, configured: &str) -> String {
        if let Some(socket) = env.get("DECK_SOCKET") {
            return socket.to_owned();
        }
        if !configured.is_empty() {
            return configured.to_owned();
        }
        match &self.deck_home {
            None => "deck".to_owned(),
            Some(home) => {
                let digest = Sha256::digest(home.as_os_str().as_encoded_bytes());
                let hex: String = digest.iter().take(4).map(|b| format!("{b:02x}")).collect();
                format!("deck-{hex}")
            }
        }
    }
}

/// `path` with the user's home as `~`, for people.
pub fn tilde(path: &str, home: Option<&str>) -> String {
    let short = home.filter(|h| h.len() > 1).and_then(|h| path.strip_prefix(h.trim_end_matches('/')));
    match short {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// The same as text that can be recorded.
///
/// # Errors
/// The path itself, if it isn't UTF-8.
pub fn expand_to_text(path: &str, env: &Environment) -> Result<String, PathBuf> {
    expand(path, env).into_os_string().into_string().map_err(PathBuf::from)
}

/// `path` as a user typed it, made absolute: `~` is their home, the rest is relative to `cwd`.
pub fn expand(path: &str, env: &Environment) -> PathBuf {
    let home = env.get("HOME").unwrap_or("/");
    let path = match path.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(rest) if rest.starts_with('/') => format!("{home}{rest}"),
        _ => path.to_owned(),
    };
    let joined = env.cwd.join(path);
    // `.` and `..` are resolved without asking the disk, so that a path that is gone still reads well.
    let mut out = PathBuf::new();
    for part in joined.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xdg_folders_first_then_the_home() {
        let env = Environment::new(
            &[("HOME", "/h"), ("XDG_DATA_HOME", "/d"), ("XDG_STATE_HOME", "relative")],
            Path::new("/"),
        );
        let p = Paths::find(&env).unwrap();
        assert_eq!(p.config_file, Path::new("/h/.config/deck/config.toml"));
        assert_eq!(p.profiles, Path::new("/d/deck/profiles"));
        assert_eq!(p.run, Path::new("/h/.local/state/deck/run"));
        assert_eq!(p.deck_socket(&env, ""), "deck");
        assert_eq!(p.deck_socket(&env, "default"), "default");
    }

    #[test]
    fn deck_home_has_everything_and_a_socket_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().to_str().unwrap();
        let env = Environment::new(&[("HOME", "/h"), ("DECK_HOME", home)], Path::new("/"));
        let p = Paths::find(&env).unwrap();
        assert!(p.profiles.starts_with(dir.path().canonicalize().unwrap()));
        let socket = p.deck_socket(&env, "");
        assert!(socket.starts_with("deck-") && socket.len() == 13, "{socket}");
        let dotted = format!("{home}/./");
        let env = Environment::new(&[("DECK_HOME", &dotted)], Path::new("/"));
        assert_eq!(Paths::find(&env).unwrap().deck_socket(&env, ""), socket, "one folder, one socket");
        let env = Environment::new(&[("DECK_HOME", home), ("DECK_SOCKET", "mine")], Path::new("/"));
        assert_eq!(p.deck_socket(&env, "default"), "mine");
    }

    #[test]
    fn a_relative_home_is_no_place() {
        for home in ["rel", ".", "./x"] {
            let env = Environment::new(&[("HOME", home)], Path::new("/"));
            assert_eq!(Paths::find(&env), Err(NoPlace::RelativeHome(home.into())));
        }
    }

    #[test]
    fn paths_for_people_and_from_them() {
        assert_eq!(tilde("/h/src", Some("/h")), "~/src");
        assert_eq!(tilde("/home", Some("/h")), "/home");
        assert_eq!(tilde("/h", Some("/h")), "~");
        let env = Environment::new(&[("HOME", "/h")], Path::new("/c"));
        let check = |typed: &str, want: &str| assert_eq!(expand(typed, &env), Path::new(want), "{typed}");
        check("~/a", "/h/a");
        check("x/../y", "/c/y");
        check(".", "/c");
        check("/a/./b", "/a/b");
        check("~user", "/c/~user");
    }
}
