//! Finding things by what is typed: the list, the palette and the pickers.
//!
//! Invariant: every word must fit. A word fits a name if its letters are in it in order, and anything else
//! if it is in it as a whole: in long texts the letters of almost any word are somewhere.

use std::cell::RefCell;

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// What is looked for.
pub struct Query {
    words: Vec<Word>,
    /// Made for the first text: it is large.
    matcher: RefCell<Option<Matcher>>,
}

struct Word {
    scattered: Atom,
    whole: Atom,
}

impl std::fmt::Debug for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query").field("words", &self.words.len()).finish_non_exhaustive()
    }
}

impl Query {
    /// The words of `text`; upper and lower case are the same.
    pub fn new(text: &str) -> Self {
        let atom =
            |word: &str, kind| Atom::new(word, CaseMatching::Ignore, Normalization::Smart, kind, false);
        let word = |word: &str| Word {
            scattered: atom(word, AtomKind::Fuzzy),
            whole: atom(word, AtomKind::Substring),
        };
        Self { words: text.split_whitespace().map(word).collect(), matcher: RefCell::default() }
    }

    /// How well something fits that has this name and these other texts; `None` when a word doesn't fit. A
    /// name that has the word as a whole fits best; without words everything fits the same.
    pub fn score(&self, name: &str, others: &[&str]) -> Option<u32> {
        if self.words.is_empty() {
            return Some(0);
        }
        let mut matcher = self.matcher.borrow_mut();
        let matcher = matcher.get_or_insert_with(|| {
            let mut config = Config::DEFAULT;
            config.prefer_prefix = true;
            Matcher::new(config)
        });
        let mut letters = Vec::new();
        let mut score = |atom: &Atom, text: &str| atom.score(Utf32Str::new(text, &mut letters), matcher);
        let mut total = 0;
        for word in &self.words {
            let whole = score(&word.whole, name).map_or(0, u32::from);
            let of_name = score(&word.scattered, name).map(|s| u32::from(s) + 2 * whole);
            let of_others = others.iter().filter_map(|text| score(&word.whole, text)).map(u32::from).max();
            total += of_name.max(of_others)?;
        }
        Some(total)
    }

    /// Those of `all` that fit, the best first; equal ones keep their order. `of` gives a thing's name.
    pub fn best<T>(&self, all: impl IntoIterator<Item = T>, of: impl Fn(&T) -> &str) -> Vec<T> {
        let scored = all.into_iter().filter_map(|t| Some((self.score(of(&t), &[])?, t)));
        let mut scored: Vec<(u32, T)> = scored.collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().map(|(_, t)| t).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_must_fit_somewhere() {
        let fits =
            |words: &str| Query::new(words).score("api-tests", &["/home/u/Backend", "claude"]).is_some();
        for words in ["", "  ", "api", "APT", "back api", "claude tests", "u/back"] {
            assert!(fits(words), "{words:?}");
        }
        for words in ["apx", "api docs", "bckend", "tests-api"] {
            assert!(!fits(words), "{words:?}");
        }
        assert!(Query::new("UBER ö").score("über Österreich", &[]).is_some());
    }

    #[test]
    fn the_best_comes_first_and_equals_keep_their_order() {
        let order = |words: &str, all: &[&'static str]| Query::new(words).best(all.to_vec(), |t| t);
        assert_eq!(order("re", &["fold more", "archive", "rename"])[0], "rename");
        assert_eq!(order("api", &["a pile in", "the api", "api"]), ["api", "the api", "a pile in"]);
        assert_eq!(order("", &["b", "a"]), ["b", "a"]);
        assert_eq!(order("$x !y ^z", &["b"]), Vec::<&str>::new(), "nothing typed is an operator");
        proptest::proptest!(|(words in ".{0,20}", name in ".{0,40}")| { Query::new(&words).score(&name, &[&name]); });
    }
}
