//! Secrets in texts that leave a conversation or a transcript: found by rules, and replaced by a mark.
//!
//! Invariant: the same secret has the same mark, so that a reader can tell two apart, and nobody can find it from its mark
//! without the key of this deck. What is hidden by mistake is hidden in a copy, never in a record.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// A rule of `assets/secrets.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    kind: String,
    pattern: String,
    #[serde(default)]
    value: Value,
}

/// What a match must be besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Value {
    #[default]
    Any,
    Word,
    Random,
}

#[derive(Debug, Default, Deserialize)]
struct Rules {
    rules: Vec<Rule>,
}

/// A rule that is ready for use.
struct Ready {
    kind: String,
    pattern: Regex,
    value: Value,
}

static RULES: LazyLock<Vec<Ready>> = LazyLock::new(|| {
    // The file is part of the program, and each rule of it is tried by a test.
    let rules: Rules = toml::from_str(include_str!("../../assets/secrets.toml")).unwrap_or_default();
    let ready = |rule: Rule| {
        Some(Ready { kind: rule.kind, pattern: Regex::new(&rule.pattern).ok()?, value: rule.value })
    };
    rules.rules.into_iter().filter_map(ready).collect()
});

/// The shortest value of a variable that is looked for as it is.
const SHORTEST: usize = 8;

/// Parts of names whose variables hold secrets.
const NAMES: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

/// Whether the value of a variable of this name is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.iter().any(|part| name.contains(part)) && !name.ends_with("_PATH") && !name.ends_with("_FILE")
}

/// Words that stand for a secret where none is.
const PLACEHOLDERS: [&str; 12] = [
    "example",
    "changeme",
    "placeholder",
    "your",
    "xxxx",
    "redacted",
    "dummy",
    "process.env",
    "secrets.",
    "null",
    "undefined",
    "true",
];

fn is_word(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let first = text.chars().next();
    let repeats = text.chars().all(|c| Some(c) == first);
    !repeats
        && !PLACEHOLDERS.iter().any(|word| lower.contains(word))
        && !text.starts_with(['/', '.', '~', '%', '@'])
}

/// Whether a text looks as if nobody had made it up: letters and digits, and no word or path.
fn is_random(text: &str) -> bool {
    if !is_word(text) {
        return false;
    }
    let count = |of: fn(&char) -> bool| text.chars().filter(of).count();
    let (letters, digits) = (count(char::is_ascii_alphabetic), count(char::is_ascii_digit));
    let signs =
        text.chars().filter(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.' | '/')).count();
    if letters == 0 || digits + signs == 0 {
        return false;
    }
    // A path or a chain of names: `config.token.value2`.
    let parts = text.split(['.', '/', '-', '_']).filter(|part| !part.is_empty());
    let is_name = |part: &str| {
        let digits = part.chars().filter(char::is_ascii_digit).count();
        part.chars().all(|c| c.is_ascii_alphanumeric()) && digits * 5 <= part.len() && part.len() < 20
    };
    let names = parts.clone().filter(|part| is_name(part)).count();
    if names == parts.clone().count() && parts.count() > 1 {
        return false;
    }
    entropy(text) >= 2.5
}

/// How many bits of surprise there are in each character.
#[expect(clippy::cast_precision_loss, reason = "lengths of words")]
fn entropy(text: &str) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    for c in text.chars() {
        *counts.entry(c).or_insert(0_u32) += 1;
    }
    let len = text.chars().count().max(1) as f64;
    -counts.values().map(|n| f64::from(*n) / len).map(|p| p * p.log2()).sum::<f64>()
}

/// Finds secrets and hides them.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// What the marks are made with.
    key: String,
    /// Values that are secrets wherever they are, the longest first.
    known: Vec<String>,
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    pub text: String,
    /// The kinds of what was hidden, each as often as it was.
    pub hidden: Vec<String>,
}

impl Redactor {
    /// One whose marks are made with a key, that also hides the values of these variables if their names say that they are
    /// secrets.
    pub fn new<'a>(key: &str, variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let secrets = variables
            .into_iter()
            .filter(|(name, value)| is_secret_name(name) && value.len() >= SHORTEST && is_word(value));
        let mut known: Vec<String> = secrets.map(|(_, value)| value.to_owned()).collect();
        known.sort_by_key(|value| std::cmp::Reverse(value.len()));
        known.dedup();
        Self { key: key.to_owned(), known }
    }

    fn mark(&self, kind: &str, secret: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(self.key.as_bytes());
        hash.update([0]);
        hash.update(secret.as_bytes());
        let hex: String = hash.finalize().iter().take(2).map(|byte| format!("{byte:02x}")).collect();
        format!("[redacted:{kind}:{hex}]")
    }

    /// Hides all secrets in a text.
    pub fn redact(&self, text: &str) -> Redacted {
        let mut hidden = Vec::new();
        let mut text = text.to_owned();
        for value in &self.known {
            let times = text.matches(value.as_str()).count();
            if times > 0 {
                hidden.extend(std::iter::repeat_n("environment".to_owned(), times));
                text = text.replace(value.as_str(), &self.mark("environment", value));
            }
        }
        for rule in RULES.iter() {
            if !rule.pattern.is_match(&text) {
                continue;
            }
            let mut replace = |found: &Captures<'_>| {
                let whole = found.get(0).map_or("", |m| m.as_str()).to_owned();
                let secret = found.name("secret").map_or(whole.as_str(), |m| m.as_str());
                let fits = match rule.value {
                    Value::Any => true,
                    Value::Word => is_word(secret),
                    Value::Random => is_random(secret),
                };
                if !fits || secret.contains("[redacted:") || whole.contains("redacted:") {
                    return whole;
                }
                hidden.push(rule.kind.clone());
                let mark = self.mark(&rule.kind, secret);
                // The group is at one place of the match.
                match found.name("secret").zip(found.get(0)) {
                    None => mark,
                    Some((group, all)) => {
                        let (before, behind) = (group.start() - all.start(), group.end() - all.start());
                        let part =
                            |from: usize, to: usize| whole.get(from..to).unwrap_or_default().to_owned();
                        format!("{}{mark}{}", part(0, before), part(behind, whole.len()))
                    }
                }
            };
            text = rule.pattern.replace_all(&text, &mut replace).into_owned();
        }
        Redacted { text, hidden }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Secrets of many kinds, made up: each line is the kind, a tab, and a text with it, in which `{…}` is the secret. They
    /// are written in two halves, so that no scanner of repositories takes them for real ones.
    const PLANTED: &str = include_str!("../../tests/fixtures/secrets.tsv");

    fn planted() -> Vec<(String, String, String)> {
        let line = |line: &str| {
            let (kind, text) = line.split_once('\t').expect("a tab");
            let text = text.replace("<+>", "").replace("\\n", "\n");
            let secret = text.split('{').nth(1).and_then(|rest| rest.split('}').next()).expect("a secret");
            (kind.to_owned(), text.replace(['{', '}'], ""), secret.to_owned())
        };
        PLANTED.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).map(line).collect()
    }

    #[test]
    fn none_of_the_planted_secrets_is_left() {
        let redactor =
            Redactor::new("k", [("MY_TOKEN", "plain words as a value"), ("PATH", "/usr/local/bin")]);
        let all = planted();
        assert!(all.len() >= 40, "{}", all.len());
        for (kind, text, secret) in &all {
            let text = format!("before it, {text} and behind it /usr/local/bin");
            let redacted = redactor.redact(&text);
            assert!(!redacted.text.contains(secret), "{kind}: {}", redacted.text);
            assert_eq!(redacted.hidden.first(), Some(kind), "{text}");
            assert!(redacted.text.starts_with("before it, "), "{}", redacted.text);
            assert!(redacted.text.contains("/usr/local/bin") || kind == "private-key", "{}", redacted.text);
            assert_eq!(redactor.redact(&redacted.text).text, redacted.text, "once is enough");
        }
        let kinds: std::collections::BTreeSet<&String> = all.iter().map(|(kind, _, _)| kind).collect();
        let rules: std::collections::BTreeSet<&String> = RULES.iter().map(|rule| &rule.kind).collect();
        let untried: Vec<_> = rules.difference(&kinds).collect();
        assert!(untried.is_empty(), "{untried:?}");
        assert_eq!(redactor.redact("plain words as a value").hidden, ["environment"]);
    }

    #[test]
    fn every_rule_is_a_rule() {
        let rules: Rules = toml::from_str(include_str!("../../assets/secrets.toml")).unwrap();
        assert_eq!(rules.rules.len(), RULES.len());
    }

    #[test]
    fn the_same_secret_has_the_same_mark_and_another_deck_another_one() {
        let text = format!("sk-{} and sk-{}", "ant-abcdefghijklmnopqrstuvwx", "ant-zzzzzzzzzzzzzzzzzzzzyyyy");
        let of = |key: &str| Redactor::new(key, []).redact(&text).text;
        assert_eq!(of("a"), of("a"));
        assert_ne!(of("a"), of("b"));
        let marks: Vec<String> = of("a").split(" and ").map(str::to_owned).collect();
        assert_ne!(marks[0], marks[1]);
        assert!(marks[0].starts_with("[redacted:anthropic:"), "{marks:?}");
    }

    #[test]
    fn ordinary_code_is_left_alone() {
        let redactor = Redactor::new("k", []);
        for line in [
            "let token = self.next_token();",
            "const MAX_KEY: &str = \"keys\";",
            "token: Token,",
            "password = input(\"Password: \")",
            "API_KEY=$OPENAI_API_KEY",
            "API_KEY=<your key>",
            "export TOKEN=${TOKEN}",
            "authorization: Bearer <token>",
            "secret = os.environ[\"SECRET\"]",
            "let key = format!(\"{name}-{id}\");",
            "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "https://example.com/path?x=1",
            "git@github.com:owner/name.git",
            "sk-loading-spinner-wrapper",
            "token_type_handle_error_code_v2: TokenType",
            "primary_key: user_accounts_primary_key_v2",
        ] {
            let redacted = redactor.redact(line);
            assert_eq!(redacted.text, line, "{:?}", redacted.hidden);
        }
    }
}
