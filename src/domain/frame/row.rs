//! One row as bytes that are complete in themselves: no state is carried into it or out of it.

use crate::domain::cells::{self, Attributes, Colour, Pen, Run};

/// Each row of a capture, to be written at the start of an empty row. Blanks at its end that nobody would see are left out.
pub(super) fn encoded(raw: &[Vec<u8>]) -> Vec<String> {
    cells::rows(raw).iter().map(|runs| encode(runs)).collect()
}

fn encode(runs: &[Run]) -> String {
    let mut out = String::new();
    let mut pen = Pen::default();
    let seen =
        runs.iter().rposition(|run| shows_blanks(run.pen) || !run.text.trim_end_matches(' ').is_empty());
    let Some(last) = seen else { return out };
    for (i, run) in runs.iter().take(last + 1).enumerate() {
        if run.pen != pen {
            out.push_str(&cells::sgr(run.pen));
            pen = run.pen;
        }
        let ends = i == last && !shows_blanks(run.pen);
        out.push_str(if ends { run.text.trim_end_matches(' ') } else { &run.text });
    }
    if pen != Pen::default() {
        out.push_str("\x1b[0m");
    }
    out
}

/// Whether a blank that is drawn with it looks different from an empty cell.
fn shows_blanks(pen: Pen) -> bool {
    let drawn = Attributes::REVERSED.with(Attributes::UNDERLINED).with(Attributes::CROSSED_OUT);
    pen.bg != Colour::Default || pen.attributes.has(drawn)
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn rows_are_complete_in_themselves() {
        let raw = [b"\x1b[31ma  ".to_vec(), b"b \x1b[0;44m  ".to_vec(), b"\x1b[0m   ".to_vec()];
        assert_eq!(encoded(&raw), ["\x1b[0;31ma\x1b[0m", "\x1b[0;31mb \x1b[0;44m  \x1b[0m", ""]);
    }
}
