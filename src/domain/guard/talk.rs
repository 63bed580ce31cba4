//! What the agents of one tree have said to each other since their user last acted in it.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Refusal;
use crate::domain::id::SessionId;
use crate::domain::session::Session;

/// For how long the same text to the same session counts as a repetition.
const REPEATED: SignedDuration = SignedDuration::from_mins(10);
/// How soon a further message to the same session may follow.
const SOON: SignedDuration = SignedDuration::from_secs(2);

/// How many messages of a tree are kept.
const KEPT: usize = 100;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub at: Timestamp,
    pub from: SessionId,
    pub to: SessionId,
    /// What stands for its text, which is not kept.
    pub digest: String,
}

/// The messages of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Talk {
    /// How many since their user acted.
    #[serde(default)]
    pub count: u32,
    /// When the user last acted by deck.
    #[serde(default)]
    pub acted_at: Option<Timestamp>,
    /// When the first one that counts was sent.
    #[serde(default)]
    pub since: Option<Timestamp>,
    /// The last ones.
    #[serde(default)]
    pub said: Vec<Said>,
}

/// What stands for a text.
pub fn digest_of(text: &str) -> String {
    Sha256::digest(text.trim().as_bytes()).iter().take(8).map(|b| format!("{b:02x}")).collect()
}

impl Talk {
    /// Notes a message that is about to be sent, if it may be. `acted` is when their user was last seen to act.
    ///
    /// # Errors
    /// [`Refusal`]; nothing is noted then.
    pub fn say(
        &mut self,
        said: Said,
        to: &Session,
        acted: Option<Timestamp>,
        limit: u32,
    ) -> Result<(), Refusal> {
        let now = said.at;
        let acted = acted.max(self.acted_at);
        if self.since.is_none_or(|since| acted.is_some_and(|at| at > since)) {
            (self.count, self.since) = (0, None);
        }
        let same = || self.said.iter().filter(|old| old.to == said.to);
        if self.count >= limit {
            return Err(Refusal::Budget(limit));
        }
        let is_lately = |old: &&Said| now.duration_since(old.at) < REPEATED;
        if same().filter(is_lately).any(|old| old.digest == said.digest) {
            return Err(Refusal::Repeated(to.title.clone()));
        }
        if same().any(|old| now.duration_since(old.at) < SOON) {
            return Err(Refusal::TooSoon(to.title.clone()));
        }
        self.count += 1;
        self.since = self.since.or(Some(now));
        self.said.push(said);
        self.said.drain(..self.said.len().saturating_sub(KEPT));
        Ok(())
    }

    /// Takes back what was noted of a message that was not sent.
    pub fn take_back(&mut self, said: &Said) {
        if let Some(at) = self.said.iter().rposition(|old| old == said) {
            self.said.remove(at);
            self.count = self.count.saturating_sub(1);
        }
    }

    /// Notes that their user acted: they may talk again. Returns whether that changes anything.
    pub fn acted(&mut self, at: Timestamp) -> bool {
        let counts = self.count > 0;
        if counts {
            (self.count, self.since, self.acted_at) = (0, None, Some(at));
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn say(talk: &mut Talk, second: i64, text: &str, acted: Option<i64>) -> Result<(), Refusal> {
        let (from, to) = (SessionId::new("a"), SessionId::new("b"));
        let session = Session::new(to.clone(), "api", at(0));
        let said = Said { at: at(second), from, to, digest: digest_of(text) };
        talk.say(said, &session, acted.map(at), 3)
    }

    #[test]
    fn a_ring_ends_at_the_budget_and_goes_on_when_its_user_acts() {
        let mut talk = Talk::default();
        for n in 0..3 {
            assert_eq!(say(&mut talk, n * 10, &n.to_string(), None), Ok(()));
        }
        assert_eq!(say(&mut talk, 40, "more", None), Err(Refusal::Budget(3)));
        assert_eq!(say(&mut talk, 50, "more", Some(0)), Err(Refusal::Budget(3)), "before the first one");
        assert_eq!(say(&mut talk, 60, "more", Some(55)), Ok(()), "the user typed something");
        assert_eq!(talk.count, 1);
        assert!(talk.acted(at(61)));
        assert!(!talk.acted(at(62)), "nothing to change");
    }

    #[test]
    fn repetitions_and_floods_are_refused() {
        let mut talk = Talk::default();
        assert_eq!(say(&mut talk, 0, "go on", None), Ok(()));
        assert_eq!(say(&mut talk, 1, "else", None), Err(Refusal::TooSoon("api".into())));
        assert_eq!(say(&mut talk, 599, " go on\n", None), Err(Refusal::Repeated("api".into())));
        assert_eq!(say(&mut talk, 600, "go on", None), Ok(()));
        for n in 0..200 {
            (talk.count, talk.since) = (0, None);
            say(&mut talk, 700 + n * 10, &n.to_string(), None).unwrap();
        }
        assert_eq!(talk.said.len(), KEPT);
    }

    #[test]
    fn what_was_not_sent_counts_for_nothing() {
        let mut talk = Talk::default();
        say(&mut talk, 0, "go on", None).unwrap();
        let said = talk.said[0].clone();
        talk.take_back(&said);
        talk.take_back(&said);
        assert_eq!((talk.count, talk.said.len()), (0, 0));
        assert_eq!(say(&mut talk, 1, "go on", None), Ok(()));
    }
}
