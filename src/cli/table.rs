//! Tables that fit the terminal.

use crate::domain::text;

/// Gives a text its colour.
pub(crate) type Paint = fn(&str, &super::output::Out) -> String;

/// As it is.
pub(crate) fn plain(text: &str, _: &super::output::Out) -> String {
    text.to_owned()
}

/// As a header.
pub(crate) fn strong(text: &str, out: &super::output::Out) -> String {
    out.strong(text)
}

/// Of less weight.
pub(crate) fn dim(text: &str, out: &super::output::Out) -> String {
    out.dim(text)
}

/// A table of texts, each cell with the text that is shown for its plain one.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug)]
struct Cell {
    plain: String,
    paint: Paint,
}

impl Table {
    /// Adds a row of plain cells, each with its colour.
    pub fn row(&mut self, cells: Vec<(String, Paint)>) {
        let cell = |(plain, paint): (String, Paint)| Cell { plain: text::clean(&plain), paint };
        self.rows.push(cells.into_iter().map(cell).collect());
    }

    /// The lines; the last column is cut so that each fits `width`.
    pub fn lines(&self, width: Option<usize>, out: &super::output::Out) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest =
            |i: usize| self.rows.iter().filter_map(|r| r.get(i)).map(|c| text::cells(&c.plain)).max();
        let mut widths: Vec<usize> = (0..columns).map(|i| widest(i).unwrap_or(0)).collect();
        if let Some(width) = width {
            shrink(&mut widths, width);
        }
        self.rows.iter().map(|row| line(row, &widths, out)).collect()
    }
}

fn line(row: &[Cell], widths: &[usize], out: &super::output::Out) -> String {
    let last = row.len().saturating_sub(1);
    let cell = |(i, (cell, width)): (usize, (&Cell, &usize))| {
        let shown = if i == last { text::fit(&cell.plain, *width) } else { text::pad(&cell.plain, *width) };
        (cell.paint)(&shown, out)
    };
    let cells: Vec<String> = row.iter().zip(widths).enumerate().map(cell).collect();
    cells.join("  ").trim_end().to_owned()
}

/// Takes what is too much from the widest columns.
fn shrink(widths: &mut [usize], width: usize) {
    let gaps = widths.len().saturating_sub(1) * 2;
    while widths.iter().sum::<usize>() + gaps > width {
        match widths.iter_mut().max() {
            Some(widest) if *widest > 8 => *widest -= 1,
            _ => break,
        }
    }
}

/// The terminal's width when stdout is one.
pub(crate) fn terminal_width() -> Option<usize> {
    use std::io::IsTerminal;
    if !std::io::stdout().is_terminal() {
        return None;
    }
    crossterm::terminal::size().ok().map(|(columns, _)| usize::from(columns))
}
