//! What somebody must know who continues a session's work: made from what its agent keeps on disk and from git, without a model.

use crate::domain::text;

/// What a session has done and is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionCheckpoint {
    pub title: String,
    pub tool: String,
    pub folder: String,
    /// The user's first prompt.
    pub goal: Option<String>,
    /// What must never be forgotten, of the conversation that it carries.
    pub pins: Vec<String>,
    /// What is open or decided in that, by what it is: `in progress`, `decided` …
    pub open: Vec<(String, Vec<String>)>,
    /// What they said last, oldest first.
    pub user_messages: Vec<String>,
    /// The agent's last answer.
    pub last_answer: Option<String>,
    /// What it did last with its tools, oldest first.
    pub actions: Vec<String>,
    pub branch: Option<String>,
    /// The commit that is checked out.
    pub head: Option<String>,
    /// Files that differ from it, each with its numbers of added and removed lines, if they were counted.
    pub changed: Vec<(String, Option<(usize, usize)>)>,
    /// What can't be known, and why.
    pub problems: Vec<String>,
    /// The id of the agent's own conversation, and its file.
    pub conversation: Option<String>,
    pub transcript: Option<String>,
    /// What resumes it in a shell.
    pub resume: Option<String>,
}

/// How much of one message, and of all of it, is in a packet, in bytes.
const MESSAGE: usize = 2_000;
const GOAL: usize = 4_000;
const ANSWER: usize = 4_000;
/// The most that a checkpoint has as text, in bytes: with what is around it a packet stays below 24,000.
pub const MOST: usize = 23_000;
/// How many times that is kept where there is room.
const MANY: usize = 40;

/// A text of at most so many bytes, with its middle left out; whether it was.
pub fn shortened(text: &str, most: usize) -> (String, bool) {
    let text = text.trim();
    if text.len() <= most {
        return (text.to_owned(), false);
    }
    let mark = "\n[… the middle is left out …]\n";
    let half = most.saturating_sub(mark.len()) / 2;
    let (mut first, mut last) = (half, text.len() - half);
    while !text.is_char_boundary(first) {
        first -= 1;
    }
    while !text.is_char_boundary(last) {
        last += 1;
    }
    let part = |range: Option<&str>| range.unwrap_or_default().to_owned();
    (format!("{}{mark}{}", part(text.get(..first)), part(text.get(last..))), true)
}

fn section(title: &str, body: &str) -> String {
    if body.trim().is_empty() { String::new() } else { format!("## {title}\n\n{}\n\n", body.trim_end()) }
}

/// Each line behind a mark, so that nothing in it reads as a part of what is around it.
fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}\n")).collect()
}

impl SessionCheckpoint {
    /// As Markdown, in at most [`MOST`] bytes; whether anything was left out.
    pub fn words(&self) -> (String, bool) {
        self.within(1)
    }

    /// As Markdown, with many times that.
    pub fn whole(&self) -> String {
        self.within(MANY).0
    }

    fn within(&self, times: usize) -> (String, bool) {
        let most_of_all = MOST * times;
        let mut cut = false;
        let mut short = |text: &str, most: usize| {
            let (text, is_cut) = shortened(text, most * times);
            cut |= is_cut;
            quoted(&text)
        };
        let goal = self.goal.as_ref().map(|goal| short(goal, GOAL)).unwrap_or_default();
        let pins: String = self.pins.iter().map(|pin| short(pin, MESSAGE) + "\n").collect();
        let open: String = self
            .open
            .iter()
            .flat_map(|(what, items)| {
                items.iter().map(move |item| format!("- {what}: {}\n", text::fit(&text::clean(item), 400)))
            })
            .collect();
        let answer = self.last_answer.as_ref().map(|answer| short(answer, ANSWER)).unwrap_or_default();
        let said: Vec<String> = self.user_messages.iter().map(|message| short(message, MESSAGE)).collect();
        let actions: Vec<String> = self
            .actions
            .iter()
            .map(|action| format!("- {}\n", text::fit(&text::clean(action), 200 * times)))
            .collect();
        let numbers = |counts: &Option<(usize, usize)>| {
            counts.map(|(added, removed)| format!(" (+{added} -{removed})")).unwrap_or_default()
        };
        let files: Vec<String> = self
            .changed
            .iter()
            .map(|(path, counts)| format!("- {}{}\n", text::clean(path), numbers(counts)))
            .collect();
        let mut facts = format!("- folder: {}\n", text::clean(&self.folder));
        let mut fact = |name: &str, value: &Option<String>| {
            facts.extend(value.iter().map(|value| format!("- {name}: {}\n", text::clean(value))));
        };
        fact("branch", &self.branch);
        fact("commit", &self.head);
        fact("conversation", &self.conversation);
        fact("transcript", &self.transcript);
        fact("resume it with", &self.resume);
        facts.extend(self.problems.iter().map(|problem| format!("- {}\n", text::clean(problem))));
        let head = format!("# {} ({})\n\n", text::clean(&self.title), text::clean(&self.tool));
        // The lists are cut, the oldest first, until all of it fits.
        let (mut said_from, mut actions_from, mut files_to) = (0, 0, files.len());
        loop {
            let part = |all: &[String], from: usize| all.get(from..).unwrap_or_default().concat();
            let shown = files.get(..files_to).unwrap_or_default().concat();
            let more = files.len() - files_to;
            let shown = if more > 0 { format!("{shown}- and {more} more\n") } else { shown };
            let text = [
                head.clone(),
                section("What was asked first", &goal),
                section("What must not be forgotten", &pins),
                section("What is open, and what was decided", &open),
                section(
                    "What was said last, oldest first",
                    &said.get(said_from..).unwrap_or_default().join("\n"),
                ),
                section("The last answer", &answer),
                section("What was done last", &part(&actions, actions_from)),
                section("Files that are not committed", &shown),
                section("Where", &facts),
            ]
            .concat();
            if text.len() <= most_of_all {
                return (text.trim_end().to_owned() + "\n", cut || said_from + actions_from + more > 0);
            }
            if actions_from < actions.len() {
                actions_from += 1;
            } else if files_to > 10 {
                files_to -= 1;
            } else if said_from < said.len() {
                said_from += 1;
            } else if files_to > 0 {
                files_to -= 1;
            } else {
                return (shortened(&text, most_of_all).0, true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_known_is_there() {
        let checkpoint = SessionCheckpoint {
            title: "api".into(),
            tool: "claude".into(),
            folder: "/src/api".into(),
            goal: Some("Add sign-in\n# not a heading".into()),
            pins: vec!["Never touch billing.".into()],
            open: vec![
                ("pending".into(), vec!["Client id".into()]),
                ("blocked by".into(), Vec::new()),
                ("decided".into(), vec!["GitHub first".into()]),
            ],
            user_messages: vec!["Only GitHub.".into(), "And now?".into()],
            last_answer: Some("Done.".into()),
            actions: vec!["Bash cargo test".into()],
            branch: Some("auth".into()),
            head: Some("abc123".into()),
            changed: vec![("src/a.rs".into(), Some((3, 1))), ("new.rs".into(), None)],
            problems: Vec::new(),
            conversation: Some("5b1e".into()),
            transcript: Some("/h/5b1e.jsonl".into()),
            resume: Some("claude --resume 5b1e".into()),
        };
        insta::assert_snapshot!(checkpoint.words().0);
        assert!(!checkpoint.words().1);
        let (empty, cut) =
            SessionCheckpoint { title: "x".into(), tool: "sh".into(), ..SessionCheckpoint::default() }
                .words();
        assert_eq!((empty.as_str(), cut), ("# x (sh)\n\n## Where\n\n- folder:\n", false));
    }

    #[test]
    fn it_is_never_too_long_and_the_last_words_stay() {
        let long = |n: usize| format!("{n} {}", "漢字 word ".repeat(2_000));
        let checkpoint = SessionCheckpoint {
            goal: Some(long(0)),
            user_messages: (1..=20).map(long).collect(),
            last_answer: Some(long(21)),
            actions: (0..50).map(long).collect(),
            changed: (0..5_000).map(|n| (format!("src/file{n}.rs"), None)).collect(),
            ..SessionCheckpoint::default()
        };
        let (text, cut) = checkpoint.words();
        assert!(cut && text.len() <= MOST, "{}", text.len());
        assert!(text.contains("\n> 20 漢字") && !text.contains("\n> 1 漢字") && text.contains("\n> 0 漢字"));
        assert!(text.contains("- and 4990 more"), "{text}");
        assert_eq!(shortened("short", 100), ("short".to_owned(), false));
        assert!(shortened(&"漢".repeat(1_000), 101).0.len() <= 101);
    }
}
