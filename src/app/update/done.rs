//! How effects ended.

use super::super::dialogs::{Held, Picker};
use super::super::diff;
use super::super::done::Done;
use super::super::effect::Effect;
use super::super::revival;
use super::super::state::Model;
use super::keys::in_dialog;
use super::{shells, workers};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::StatusKind;
use crate::domain::tree::RowKey;
use crate::ops::SessionState;

/// Goes from a session that was answered to the next one that asks, if its user is still there.
fn advance(model: &mut Model, from: &SessionId) -> Vec<Effect> {
    let is_here = model.selected() == Some(from) && model.is_free() && model.app.settings.answer_advance;
    // What a filter hides is not what its user is working on.
    let passes = |id: &SessionId| {
        model.view.filter.is_off() || model.view.rows.iter().any(|r| r.key() == RowKey::Session(id.clone()))
    };
    let asks = |(s, l): &(&Session, &SessionState)| {
        l.verdict.kind() == StatusKind::Asks && s.id != *from && passes(&s.id)
    };
    let next = model.attention().into_iter().find(asks).map(|(s, _)| s.id.clone());
    match next.filter(|_| is_here) {
        Some(id) => model.go_to(&id),
        None => Vec::new(),
    }
}

/// Takes what became of an effect on a profile that isn't shown any more: what it says, and a message that wasn't
/// sent, are the user's; what would follow was that profile's.
pub(super) fn take_late(model: &mut Model, done: Done) {
    match done {
        Done::Forked(from, _, text) => {
            model.app.working.remove(&from);
            model.notify(text);
        }
        Done::CreatedPane(_, text, _) | Done::Arranged(_, text) | Done::WorkerAdded(_, _, text) => {
            model.notify(text);
        }
        Done::Answered(id, text, _) => drop(take(model, Done::WellFor(id, text))),
        Done::TalkChanged(_, Ok(words)) => model.notify(words),
        Done::TalkChanged(_, Err(why)) => model.notify_error(why),
        Done::HandedOver(id, done) => {
            model.app.working.remove(&id);
            match done {
                Ok((_, words)) => model.notify(words),
                Err(why) => model.notify_error(why),
            }
        }
        Done::Diff(..)
        | Done::Left(..)
        | Done::Imports(..)
        | Done::Prepared(..)
        | Done::Completed(..)
        | Done::Folders(..)
        | Done::FolderMade(..)
        | Done::Edited(_)
        | Done::Talks(_)
        | Done::TalkPage(..)
        | Done::Packet(..)
        | Done::File(..)
        | Done::FinishPlanned(..)
        | Done::McpServers(_)
        | Done::Jobs(..)
        | Done::JobOutput(..)
        | Done::Clip(_) => {}
        report @ (Done::Ok(_)
        | Done::WellFor(..)
        | Done::NotSent(..)
        | Done::Unsent { .. }
        | Done::Receipt(..)
        | Done::Revived(..)
        | Done::Failed(..)
        | Done::Versions(_)
        | Done::NotSet(_)) => drop(take(model, report)),
    }
}

pub(super) fn take(model: &mut Model, done: Done) -> Vec<Effect> {
    match done {
        // The list of themes is closed by then.
        Done::NotSet(why) if model.dialogs.is_empty() => {
            model.notify_error(why);
            Vec::new()
        }
        answer @ Done::NotSet(_) => in_dialog(model, |dialog, model| dialog.answer(&answer, model)),
        Done::Ok(text) => {
            if let Some(text) = text {
                model.notify(text);
            }
            vec![Effect::Refresh]
        }
        Done::Left(from, to) => {
            let is_here = model.selected() == Some(&from) && model.is_free();
            let mut effects = if is_here { model.go_to(&to) } else { Vec::new() };
            effects.push(Effect::Refresh);
            effects
        }
        Done::CreatedPane(id, text, _) => created(model, id, text),
        Done::Forked(from, id, text) => {
            model.app.working.remove(&from);
            created(model, id, text)
        }
        Done::WellFor(id, text) => {
            model.app.working.remove(&id);
            model.profile.questions.answered(&id, model.app.now);
            model.notify(text);
            vec![Effect::Refresh]
        }
        Done::Answered(id, text, asks_again) => {
            let mut effects = take(model, Done::WellFor(id.clone(), text));
            if !asks_again {
                effects.extend(advance(model, &id));
            }
            effects
        }
        Done::Unsent { id, message, typed, words } => {
            let is_here = model.app.untouched && model.is_free() && model.record().session(&id).is_some();
            let is_newest = model.app.drafts.get(&vec![id.clone()]).is_none_or(|d| *d == message);
            if !is_here || !is_newest {
                return take(model, Done::NotSent(id, message, words));
            }
            model.app.working.remove(&id);
            model.app.keep_draft(vec![id.clone()], message.clone());
            model.dialogs.push(Box::new(Held::new(id, typed, message)));
            vec![Effect::Refresh]
        }
        Done::NotSent(id, text, words) => {
            model.app.working.remove(&id);
            model.profile.questions.not_answered(&id);
            let to = vec![id];
            if model.app.drafts.get(&to).is_some_and(|newer| *newer != text) {
                model.app.remember_sent(&text);
                model.notify_error(format!("{words}; it is in the history of the composer (↑)"));
            } else {
                model.app.keep_draft(to, text);
                model.notify_error(format!("{words}; saved as a draft ({})", model.app.keymap.key("send")));
            }
            vec![Effect::Refresh]
        }
        Done::Arranged(before, words) => {
            model.profile.arranged = Some(before);
            model.notify(words);
            vec![Effect::Refresh]
        }
        Done::Receipt(id, text) => {
            model.app.working.remove(&id);
            model.app.messages.log_only(&text, model.app.now);
            model.app.receipts.push(text);
            // What went to several is reported for all.
            model.flash(model.app.receipts.join(" · "));
            vec![Effect::Refresh]
        }
        Done::Revived(id, error) => {
            revival::note(model, &id, error);
            vec![Effect::Refresh]
        }
        Done::Failed(id, text) => {
            if let Some(id) = id {
                model.app.working.remove(&id);
                model.profile.questions.not_answered(&id);
            }
            model.notify_error(text);
            vec![Effect::Refresh]
        }
        Done::TalkChanged(name, result) => {
            match &result {
                Ok(words) => model.notify(words.clone()),
                Err(why) => model.notify_error(why.clone()),
            }
            in_dialog(model, |dialog, model| dialog.answer(&Done::TalkChanged(name, result), model))
        }
        Done::HandedOver(id, result) => {
            model.app.working.remove(&id);
            match &result {
                Ok((_, words)) => model.notify(words.clone()),
                Err(why) => model.notify_error(why.clone()),
            }
            let mut effects =
                in_dialog(model, |dialog, model| dialog.answer(&Done::HandedOver(id, result), model));
            effects.push(Effect::Refresh);
            effects
        }
        Done::Imports(found, skipped) => {
            if let Some(skipped) = skipped {
                model.notify_error(skipped);
            }
            if found.is_empty() {
                return Vec::new();
            }
            if !model.is_free() {
                model.notify(format!("found {} to import; choose import again to see them", found.len()));
                return Vec::new();
            }
            let choices = found.into_iter().map(|(words, effect)| (words, vec![effect])).collect();
            model.dialogs.push(Box::new(Picker::new("Import", choices)));
            Vec::new()
        }
        Done::Diff(id, number, result) => diff::take(model, &id, number, *result),
        Done::Jobs(shell, jobs) => {
            shells::show_jobs(model, &shell, &jobs);
            Vec::new()
        }
        Done::JobOutput(job, lines) => {
            shells::show_output(model, &job, &lines);
            Vec::new()
        }
        Done::Versions(versions) => {
            model.app.versions = versions;
            Vec::new()
        }
        Done::Clip(text) => vec![Effect::Copy(text)],
        Done::WorkerAdded(id, worker, text) => {
            model.app.working.remove(&id);
            if let Some(worker) = worker {
                model.view.tabs.insert(id.clone(), worker);
                if model.selected() == Some(&id) {
                    model.view.scrolled = 0;
                }
            }
            model.notify(text);
            vec![Effect::Refresh]
        }
        Done::File(id, name, text) => {
            workers::show_file(model, &id, &name, text);
            Vec::new()
        }
        answer @ (Done::Prepared(..)
        | Done::Completed(..)
        | Done::Folders(..)
        | Done::FolderMade(..)
        | Done::Edited(_)
        | Done::FinishPlanned(..)
        | Done::McpServers(_)
        | Done::Talks(_)
        | Done::TalkPage(..)
        | Done::Packet(..)) => {
            // Of no use to a dialog that is gone.
            in_dialog(model, |dialog, model| dialog.answer(&answer, model))
        }
    }
}

/// Goes to a session that is new, unless the user is in the middle of something.
fn created(model: &mut Model, id: SessionId, text: String) -> Vec<Effect> {
    model.notify(text);
    let mut effects = Vec::new();
    if model.is_free() {
        effects.extend(model.go_to(&id));
        model.view.wanted = Some(RowKey::Session(id));
        model.relayout();
    }
    effects.push(Effect::Refresh);
    effects
}
