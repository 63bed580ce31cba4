//! One message in, the model changed, effects out. Synchronous and total.

mod done;
mod keys;
mod mouse;
mod selection;
mod shells;
mod workers;

use jiff::Timestamp;

use super::diff;
use super::effect::Effect;
use super::marks;
use super::msg::Msg;
use super::pass_through;
use super::revival;
use super::state::Model;
use crate::domain::text;

/// Takes one message.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    if matches!(msg, Msg::Key(_) | Msg::Paste(_) | Msg::Mouse(_)) {
        model.app.untouched = false;
    }
    let mut effects = match msg {
        Msg::Key(key) => keys::take(model, key),
        Msg::Paste(text) => keys::paste(model, &text),
        Msg::Mouse(mouse) => mouse::take(model, mouse),
        Msg::Resize(width, height) => {
            model.app.size = (width, height);
            diff::resized(model);
            Vec::new()
        }
        Msg::Clock(now) => {
            clock(model, now);
            Vec::new()
        }
        Msg::Idle(now) => {
            clock(model, now);
            model.profile.questions.settle(now);
            Vec::new()
        }
        Msg::Snapshot(snapshot) => {
            model.app.now = model.app.now.max(snapshot.at);
            let first = !model.profile.looked;
            model.profile.questions.state(&snapshot, first);
            if let Some(recovered) =
                snapshot.recovered.clone().filter(|_| model.profile.snapshot.recovered.is_none())
            {
                model.notify_error(recovered);
            }
            let known = &model.profile.snapshot.given_up_mcps;
            let new = snapshot.given_up_mcps.iter().find(|(name, _)| !known.contains_key(*name));
            if let Some((_, why)) = new {
                model.notify_error(text::clean(why));
            }
            let lost_before = crate::ops::lost(&model.profile.snapshot).len();
            model.profile.snapshot = *snapshot;
            model.profile.looked = true;
            if model.profile.snapshot.unreached.is_empty() {
                model.profile.trouble = None;
            }
            revival::offer(model, first, lost_before);
            model.relayout();
            let mut top = model.dialogs.pop();
            let asks = top.as_mut().and_then(|dialog| dialog.polled(model));
            model.dialogs.extend(top);
            asks.into_iter().chain(pass_through::seen(model)).collect()
        }
        Msg::WatchFailed(why) => {
            if model.profile.trouble.as_deref() != Some(why.as_str()) {
                model.notify_error(why.clone());
            }
            model.profile.trouble = Some(why);
            Vec::new()
        }
        Msg::Notice(words) => vec![Effect::Notify(words)],
        // The loop applies them.
        Msg::SettingsMoved => Vec::new(),
        Msg::Focus(has) => {
            model.app.focused = has;
            Vec::new()
        }
        Msg::ScreenCapture(id, worker, capture) => {
            // One that was deleted meanwhile, or of another profile, is nobody's.
            if model.record().session(&id).is_some() {
                model.profile.remember(id, worker, *capture);
            }
            Vec::new()
        }
        Msg::PreviewHeader(id, preview_header) => {
            let again = model.dialogs.last().and_then(|d| d.moved(&id));
            if model.record().session(&id).is_some() {
                model.profile.headings.insert(id.clone(), *preview_header);
            }
            again.into_iter().chain(diff::moved(model, &id)).collect()
        }
        Msg::Changes(id, changes) => {
            if model.record().session(&id).is_none() {
                return Vec::new();
            }
            // The first numbers are no news to a panel that was opened before them.
            let is_known = model.profile.changes.insert(id.clone(), changes).is_some();
            if is_known { diff::moved(model, &id) } else { Vec::new() }
        }
        Msg::RowFacts(facts) => {
            model.profile.facts.extend(facts);
            // What is looked for may be in them.
            if !model.view.filter.words.is_empty() {
                model.relayout();
            }
            Vec::new()
        }
        Msg::Shells(profile, seen) => {
            if profile == model.profile.name {
                model.profile.shells.take(*seen);
                model.relayout();
            }
            Vec::new()
        }
        Msg::Done(done) => done::take(model, done),
        Msg::DoneIn(profile, done) if profile == model.profile.name => done::take(model, done),
        Msg::DoneIn(_, done) => {
            done::take_late(model, done);
            Vec::new()
        }
        Msg::NotTyped(why) => {
            model.notify_error(why);
            vec![Effect::Refresh]
        }
    };
    mark_work(model, &effects);
    note_sent(model, &mut effects);
    diff::sent(model, &effects);
    marks::prune(model);
    effects.extend(selection::follow(model));
    effects.extend(diff::check(model));
    pass_through::check(model);
    selection::keep_in_sight(model);
    effects.extend(shells::follow(model));
    effects
}

/// Takes the time, and lets messages fade that were shown for long enough.
fn clock(model: &mut Model, now: Timestamp) {
    model.app.now = now;
    model.app.messages.fade(now);
}

/// Notes on each session what is being done to it.
fn mark_work(model: &mut Model, effects: &[Effect]) {
    for effect in effects {
        match effect {
            Effect::Revive(ids) => revival::begin(model, ids),
            Effect::Answer(id, ..) => model.profile.questions.answering(id),
            _ => {}
        }
        if let (Some(id), Some(word)) = (effect.session(), effect.work()) {
            model.app.working.insert(id.clone(), (word, model.app.now));
        }
    }
}

/// Remembers what is sent, once for all that get it.
fn note_sent(model: &mut Model, effects: &mut Vec<Effect>) {
    let sent = effects.iter().find_map(|e| match e {
        Effect::Send(_, text, _) => Some(text.clone()),
        _ => None,
    });
    for effect in &*effects {
        if let Effect::Send(id, text, _) = effect {
            model.app.drafts.retain(|to, draft| *to != [id.clone()] || draft != text);
        }
    }
    if let Some(text) = sent {
        model.app.note_sent(&text);
        model.profile.marked.clear();
        effects.push(Effect::KeepSent(model.app.sent.clone()));
    }
}
