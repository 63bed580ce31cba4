//! Which rows of a session's screen are shown where there is room for fewer.

/// The rows to be shown, from above, `room` at most. `is_blank` says of each row whether nothing is on it.
///
/// Where not all have room, empty rows go first, from the longest empty run on: full-screen agents leave much room between
/// what was said and where one types. Then the rows above go: the last ones are what happens now.
pub(super) fn rows_shown(is_blank: &[bool], room: usize) -> Vec<usize> {
    let filled = is_blank.iter().rposition(|blank| !blank).map_or(0, |last| last + 1);
    let mut shown: Vec<usize> = (0..filled).collect();
    while shown.len() > room {
        let Some((start, length)) = longest_run(&shown, is_blank) else { break };
        // One empty row stays, so that what was apart is still seen to be.
        let gone = (length - 1).min(shown.len() - room);
        shown.drain(start..start + gone);
    }
    shown.split_off(shown.len().saturating_sub(room))
}

/// The longest run of empty rows among those shown, of two at least: its place and its length.
fn longest_run(shown: &[usize], is_blank: &[bool]) -> Option<(usize, usize)> {
    let mut longest: Option<(usize, usize)> = None;
    let mut start = 0;
    for run in shown.chunk_by(|a, b| is_blank.get(*a) == is_blank.get(*b)) {
        let blank = run.first().and_then(|row| is_blank.get(*row)).is_some_and(|blank| *blank);
        if blank && run.len() > 1 && longest.is_none_or(|(_, length)| run.len() > length) {
            longest = Some((start, run.len()));
        }
        start += run.len();
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows shown of a screen drawn with a letter for each filled row and a dot for each empty one.
    fn shown(screen: &str, room: usize) -> String {
        let is_blank: Vec<bool> = screen.chars().map(|c| c == '.').collect();
        rows_shown(&is_blank, room).into_iter().filter_map(|row| screen.chars().nth(row)).collect()
    }

    #[test]
    fn what_has_room_is_shown_as_it_is() {
        assert_eq!(shown("ab..c", 5), "ab..c");
        assert_eq!(shown("a..b....", 4), "a..b");
    }

    #[test]
    fn the_longest_empty_run_goes_first() {
        assert_eq!(shown("a..b.....c", 6), "a..b.c");
        assert_eq!(shown("a..b.....c", 7), "a..b..c");
        assert_eq!(shown("a..b.....c", 5), "a.b.c");
    }

    #[test]
    fn then_the_rows_above_go() {
        assert_eq!(shown("a..b.....c", 3), "b.c");
        assert_eq!(shown("abcdef", 2), "ef");
        assert_eq!(shown("abc", 0), "");
        assert_eq!(shown("....", 2), "");
        assert_eq!(shown("", 2), "");
    }
}
