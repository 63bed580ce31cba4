//! Turns what `tmux capture-pane -e -p` prints into an SVG: `screenshot COLUMNS <capture >picture.svg`.

use std::io::{Read, Write};

fn main() -> std::io::Result<()> {
    let columns = std::env::args().nth(1).and_then(|c| c.parse().ok()).unwrap_or(120);
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let lines: Vec<Vec<u8>> = bytes.trim_ascii_end().split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    std::io::stdout().write_all(deck::reference::svg(&lines, columns).as_bytes())
}
