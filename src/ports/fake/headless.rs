//! Programs that give the answers that a test has prepared, one after the other.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::ports::Cancel;
use crate::ports::headless::{Headless, HeadlessAnswer, HeadlessError, HeadlessJob};

/// Answers, and what was asked.
#[derive(Debug, Default)]
pub struct FakeHeadless {
    pub answers: Mutex<VecDeque<Result<String, HeadlessError>>>,
    pub asked: Mutex<Vec<HeadlessJob>>,
}

impl Headless for FakeHeadless {
    fn run(&self, job: &HeadlessJob, _: &Cancel) -> Result<HeadlessAnswer, HeadlessError> {
        self.asked.lock().unwrap().push(job.clone());
        let none = || Err(HeadlessError::NotStarted("no answer was prepared".to_owned()));
        let answer = self.answers.lock().unwrap().pop_front().unwrap_or_else(none);
        answer.map(|text| HeadlessAnswer { text, left: None })
    }
}
