//! The state that a POSIX shell leaves: its capture is the script that restores it, as it is.
//!
//! Invariant: a capture without its last mark is none.

use super::bash_state::State;

impl State {
    /// What a command left, from its capture (`assets/shells/sh/FORMAT.md`); `None` when that isn't complete.
    pub fn of_script_capture(capture: &[u8]) -> Option<Self> {
        let parts: Vec<&[u8]> = capture.split(|b| *b == 0).collect();
        let [_kind, script, folder, b"end", b""] = parts.as_slice() else { return None };
        Some(Self { folder: folder.strip_suffix(b"\n")?.to_vec(), script: Some(script.to_vec()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_capture_is_a_state_and_any_part_of_it_is_none() {
        let capture = b"variables\0x='1'\n\0/tmp/a b\n\n\0end\0";
        let state = State::of_script_capture(capture).unwrap();
        assert_eq!(state.folder, b"/tmp/a b\n");
        assert_eq!(state.script.as_deref(), Some(&b"x='1'\n"[..]));
        assert_eq!(State::from_file(&state.to_file()), Some(state));
        for cut in 0..capture.len() {
            assert_eq!(State::of_script_capture(&capture[..cut]), None, "{cut}");
        }
        assert_eq!(State::of_script_capture(b"functions\0\0/\n\0end\0more\0"), None);
    }
}
