//! The command line on a real tmux.

mod crash;
mod groups;
mod ids;
mod life;
mod output;
mod paths;
mod profiles;
