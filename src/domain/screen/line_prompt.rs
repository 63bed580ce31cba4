//! Prompts that are answered by a line of text: `approve? [y/n]`.
//!
//! Invariants: a prompt with an answer behind it and something below it was answered; the answers that are
//! offered are those in its brackets.

use std::sync::LazyLock;

use regex::Regex;

use super::choices::{AgentDialog, Choice, Press};
use super::normalize::constant;

/// The name of the rule that a tool's `prompt_patterns` make.
pub(super) const PROMPT: &str = "prompt_patterns";

/// What may be answered, in brackets, and what is behind it.
static BRACKETS: LazyLock<Regex> =
    LazyLock::new(|| constant(r"[\[(](?P<words>[A-Za-z]+(?:/[A-Za-z]+)+)[\])](?:\s*[:?>])*(?P<rest>.*)$"));

/// The answers in a line's brackets, and the one that is typed behind them.
fn brackets(line: &str) -> Option<(Vec<String>, &str)> {
    let (words, typed) = parts(line)?;
    // Anything else may be a hint.
    let is_answer = words.iter().any(|w| is_short_for(w, typed) || is_short_for(typed, w));
    Some((words, if is_answer { typed } else { "" }))
}

/// The answers in a line's brackets, and all that is behind them.
fn parts(line: &str) -> Option<(Vec<String>, &str)> {
    let found = BRACKETS.captures(line)?;
    let mut words: Vec<String> = Vec::new();
    for word in found.name("words")?.as_str().split('/') {
        // A capital marks the default.
        let word = if word.chars().count() == 1 { word.to_lowercase() } else { word.to_owned() };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    Some((words, found.name("rest")?.as_str().trim()))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(char::is_alphanumeric)
}

fn is_short_for(short: &str, long: &str) -> bool {
    !short.is_empty() && long.to_lowercase().starts_with(&short.to_lowercase()) && !long.contains(' ')
}

/// Whether each line is a prompt that was answered: the cursor can't be behind it any more. One word is an answer, whether it
/// was offered or not; several may be a hint.
pub(super) fn answered(lines: &[String]) -> Vec<bool> {
    let last = lines.iter().rposition(|l| !l.trim().is_empty());
    let is_answered = |i: usize, line: &str| {
        Some(i) != last
            && parts(line)
                .is_some_and(|(_, rest)| is_word(rest) || brackets(line).is_some_and(|(_, t)| !t.is_empty()))
    };
    lines.iter().enumerate().map(|(i, line)| is_answered(i, line)).collect()
}

/// The dialog of a prompt on the last line: of one above, something else may be what asks.
pub(super) fn dialog(line: &str) -> AgentDialog {
    let (words, typed) = brackets(line).unwrap_or_default();
    let choice = |(number, label): (u32, String)| Choice {
        number,
        label,
        is_text: false,
        here: false,
        press: Press::Line,
    };
    let asks = line.strip_suffix(typed).unwrap_or(line).trim().to_owned();
    let choices = (1..).zip(words).map(choice).collect();
    let typed = typed.to_owned();
    AgentDialog {
        rule: PROMPT.to_owned(),
        asks: Some(asks),
        choices,
        several: false,
        confirms: None,
        takes_text: true,
        typed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(line: &str) -> (Vec<String>, String, Option<String>) {
        let d = dialog(line);
        (d.choices.into_iter().map(|c| c.label).collect(), d.typed, d.asks)
    }

    #[test]
    fn the_answers_are_those_in_brackets() {
        let check = |line: &str, want: &[&str], typed: &str, asks: &str| {
            let (labels, was, asked) = labels(line);
            assert_eq!(
                (labels, was.as_str(), asked.as_deref()),
                (want.iter().map(|w| (*w).to_owned()).collect(), typed, Some(asks)),
                "{line}"
            );
        };
        check("approve? [y/n]", &["y", "n"], "", "approve? [y/n]");
        check("approve? [Y/n] ye", &["y", "n"], "ye", "approve? [Y/n]");
        check("Continue (yes/no/always)?", &["yes", "no", "always"], "", "Continue (yes/no/always)?");
        check("your name?", &[], "", "your name?");
    }

    #[test]
    fn a_prompt_with_an_answer_above_other_lines_was_answered() {
        let check = |text: &str, want: bool| {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            assert_eq!(answered(&lines).first(), Some(&want), "{text}");
        };
        check("approve? [y/n] y\nyou chose y", true);
        check("approve? [y/n]: Yes\n> ", true);
        check("approve? [y/n] y\n", false);
        check("approve? [y/n] sure\nyou chose sure", true);
        check("approve? [y/n]\n-----", false);
        check("approve? [y/n] (enter to confirm)\n-----", false);
    }
}
