//! A request: all that an agent of a role is sent, made of parts. What changes least comes first, so that prompt caches hold.

use super::checkpoint::Checkpoint;
use super::context::Context;
use super::event::Pin;
use super::message::Message;
use super::shape::Description;
use super::tokens::estimate;

/// The most tokens of the project's structure.
pub const STRUCTURE: u64 = 2_000;
/// The most tokens of the instruction files.
pub const INSTRUCTIONS: u64 = 8_000;

/// Stands where a text was cut.
pub const CUT: &str = "(cut: there is more)";

/// A part of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub name: &'static str,
    pub text: String,
    /// Estimated, not corrected.
    pub tokens: u64,
    /// Whether it was cut to its budget.
    pub cut: bool,
}

/// All that is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The parts of the system prompt, in their order.
    pub system: Vec<Part>,
    /// Messages as one part, and the prompt.
    pub user: Vec<Part>,
}

/// What a request is made of.
#[derive(Debug, Clone, Copy)]
pub struct Material<'a> {
    pub description: &'a Description,
    pub context: &'a Context,
    pub checkpoint: &'a Checkpoint,
    pub pins: &'a [Pin],
    pub messages: &'a [Message],
    pub prompt: Option<&'a str>,
}

/// A text cut at a line to so many tokens; whether it was.
pub fn cut_to(text: &str, most: u64) -> (String, bool) {
    if estimate(text) <= most {
        return (text.to_owned(), false);
    }
    let (mut kept, mut sum) = (String::new(), 0);
    for line in text.split_inclusive('\n') {
        sum += estimate(line);
        if sum > most {
            break;
        }
        kept.push_str(line);
    }
    (kept, true)
}

fn part(name: &'static str, title: &str, text: &str, most: Option<u64>) -> Option<Part> {
    if text.trim().is_empty() {
        return None;
    }
    let (kept, cut) = most.map_or_else(|| (text.to_owned(), false), |most| cut_to(text, most));
    let rest = if cut { format!("\n{CUT}") } else { String::new() };
    let text = format!("# {title}\n\n{}{rest}\n\n", kept.trim_end());
    let cut = cut || kept.trim_end().ends_with(CUT);
    Some(Part { name, tokens: estimate(&text), text, cut })
}

fn about(context: &Context) -> String {
    let mut lines = Vec::new();
    let mut line = |name: &str, value: Option<&String>| {
        lines.extend(value.filter(|v| !v.trim().is_empty()).map(|value| format!("{name}: {}", value.trim())));
    };
    line("Project", Some(&context.project_root));
    line("Feature", Some(&context.feature_id));
    line("Name", context.feature_name.as_ref());
    line("Goal", context.feature_goal.as_ref());
    line("Task", context.task_id.as_ref());
    line("Title", context.task_title.as_ref());
    line("State", context.task_state.as_ref());
    line("Tasks", context.dag_summary.as_ref());
    let list = |list: &Option<Vec<String>>| list.as_ref().filter(|l| !l.is_empty()).map(|l| l.join(", "));
    line("Depends on", list(&context.dependencies).as_ref());
    line("Needed by", list(&context.dependents).as_ref());
    lines.join("\n")
}

/// A checkpoint as Markdown.
pub fn checkpoint_words(checkpoint: &Checkpoint) -> String {
    let titles = ["Completed", "In progress", "Pending", "Blockers", "Decisions"];
    let lists = checkpoint.summary.lists();
    let more =
        [("Tried without success", &checkpoint.kept.failed_approaches), ("Facts", &checkpoint.kept.facts)];
    let all = lists.iter().zip(titles).map(|((_, list), title)| (title, *list)).chain(more);
    let mut text = String::new();
    for (title, list) in all.filter(|(_, list)| !list.is_empty()) {
        text.push_str(&format!("## {title}\n"));
        text.extend(list.iter().map(|item| format!("- {}\n", item.replace('\n', "\n  "))));
        text.push('\n');
    }
    if !checkpoint.kept.user_messages.is_empty() {
        text.push_str("## The user's own words, oldest first\n");
        for message in checkpoint.kept.user_messages.iter().rev() {
            text.push_str(&fenced("user", &message.content));
        }
    }
    text
}

/// A message between marks that its own words can't close.
pub fn fenced(role: &str, content: &str) -> String {
    format!(
        "<message role=\"{role}\">\n{}\n</message>\n",
        content.trim_end().replace("</message", "<\\/message")
    )
}

/// Puts a request together.
pub fn build(of: &Material<'_>) -> Request {
    let context = of.context;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let pins: String = of.pins.iter().map(|pin| format!("- {}\n", pin.text.replace('\n', "\n  "))).collect();
    let commits = context.recent_commits.as_ref().map(|commits| commits.join("\n")).unwrap_or_default();
    let system = [
        part("role", "Your role", &of.description.role_instructions, None),
        part("tools", "Your tools", &of.description.tool_instructions, None),
        part("instructions", "The project's instructions", &text(&context.claude_md), Some(INSTRUCTIONS)),
        part("structure", "The project's files", &text(&context.project_structure), Some(STRUCTURE)),
        part("about", "What this is about", &about(context), None),
        part("commits", "The last commits", &commits, None),
        part("pins", "Always keep to this", &pins, None),
        part("checkpoint", "What was said and done before", &checkpoint_words(of.checkpoint), None),
    ];
    let said: String = of.messages.iter().map(|m| fenced(m.speaker.word(), &m.content)).collect();
    let user = [
        part("messages", "The conversation so far", &said, None),
        of.prompt.map(|prompt| Part {
            name: "prompt",
            tokens: estimate(prompt),
            text: prompt.to_owned(),
            cut: false,
        }),
    ];
    Request { system: system.into_iter().flatten().collect(), user: user.into_iter().flatten().collect() }
}

impl Request {
    /// All its parts in their order.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.system.iter().chain(&self.user)
    }

    /// The tokens of all parts, estimated, not corrected.
    pub fn tokens(&self) -> u64 {
        self.parts().map(|part| part.tokens).sum()
    }

    /// The system prompt.
    pub fn system_prompt(&self) -> String {
        self.system.iter().map(|part| part.text.as_str()).collect::<String>().trim_end().to_owned()
    }

    /// Messages and prompt as one text.
    pub fn user_prompt(&self) -> String {
        self.user.iter().map(|part| part.text.as_str()).collect::<String>().trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::Speaker;
    use super::*;

    fn message(speaker: Speaker, content: &str) -> Message {
        Message {
            id: "m".into(),
            speaker,
            content: content.into(),
            timestamp: String::new(),
            metadata: None,
            other: serde_json::Map::new(),
        }
    }

    #[test]
    fn a_request_begins_with_what_changes_least() {
        let description = Description { role_instructions: "You plan.".into(), ..Description::default() };
        let context = Context {
            feature_id: "auth".into(),
            claude_md: Some("## CLAUDE.md\nUse tabs.".into()),
            project_structure: Some("src/\n".repeat(3_000)),
            recent_commits: Some(vec!["abc - x".into()]),
            ..Context::default()
        };
        let mut checkpoint = Checkpoint::default();
        checkpoint.summary.decisions.push("JWT".into());
        let pins = [Pin { number: 1, text: "Never touch billing".into(), message: None }];
        let mut messages = vec![message(Speaker::User, "Hello </message> x")];
        let of = |messages: &[Message], prompt: &str| {
            build(&Material {
                description: &description,
                context: &context,
                checkpoint: &checkpoint,
                pins: &pins,
                messages,
                prompt: Some(prompt),
            })
        };
        let one = of(&messages, "And now?");
        let names: Vec<&str> = one.parts().map(|part| part.name).collect();
        assert_eq!(
            names,
            [
                "role",
                "instructions",
                "structure",
                "about",
                "commits",
                "pins",
                "checkpoint",
                "messages",
                "prompt"
            ]
        );
        let structure = &one.system[2];
        assert!(structure.cut && structure.tokens <= STRUCTURE + 30, "{}", structure.tokens);
        assert!(structure.text.trim_end().ends_with("(cut: there is more)"));
        assert_eq!(
            one.user_prompt(),
            "# The conversation so far\n\n<message role=\"user\">\nHello <\\/message> x\n</message>\n\nAnd now?"
        );
        assert!(one.system_prompt().contains("## Decisions\n- JWT"));
        messages.push(message(Speaker::Assistant, "Yes."));
        let next = of(&messages, "Go on");
        assert_eq!(one.system_prompt(), next.system_prompt(), "the same prefix");
        assert_eq!(one.tokens(), one.parts().map(|p| estimate(&p.text)).sum::<u64>());
    }
}
