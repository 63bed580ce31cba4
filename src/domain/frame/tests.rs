//! An emulator that writes what the painter returns has the pane's screen and history.

use std::num::NonZeroU16;

use proptest::prelude::*;

use super::*;

/// A pane as tmux keeps it: a screen, and a history of which a tenth is dropped at its limit.
#[derive(Debug, Clone)]
struct Pane {
    width: u16,
    limit: usize,
    history: Vec<String>,
    screen: Vec<String>,
    /// Everything that ever scrolled away.
    all: Vec<String>,
    cursor: (u16, u16),
}

#[derive(Debug, Clone)]
enum Act {
    /// Prints so many lines at the bottom.
    Print(usize, String),
    /// Rewrites a row.
    Rewrite(usize, String),
    Cursor(u16, u16),
}

impl Pane {
    fn new(width: u16, height: u16, limit: usize) -> Self {
        let screen = vec![String::new(); usize::from(height)];
        Self { width, limit, history: Vec::new(), screen, all: Vec::new(), cursor: (0, 0) }
    }

    fn act(&mut self, act: &Act, seed: &mut usize) {
        match act {
            Act::Print(lines, text) => {
                for _ in 0..*lines {
                    *seed += 1;
                    if self.history.len() >= self.limit {
                        self.history.drain(..(self.limit / 10).max(1));
                    }
                    let top = self.screen.remove(0);
                    self.history.push(top.clone());
                    self.all.push(top);
                    self.screen.push(format!("{seed} {text}"));
                }
            }
            Act::Rewrite(row, text) => {
                let row = row % self.screen.len();
                self.screen[row].clone_from(text);
            }
            Act::Cursor(x, y) => {
                self.cursor = (x % self.width, y % u16::try_from(self.screen.len()).unwrap());
            }
        }
    }

    fn capture(&self, back: u32) -> Capture {
        let back = (back as usize).min(self.history.len());
        let rows = self.history[self.history.len() - back..].iter().chain(&self.screen);
        Capture {
            facts: Facts {
                size: (self.width, u16::try_from(self.screen.len()).unwrap()),
                cursor: self.cursor,
                cursor_shown: true,
                history: u32::try_from(self.history.len()).unwrap(),
                limit: u32::try_from(self.limit).unwrap(),
                alternate: false,
                pid: Some(1),
            },
            rows: rows.map(|row| row.clone().into_bytes()).collect(),
        }
    }
}

/// A viewer: an emulator, and the loop that captures until the painter has what it needs.
struct Viewer {
    painter: Painter,
    emulator: vt100::Parser,
    jumped: bool,
}

fn emulator(height: u16, width: u16) -> vt100::Parser {
    let cells = |n| NonZeroU16::new(n).unwrap();
    vt100::Parser::new(cells(height), cells(width), 100_000)
}

impl Viewer {
    fn new(pane: &Pane) -> Self {
        let height = u16::try_from(pane.screen.len()).unwrap();
        let mut viewer =
            Self { painter: Painter::default(), emulator: emulator(height, pane.width), jumped: false };
        viewer.restart(pane);
        viewer
    }

    fn restart(&mut self, pane: &Pane) {
        let (data, _) = self.painter.whole(&pane.capture(u32::MAX));
        let (height, width) = self.emulator.screen().size();
        self.emulator = emulator(height.get(), width.get());
        self.emulator.process(data.as_bytes());
        self.jumped = false;
    }

    fn look(&mut self, pane: &Pane) {
        let mut back = self.painter.wants();
        for _ in 0..3 {
            match self.painter.step(&pane.capture(back)) {
                Step::Same => return,
                Step::Paint(bytes, _) => return self.emulator.process(bytes.as_bytes()),
                Step::Jump(bytes) => {
                    self.jumped = true;
                    return self.emulator.process(bytes.as_bytes());
                }
                Step::More(lines) => back = lines,
                Step::Restart => return self.restart(pane),
            }
        }
        panic!("three captures were not enough");
    }

    /// The rows of the emulator's screen, and the lines above it.
    fn shows(&mut self) -> (Vec<String>, Vec<String>) {
        let (height, width) = self.emulator.screen().size();
        let rows = |emulator: &vt100::Parser| -> Vec<String> {
            emulator.screen().rows(0, width.get()).map(|row| row.trim_end().to_owned()).collect()
        };
        let screen = rows(&self.emulator);
        self.emulator.screen_mut().set_scrollback(usize::MAX);
        let lines = self.emulator.screen().scrollback();
        let mut history = Vec::new();
        for back in (1..=lines).rev() {
            self.emulator.screen_mut().set_scrollback(back);
            history.push(rows(&self.emulator)[0].clone());
        }
        self.emulator.screen_mut().set_scrollback(0);
        assert_eq!(screen.len(), usize::from(height.get()));
        (screen, history)
    }
}

fn trimmed(rows: &[String]) -> Vec<String> {
    rows.iter().map(|row| row.trim_end().to_owned()).collect()
}

fn act() -> impl Strategy<Value = Act> {
    let text = prop_oneof!["[ -~]{0,12}", "([あ漢é─]|e\u{301}){0,5}", Just(String::new())];
    prop_oneof![
        3 => (0usize..60, text.clone()).prop_map(|(n, text)| Act::Print(n, text)),
        2 => (0usize..40, text).prop_map(|(row, text)| Act::Rewrite(row, text)),
        1 => (0u16..200, 0u16..200).prop_map(|(x, y)| Act::Cursor(x, y)),
    ]
}

proptest! {
    #[test]
    fn an_emulator_shows_what_the_pane_shows(
        height in 2u16..20,
        limit in 30usize..400,
        looks in prop::collection::vec(prop::collection::vec(act(), 0..5), 1..12),
    ) {
        let mut pane = Pane::new(30, height, limit);
        let mut seed = 0;
        let mut viewer = Viewer::new(&pane);
        for acts in looks {
            for act in &acts {
                pane.act(act, &mut seed);
            }
            viewer.look(&pane);
            let (screen, history) = viewer.shows();
            prop_assert_eq!(&screen, &trimmed(&pane.screen));
            let cursor = viewer.emulator.screen().cursor_position();
            prop_assert_eq!(cursor, (pane.cursor.1, pane.cursor.0));
            if viewer.jumped {
                // Said, and put right by the next keyframe.
                viewer.restart(&pane);
            } else {
                // The viewer may keep more than the pane does.
                let all = trimmed(&pane.all);
                prop_assert!(all.ends_with(&history), "{all:?} {history:?}");
                prop_assert!(history.len() >= pane.history.len());
            }
        }
    }
}

#[test]
fn a_burst_that_is_too_long_is_a_jump_and_then_only_the_screen_is_painted() {
    let mut pane = Pane::new(20, 5, 5_000);
    let mut seed = 0;
    let mut viewer = Viewer::new(&pane);
    pane.act(&Act::Print(3_000, "x".to_owned()), &mut seed);
    viewer.look(&pane);
    assert!(viewer.jumped);
    assert_eq!(viewer.painter.wants(), 0);
    pane.act(&Act::Print(3, "y".to_owned()), &mut seed);
    viewer.look(&pane);
    assert_eq!(viewer.shows().0, pane.screen);
    viewer.restart(&pane);
    assert_ne!(viewer.painter.wants(), 0);
    assert_eq!(viewer.shows().1, trimmed(&pane.history));
}

#[test]
fn what_can_not_be_followed_is_skipped_and_said() {
    let mut pane = Pane::new(20, 5, 5_000);
    let mut seed = 0;
    let mut viewer = Viewer::new(&pane);
    pane.act(&Act::Print(50, "x".to_owned()), &mut seed);
    assert!(matches!(viewer.painter.step(&pane.capture(10)), Step::More(_)));
    let Step::Jump(bytes) = viewer.painter.skip(&pane.capture(10)) else { panic!() };
    viewer.emulator.process(bytes.as_bytes());
    assert_eq!(viewer.shows().0, pane.screen);
    assert_eq!(viewer.painter.wants(), 0);
}

#[test]
fn lines_dropped_at_the_limit_are_counted_even_if_the_history_seems_to_have_grown() {
    let mut pane = Pane::new(20, 5, 300);
    let mut seed = 0;
    pane.act(&Act::Print(290, "x".to_owned()), &mut seed);
    let mut viewer = Viewer::new(&pane);
    // 10 to the limit, 30 dropped, 40 more: the history is as long as it was and 20 longer.
    pane.act(&Act::Print(40, "y".to_owned()), &mut seed);
    viewer.look(&pane);
    assert!(!viewer.jumped);
    let history = viewer.shows().1;
    assert_eq!(history, trimmed(&pane.all[pane.all.len() - history.len()..]));
    assert_eq!(history.len(), 330);
}

#[test]
fn another_size_process_or_screen_begins_again() {
    let pane = Pane::new(20, 5, 300);
    let mut painter = Painter::default();
    painter.whole(&pane.capture(0));
    for change in
        [|f: &mut Facts| f.size.0 = 21, |f: &mut Facts| f.alternate = true, |f: &mut Facts| f.pid = Some(2)]
    {
        let mut capture = pane.capture(0);
        change(&mut capture.facts);
        assert_eq!(painter.step(&capture), Step::Restart);
    }
    assert_eq!(painter.step(&pane.capture(0)), Step::Same);
}

#[test]
fn a_cleared_history_is_no_growth() {
    let mut pane = Pane::new(20, 5, 300);
    let mut seed = 0;
    pane.act(&Act::Print(100, "x".to_owned()), &mut seed);
    let mut viewer = Viewer::new(&pane);
    pane.history.clear();
    pane.act(&Act::Print(2, "y".to_owned()), &mut seed);
    viewer.look(&pane);
    assert!(viewer.jumped);
}

#[test]
fn a_frame_holds_no_sequence_that_a_terminal_answers() {
    let mut pane = Pane::new(40, 3, 300);
    pane.screen[0] = "\u{1b}[c\u{1b}[6n\u{1b}]10;?\u{7}\u{9b}c</script>\u{202e}x".to_owned();
    let (data, _) = Painter::default().whole(&pane.capture(0));
    assert_eq!(data, "\u{1b}[?7l\u{1b}[0mc</script>x\r\n\r\n\u{1b}[1;1H\u{1b}[?25h");
}

#[test]
fn a_stream_is_bounded_and_whoever_is_too_far_back_gets_a_keyframe() {
    let mut stream = Stream::default();
    stream.restart(7, "all".to_owned(), (80, 24), 3, 10);
    let Pull::Whole(keyframe, at) = stream.pull(None) else { panic!() };
    assert_eq!((keyframe.lines, keyframe.first), (3, 7));
    assert_eq!(stream.pull(Some(at)), Pull::Nothing);
    stream.push("one".to_owned(), 2);
    stream.push("two".to_owned(), 0);
    let end = Position { epoch: 7, offset: 6 };
    assert_eq!(stream.pull(Some(at)), Pull::Output("onetwo".to_owned(), end));
    assert_eq!(stream.line(), 12);
    for wrong in [
        Position { epoch: 6, offset: 6 },
        Position { epoch: 7, offset: 1 },
        Position { epoch: 7, offset: 99 },
    ] {
        assert!(matches!(stream.pull(Some(wrong)), Pull::Whole(..)), "{wrong:?}");
    }
    for _ in 0..10 {
        stream.push("x".repeat(50_000), 0);
    }
    assert_eq!(stream.pull(Some(at)), Pull::Missing);
    assert_eq!(stream.pull(Some(stream.end())), Pull::Nothing);
}
