//! The user's notification command: whether the text of a notification stays text in it.
//!
//! Invariant: a notification holds what an agent asks, and an agent may ask anything: if its text would be
//! read as a script, the command is not run at all.

/// The placeholder for the text of a notification.
const TEXT: &str = "{text}";
/// Programs that run the argument after an option such as `-c` or `-e`.
const INTERPRETERS: &[&str] = &[
    "sh",
    "ash",
    "bash",
    "dash",
    "fish",
    "ksh",
    "nu",
    "zsh",
    "busybox",
    "node",
    "osascript",
    "perl",
    "php",
    "python",
    "python3",
    "ruby",
];
/// Programs that read all their arguments as commands, here or elsewhere, or expand them.
const READERS: &[&str] = &["ssh", "tmux", "eval"];

/// Why the text of a notification would not stay text in this command; `None` when it does.
pub(super) fn why_unsafe(command: &[String]) -> Option<String> {
    const HOW: &str = "pass it as a separate argument, or write \"$DECK_TEXT\" in a script, such as [\"sh\", \"-c\", \"say \\\"$DECK_TEXT\\\"\"]";
    let base = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    for (index, word) in command.iter().enumerate().filter(|(_, word)| word.contains(TEXT)) {
        let before = command.get(..index).unwrap_or_default();
        let runs = |programs: &[&str]| before.iter().map(base).any(|word| programs.contains(&word.as_str()));
        if word != TEXT {
            return Some(format!(
                "{TEXT} is part of a longer argument, where what an agent asks could run; {HOW}"
            ));
        }
        if before.is_empty() {
            return Some(format!("{TEXT} is its program"));
        }
        if runs(READERS) {
            return Some(format!("its program reads {TEXT} as commands"));
        }
        let is_script = before.last().is_some_and(|option| {
            let letters = option.strip_prefix('-').unwrap_or_default();
            letters.ends_with(['c', 'e']) && letters.chars().all(|c| c.is_ascii_alphabetic())
        });
        if is_script && runs(INTERPRETERS) {
            return Some(format!("{TEXT} is a script there; {HOW}"));
        }
    }
    None
}
