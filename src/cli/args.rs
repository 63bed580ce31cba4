//! The command line's shape.

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

/// A deck for the coding agents you run side by side: see which one needs you.
#[derive(Debug, Parser)]
#[command(
    name = "deck",
    version,
    styles = STYLES,
    after_help = "Without a verb, deck opens its screen.\n\nExamples:\n  deck                                   open the deck\n  deck demo                              look around without any agent\n  deck add ~/src/api -c claude           add a session and start it\n  deck list                              what every session is doing\n  deck send api 'run the tests'          send a message\n\nA SESSION is named by its title, its id, the end of its id, or `.` for the one this shell runs in."
)]
pub struct Cli {
    /// Work in this profile.
    #[arg(short, long, global = true, help_heading = "Everywhere", value_name = "NAME", env = "DECK_PROFILE", hide_env = true, add = super::complete::profiles())]
    pub profile: Option<String>,

    /// Answer in JSON.
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,

    /// Print ids alone, or nothing.
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub quiet: bool,

    /// When to use colours: auto, always or never.
    #[arg(
        long,
        global = true,
        help_heading = "Everywhere",
        hide_possible_values = true,
        value_name = "WHEN",
        default_value = "auto"
    )]
    pub color: ColorWhen,

    /// What to do.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}
