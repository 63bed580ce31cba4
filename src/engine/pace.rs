//! How often captures are asked for.
//!
//! Each costs the tmux server a walk over all its panes. So a screen that changes often is captured often, and
//! one that changes once a second is captured five times a second. After a key it is always captured fast.

use std::time::{Duration, Instant};

/// Between two captures of a screen that changes often.
const FAST: Duration = Duration::from_millis(50);
/// Between two captures of a screen that rests, or changes about once a second.
const SLOW: Duration = Duration::from_millis(200);
/// A change is looked for N times in the time from one to the next.
const LOOKS: u32 = 4;
/// How long captures are asked for fast after a key, or for a screen that was just turned to.
const AFTERGLOW: Duration = Duration::from_secs(1);
/// When captures are asked for after something was typed.
const ECHO: [Duration; 3] = [Duration::from_millis(8), Duration::from_millis(16), Duration::from_millis(32)];

/// The pace of one screen.
#[derive(Debug)]
pub(super) struct Pace {
    touched: Instant,
    changed: Instant,
    /// The time between the last two changes.
    between: Duration,
    echoes: Vec<Instant>,
}

impl Pace {
    /// The pace of a screen that is turned to.
    pub fn new(now: Instant) -> Self {
        Self { touched: now, changed: now, between: SLOW, echoes: Vec::new() }
    }

    /// Something was typed into it.
    pub fn typed(&mut self, now: Instant) {
        self.touched = now;
        self.echoes = ECHO.iter().map(|after| now + *after).collect();
    }

    pub fn changed(&mut self, now: Instant) {
        self.between = now.duration_since(self.changed);
        self.changed = now;
    }

    /// How long to wait for the next capture.
    pub fn wait(&mut self, now: Instant) -> Duration {
        self.echoes.retain(|at| *at > now);
        let usual = if now.duration_since(self.touched) < AFTERGLOW {
            FAST
        } else {
            let rest = self.between.max(now.duration_since(self.changed));
            (rest / LOOKS).clamp(FAST, SLOW)
        };
        self.echoes.first().map_or(usual, |at| at.duration_since(now).min(usual))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pace that nothing was typed at lately.
    fn settled(start: Instant) -> (Pace, Instant) {
        (Pace::new(start), start + AFTERGLOW * 2)
    }

    #[test]
    fn a_screen_that_is_turned_to_is_looked_at_often_at_first() {
        let start = Instant::now();
        let (mut pace, later) = settled(start);
        assert_eq!(pace.wait(start), FAST);
        assert_eq!(pace.wait(later), SLOW);
    }

    #[test]
    fn what_changes_often_is_looked_at_often() {
        let (mut pace, mut now) = settled(Instant::now());
        for _ in 0..3 {
            now += Duration::from_millis(100);
            pace.changed(now);
        }
        assert_eq!(pace.wait(now), FAST);
        assert_eq!(pace.wait(now + Duration::from_secs(1)), SLOW);
    }

    #[test]
    fn a_clock_that_ticks_once_a_second_is_no_reason_to_hurry() {
        let (mut pace, mut now) = settled(Instant::now());
        for _ in 0..3 {
            now += Duration::from_secs(1);
            pace.changed(now);
        }
        assert_eq!(pace.wait(now), SLOW);
    }

    #[test]
    fn an_echo_is_waited_for_at_once() {
        let (mut pace, now) = settled(Instant::now());
        pace.typed(now);
        assert_eq!(pace.wait(now), ECHO[0]);
        assert_eq!(pace.wait(now + ECHO[0]), ECHO[1] - ECHO[0]);
        assert_eq!(pace.wait(now + ECHO[2]), FAST);
    }
}
