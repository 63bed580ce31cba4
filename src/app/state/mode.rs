//! Who has the keys while no dialog is open.

use crate::app::drag::Drag;
use crate::app::key::Key;
use crate::app::pass_through::PassThrough;

/// Who has the keys. A dialog on top has them before all of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// Commands have them.
    Normal {
        /// Keys of a command that is not complete yet.
        pending: Vec<Key>,
    },
    /// They are written into the filter of the list.
    Find,
    /// They go to a session's agent.
    PassThrough(PassThrough),
    /// Something is dragged with the mouse: a key leaves that where it is.
    Drag {
        /// What is dragged.
        drag: Drag,
        /// Who has the keys afterwards; never a drag.
        then: Box<Mode>,
    },
}

impl Default for Mode {
    fn default() -> Self {
        Self::Normal { pending: Vec::new() }
    }
}

impl Mode {
    /// Who has the keys when nothing is dragged any more.
    fn settled(&self) -> &Self {
        match self {
            Self::Drag { then, .. } => then.settled(),
            other => other,
        }
    }

    fn settled_mut(&mut self) -> &mut Self {
        match self {
            Self::Drag { then, .. } => then.settled_mut(),
            other => other,
        }
    }

    /// The keys of a command that is not complete yet.
    pub fn pending(&self) -> &[Key] {
        match self.settled() {
            Self::Normal { pending } => pending,
            _ => &[],
        }
    }

    /// Whether the filter of the list is being written.
    pub fn is_find(&self) -> bool {
        *self.settled() == Self::Find
    }

    /// The session that keys go to.
    pub fn pass_through(&self) -> Option<&PassThrough> {
        match self.settled() {
            Self::PassThrough(to) => Some(to),
            _ => None,
        }
    }

    /// What is dragged.
    pub fn drag(&self) -> Option<&Drag> {
        match self {
            Self::Drag { drag, .. } => Some(drag),
            _ => None,
        }
    }

    /// Begins to write the filter.
    pub(in crate::app) fn begin_find(&mut self) {
        *self.settled_mut() = Self::Find;
    }

    /// Stops writing the filter, if that was done.
    pub(in crate::app) fn end_find(&mut self) {
        if self.is_find() {
            *self.settled_mut() = Self::default();
        }
    }

    /// Lets a session's agent have the keys.
    pub(in crate::app) fn begin_pass_through(&mut self, to: PassThrough) {
        *self.settled_mut() = Self::PassThrough(to);
    }

    /// Takes the keys back from a session's agent, if it had them.
    pub(in crate::app) fn end_pass_through(&mut self) -> Option<PassThrough> {
        let to = self.pass_through().cloned()?;
        *self.settled_mut() = Self::default();
        Some(to)
    }

    /// Begins a drag, or continues it.
    pub(in crate::app) fn begin_drag(&mut self, drag: Drag) {
        self.end_drag();
        let then = Box::new(std::mem::take(self));
        *self = Self::Drag { drag, then };
    }

    pub(in crate::app) fn end_drag(&mut self) -> Option<Drag> {
        match std::mem::take(self) {
            Self::Drag { drag, then } => {
                *self = *then;
                Some(drag)
            }
            other => {
                *self = other;
                None
            }
        }
    }
}
