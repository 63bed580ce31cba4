//! Reading an agent's screen by rules that are data.
//!
//! Invariants: no rule sees the whole screen, only named regions at its bottom or the title, so
//! that nothing an agent prints in an answer can match; matching is linear in the screen's size.

mod choices;
mod classify;
mod composer;
mod line_prompt;
mod normalize;
mod pattern;
mod region;
mod rules;

pub use choices::{AgentDialog, Choice, ChoiceSpec, Press};
#[cfg(test)]
pub use choices::{Confirms, Take};
pub use composer::ComposerSpec;
pub use normalize::Lines;
pub use region::RegionSpec;
pub use rules::{RuleSet, RuleSpec};
