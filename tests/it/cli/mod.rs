//! The command line on a real tmux.

mod conversations;
mod crash;
mod groups;
mod ids;
mod import;
mod life;
mod odd_files;
mod output;
mod paths;
mod profiles;
mod status;
