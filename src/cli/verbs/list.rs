//! `deck list`: what every session is doing.

use std::process::ExitCode;

use super::{Done, list_watch};
use crate::api;
use crate::cli::error::CliError;
use crate::cli::output::Out;
use crate::cli::table::{Table, terminal_width};
use crate::cli::{Context, complete};
use crate::config::paths::tilde;
use crate::domain::age;
use crate::domain::group::GroupPath;
use crate::domain::session::Session;
use crate::domain::status::{Status, StatusFilter, StatusKind};
use crate::domain::tree::{Row, rows};
use crate::ops::{OpError, SessionState, Snapshot, Watcher};

/// Show what every session is doing.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck list\n  deck list --status waiting,error --json\n  deck list -g work/backend --tree\n  deck list --watch --json             print one object per change"
)]
pub struct Args {
    /// Only sessions with these statuses (comma-separated); `ask` and `done` are the two kinds of waiting.
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    status: Vec<String>,
    /// Only this group and its subgroups.
    #[arg(short, long, add = complete::groups())]
    group: Option<String>,
    /// Include all profiles; those that can't be read are reported and skipped.
    #[arg(long)]
    all_profiles: bool,
    /// Show groups and sub-sessions as a tree.
    #[arg(long, conflicts_with = "all_profiles")]
    tree: bool,
    /// Keep running and print each change (JSON Lines with --json).
    #[arg(long, conflicts_with_all = ["all_profiles", "tree"])]
    watch: bool,
}

/// What passes.
struct Filter {
    statuses: Vec<StatusFilter>,
    group: GroupPath,
}

impl Filter {
    fn of(args: &Args) -> Result<Self, CliError> {
        let status = |word: &String| {
            StatusFilter::from_word(word.trim()).ok_or_else(|| {
                let all: Vec<_> = StatusFilter::words().collect();
                CliError::usage(format!("unknown status {word:?}")).hint(format!("one of {}", all.join(", ")))
            })
        };
        Ok(Self {
            statuses: args.status.iter().map(status).collect::<Result<_, _>>()?,
            group: args.group.as_deref().map(GroupPath::parse).transpose()?.unwrap_or_default(),
        })
    }

    fn keeps(&self, session: &Session, state: Option<&SessionState>) -> bool {
        let kind = state.map(|l| l.verdict.kind());
        session.group_path.is_within(&self.group)
            && (self.statuses.is_empty() || kind.is_some_and(|k| self.statuses.iter().any(|f| f.keeps(k))))
    }

    fn is_none(&self) -> bool {
        self.statuses.is_empty() && self.group.is_root()
    }
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let filter = Filter::of(args)?;
    if args.watch {
        let cx = context.wiring.cx();
        return list_watch::run(context, &cx, |session, state| filter.keeps(session, state));
    }
    let wiring = &context.wiring;
    let profiles = if args.all_profiles { wiring.profiles.list()? } else { vec![wiring.profile.clone()] };
    let mut all = Vec::new();
    let mut table = Table::default();
    let home = wiring.env.get("HOME");
    let (count, mut failed) = (profiles.len(), Vec::new());
    for profile in profiles {
        let snapshot = match Watcher::new().tick(&wiring.cx_for(&profile)) {
            Ok(snapshot) => snapshot,
            // A profile that can't be read doesn't hide the others.
            Err(error @ OpError::Store(_)) => {
                failed.push((profile, CliError::from(error)));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        context.warn_about(&snapshot);
        let sessions = snapshot.profile.by_id();
        for row in rows(&snapshot.profile, true, |s| filter.keeps(s, snapshot.state(&s.id))) {
            match row {
                Row::Group(group) if args.tree => {
                    let name = format!("{}{}", "  ".repeat(group.depth), group.name);
                    table.row(vec![(String::new(), plain), (name, strong)]);
                }
                Row::Group(_) | Row::Shell(_) | Row::Shells(_) => {}
                Row::Session(row) => {
                    let Some(session) = sessions.get(&row.id) else { continue };
                    let state = snapshot.state(&row.id);
                    let depth = if args.tree { row.depth } else { 0 };
                    let branch = if args.tree { row.branch.as_str() } else { "" };
                    add(&mut table, session, state, &snapshot, (depth, branch), home);
                    all.push(api::Session::of(session, profile.as_str(), state));
                }
            }
        }
    }
    context.tell_unreadable(count, failed)?;
    if !args.all_profiles
        && !wiring.profiles.exists(&wiring.profile)
        && wiring.profile != wiring.profiles.default_or_first()
    {
        let names: Vec<String> = wiring.profiles.list()?.iter().map(ToString::to_string).collect();
        context.out.note(&format!(
            "profile {:?} doesn't exist yet (existing: {})",
            wiring.profile.as_str(),
            names.join(", ")
        ));
    }
    print(context.out, &all, &table, filter.is_none())?;
    Ok(ExitCode::SUCCESS)
}

fn print(out: Out, all: &Vec<api::Session>, table: &Table, unfiltered: bool) -> Result<(), CliError> {
    if out.json {
        return out.value(all);
    }
    if out.quiet {
        return all.iter().try_for_each(|s| out.line(&s.id));
    }
    if all.is_empty() {
        out.note(if unfiltered {
            "no sessions yet; `deck add DIR -c claude` adds one"
        } else {
            "no session matches"
        });
    }
    table.lines(terminal_width(), &out).iter().try_for_each(|l| out.line(l))
}

fn plain(text: &str, _: &Out) -> String {
    text.to_owned()
}

fn strong(text: &str, out: &Out) -> String {
    out.strong(text)
}

fn dim(text: &str, out: &Out) -> String {
    out.dim(text)
}

/// A painter for each kind: a table's cells know theirs by function.
fn painter(kind: StatusKind) -> fn(&str, &Out) -> String {
    match kind {
        StatusKind::Asks => |t, o| o.status(StatusKind::Asks, t),
        StatusKind::Failed => |t, o| o.status(StatusKind::Failed, t),
        StatusKind::Done => |t, o| o.status(StatusKind::Done, t),
        StatusKind::Running => |t, o| o.status(StatusKind::Running, t),
        StatusKind::Idle => |t, o| o.status(StatusKind::Idle, t),
        StatusKind::Starting => |t, o| o.status(StatusKind::Starting, t),
        StatusKind::Stopped => |t, o| o.status(StatusKind::Stopped, t),
    }
}

fn add(
    table: &mut Table,
    session: &Session,
    state: Option<&SessionState>,
    snapshot: &Snapshot,
    (depth, branch): (usize, &str),
    home: Option<&str>,
) {
    let verdict = state.map(|l| &l.verdict);
    let status = verdict.map_or(Status::Stopped, |v| v.status);
    let kind = verdict.map_or(StatusKind::Stopped, |v| v.kind());
    let doubt = if verdict.is_some_and(|v| v.unsure.is_some()) { "?" } else { "" };
    let unsent = session.aside(status).map(str::to_owned);
    let word = match unsent.or_else(|| verdict?.reason.as_ref().map(ToString::to_string)) {
        Some(reason) => format!("{status}{doubt} · {reason}"),
        None => format!("{status}{doubt}"),
    };
    let since = verdict.map(|v| v.unsure.unwrap_or(v.since));
    let age = since.map(|s| age::age(snapshot.at, s)).unwrap_or_default();
    // A sub-session's lines replace its indent.
    let indent = "  ".repeat(depth.saturating_sub(branch.chars().count() / 2));
    let title = format!("{indent}{branch}{}", session.title);
    table.row(vec![
        (kind.glyph().to_owned(), painter(kind)),
        (title, plain),
        (word, painter(kind)),
        (age, dim),
        (session.tool.clone(), plain),
        (session.group_path.to_string(), plain),
        (tilde(&session.project_path, home), dim),
    ]);
}
