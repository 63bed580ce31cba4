//! What follows from the headless shells that are in sight, and what was asked for of them.

use super::super::dialogs::{Pager, Picker};
use super::super::effect::Effect;
use super::super::geometry;
use super::super::panel::span;
use super::super::role::of_stream;
use super::super::shell_work::ShellWork;
use super::super::state::Model;
use crate::domain::shell::{Job, JobId, ShellId};
use crate::domain::tree::{Row, RowKey};
use crate::domain::{age, text};
use crate::ops::shell::ShellsInView;
use crate::ports::shells::Which;

/// Asks for what is known of the shells in sight, if those are others than before.
pub(super) fn follow(model: &mut Model) -> Option<Effect> {
    let height = usize::from(geometry::list_height(model));
    let of_row = |row: &Row| match row {
        Row::Shell(shell) => Some(shell.id.clone()),
        _ => None,
    };
    let shown = model.view.rows.iter().skip(model.view.offset).take(height);
    let mut rows: Vec<ShellId> = shown.filter_map(of_row).collect();
    let mut at = None;
    match &model.view.cursor {
        _ if geometry::of(model).capture.width == 0 => {}
        Some(RowKey::Shell(id)) => at = Some(id.clone()),
        // The preview lists all of them, folded away or not.
        Some(RowKey::Shells) => {
            let below = model.view.rows.iter().filter_map(|row| match row {
                Row::Shells(heading) => Some(&heading.members),
                _ => None,
            });
            let hidden: Vec<ShellId> = below.flatten().filter(|id| !rows.contains(id)).cloned().collect();
            rows.extend(hidden);
        }
        _ => {}
    }
    let now = ShellsInView { rows, at };
    if model.view.shells_in_view == now {
        return None;
    }
    if model.view.shells_in_view.at != now.at {
        model.view.scrolled = 0;
    }
    model.view.shells_in_view.clone_from(&now);
    Some(Effect::WatchShells(now))
}

/// Lists a shell's jobs, if its user is still there; the choice is the one whose output is read.
pub(super) fn show_jobs(model: &mut Model, shell: &ShellId, jobs: &[Job]) {
    let Some(state) = model.shell().filter(|s| s.shell.session_id == *shell && model.is_free()) else {
        return;
    };
    let title = format!("Jobs of {}", text::clean(state.shell.label()));
    if jobs.is_empty() {
        model.notify("this shell has run nothing yet");
        return;
    }
    let now = model.app.now;
    let choice = |job: &Job| {
        let when = age::age(now, job.completed_at.or(job.started_at).unwrap_or(job.queued_at));
        let how = match job.exit_code.filter(|code| *code != 0 && job.status.is_final()) {
            Some(code) => format!("{} {code}", job.status.word()),
            None => job.status.word().to_owned(),
        };
        let words = format!("{:>4}  {how:<13} {when:>4}  {}", job.seq, job.first_line());
        let effect = Effect::Shell(job.session_id.clone(), ShellWork::ReadOutput(job.job_id.clone()));
        (words, vec![effect])
    };
    let choices = jobs.iter().map(choice).collect();
    model.dialogs.push(Box::new(Picker::new(&title, choices)));
}

/// Shows all that a job printed, if its user is still there.
pub(super) fn show_output(model: &mut Model, job: &JobId, lines: &[(Which, String)]) {
    let Some(state) = model.shell().filter(|s| s.shell.session_id == job.shell && model.is_free()) else {
        return;
    };
    let title = format!("Output of {}/{}", text::clean(state.shell.label()), job.seq);
    if lines.is_empty() {
        model.notify("this job has printed nothing");
        return;
    }
    let line = |(which, line): &(Which, String)| vec![span(of_stream(*which), text::clean(line))];
    let pager = Pager::new(&title, lines.iter().map(line).collect(), 0, true, model);
    model.dialogs.push(Box::new(pager));
}
