//! The command line on a real tmux.

mod conversations;
mod crash;
pub mod diff;
mod first_prompts;
mod groups;
mod help;
mod hook_notes;
mod ids;
mod import;
mod interrupts;
mod killed;
mod life;
mod odd_files;
mod output;
mod paths;
mod profiles;
mod restarts;
mod schema;
mod sending;
mod settings;
mod silent;
mod status;
mod wake;
