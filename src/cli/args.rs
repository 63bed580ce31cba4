//! The command line's global options and its top level.

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, ValueEnum};

use super::verbs::Verb;

/// Whether output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ColorWhen {
    /// When stdout is a terminal and `NO_COLOR` is not set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Blue.on_default().bold())
    .usage(AnsiColor::Blue.on_default().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(AnsiColor::Green.on_default());

/// Run many coding agents side by side and see which one needs you.
#[derive(Debug, Parser)]
#[command(
    name = "deck",
    version,
    styles = STYLES,
    after_help = "Run `deck` alone to open the TUI.\n\nExamples:\n  deck                                   open the TUI\n  deck demo                              try deck without any agent\n  deck add ~/src/api -c claude           add a session and start it\n  deck list                              show what every session is doing\n  deck send api 'run the tests'          send a message\n\nSESSION: a title, an id, an id suffix, or `.` for the current session."
)]
pub struct Cli {
    /// Use this profile.
    #[arg(short, long, global = true, help_heading = "Global options", value_name = "NAME", env = "DECK_PROFILE", hide_env = true, add = super::complete::profiles())]
    pub profile: Option<String>,

    /// Output JSON.
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,

    /// Print only ids, or nothing.
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub quiet: bool,

    /// When to use colours: auto, always or never.
    #[arg(
        long,
        global = true,
        help_heading = "Global options",
        hide_possible_values = true,
        value_name = "WHEN",
        default_value = "auto"
    )]
    pub color: ColorWhen,

    /// What to do.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}
