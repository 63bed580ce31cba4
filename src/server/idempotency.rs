//! Requests that are made twice: the same answer again, without doing it again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use tokio::sync::OnceCell;

/// How long an answer is kept.
const KEPT: Duration = Duration::from_secs(600);
/// How many are kept.
const MAX: usize = 500;

/// An answer: its status and its body.
pub type Answer = (StatusCode, String);

/// The answers to requests that carried a key.
#[derive(Debug, Default)]
pub struct Answers(Mutex<HashMap<String, Entry>>);

#[derive(Debug)]
struct Entry {
    at: Instant,
    /// What was asked: another request with the same key is refused.
    asked: String,
    answer: Arc<OnceCell<Answer>>,
}

/// What a key means.
pub enum Known {
    /// Where its answer is, or will be.
    Answer(Arc<OnceCell<Answer>>),
    /// It was used for another request.
    Other,
    /// There is no room for more keys.
    Full,
}

impl Answers {
    /// The place of the answer to a request.
    pub fn of(&self, key: &str, asked: &str) -> Known {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        all.retain(|_, entry| now.duration_since(entry.at) < KEPT);
        if let Some(entry) = all.get(key) {
            return if entry.asked == asked { Known::Answer(entry.answer.clone()) } else { Known::Other };
        }
        if all.len() >= MAX {
            return Known::Full;
        }
        let answer = Arc::new(OnceCell::new());
        let entry = Entry { at: now, asked: asked.to_owned(), answer: answer.clone() };
        all.insert(key.to_owned(), entry);
        Known::Answer(answer)
    }
}
