//! A capture's styled text as ratatui draws it.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::domain::cells::{self, Attributes, Colour, Pen};

/// Reads a capture's lines. Colours that the terminal can't show are left to it.
pub(super) fn lines(raw: &[Vec<u8>]) -> Vec<Line<'static>> {
    let line = |runs: Vec<cells::Run>| {
        Line::from(runs.into_iter().map(|run| Span::styled(run.text, style(run.pen))).collect::<Vec<_>>())
    };
    cells::rows(raw).into_iter().map(line).collect()
}

fn style(pen: Pen) -> Style {
    let mut style = Style { fg: colour(pen.fg), bg: colour(pen.bg), ..Style::default() };
    for (attribute, modifier) in [
        (Attributes::BOLD, Modifier::BOLD),
        (Attributes::DIM, Modifier::DIM),
        (Attributes::ITALIC, Modifier::ITALIC),
        (Attributes::UNDERLINED, Modifier::UNDERLINED),
        (Attributes::REVERSED, Modifier::REVERSED),
        (Attributes::HIDDEN, Modifier::HIDDEN),
        (Attributes::CROSSED_OUT, Modifier::CROSSED_OUT),
    ] {
        if pen.attributes.has(attribute) {
            style = style.add_modifier(modifier);
        }
    }
    style
}

const fn colour(colour: Colour) -> Option<Color> {
    match colour {
        Colour::Default => None,
        Colour::Indexed(n) => Some(Color::Indexed(n)),
        Colour::Rgb(r, g, b) => Some(Color::Rgb(r, g, b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pen_becomes_a_style() {
        let line = &lines(&[b"\x1b[1;31;48;2;1;2;3mx".to_vec()])[0];
        let want =
            Style::default().fg(Color::Indexed(1)).bg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::BOLD);
        assert_eq!((line.spans[0].content.as_ref(), line.spans[0].style), ("x", want));
    }
}
