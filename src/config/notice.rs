//! The user's command for notices: whether the words of a notice stay words in it.
//!
//! Invariant: a notice holds what an agent asks, and an agent may ask anything: where its words would be
//! read as a script, the command is not run at all.

/// What stands for the words of a notice.
const TEXT: &str = "{text}";
/// Programs that run the word after such an option as `-c` or `-e`.
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
/// Programs that read all their words as commands, here or elsewhere, or expand them.
const READERS: &[&str] = &["ssh", "tmux", "eval"];

/// Why the words of a notice would not stay words in this command; `None` when they do.
pub(super) fn why_unsafe(command: &[String]) -> Option<String> {
    const HOW: &str =
        "give it as a word of its own, such as [\"sh\", \"-c\", \"say \\\"$0\\\"\", \"{text}\"]";
    let base = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    for (index, word) in command.iter().enumerate().filter(|(_, word)| word.contains(TEXT)) {
        let before = command.get(..index).unwrap_or_default();
        let runs = |programs: &[&str]| before.iter().map(base).any(|word| programs.contains(&word.as_str()));
        if word != TEXT {
            return Some(format!(
                "{TEXT} stands inside of a longer word, where what an agent asks could run; {HOW}"
            ));
        }
        if before.is_empty() {
            return Some(format!("{TEXT} stands for its program"));
        }
        if runs(READERS) {
            return Some(format!("its program reads {TEXT} as commands"));
        }
        let is_script = before.last().is_some_and(|option| {
            let letters = option.strip_prefix('-').unwrap_or_default();
            letters.ends_with(['c', 'e']) && letters.chars().all(|c| c.is_ascii_alphabetic())
        });
        if is_script && runs(INTERPRETERS) {
            return Some(format!("{TEXT} stands for a script; {HOW}"));
        }
    }
    None
}
