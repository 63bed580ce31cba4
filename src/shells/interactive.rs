//! An interactive bash that starts where a headless one is.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::folder::ShellFolder;
use super::records::{self, io_error};
use super::supervisor::read_environment;
use crate::domain::quote::sh;
use crate::domain::shell::{Shell, environment};
use crate::ports::ShellsError;
use crate::ports::shells::Interactive;
use crate::sys::files;

/// What a bash has for its user's keys and commands, which one without a terminal hasn't; and what would end it at the
/// first command that fails.
const FOR_A_USER: &str = "\\builtin set +e -o emacs -o monitor -o history -o histexpand\n\
    \\builtin shopt -s expand_aliases checkwinsize\n";

/// What to start. `pass` are variables of the terminal that it runs in.
pub fn interactive(
    folder: &ShellFolder,
    shell: &Shell,
    pass: &[(String, String)],
) -> Result<Interactive, ShellsError> {
    let (generation, state) = records::usable_state(folder, shell.generation)?;
    let mut script = String::new();
    if state.script.is_some() {
        let path = folder.state(generation);
        let text = path.to_str().ok_or_else(|| io_error("use", &path)(std::io::Error::other("not UTF-8")))?;
        script.push_str(&format!(
            "\\builtin . {}\n\\builtin eval \"${{__deck_last-}}\"\n\\builtin unset -v __deck_last\n",
            sh(text)
        ));
    }
    // What keeps programs from asking a person is not for a person.
    for (name, value) in environment::DEFAULTS {
        let value = sh(value);
        script
            .push_str(&format!("\\builtin test \"${{{name}-}}\" != {value} || \\builtin unset -v {name}\n"));
    }
    for (name, value) in pass {
        script.push_str(&format!("\\builtin export {}\n", sh(&format!("{name}={value}"))));
    }
    script.push_str(&format!("PS1={}\n", sh(&format!("{} \\w\\$ ", shell.label()))));
    script.push_str(FOR_A_USER);
    let start = folder.start_script();
    files::replace_unsynced(&start, script.as_bytes()).map_err(io_error("write", &start))?;
    let env = read_environment(folder).map_err(io_error("read", &folder.env()))?;
    let is_first = state.script.is_none();
    let is_kept = |name: &[u8]| is_first || environment::is_passed_beside(name);
    let env = env.into_iter().filter(|(name, _)| is_kept(name));
    let scratch = folder.scratch();
    files::make_dir(&scratch).map_err(io_error("make", &scratch))?;
    let words = shell.words_around(&scratch.to_string_lossy());
    let (program, rest) = words.split_first().ok_or_else(|| ShellsError::Damaged(folder.record()))?;
    let own = ["--rcfile".into(), start.into_os_string(), "-i".into()];
    Ok(Interactive {
        program: program.into(),
        args: rest.iter().map(OsString::from).chain(own).collect(),
        folder: OsString::from_vec(state.folder.clone()).into(),
        env: env.map(|(k, v)| (OsString::from_vec(k), OsString::from_vec(v))).collect(),
    })
}
