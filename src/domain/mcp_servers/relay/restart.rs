//! How often and how soon a server that ends is started again.

use std::collections::VecDeque;

use super::Millis;

/// The pauses before the second start and the following ones.
const DELAYS: [Millis; 5] = [0, 1_000, 4_000, 15_000, 60_000];
/// How many starts are made within [`WINDOW`].
const MOST: usize = 5;
const WINDOW: Millis = 600_000;
/// A server that ends sooner than this counts twice.
const SHORT: Millis = 2_000;

/// The starts of a server, each with how much it counts.
#[derive(Debug, Default)]
pub(super) struct Starts {
    all: VecDeque<(Millis, usize)>,
    total: usize,
}

impl Starts {
    /// How many there were.
    pub const fn count(&self) -> usize {
        self.total
    }

    /// Notes a start.
    pub fn begin(&mut self, now: Millis) {
        self.all.push_back((now, 1));
        self.total += 1;
    }

    /// Notes that the server ended. Returns the pause before the next start; none: it isn't started any more.
    pub fn ended(&mut self, now: Millis) -> Option<Millis> {
        self.all.retain(|(at, _)| now < at + WINDOW);
        if let Some((at, weight)) = self.all.back_mut()
            && now < *at + SHORT
        {
            *weight = 2;
        }
        let used: usize = self.all.iter().map(|(_, weight)| weight).sum();
        (used < MOST).then(|| DELAYS.get(used.saturating_sub(1)).copied().unwrap_or(60_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_ends_is_started_later_each_time_and_then_no_more() {
        let mut starts = Starts::default();
        let mut now = 0;
        let mut pauses = Vec::new();
        loop {
            starts.begin(now);
            now += 3_000;
            match starts.ended(now) {
                Some(pause) => pauses.push(pause),
                None => break,
            }
            now += pauses.last().unwrap();
        }
        assert_eq!(pauses, [0, 1_000, 4_000, 15_000]);
        assert_eq!(starts.count(), 5);
        assert_eq!(starts.ended(now + WINDOW), Some(0), "what is long ago doesn't count");
    }

    #[test]
    fn one_that_ends_at_once_counts_twice() {
        let mut starts = Starts::default();
        starts.begin(0);
        assert_eq!(starts.ended(10), Some(1_000));
        starts.begin(1_010);
        assert_eq!(starts.ended(1_020), Some(15_000));
        starts.begin(16_020);
        assert_eq!(starts.ended(16_030), None);
    }
}
