//! The columns of the list: which have room at a width, and where they are.
//!
//! Invariant: a column's place depends on the width alone, never on what another row shows.

/// A column that may be shown behind the title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Column {
    /// The branch of the session's folder.
    Branch,
    /// The question, the error, or the last line of the answer.
    Detail,
    /// The status in a word or two.
    Status,
    /// For how long.
    Age,
}

impl Column {
    /// All of them, in their order by default.
    pub const ALL: [Self; 4] = [Self::Branch, Self::Detail, Self::Status, Self::Age];

    /// Its name in the settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Detail => "detail",
            Self::Status => "status",
            Self::Age => "age",
        }
    }

    /// The column of this name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.word() == word)
    }

    /// The least width of the list at which it is shown.
    const fn least(self) -> usize {
        match self {
            Self::Branch => 58,
            Self::Detail => 70,
            Self::Status => 45,
            Self::Age => 0,
        }
    }

    /// Whether its text ends at its right end.
    pub const fn is_right(self) -> bool {
        matches!(self, Self::Status | Self::Age)
    }
}

/// Cells of a status, and of an age.
const STATUS: usize = 10;
const AGE: usize = 5;
/// The least cells of everything before the first column.
const TITLE: usize = 26;
/// Blanks behind each column that isn't an age.
const GAP: usize = 1;

/// A column's place in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which it is.
    pub column: Column,
    /// Its first cell.
    pub x: usize,
    /// Its cells.
    pub width: usize,
}

/// The places of these columns in a list of a width. What is before the first is for the title.
pub fn places(columns: &[Column], width: usize) -> Vec<Place> {
    let shown: Vec<Column> = columns.iter().copied().filter(|c| width >= c.least()).collect();
    let has = |column| shown.contains(&column);
    let fixed =
        if has(Column::Status) { STATUS + GAP } else { 0 } + if has(Column::Age) { AGE + GAP } else { 0 };
    // A blank at the right end, and one before the first column.
    let inner = width.saturating_sub(fixed + 2);
    let branch = match (has(Column::Branch), has(Column::Detail)) {
        (false, _) => 0,
        (true, false) => (inner * 3 / 10).clamp(10, 18),
        (true, true) => (inner * 23 / 100).clamp(10, 18),
    };
    let title = (inner * 36 / 100).max(TITLE);
    let detail = inner.saturating_sub(title + if branch > 0 { branch + 2 * GAP } else { 0 } + GAP);
    let cells = |column| match column {
        Column::Branch => branch,
        Column::Detail => detail,
        Column::Status => STATUS,
        Column::Age => AGE,
    };
    let mut right = width.saturating_sub(1);
    let mut places = Vec::new();
    for column in shown.into_iter().rev() {
        let width = cells(column);
        let Some(x) = right.checked_sub(width) else { continue };
        places.insert(0, Place { column, x, width });
        // Two blanks before what begins at its left end.
        right = x.saturating_sub(if column.is_right() { GAP } else { 2 * GAP });
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(columns: &[Column], width: usize) -> String {
        let mut line = vec!['.'; width];
        for place in places(columns, width) {
            let sign = place.column.word().chars().next().unwrap_or('?');
            line[place.x..place.x + place.width].fill(sign);
        }
        line.into_iter().collect()
    }

    #[test]
    fn columns_come_with_the_width() {
        let widths = [30, 38, 45, 46, 58, 69, 70, 80, 96, 120];
        let all: Vec<String> = widths.map(|w| format!("{w:>3} {}", drawn(&Column::ALL, w))).to_vec();
        insta::assert_snapshot!(all.join("\n"));
    }

    #[test]
    fn the_users_choice_and_order_hold() {
        let mine = [Column::Age, Column::Status, Column::Branch];
        insta::assert_snapshot!(drawn(&mine, 80));
        assert_eq!(drawn(&[], 20), ".".repeat(20));
        for column in Column::ALL {
            assert_eq!(Column::from_word(column.word()), Some(column));
        }
    }

    #[test]
    fn nothing_overlaps_at_any_width() {
        for width in 0..300 {
            let mut end = 0;
            for place in places(&Column::ALL, width) {
                assert!(place.x >= end, "{width} {place:?}");
                end = place.x + place.width;
            }
            assert!(end < width.max(1), "{width}");
        }
    }
}
