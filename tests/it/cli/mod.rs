//! The command line on a real tmux.

mod conversations;
mod crash;
mod groups;
mod ids;
mod import;
mod life;
mod output;
mod paths;
mod profiles;
mod settings;
mod status;
