//! Reading lines of a bounded length from whoever is on the other side.

use std::io::{self, BufRead, Read as _};

/// The longest line that is passed on, in bytes.
pub(super) const LONGEST: usize = 32 * 1024 * 1024;

/// Calls `each` with every line, without its end, until the input ends or `each` returns false. A longer line is given as an
/// empty one: what it was can't be told, and nothing of it is kept.
pub(super) fn each_line(mut input: impl BufRead, mut each: impl FnMut(Vec<u8>) -> bool) {
    loop {
        let mut line = Vec::new();
        match (&mut input).take(LONGEST as u64).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() >= LONGEST {
            line.clear();
            if skip_line(&mut input).is_err() {
                return;
            }
        }
        if !each(line) {
            return;
        }
    }
}

/// Reads on to the end of a line, keeping nothing.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let (used, is_end) = {
            let bytes = input.fill_buf()?;
            match bytes.iter().position(|b| *b == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), bytes.is_empty()),
            }
        };
        input.consume(used);
        if is_end {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_and_without_an_end_and_one_that_is_too_long() {
        let mut text = b"a\n\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', LONGEST + 5));
        text.extend(b"\nb");
        let mut lines = Vec::new();
        each_line(io::BufReader::new(&text[..]), |line| {
            lines.push(line);
            true
        });
        assert_eq!(lines, [b"a".to_vec(), Vec::new(), Vec::new(), b"b".to_vec()]);
    }
}
