//! A terminal's capture as SVG, for documentation.

use ratatui::style::{Color, Modifier, Style};

use super::ansi;
use crate::domain::text;

/// Width and height of a cell, in SVG units.
const CELL: (usize, usize) = (9, 19);
/// The background and foreground of the pictured terminal.
const GROUND: (&str, &str) = ("#0f1016", "#d8dee9");

/// Draws captured lines, with their escape sequences, as an SVG of `columns` cells.
pub fn svg(raw: &[Vec<u8>], columns: usize) -> String {
    let (width, height) = (columns * CELL.0 + 16, raw.len() * CELL.1 + 16);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"'JetBrains Mono','DejaVu Sans Mono',Menlo,Consolas,monospace\" font-size=\"15\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"{}\"/>\n",
        GROUND.0
    );
    for (row, line) in ansi::lines(raw).iter().enumerate() {
        let mut column = 0;
        for span in &line.spans {
            let cells = text::cells(&span.content);
            out.push_str(&piece(&span.content, span.style, column, row, cells));
            column += cells;
        }
    }
    out.push_str("</svg>\n");
    out
}

fn piece(content: &str, style: Style, column: usize, row: usize, cells: usize) -> String {
    let (x, y) = (8 + column * CELL.0, 8 + row * CELL.1);
    let mut out = String::new();
    if let Some(bg) = style.bg.and_then(hex) {
        let (w, h) = (cells * CELL.0, CELL.1);
        out.push_str(&format!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{bg}\"/>\n"));
    }
    if content.trim().is_empty() {
        return out;
    }
    let fill = style.fg.and_then(hex).unwrap_or_else(|| GROUND.1.to_owned());
    let weight = if style.add_modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    let faint = if style.add_modifier.contains(Modifier::DIM) { " opacity=\"0.6\"" } else { "" };
    let escaped = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let (base, length) = (y + 14, cells * CELL.0);
    out.push_str(&format!(
        "<text x=\"{x}\" y=\"{base}\" textLength=\"{length}\" fill=\"{fill}\"{weight}{faint} xml:space=\"preserve\">{escaped}</text>\n"
    ));
    out
}

/// A colour as SVG writes it; the named and indexed ones as xterm shows them.
fn hex(color: Color) -> Option<String> {
    const NAMED: [&str; 16] = [
        "#1d1f28", "#f7768e", "#9ece6a", "#e0af68", "#7aa2f7", "#bb9af7", "#7dcfff", "#c0caf5", "#5c6478",
        "#ff899d", "#b4f28a", "#f0c98a", "#9ab8ff", "#d0b4ff", "#a4daff", "#ffffff",
    ];
    match color {
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Indexed(n @ 0..16) => NAMED.get(usize::from(n)).map(|h| (*h).to_owned()),
        Color::Indexed(n @ 16..232) => {
            let step = |i: u8| if i == 0 { 0 } else { 55 + i * 40 };
            let n = n - 16;
            Some(format!("#{:02x}{:02x}{:02x}", step(n / 36), step(n / 6 % 6), step(n % 6)))
        }
        Color::Indexed(n) => {
            let level = 8 + (n - 232) * 10;
            Some(format!("#{level:02x}{level:02x}{level:02x}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_placed_by_cells() {
        let made = svg(&[b"\x1b[31m<a>\x1b[0m &".to_vec()], 20);
        assert!(made.contains("fill=\"#f7768e\"") && made.contains("&lt;a&gt;"), "{made}");
        assert!(made.contains("x=\"35\"") && made.contains(" &amp;"), "{made}");
    }
}
