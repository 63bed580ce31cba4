//! What was said in a conversation, as lines to be read: the markdown that agents write, drawn.
//!
//! Invariants: every word stays; what is not markdown is shown as it is; a line fits its width.

use super::panel::{Role, Span, span};
use crate::domain::conversation::{Said, Who};
use crate::domain::text;

/// The lines of a conversation, each with the number of the message that it is of.
pub(super) fn talk(said: &[Said], width: usize) -> Vec<(usize, Vec<Span>)> {
    let mut all: Vec<(usize, Vec<Span>)> = Vec::new();
    for (number, one) in said.iter().enumerate() {
        let mut lines: Vec<Vec<Span>> = Vec::new();
        if !all.is_empty() && one.who != Who::Tool {
            lines.push(Vec::new());
        }
        match one.who {
            Who::User => {
                for line in one.text.lines() {
                    let spans = [span(Role::Title, text::clean(line))];
                    for part in wrapped(&spans, width.saturating_sub(2), 0) {
                        let mut whole = vec![span(Role::Accent, "❯ ")];
                        whole.extend(part);
                        lines.push(whole);
                    }
                }
            }
            Who::Agent => lines.extend(render(&one.text, width)),
            Who::Tool => {
                let words = text::fit(&text::clean(&one.text), width.saturating_sub(2));
                lines.push(vec![span(Role::Faint, format!("· {words}"))]);
            }
        }
        all.extend(lines.into_iter().map(|line| (number, line)));
    }
    all
}

/// Lines of markdown.
pub(super) fn render(source: &str, width: usize) -> Vec<Vec<Span>> {
    let mut lines = Vec::new();
    let mut in_code = false;
    for raw in source.lines() {
        let line = text::clean(&raw.replace('\t', "    "));
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            let name = line.trim_start().trim_start_matches('`').trim();
            if in_code && !name.is_empty() {
                lines.push(vec![span(Role::Faint, format!("  {name}"))]);
            }
            continue;
        }
        if in_code {
            for part in wrapped(&[span(Role::Key, line)], width.saturating_sub(2), 0) {
                let mut whole = vec![span(Role::Border, "▏ ")];
                whole.extend(part);
                lines.push(whole);
            }
            continue;
        }
        let trimmed = line.trim_start();
        let indent = " ".repeat(line.len() - trimmed.len());
        let preview_header = trimmed.trim_start_matches('#');
        if preview_header.len() < trimmed.len() && preview_header.starts_with(' ') {
            lines.extend(wrapped(&[span(Role::Title, preview_header.trim().to_owned())], width, 0));
            continue;
        }
        let (lead, rest) = match trimmed.strip_prefix("- ").or_else(|| trimmed.strip_prefix("* ")) {
            Some(rest) => (format!("{indent}• "), rest),
            None => (indent, trimmed),
        };
        let hang = text::cells(&lead);
        let mut spans = vec![span(Role::Dim, lead)];
        spans.extend(inline(rest));
        lines.extend(wrapped(&spans, width, hang));
    }
    lines
}

/// `code` and **weight** within a line.
fn inline(line: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['`', '*']) {
        let mark = if rest.get(at..).is_some_and(|r| r.starts_with("**")) { "**" } else { "`" };
        let (before, from) = (rest.get(..at).unwrap_or_default(), rest.get(at..).unwrap_or_default());
        let inside = from.strip_prefix(mark).and_then(|r| r.split_once(mark)).filter(|(i, _)| !i.is_empty());
        match inside {
            Some((inside, after)) => {
                let role = if mark == "`" { Role::Key } else { Role::Title };
                spans.push(span(Role::Text, before));
                spans.push(span(role, inside));
                rest = after;
            }
            None => {
                let end = at + from.chars().next().map_or(1, char::len_utf8);
                spans.push(span(Role::Text, rest.get(..end).unwrap_or_default()));
                rest = rest.get(end..).unwrap_or_default();
            }
        }
    }
    spans.push(span(Role::Text, rest));
    spans.retain(|s| !s.text.is_empty());
    spans
}

/// Breaks pieces of text between words; a word that is too long is broken itself. Every line but the
/// first begins with N blanks.
pub(super) fn wrapped(spans: &[Span], width: usize, hang: usize) -> Vec<Vec<Span>> {
    let hang = hang.min(width / 2);
    let width = width.max(8);
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0;
    let mut put = |role: Role, word: &str| {
        let cells = text::cells(word);
        // The blank behind a word may be where the line ends.
        if used > 0 && used + text::cells(word.trim_end()) > width {
            lines.push(if hang > 0 { vec![span(Role::Dim, " ".repeat(hang))] } else { Vec::new() });
            used = hang;
        }
        used += cells;
        if let Some(line) = lines.last_mut() {
            line.push(span(role, word));
        }
    };
    for s in spans {
        for word in s.text.split_inclusive(' ') {
            if text::cells(word.trim_end()) <= width - hang {
                put(s.role, word);
                continue;
            }
            for c in word.chars() {
                put(s.role, c.encode_utf8(&mut [0; 4]));
            }
        }
    }
    for line in &mut lines {
        while line.len() > 1 && line.last().is_some_and(|s| s.text.trim_end().is_empty()) {
            line.pop();
        }
        if let Some(last) = line.last_mut() {
            last.text.truncate(last.text.trim_end().len());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[Vec<Span>]) -> String {
        let line = |l: &Vec<Span>| l.iter().map(|s| format!("[{:?} {}]", s.role, s.text)).collect::<String>();
        lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_conversation() {
        let said = [
            Said { who: Who::User, text: "fix \u{1b}[31mit\nplease".into() },
            Said { who: Who::Tool, text: "Bash cargo test".into() },
            Said {
                who: Who::Agent,
                text: "# Done\n\nI changed `limits.rs` and **two** tests, a * star and a ` tick:\n- one thing that is long enough to be broken\n```rust\nfn main() {}\n```\n日本語".into(),
            },
        ];
        let lines: Vec<Vec<Span>> = talk(&said, 40).into_iter().map(|(_, line)| line).collect();
        insta::assert_snapshot!(shown(&lines));
    }

    #[test]
    fn every_line_fits() {
        use proptest::prelude::*;
        proptest!(|(text in "(.{0,99}|- [a-z ]{0,99})(\n```\n.{0,99})?", width in 10_usize..60, agent: bool)| {
            let who = if agent { Who::Agent } else { Who::User };
            for (_, line) in talk(&[Said { who, text: text.clone() }], width) {
                let cells: usize = line.iter().map(|s| text::cells(&s.text)).sum();
                prop_assert!(cells <= width.max(10), "{cells} {width}");
            }
        });
    }
}
