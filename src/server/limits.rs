//! How often one viewer may ask.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::error::ApiError;

/// How many requests one viewer may make in [`WINDOW`].
const MAX: u32 = 200;
const WINDOW: Duration = Duration::from_secs(1);

/// What each viewer has asked lately.
#[derive(Debug, Default)]
pub struct Rates(Mutex<HashMap<String, (Instant, u32)>>);

impl Rates {
    /// Counts a request.
    ///
    /// # Errors
    /// 429 after too many.
    pub fn count(&self, viewer: &str, now: Instant) -> Result<(), ApiError> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, (since, _)| now.duration_since(*since) < WINDOW);
        let (_, count) = all.entry(viewer.to_owned()).or_insert((now, 0));
        *count += 1;
        if *count > MAX {
            return Err(
                ApiError::too_many(format!("more than {MAX} requests in a second")).hint("wait a second")
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_viewer_has_a_limit_of_its_own() {
        let (rates, now) = (Rates::default(), Instant::now());
        assert!((0..MAX).all(|_| rates.count("a", now).is_ok()));
        assert!(rates.count("a", now).is_err() && rates.count("b", now).is_ok());
        assert!(rates.count("a", now + WINDOW).is_ok());
    }
}
