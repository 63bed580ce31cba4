//! How many tokens a text has, as far as that can be said without a tokenizer: by the classes of its characters, and
//! corrected by what requests really used.
//!
//! The weights are fitted to o200k_base; what they miss of other tokenizers is in the factor of a model family. They are off by
//! -8 to +9 % on prose, code, logs and transcripts, and by -14 % on Chinese, before any correction.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// What each class of characters counts, in tokens: `assets/tokens.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Weights {
    /// A word of ASCII letters, and each letter of it beyond the fifth.
    word: f64,
    long_letter: f64,
    /// A group of up to three digits.
    digits: f64,
    /// Another ASCII character that is no blank.
    sign: f64,
    newline: f64,
    /// A run of two or more blanks. A single one is part of the word behind it.
    blanks: f64,
    /// A character of Chinese, Japanese or Korean.
    cjk: f64,
    /// Any other character.
    other: f64,
}

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
    // The file is part of the program, and read by a test.
    toml::from_str(include_str!("../../../assets/tokens.toml")).unwrap_or(Weights {
        word: 0.0,
        long_letter: 0.0,
        digits: 0.0,
        sign: 0.0,
        newline: 0.0,
        blanks: 0.0,
        cjk: 0.0,
        other: 0.0,
    })
});

/// The length of a word up to which it counts as one.
const SHORT: u32 = 5;
/// How many digits make a group.
const GROUP: u32 = 3;

const fn is_cjk(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3fffd}')
}

/// What a run of characters of one class is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    None,
    Letters(u32),
    Digits(u32),
    Blanks(u32),
}

impl Run {
    fn weight(self, w: &Weights) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Letters(n) => w.word + w.long_letter * f64::from(n.saturating_sub(SHORT)),
            Self::Digits(n) => w.digits * f64::from(n.div_ceil(GROUP)),
            Self::Blanks(n) => {
                if n > 1 {
                    w.blanks
                } else {
                    0.0
                }
            }
        }
    }
}

/// The tokens of a text, estimated.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a sum of small positive numbers"
)]
pub fn estimate(text: &str) -> u64 {
    let w = &*WEIGHTS;
    let (mut sum, mut run) = (0.0, Run::None);
    for c in text.chars() {
        let next = match (c, run) {
            ('a'..='z' | 'A'..='Z', Run::Letters(n)) => Run::Letters(n + 1),
            ('a'..='z' | 'A'..='Z', _) => Run::Letters(1),
            ('0'..='9', Run::Digits(n)) => Run::Digits(n + 1),
            ('0'..='9', _) => Run::Digits(1),
            (' ' | '\t', Run::Blanks(n)) => Run::Blanks(n + 1),
            (' ' | '\t', _) => Run::Blanks(1),
            _ => Run::None,
        };
        let goes_on = std::mem::discriminant(&next) == std::mem::discriminant(&run) && next != Run::None;
        if !goes_on {
            sum += run.weight(w);
        }
        if next == Run::None {
            sum += match c {
                '\n' => w.newline,
                c if c.is_ascii() => w.sign,
                c if is_cjk(c) => w.cjk,
                _ => w.other,
            };
        }
        run = next;
    }
    (sum + run.weight(w)).ceil() as u64
}

/// How far the estimates for one family of models are corrected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    /// Tokens used for each that was estimated, between [`LEAST`] and [`MOST`].
    pub factor: f64,
    /// How many usages it was learnt from.
    pub usages: u32,
}

/// The bounds of a factor.
pub const LEAST: f64 = 0.5;
pub const MOST: f64 = 2.5;
/// How many usages it takes.
pub const ENOUGH: u32 = 5;
/// What counts until then for a family whose tokenizer isn't published: rather too many.
const UNKNOWN: f64 = 1.15;
/// How much a new usage counts against what was learnt before.
const NEW: f64 = 0.3;

/// The factors of model families: `state/tokens.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Factors(pub BTreeMap<String, Factor>);

/// The family of a model: the name of its vendor's line, such as `claude` of `claude-opus-4-1`.
pub fn family(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let first: String = name.chars().take_while(char::is_ascii_alphabetic).collect();
    match first.as_str() {
        "gpt" | "o" | "codex" | "chatgpt" => "gpt".to_owned(),
        "" => "unknown".to_owned(),
        other => other.to_owned(),
    }
}

impl Factors {
    /// The factor for a family.
    pub fn of(&self, family: &str) -> f64 {
        match self.0.get(family) {
            Some(known) if known.usages >= ENOUGH => known.factor,
            _ if family == "gpt" => 1.0,
            _ => UNKNOWN,
        }
    }

    /// Learns from a request whose whole text was known: what was estimated for it, uncorrected, and what it used.
    #[expect(clippy::cast_precision_loss, reason = "tokens")]
    pub fn learn(&mut self, family: &str, estimated: u64, used: u64) {
        if estimated == 0 || used == 0 {
            return;
        }
        let seen = (used as f64 / estimated as f64).clamp(LEAST, MOST);
        let entry = self.0.entry(family.to_owned()).or_insert(Factor { factor: seen, usages: 0 });
        // The first ones count alike, so that one odd request at the beginning is soon outweighed.
        let weight = NEW.max(1.0 / f64::from(entry.usages + 1));
        entry.factor += (seen - entry.factor) * weight;
        entry.usages = entry.usages.saturating_add(1);
    }

    /// The tokens of an estimate, corrected for a family.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tokens"
    )]
    pub fn corrected(&self, family: &str, estimated: u64) -> u64 {
        (estimated as f64 * self.of(family)).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_its_weight() {
        let weights: Weights = toml::from_str(include_str!("../../../assets/tokens.toml")).unwrap();
        assert_eq!(weights, *WEIGHTS);
        assert!(weights.word > 0.5);
        let of = |text: &str, times: f64| {
            let many = text.repeat(1000);
            #[expect(clippy::cast_precision_loss)]
            let each = estimate(&many) as f64 / 1000.0;
            assert!((each - times).abs() < 0.01, "{text:?}: {each} for {times}");
        };
        of("word ", weights.word);
        of("longword ", weights.word + 3.0 * weights.long_letter);
        of("1234 ", 2.0 * weights.digits);
        of("{}", 2.0 * weights.sign);
        of("\n", weights.newline);
        of("a   b ", 2.0 * weights.word + weights.blanks);
        of("漢", weights.cjk);
        of("ж", weights.other);
        assert_eq!((estimate(""), estimate("a")), (0, 1));
    }

    #[test]
    fn a_factor_counts_from_the_fifth_usage_on_and_stays_in_its_bounds() {
        let mut factors = Factors::default();
        assert!((factors.of("claude") - UNKNOWN).abs() < f64::EPSILON);
        assert!((factors.of("gpt") - 1.0).abs() < f64::EPSILON);
        for _ in 0..4 {
            factors.learn("claude", 1000, 1300);
        }
        assert!((factors.of("claude") - UNKNOWN).abs() < f64::EPSILON);
        factors.learn("claude", 1000, 1300);
        assert_eq!(factors.corrected("claude", 1000), 1300);
        factors.learn("odd", 1, 1000);
        factors.learn("odd", 0, 1000);
        assert_eq!(factors.0["odd"], Factor { factor: MOST, usages: 1 });
    }

    #[test]
    fn models_of_one_line_are_one_family() {
        for (model, want) in [
            ("claude-opus-4-1", "claude"),
            ("anthropic/claude-3.5", "claude"),
            ("gpt-5-codex", "gpt"),
            ("o3-mini", "gpt"),
            ("gemini-2.5-pro", "gemini"),
            ("", "unknown"),
        ] {
            assert_eq!(family(model), want, "{model}");
        }
    }
}
