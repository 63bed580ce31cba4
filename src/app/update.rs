//! One message in, the model changed, effects out. Synchronous and total.

use jiff::SignedDuration;

use super::commands::{self, Lookup};
use super::dialogs::Step;
use super::drag::{self, Drag};
use super::effect::{Done, Effect, Outside};
use super::key::{Key, KeyCode};
use super::marks;
use super::model::{Layout, Model};
use super::msg::{Mouse, MouseKind, Msg};
use super::pass_through;
use super::revival;
use crate::domain::tree::{Row, RowKey};

/// Two presses within this time are a double click.
const DOUBLE: SignedDuration = SignedDuration::from_millis(400);
/// Rows that a turn of the wheel moves.
const WHEEL: i64 = 3;

/// Takes one message.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut effects = match msg {
        Msg::Key(key) => on_key(model, key),
        Msg::Paste(text) => on_paste(model, &lines_of(&text)),
        Msg::Mouse(mouse) => on_mouse(model, mouse),
        Msg::Resize(width, height) => {
            model.size = (width, height);
            Vec::new()
        }
        Msg::Clock(now) => {
            model.now = now;
            model.fade_toast();
            Vec::new()
        }
        Msg::Snapshot(snapshot) => {
            model.now = model.now.max(snapshot.at);
            let first = !model.looked;
            model.questions.state(&snapshot, model.now, first);
            if let Some(recovered) = snapshot.recovered.clone().filter(|_| model.snapshot.recovered.is_none())
            {
                model.notify_error(recovered);
            }
            model.snapshot = *snapshot;
            (model.looked, model.trouble) = (true, None);
            if first {
                revival::offer(model);
            }
            model.relayout();
            pass_through::seen(model)
        }
        Msg::WatchFailed(why) => {
            if model.trouble.as_deref() != Some(why.as_str()) {
                model.notify_error(why.clone());
            }
            model.trouble = Some(why);
            Vec::new()
        }
        Msg::Notice(words) => vec![Effect::Notify(words)],
        // The loop applies them.
        Msg::SettingsMoved => Vec::new(),
        Msg::Focus(has) => {
            model.focused = has;
            Vec::new()
        }
        Msg::ScreenCapture(id, capture) => {
            // One that was deleted meanwhile, or of another profile, is nobody's.
            if model.snapshot.profile.session(&id).is_some() {
                model.remember(id, *capture);
            }
            Vec::new()
        }
        Msg::PreviewHeader(id, preview_header) => {
            let again = model.dialogs.last().and_then(|d| d.moved(&id));
            if model.snapshot.profile.session(&id).is_some() {
                model.headings.insert(id, *preview_header);
            }
            again.into_iter().collect()
        }
        Msg::Done(done) => on_done(model, done),
        Msg::NotTyped(why) => {
            model.notify_error(why);
            vec![Effect::Refresh]
        }
    };
    mark_work(model, &effects);
    note_sent(model, &mut effects);
    marks::prune(model);
    effects.extend(follow_selection(model));
    pass_through::check(model);
    keep_in_sight(model);
    effects
}

/// Notes on each session what is being done to it.
fn mark_work(model: &mut Model, effects: &[Effect]) {
    for effect in effects {
        let (id, word) = match effect {
            Effect::Start(id) => (id, "starting"),
            Effect::Restart(id, _) => (id, "restarting"),
            Effect::Stop(id) => (id, "stopping"),
            Effect::Fork(id, _) => (id, "forking"),
            Effect::Send(id, _) => (id, "sending"),
            Effect::Archive(id) => (id, "archiving"),
            Effect::Answer(id, ..) => {
                model.questions.answering(id);
                (id, "answering")
            }
            Effect::Revive(ids) => {
                revival::begin(model, ids);
                continue;
            }
            _ => continue,
        };
        model.working.insert(id.clone(), (word, model.now));
    }
}

/// Remembers what is sent, once for all that get it.
fn note_sent(model: &mut Model, effects: &mut Vec<Effect>) {
    let sent = effects.iter().find_map(|e| match e {
        Effect::Send(_, text) => Some(text.clone()),
        _ => None,
    });
    if let Some(text) = sent {
        model.note_sent(&text);
        model.marked.clear();
        effects.push(Effect::KeepSent(model.sent.clone()));
    }
}

/// Asks for the capture of the selected session.
fn follow_selection(model: &mut Model) -> Option<Effect> {
    let selected = model.selected().cloned();
    if model.watched == selected {
        return None;
    }
    model.watched.clone_from(&selected);
    model.scrolled = 0;
    Some(Effect::Watch(selected))
}

/// Scrolls so that the selected row is shown.
fn keep_in_sight(model: &mut Model) {
    let height = usize::from(super::geometry::list_height(model)).max(1);
    let at = model.index().unwrap_or(0);
    model.offset = model.offset.clamp((at + 1).saturating_sub(height), at);
    model.offset = model.offset.min(model.rows.len().saturating_sub(height));
}

fn on_key(model: &mut Model, key: Key) -> Vec<Effect> {
    if model.layout() == Layout::Tiny {
        // Nobody must act on what they can't see; the keys that quit still work.
        return if leaves(model, key) { vec![Effect::Quit] } else { Vec::new() };
    }
    model.toast = None;
    if model.drag.take().is_some_and(|d| matches!(d, Drag::Row { over: Some(_), .. })) {
        // Whatever the key: what was being dragged stays where it is.
        return Vec::new();
    }
    if !model.dialogs.is_empty() {
        return in_dialog(model, |dialog, model| dialog.key(key, model));
    }
    if model.pass_through.is_some() {
        return pass_through::key(model, key);
    }
    if model.find.pass_through {
        return type_find(model, key);
    }
    model.pending.push(key);
    match commands::lookup(&model.pending, model) {
        Lookup::Command(command) => {
            model.pending.clear();
            (command.run)(model)
        }
        Lookup::Prefix => Vec::new(),
        Lookup::NotNow(_) if key.code == KeyCode::Esc => {
            model.pending.clear();
            Vec::new()
        }
        Lookup::NotNow(command) => {
            model.pending.clear();
            model.flash(format!("{}: {}", command.title, command.needs));
            Vec::new()
        }
        Lookup::Nothing => {
            let keys: Vec<String> = model.pending.drain(..).map(|k| k.to_string()).collect();
            if key.code != KeyCode::Esc {
                model.flash(format!("{} is not bound here; ? shows all keys", keys.join(" ")));
            }
            Vec::new()
        }
    }
}

/// Whether a key is one that leaves deck. A letter of a text being written is not one.
fn leaves(model: &Model, key: Key) -> bool {
    let is_letter = matches!(key, Key { code: KeyCode::Char(_), ctrl: false, alt: false, .. });
    let is_writing = !model.dialogs.is_empty() || model.pass_through.is_some() || model.find.pass_through;
    model.keymap.bindings().any(|(keys, command)| command.id == "quit" && *keys == [key])
        && !(is_letter && is_writing)
}

/// Lets the topmost dialog take something, and carries out what it answers.
fn in_dialog(
    model: &mut Model,
    act: impl FnOnce(&mut Box<dyn super::dialogs::Dialog>, &Model) -> Step,
) -> Vec<Effect> {
    // The dialog is taken off while it works, so that it may read the model.
    let Some(mut dialog) = model.dialogs.pop() else { return Vec::new() };
    match act(&mut dialog, model) {
        Step::Stay(effects) => {
            model.dialogs.push(dialog);
            effects
        }
        Step::Close => Vec::new(),
        Step::Keep(to, text) => {
            let first = match &to[..] {
                [one] => model.snapshot.profile.session(one).filter(|s| s.draft.is_some()),
                _ => None,
            };
            let changed = first.filter(|s| s.draft.as_deref() != Some(text.as_str()));
            let effects = changed.map(|s| Effect::KeepDraft(s.id.clone(), text.clone()));
            let effects = effects.into_iter().collect();
            model.keep_draft(to, text);
            effects
        }
        Step::Answer(effects) => effects,
        Step::Run(command) => {
            model.recent.retain(|id| *id != command.id);
            model.recent.insert(0, command.id);
            (command.run)(model)
        }
    }
}

fn type_find(model: &mut Model, key: Key) -> Vec<Effect> {
    match key {
        Key { code: KeyCode::Esc, .. } => {
            model.find.words.clear();
            model.find.pass_through = false;
        }
        Key { code: KeyCode::Enter, .. } => model.find.pass_through = false,
        Key { code: KeyCode::Down, .. } => commands::step(model, 1),
        Key { code: KeyCode::Up, .. } => commands::step(model, -1),
        Key { code: KeyCode::Backspace, .. } => model.find.pass_through = model.find.words.pop().is_some(),
        Key { code: KeyCode::Char('u'), ctrl: true, .. } => model.find.words.clear(),
        Key { code: KeyCode::Char(c), ctrl: false, .. } => model.find.words.push(c),
        _ => {}
    }
    model.relayout();
    Vec::new()
}

/// A paste with its line breaks as line feeds: terminals send a carriage return for each.
fn lines_of(pasted: &str) -> String {
    pasted.replace("\r\n", "\n").replace('\r', "\n")
}

fn on_paste(model: &mut Model, text: &str) -> Vec<Effect> {
    if model.layout() == Layout::Tiny {
        return Vec::new();
    }
    if !model.dialogs.is_empty() {
        return in_dialog(model, |dialog, model| dialog.paste(text, model));
    }
    if model.pass_through.is_some() {
        return pass_through::paste(model, text);
    }
    if model.find.pass_through {
        model.find.words.push_str(&crate::domain::text::clean(text));
        model.relayout();
    }
    Vec::new()
}

fn on_done(model: &mut Model, done: Done) -> Vec<Effect> {
    match done {
        Done::Ok(text) => {
            if let Some(text) = text {
                model.notify(text);
            }
            vec![Effect::Refresh]
        }
        Done::CreatedPane(id, text, prompt) => {
            // What was forked is no longer being worked on.
            model.working.retain(|_, (word, _)| *word != "forking");
            model.notify(text);
            let mut effects = model.go_to(&id);
            effects.extend(prompt.map(|text| Effect::Prompt(id.clone(), text)));
            model.wanted = Some(id);
            model.relayout();
            effects.push(Effect::Refresh);
            effects
        }
        Done::WellFor(id, text) => {
            model.working.remove(&id);
            model.questions.answered(&id, model.now);
            model.notify(text);
            vec![Effect::Refresh]
        }
        Done::NotSent(id, text, words) => {
            model.working.remove(&id);
            model.keep_draft(vec![id], text);
            model.notify_error(format!("{words}; saved as a draft (s)"));
            vec![Effect::Refresh]
        }
        Done::Arranged(before, words) => {
            model.arranged = Some(before);
            model.notify(words);
            vec![Effect::Refresh]
        }
        Done::Receipt(id, text) => {
            model.working.remove(&id);
            model.log_only(&text);
            model.receipts.push(text);
            // What went to several is reported for all.
            model.flash(model.receipts.join(" · "));
            vec![Effect::Refresh]
        }
        Done::Revived(id, error) => {
            revival::note(model, &id, error);
            vec![Effect::Refresh]
        }
        Done::Failed(id, text) => {
            if let Some(id) = id {
                model.working.remove(&id);
                model.questions.not_answered(&id);
            }
            model.notify_error(text);
            vec![Effect::Refresh]
        }
        Done::Imports(found, skipped) => {
            if found.is_empty() && skipped.is_none() {
                model.notify("nothing to import");
            }
            if let Some(skipped) = skipped {
                model.notify_error(skipped);
            }
            if found.is_empty() {
                return Vec::new();
            }
            let choices = found.into_iter().map(|(words, effect)| (words, vec![effect])).collect();
            model.dialogs.push(Box::new(super::dialogs::Picker::new("Import", choices)));
            Vec::new()
        }
        Done::Compared(_, Err(why)) => {
            model.notify_error(why);
            Vec::new()
        }
        Done::Compared(_, Ok(false)) => {
            model.notify("no changes since the last commit");
            Vec::new()
        }
        Done::Compared(id, Ok(true)) => {
            // A user who does something else by now is not interrupted.
            let is_here =
                model.selected() == Some(&id) && model.dialogs.is_empty() && model.pass_through.is_none();
            if is_here { vec![Effect::Outside(id, Outside::Changes)] } else { Vec::new() }
        }
        Done::Versions(versions) => {
            model.versions = versions;
            Vec::new()
        }
        Done::Clip(text) => vec![Effect::Copy(text)],
        answer @ (Done::Prepared(..)
        | Done::Completed(..)
        | Done::Edited(_)
        | Done::Said(..)
        | Done::NotSet(_)) => {
            // Of no use to a dialog that is gone.
            in_dialog(model, |dialog, model| dialog.answer(&answer, model))
        }
    }
}

fn on_mouse(model: &mut Model, mouse: Mouse) -> Vec<Effect> {
    if model.layout() == Layout::Tiny {
        return Vec::new();
    }
    if !model.dialogs.is_empty() {
        let key = match mouse.kind {
            MouseKind::WheelDown => KeyCode::Down,
            MouseKind::WheelUp => KeyCode::Up,
            _ => return Vec::new(),
        };
        return in_dialog(model, |dialog, model| dialog.key(Key::plain(key), model));
    }
    let over_picture = super::geometry::of(model).capture.has(mouse.column, mouse.row);
    match mouse.kind {
        MouseKind::WheelDown | MouseKind::WheelUp if over_picture => {
            let up = mouse.kind == MouseKind::WheelUp;
            if model.pass_through.is_some() {
                return pass_through::wheel(model, up);
            }
            commands::scroll(model, if up { WHEEL } else { -WHEEL });
        }
        MouseKind::WheelDown => commands::step(model, WHEEL),
        MouseKind::WheelUp => commands::step(model, -WHEEL),
        MouseKind::Release => return drag::end(model, mouse),
        MouseKind::Drag => drag::go(model, mouse),
        MouseKind::Press => {
            let mut effects = if over_picture { Vec::new() } else { pass_through::leave(model) };
            effects.extend(press(model, mouse));
            return effects;
        }
    }
    Vec::new()
}

fn press(model: &mut Model, mouse: Mouse) -> Vec<Effect> {
    let area = super::geometry::of(model).list;
    if model.layout() == Layout::Wide && mouse.column == area.right() {
        model.drag = Some(Drag::Split);
        return Vec::new();
    }
    let needy = super::geometry::attention(model).0.into_iter().find(|n| {
        super::geometry::of(model).attention.y == mouse.row && (n.x..n.x + n.width).contains(&mouse.column)
    });
    if let Some(id) = needy.map(|n| n.session.id.clone()) {
        return model.go_to(&id);
    }
    let Some(key) = model.row_at(mouse).map(Row::key) else { return Vec::new() };
    let double =
        model.pressed.take().is_some_and(|(when, on)| on == key && model.now.duration_since(when) < DOUBLE);
    model.cursor = Some(key.clone());
    if double && matches!(key, RowKey::Session(_)) {
        return commands::open(model);
    }
    model.drag = Some(Drag::Row { what: key.clone(), over: None });
    model.pressed = Some((model.now, key));
    Vec::new()
}

impl Model {
    /// Selects a session, unfolding what hides it.
    pub(super) fn go_to(&mut self, id: &crate::domain::id::SessionId) -> Vec<Effect> {
        let Some(session) = self.snapshot.profile.session(id) else { return Vec::new() };
        let folded: Vec<_> = session
            .group_path
            .lineage()
            .into_iter()
            .filter(|p| self.snapshot.profile.group(p).is_some_and(|g| !g.expanded))
            .collect();
        self.find = super::model::Find::default();
        self.cursor = Some(RowKey::Session(id.clone()));
        if folded.is_empty() {
            self.relayout();
            return Vec::new();
        }
        self.wanted = Some(id.clone());
        vec![Effect::Fold(folded, true)]
    }
}
