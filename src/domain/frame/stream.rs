//! The bytes of one pane for all its viewers: each of them may be anywhere in it, and none of them is waited for.
//!
//! A position is an epoch and an offset in bytes. What is kept is bounded; whoever is further back than that gets a
//! [`Keyframe`] and goes on from there.

use std::collections::VecDeque;
use std::sync::Arc;

/// How many bytes are kept, with what each frame takes besides its text.
const MAX_BYTES: usize = 256 * 1024;
/// What a frame takes besides: its place in the queue, and what an allocation is rounded up by.
const OVERHEAD: usize = 48;

/// How far a viewer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub epoch: u64,
    pub offset: u64,
}

/// The whole of a pane, to be written to a terminal that was reset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyframe {
    pub data: String,
    /// Columns and rows.
    pub size: (u16, u16),
    /// How many lines of it are above the screen.
    pub lines: u32,
    /// The number of the first of these lines: older ones have smaller numbers, down to 0.
    pub first: u64,
}

/// What a viewer has to be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pull {
    /// It has everything.
    Nothing,
    /// Reset, and write this; then pull again from the position.
    Whole(Arc<Keyframe>, Position),
    /// Write this; it is then at the position.
    Output(String, Position),
    /// A keyframe has to be made first.
    Missing,
}

/// What was written, as far as it is kept.
#[derive(Debug, Default)]
pub struct Stream {
    epoch: u64,
    /// Each frame with the offset of its first byte.
    frames: VecDeque<(u64, Box<str>)>,
    kept: usize,
    /// The offset after the last byte.
    end: u64,
    /// The newest keyframe, with its offset.
    keyframe: Option<(u64, Arc<Keyframe>)>,
    /// The number of the line that scrolls away next.
    line: u64,
}

impl Stream {
    /// Begins a new epoch with a keyframe. Nothing of what was before can be continued. `history` is how many lines the
    /// pane keeps above its screen.
    pub fn restart(&mut self, epoch: u64, data: String, size: (u16, u16), lines: u32, history: u32) {
        self.epoch = epoch;
        self.frames.clear();
        self.kept = 0;
        self.line = u64::from(history);
        self.put_keyframe(data, size, lines);
    }

    /// Keeps a keyframe for the end of the stream: the viewers that have all of it need none.
    pub fn put_keyframe(&mut self, data: String, size: (u16, u16), lines: u32) {
        let first = self.line.saturating_sub(u64::from(lines));
        self.keyframe = Some((self.end, Arc::new(Keyframe { data, size, lines, first })));
    }

    /// Adds a frame, which scrolled so many lines away.
    pub fn push(&mut self, frame: String, scrolled: u32) {
        let offset = self.end;
        self.end += frame.len() as u64;
        self.kept += frame.len() + OVERHEAD;
        self.line += u64::from(scrolled);
        self.frames.push_back((offset, frame.into_boxed_str()));
        while self.kept > MAX_BYTES {
            let Some((_, frame)) = self.frames.pop_front() else { break };
            self.kept -= frame.len() + OVERHEAD;
        }
        // A keyframe that can't be continued is of no use.
        let start = self.start();
        self.keyframe.take_if(|(at, _)| *at < start);
    }

    /// The number of the line that scrolls away next.
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// The end.
    pub const fn end(&self) -> Position {
        Position { epoch: self.epoch, offset: self.end }
    }

    fn start(&self) -> u64 {
        self.frames.front().map_or(self.end, |(at, _)| *at)
    }

    /// What a viewer at this position has to be given; none of one that has nothing yet.
    pub fn pull(&self, at: Option<Position>) -> Pull {
        if let Some(at) = at
            && at.epoch == self.epoch
        {
            if at.offset == self.end {
                return Pull::Nothing;
            }
            if let Ok(index) = self.frames.binary_search_by_key(&at.offset, |(offset, _)| *offset) {
                let data = self.frames.iter().skip(index).map(|(_, frame)| &**frame).collect();
                return Pull::Output(data, self.end());
            }
        }
        match &self.keyframe {
            Some((offset, keyframe)) => {
                Pull::Whole(keyframe.clone(), Position { epoch: self.epoch, offset: *offset })
            }
            None => Pull::Missing,
        }
    }
}
