//! The state that a bash leaves: what its capture wrote, made into a script that restores it.
//!
//! Invariants: a capture without its last mark is none; a state whose checksum is wrong is none. What the code named
//! its functions and aliases changes neither: the script declares functions last, and calls only `\builtin` after that.

use sha2::{Digest, Sha256};

/// What a capture holds, in the order in which it is written.
#[derive(Debug)]
struct Capture<'a> {
    /// What variables of this one command were before.
    kept: &'a [u8],
    traps: &'a [u8],
    options: &'a [u8],
    shell_options: &'a [u8],
    aliases: &'a [u8],
    posix: &'a [u8],
    ifs: &'a [u8],
    variables: &'a [u8],
    functions: &'a [u8],
    attributes: &'a [u8],
    umask: &'a [u8],
    directories: &'a [u8],
    arguments: &'a [u8],
    folder: &'a [u8],
}

impl<'a> Capture<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let parts: Vec<&[u8]> = bytes.split(|b| *b == 0).collect();
        let [
            kept,
            traps,
            options,
            shell_options,
            aliases,
            posix,
            ifs,
            variables,
            functions,
            attributes,
            umask,
            directories,
            arguments,
            folder,
            b"end",
            b"",
        ] = parts.as_slice()
        else {
            return None;
        };
        Some(Self {
            kept,
            traps,
            options,
            shell_options,
            aliases,
            posix,
            ifs,
            variables,
            functions,
            attributes,
            umask,
            directories,
            arguments,
            folder: folder.strip_suffix(b"\n")?,
        })
    }
}

/// A state on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The folder that the next command starts in.
    pub folder: Vec<u8>,
    /// The script that restores all else; none before the first command, which gets the start's environment.
    pub script: Option<Vec<u8>>,
}

/// The first word of a state's file.
const MARK: &str = "# deck state 1";
/// Before the positional parameters in a state's script: a command that ends in a function keeps those of before.
const ARGUMENTS: &[u8] = b"#: positional parameters of deck's shell\n";
/// After them.
const AFTER: &[u8] = b"#: functions and options of deck's shell\n";

impl State {
    /// The file of a state: two lines about it, and the script.
    pub fn to_file(&self) -> Vec<u8> {
        let folder: String = self.folder.iter().map(|b| format!("{b:02x}")).collect();
        let kind = if self.script.is_some() { "state" } else { "start" };
        let rest =
            [format!("# {kind} {folder}\n").as_bytes(), self.script.as_deref().unwrap_or_default()].concat();
        [format!("{MARK} {}\n", checksum(&rest)).as_bytes(), &rest].concat()
    }

    /// Reads the file; `None` when it is damaged.
    pub fn from_file(bytes: &[u8]) -> Option<Self> {
        let (first, rest) = split_line(bytes)?;
        let sum = std::str::from_utf8(first).ok()?.strip_prefix(MARK)?.trim_start();
        if sum != checksum(rest) {
            return None;
        }
        let (second, script) = split_line(rest)?;
        let (kind, folder) = std::str::from_utf8(second).ok()?.strip_prefix("# ")?.split_once(' ')?;
        let digits: Vec<u8> = folder
            .bytes()
            .map(|b| char::from(b).to_digit(16))
            .map(|d| d.and_then(|d| u8::try_from(d).ok()))
            .collect::<Option<_>>()?;
        let folder = digits.chunks(2).map(|pair| pair.iter().fold(0, |n, d| n * 16 + d)).collect();
        Some(Self { folder, script: (kind == "state").then(|| script.to_vec()) })
    }

    /// What a command left, from its capture; `None` when that isn't complete. `before` is what it started from.
    pub fn of_capture(capture: &[u8], before: &Self) -> Option<Self> {
        let capture = Capture::read(capture)?;
        let mut script = UNSET.to_vec();
        script.extend(capture.variables);
        script.extend(capture.kept);
        script.extend(capture.aliases);
        let traps = traps(capture.traps)?;
        for (_, line) in traps.iter().filter(|(name, _)| !is_of_the_shell(name)) {
            script.extend(line.iter());
        }
        script.extend(capture.umask);
        script.extend(capture.directories);
        script.extend(ARGUMENTS);
        if capture.arguments.is_empty() {
            script.extend(before.arguments());
        } else {
            script.extend(capture.arguments);
        }
        script.extend(AFTER);
        script.extend(b"\\builtin shopt -s extglob\n");
        if !capture.functions.split(|b| *b == b'\n').any(|line| line == b"builtin () ") {
            script.extend(capture.functions);
        }
        for line in lines(capture.attributes).filter(|line| !line.starts_with(b"declare -f ")) {
            builtin(&mut script, line);
        }
        script.extend(b"__deck_last=");
        script.extend(quoted(&last(&capture, &traps)));
        script.push(b'\n');
        Some(Self { folder: capture.folder.to_vec(), script: Some(script) })
    }

    fn arguments(&self) -> &[u8] {
        let script = self.script.as_deref().unwrap_or_default();
        let find = |what: &[u8]| script.windows(what.len()).position(|w| w == what);
        let (Some(from), Some(to)) = (find(ARGUMENTS), find(AFTER)) else { return b"\\builtin set --\n" };
        script.get(from + ARGUMENTS.len()..to).unwrap_or_default()
    }
}

/// What bash sets by itself, so that what was unset stays unset.
const UNSET: &[u8] = b"\\builtin unset -v HOME HOSTNAME HOSTTYPE MACHTYPE OLDPWD OPTERR OPTIND OSTYPE PATH PS1 PS2 PS4 SHELL SHLVL TERM\n";

/// Options that change how every further command works: they are set together, and last.
const DELICATE: &[&[u8]] =
    &[b"allexport", b"errexit", b"functrace", b"keyword", b"nounset", b"verbose", b"xtrace"];
/// Options that a shell which runs code can't have.
const NEVER: &[&[u8]] = &[b"noexec", b"onecmd", b"privileged"];

/// What is done right before the code: the options, and the traps that every command would run.
fn last(capture: &Capture<'_>, traps: &[(&[u8], &[u8])]) -> Vec<u8> {
    let (mut script, mut middle, mut end) = (Vec::new(), Vec::new(), b"set".to_vec());
    for line in lines(capture.options) {
        let name = line.rsplit(|b| *b == b' ').next().unwrap_or_default();
        if NEVER.contains(&name) {
        } else if DELICATE.contains(&name) {
            end.extend(line.strip_prefix(b"set").unwrap_or_default());
        } else if name == b"posix" {
            // It changes others, which are set after it.
            builtin(&mut script, line);
        } else {
            builtin(&mut middle, line);
        }
    }
    if !capture.posix.is_empty() {
        script.extend(b"\\builtin ");
        script.extend(capture.posix);
    }
    script.extend(b"\\builtin unset -v IFS\n");
    if !capture.ifs.is_empty() {
        script.extend(b"\\builtin ");
        script.extend(capture.ifs);
    }
    // To turn one of these off sets `BASH_COMPAT`, and off is what they are.
    let is_default = |line: &&[u8]| line.starts_with(b"shopt -u compat");
    for line in lines(capture.shell_options).filter(|line| !is_default(line)) {
        builtin(&mut script, line);
    }
    script.extend(middle);
    builtin(&mut script, &end);
    for (_, line) in traps.iter().filter(|(name, _)| [&b"DEBUG"[..], b"ERR", b"RETURN"].contains(name)) {
        script.extend(b"\\builtin ");
        script.extend(line.iter());
    }
    script
}

/// Whether a trap is no signal's.
fn is_of_the_shell(name: &[u8]) -> bool {
    [&b"EXIT"[..], b"DEBUG", b"ERR", b"RETURN"].contains(&name)
}

/// What `trap -p` printed: the name of each, and its line, which may be several.
fn traps(text: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let (mut all, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let mut at = b"trap -- ".len();
        if rest.get(..at) != Some(b"trap -- ") {
            return None;
        }
        let is_default = rest.get(at) == Some(&b'-');
        // Its command is quoted: `'it'\''s'`.
        loop {
            match rest.get(at)? {
                b'\'' => at += 2 + rest.get(at + 1..)?.iter().position(|b| *b == b'\'')?,
                b'\\' => at += 2,
                b' ' => break,
                _ => at += 1,
            }
        }
        let end = at + rest.get(at..)?.iter().position(|b| *b == b'\n')?;
        if !is_default {
            all.push((rest.get(at + 1..end)?, rest.get(..=end)?));
        }
        rest = rest.get(end + 1..)?;
    }
    Some(all)
}

fn builtin(script: &mut Vec<u8>, line: &[u8]) {
    script.extend(b"\\builtin ");
    script.extend(line);
    script.push(b'\n');
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| *b == b'\n').filter(|line| !line.is_empty())
}

fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for byte in bytes {
        if *byte == b'\'' {
            out.extend(b"'\\''");
        } else {
            out.push(*byte);
        }
    }
    out.push(b'\'');
    out
}

fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|b| *b == b'\n')?;
    Some((bytes.get(..at)?, bytes.get(at + 1..)?))
}

fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPTURE: &[u8] = b"\0trap -- 'echo '\\''x\ny'\\''' SIGUSR1\ntrap -- - INT\ntrap -- 'z' EXIT\ntrap -- 'e' ERR\n\0\
        set -o errexit\nset +o posix\nset -o noexec\n\0shopt -s extglob\n\0alias l='ls'\n\0\0declare -- IFS=\"x\"\n\0\
        declare -- a=\"1\"\n\0f () \n{ \n    :\n}\n\0declare -f f\ndeclare -fx g\n\0umask 0022\n\0\0\0/tmp/a\nb\n\0end\0";

    #[test]
    fn a_capture_becomes_a_script_that_calls_no_function() {
        let before = State { folder: b"/".to_vec(), script: None };
        let state = State::of_capture(CAPTURE, &before).unwrap();
        assert_eq!(state.folder, b"/tmp/a\nb");
        let script = String::from_utf8(state.script.clone().unwrap()).unwrap();
        let (_, functions) = script.split_once("f () ").unwrap();
        for line in functions.lines().skip(4) {
            let is_quoted = line.starts_with("'\\builtin") || line.starts_with("\\builtin");
            assert!(is_quoted || line.starts_with("__deck_last='\\builtin") || line == "'", "{line}");
        }
        assert!(script.contains("trap -- 'echo '\\''x\ny'\\''' SIGUSR1\n"), "{script}");
        for not in ["EXIT", "trap -- - INT", "noexec", "declare -f f"] {
            assert!(!script.contains(not), "{not} in {script}");
        }
        assert_eq!(State::from_file(&state.to_file()), Some(state.clone()));
        assert_eq!(State::from_file(&before.to_file()), Some(before));
    }

    #[test]
    fn what_is_cut_off_or_damaged_is_no_state() {
        let before = State { folder: b"/".to_vec(), script: None };
        for cut in 0..CAPTURE.len() {
            assert_eq!(State::of_capture(&CAPTURE[..cut], &before), None, "{cut}");
        }
        let file = State::of_capture(CAPTURE, &before).unwrap().to_file();
        for at in [0, 20, 100, file.len() - 1] {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            assert_eq!(State::from_file(&damaged), None, "{at}");
            assert_eq!(State::from_file(&file[..at]), None, "{at}");
        }
    }

    #[test]
    fn a_function_that_would_hide_builtin_is_left_out() {
        let before = State { folder: b"/".to_vec(), script: None };
        let text = String::from_utf8(CAPTURE.to_vec()).unwrap().replace("f () ", "builtin () ");
        let state = State::of_capture(text.as_bytes(), &before).unwrap();
        assert!(!String::from_utf8(state.script.unwrap()).unwrap().contains("builtin () "));
    }
}
