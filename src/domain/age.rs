//! Ages and durations in a few characters.

use jiff::Timestamp;

/// How long ago, coarsely: `now`, `4m`, `3h`, `2d`.
pub fn age(now: Timestamp, since: Timestamp) -> String {
    let seconds = now.duration_since(since).as_secs().max(0);
    match seconds {
        0..60 => "now".to_owned(),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// How long something has lasted, to the second while that is readable: `12s`, `1m04s`, `2h`.
pub fn running(now: Timestamp, since: Timestamp) -> String {
    let seconds = now.duration_since(since).as_secs().max(0);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h{:02}m", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_characters() {
        let at = |s| Timestamp::from_second(s).unwrap();
        let check = |s, coarse: &str, fine: &str| {
            assert_eq!((age(at(s), at(0)).as_str(), running(at(s), at(0)).as_str()), (coarse, fine));
        };
        check(-5, "now", "0s");
        check(59, "now", "59s");
        check(64, "1m", "1m04s");
        check(3_600 * 3 + 61, "3h", "3h01m");
        check(86_400 * 2, "2d", "2d");
    }
}
