//! `deck diff`: what changed in a session's folder.

use std::process::ExitCode;

use super::Done;
use crate::api;
use crate::cli::output::Out;
use crate::cli::table::{Paint, Table, terminal_width};
use crate::cli::{Context, complete};
use crate::domain::diff::{Against, Change, Content, Diff, FileDiff, Hunk, Sign};
use crate::domain::session::Session;
use crate::domain::text;
use crate::domain::worker::{Worker, WorkerType};
use crate::ops;
use crate::ops::worker::{Target, WorkerError};
use crate::ports::git::Lines;

/// Show what changed in a session's folder.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Files that git doesn't know yet are included. The whole worktree is compared, also from a folder below its top.\nNothing in the repository is changed, and no pager or diff program is run.\n\nExamples:\n  deck diff api                  changes since the last commit; in a worktree, all that its branch did\n  deck diff api --base base      all that its branch did, committed or not\n  deck diff api --base index     what isn't staged\n  deck diff api --base v1.2\n  deck diff api --stat --json"
)]
pub struct Args {
    /// Session whose folder is compared.
    #[arg(add = complete::sessions())]
    session: String,
    /// What to compare with: `head` (the last commit), `base` (where its branch left the one it came from), `index`, or any
    /// commit, branch or tag [default: head; in a worktree that deck made, base].
    #[arg(long, value_name = "BASE", add = complete::bases())]
    base: Option<String>,
    /// Print only files and numbers of lines.
    #[arg(long)]
    stat: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let (session, of_worker) = match ops::worker::find(&cx, &args.session)? {
        Target::Session(session) => (session, None),
        Target::Worker(session, worker) => {
            let name = worker.name.clone();
            if worker.kind != WorkerType::Diff {
                let kind = worker.kind.word().to_owned();
                return Err(ops::OpError::from(WorkerError::NoDiff { name, kind }).into());
            }
            (session, worker.against)
        }
    };
    let base = args.base.clone().or(of_worker);
    let against =
        base.as_deref().map_or_else(|| Against::default_of(&session), |word| Against::of(word, &session));
    print(context, &cx, &session, &against, args.stat)
}

/// What the tab of a diff shows.
pub(super) fn of_worker(context: &Context, cx: &ops::Cx, session: &Session, worker: &Worker) -> Done {
    let against = worker.against.as_deref();
    let against = against.map_or_else(|| Against::default_of(session), |word| Against::of(word, session));
    print(context, cx, session, &against, false)
}

fn print(context: &Context, cx: &ops::Cx, session: &Session, against: &Against, stat_only: bool) -> Done {
    let lines = if stat_only { Lines::None } else { Lines::All };
    let diff = ops::diff(cx, session, against, &lines)?;
    let out = context.out;
    if out.json {
        out.value(&api::Diff::of(session, &diff, !stat_only))?;
        return Ok(ExitCode::SUCCESS);
    }
    if diff.files.is_empty() {
        out.note(&format!("no changes (compared with {})", text::clean(&diff.base.name)));
        return Ok(ExitCode::SUCCESS);
    }
    if stat_only {
        stat(&diff, &out)?
    } else {
        patch(&diff, &out)?
    }
    if diff.is_cut {
        out.note("there are more files than can be listed");
    }
    Ok(ExitCode::SUCCESS)
}

/// A letter for what happened to a file, as git has it.
fn letter(change: Change) -> &'static str {
    match change {
        Change::Added => "A",
        Change::Untracked => "?",
        Change::Deleted => "D",
        Change::Modified => "M",
        Change::Renamed => "R",
        Change::Copied => "C",
        Change::Retyped => "T",
        Change::Conflicted => "U",
    }
}

fn numbers(file: &FileDiff) -> (String, String) {
    file.counts.map_or_else(Default::default, |(a, r)| (format!("+{a}"), format!("-{r}")))
}

fn stat(diff: &Diff, out: &Out) -> Result<(), crate::cli::error::CliError> {
    let mut table = Table::default();
    let (plain, dim): (Paint, Paint) = (|t, _| t.to_owned(), |t, out| out.dim(t));
    let (green, red): (Paint, Paint) = (|t, out| out.added(t), |t, out| out.removed(t));
    for file in &diff.files {
        let (added, removed) = numbers(file);
        table.row(vec![
            (letter(file.change).to_owned(), plain),
            (added, green),
            (removed, red),
            (file.path.clone(), plain),
            (file.notes().join(", "), dim),
        ]);
    }
    for line in table.lines(terminal_width(), out) {
        out.line(&line)?;
    }
    let (added, removed) = diff.totals();
    let files = text::counted(diff.files.len(), "file");
    out.line(&format!("{files}, {} {}", out.added(&format!("+{added}")), out.removed(&format!("-{removed}"))))
}

fn patch(diff: &Diff, out: &Out) -> Result<(), crate::cli::error::CliError> {
    for (i, file) in diff.files.iter().enumerate() {
        if i > 0 {
            out.line("")?;
        }
        let (added, removed) = numbers(file);
        let notes = file.notes();
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        let name = out.strong(&format!("{} {}", letter(file.change), text::clean(&file.path)));
        let numbers = format!("  {} {}", out.added(&added), out.removed(&removed));
        out.line(&format!("{name}{}{}", out.dim(&text::clean(&notes)), numbers.trim_end()))?;
        if let Content::Text(hunks) = &file.content {
            hunks.iter().try_for_each(|h| hunk(h, out))?;
        }
        if file.is_cut {
            out.line(&out.dim("… there are more lines than can be shown"))?;
        }
    }
    Ok(())
}

fn hunk(hunk: &Hunk, out: &Out) -> Result<(), crate::cli::error::CliError> {
    let range = |(start, count): (u32, u32)| format!("{start},{count}");
    let section = text::clean(&hunk.section);
    let head = format!("@@ -{} +{} @@ {section}", range(hunk.old), range(hunk.new));
    let mut lines = format!("{}\n", out.dim(head.trim_end()));
    for line in &hunk.lines {
        // A tab is the text's own.
        let shown: Vec<String> = line.text.split('\t').map(text::clean).collect();
        let shown = shown.join("\t");
        let painted = match line.sign {
            Sign::Same => format!(" {shown}"),
            Sign::Added => out.added(&format!("+{shown}")),
            Sign::Removed => out.removed(&format!("-{shown}")),
        };
        lines.push_str(painted.trim_end_matches('\r'));
        lines.push('\n');
        if !line.ends {
            lines.push_str("\\ No newline at end of file\n");
        }
    }
    out.raw(lines.as_bytes())
}
