//! Errors as the command line reports them: what happened, the cause, a hint, and the exit code.

use super::hint;
use crate::api::Code;
use crate::config::SetError;
use crate::domain::id::{BadProfileName, ProfileName};
use crate::domain::resolve::ResolveError;
use crate::ops::OpError;
use crate::ports::{MuxError, StoreError};
use crate::wiring::WiringError;

/// An error on its way to the user.
#[derive(Debug)]
pub struct CliError {
    /// What kind.
    pub code: Code,
    /// What happened.
    pub message: String,
    /// What it was caused by, outermost first.
    pub causes: Vec<String>,
    /// What to do.
    pub hint: Option<String>,
}

impl CliError {
    /// An error without causes.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), causes: Vec::new(), hint: None }
    }

    /// A wrong command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Code::Usage, message)
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// An error with what it was caused by.
    #[cfg(feature = "web")]
    pub fn of_source(code: Code, error: &dyn std::error::Error) -> Self {
        Self::from_std(code, error)
    }

    fn from_std(code: Code, error: &dyn std::error::Error) -> Self {
        let mut causes = Vec::new();
        let mut at = error.source();
        while let Some(cause) = at {
            causes.push(cause.to_string());
            at = cause.source();
        }
        Self { code, message: error.to_string(), causes, hint: None }
    }
}

impl From<OpError> for CliError {
    fn from(error: OpError) -> Self {
        Self::of(&error)
    }
}

impl CliError {
    fn of(error: &OpError) -> Self {
        match error {
            OpError::Recorded { error: cause, .. } => {
                return Self { hint: error.hint().as_ref().map(hint::command), ..Self::of(cause) };
            }
            OpError::Poll(error) => return Self::of(error),
            _ => {}
        }
        let hint = error.hint().as_ref().map(hint::command);
        Self { hint, ..Self::from_std(Code::of(error), error) }
    }
}

/// The command that installs a program on this system.
pub(crate) fn install_line(program: &str) -> String {
    const WAYS: &[(&str, &str)] = &[
        ("apt-get", "sudo apt-get install"),
        ("dnf", "sudo dnf install"),
        ("pacman", "sudo pacman -S"),
        ("apk", "sudo apk add"),
        ("zypper", "sudo zypper install"),
        ("brew", "brew install"),
    ];
    let path = std::env::var("PATH").unwrap_or_default();
    let there =
        |program: &str| crate::sys::spawn::find_program(program, &path, std::path::Path::new("/")).is_some();
    let way = WAYS.iter().find(|(manager, _)| there(manager));
    way.map_or_else(
        || "use your system's package manager".to_owned(),
        |(_, line)| format!("{line} {program}"),
    )
}

impl From<MuxError> for CliError {
    fn from(error: MuxError) -> Self {
        OpError::from(error).into()
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        OpError::from(error).into()
    }
}

impl From<ResolveError> for CliError {
    fn from(error: ResolveError) -> Self {
        OpError::from(error).into()
    }
}

impl From<crate::domain::group::BadGroupPath> for CliError {
    fn from(error: crate::domain::group::BadGroupPath) -> Self {
        OpError::from(error).into()
    }
}

impl From<BadProfileName> for CliError {
    fn from(error: BadProfileName) -> Self {
        Self::usage(error.to_string()).hint(format!("a profile's name is {}", ProfileName::RULE))
    }
}

impl From<WiringError> for CliError {
    fn from(error: WiringError) -> Self {
        match error {
            WiringError::Profile(e) => e.into(),
            WiringError::NoPlace(e) => Self::from_std(Code::Failed, &e).hint("set HOME or DECK_HOME"),
        }
    }
}

impl From<SetError> for CliError {
    fn from(error: SetError) -> Self {
        let (code, hint) = match &error {
            SetError::Unknown { .. } => (Code::Usage, Some("`deck config get` lists every setting")),
            SetError::Invalid(_) => (Code::Usage, None),
            SetError::Broken(_) => (Code::Failed, Some("fix it first: `deck config edit` opens the file")),
            SetError::Io { .. } => (Code::Failed, None),
            SetError::Busy(_) => (Code::TimedOut, Some("try again")),
        };
        Self { hint: hint.map(str::to_owned), ..Self::from_std(code, &error) }
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        Self::from_std(Code::Failed, &error)
    }
}
