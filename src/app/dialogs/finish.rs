//! Finishing a worktree: what is there, all that is in the way, the choices, and what will be run.

use super::{Dialog, Pager, Step, keys};
use crate::app::done::Done;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Role, Span, span};
use crate::app::state::Model;
use crate::app::worker_work::WorkerWork;
use crate::domain::id::SessionId;
use crate::domain::text;
use crate::domain::worktree::{Blocker, WayOn};
use crate::ops::worktree::{Consented, FinishPlan, FinishWish, MergeWish, SetupContent};

/// The width it would like, in cells.
const WIDTH: u16 = 78;

/// Finishes the worktree of one session.
#[derive(Debug)]
pub struct Finish {
    session: SessionId,
    wish: FinishWish,
    /// Which answer is awaited.
    number: u64,
    plan: Option<Result<FinishPlan, String>>,
    /// How many lines are scrolled away.
    top: usize,
    /// What is to be allowed, while that is shown.
    consent: Option<Pager>,
}

impl Finish {
    /// Of this session, whichever is selected later; and what asks for the first plan.
    pub fn new(session: SessionId) -> (Self, Effect) {
        let wish = FinishWish { stop: true, archive: true, ..FinishWish::default() };
        let dialog = Self { session, wish, number: 0, plan: None, top: 0, consent: None };
        let effect = dialog.asks();
        (dialog, effect)
    }

    fn asks(&self) -> Effect {
        let work = WorkerWork::PlanFinish(self.number, Box::new(self.wish.clone()));
        Effect::Worker(self.session.clone(), work)
    }

    /// Has another choice planned. What is shown stays until that is known.
    fn again(&mut self) -> Step {
        self.number += 1;
        self.top = 0;
        Step::Stay(vec![self.asks()])
    }

    /// What its user has yet to allow.
    fn asked(&self) -> Option<&(String, SetupContent)> {
        self.plan.as_ref().and_then(|plan| plan.as_ref().ok()).and_then(|plan| plan.asks.as_ref())
    }

    /// Finishes, with what its user allowed.
    fn done(&self, consent: Option<Consented>) -> Step {
        let wish = FinishWish { consent, ..self.wish.clone() };
        Step::Answer(vec![Effect::Worker(self.session.clone(), WorkerWork::Finish(Box::new(wish)))])
    }

    /// Takes a key while what is to be allowed is shown.
    fn consent_key(&mut self, key: Key, model: &Model) -> Option<Step> {
        let pager = self.consent.as_mut()?;
        let always = match key.code {
            KeyCode::Char('o') if !key.ctrl => false,
            KeyCode::Char('a') if !key.ctrl => true,
            KeyCode::Enter => return Some(Step::Stay(Vec::new())),
            _ => {
                if matches!(pager.key(key, model), Step::Close) {
                    self.consent = None;
                }
                return Some(Step::Stay(Vec::new()));
            }
        };
        let given = self.asked().map(|(_, content)| Consented { sha256: content.sha256(), always });
        Some(self.done(given))
    }

    /// What keeps it from being done.
    fn blockers(&self) -> &[Blocker] {
        match &self.plan {
            Some(Ok(plan)) => &plan.blockers,
            _ => &[],
        }
    }

    /// How many lines can be scrolled away.
    fn scrolled(&self) -> usize {
        match &self.plan {
            Some(Ok(plan)) if plan.blockers.is_empty() => {
                (plan.commands.len() + usize::from(!plan.stops.is_empty())).saturating_sub(1)
            }
            _ => self.blockers().len(),
        }
    }
}

const fn merge_words(merge: Option<MergeWish>) -> &'static str {
    match merge {
        None => "no",
        Some(MergeWish::Merge) => "merge",
        Some(MergeWish::Squash) => "squash",
        Some(MergeWish::Rebase) => "rebase",
    }
}

/// What helps against a blocker here.
const fn way_on(way: WayOn) -> &'static str {
    match way {
        WayOn::Never => "",
        WayOn::FinishIt => "finish or abort it first",
        WayOn::CommitOrKeep => "commit it first",
        WayOn::DiscardIgnored => "i removes it, too",
        WayOn::MoveAway => "move it away first",
        WayOn::Unlock => "unlock it first",
        WayOn::PushSubmodule => "push it first",
        WayOn::Stop => "it is stopped",
        WayOn::EndProcess => "end it first",
    }
}

impl Dialog for Finish {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        if let Some(step) = self.consent_key(key, model) {
            return step;
        }
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => Step::Close,
            KeyCode::Down | KeyCode::Char('j') => {
                self.top = (self.top + 1).min(self.scrolled());
                Step::Stay(Vec::new())
            }
            KeyCode::Up | KeyCode::Char('k') => {
                self.top = self.top.saturating_sub(1);
                Step::Stay(Vec::new())
            }
            KeyCode::Char('m') => {
                self.wish.merge = match self.wish.merge {
                    None => Some(MergeWish::Merge),
                    Some(MergeWish::Merge) => Some(MergeWish::Squash),
                    Some(MergeWish::Squash) => Some(MergeWish::Rebase),
                    Some(MergeWish::Rebase) => None,
                };
                self.again()
            }
            KeyCode::Char('p') => {
                self.wish.push = !self.wish.push;
                self.again()
            }
            KeyCode::Char('b') => {
                self.wish.delete_branch = !self.wish.delete_branch;
                self.again()
            }
            KeyCode::Char('i') => {
                self.wish.discard_ignored = !self.wish.discard_ignored;
                self.again()
            }
            // What isn't known yet, or is in the way, is not done.
            KeyCode::Enter if matches!(self.plan, Some(Ok(_))) && self.blockers().is_empty() => {
                let Some((repository, content)) = self.asked() else { return self.done(None) };
                let intro = "These commands of the repository run in the worktree, with your rights, before it is removed.";
                let mut lines = vec![vec![span(Role::Text, intro)], Vec::new()];
                let shown = content.text();
                lines.extend(
                    shown.lines().map(|l| vec![span(Role::Text, text::clean(&l.replace('\t', "    ")))]),
                );
                let title = format!("Allow what {} brings?", text::clean(repository));
                self.consent = Some(Pager::new(&title, lines, 2, false, model));
                Step::Stay(Vec::new())
            }
            _ => Step::Stay(Vec::new()),
        }
    }

    fn answer(&mut self, done: &Done, _: &Model) -> Step {
        if let Done::FinishPlanned(id, number, plan) = done
            && *id == self.session
            && *number == self.number
        {
            self.plan = Some((**plan).clone());
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        if let Some(pager) = &self.consent {
            let all = keys(&[("o", "allow once"), ("a", "allow always"), ("esc", "back")]);
            return Panel { keys: all, ..pager.panel(model) };
        }
        let choice = |key: &str, label: &str, value: &str, is_on: bool| {
            let role = if is_on { Role::Title } else { Role::Dim };
            vec![span(Role::Key, key), span(Role::Text, format!(" {label} ")), span(role, value)]
        };
        let yes = |on: bool| if on { "yes" } else { "no" };
        let wish = &self.wish;
        let mut blocks = Vec::new();
        match &self.plan {
            None => blocks.push(Block::Line(vec![span(Role::Dim, "looking at it…")])),
            Some(Err(why)) => blocks.push(Block::Text(vec![span(Role::Error, why.clone())])),
            Some(Ok(plan)) => {
                blocks.push(Block::Line(heading(plan, model)));
                blocks.push(Block::Rule);
                let merge = choice("m", "merge", merge_words(wish.merge), wish.merge.is_some());
                let between = || span(Role::Dim, "   ");
                let mut line = merge;
                line.push(between());
                line.extend(choice("p", "push", yes(wish.push), wish.push));
                line.push(between());
                line.extend(choice("b", "delete branch", yes(wish.delete_branch), wish.delete_branch));
                blocks.push(Block::Line(line));
                if wish.discard_ignored {
                    blocks.push(Block::Line(choice("i", "remove ignored files, too", "yes", true)));
                }
                for blocker in plan.blockers.iter().skip(self.top) {
                    let way = way_on(blocker.way_on());
                    let way = if way.is_empty() { String::new() } else { format!("  ({way})") };
                    let words =
                        vec![span(Role::Error, format!("✕ {}", blocker.words())), span(Role::Dim, way)];
                    blocks.push(Block::Text(words));
                }
                if plan.blockers.is_empty() {
                    blocks.push(Block::Gap);
                    let stops = plan.stops_words().map(|all| vec![span(Role::Text, all)]);
                    let command =
                        |line: &String| vec![span(Role::Dim, "$ "), span(Role::Text, text::clean(line))];
                    let lines = stops.into_iter().chain(plan.commands.iter().map(command));
                    blocks.extend(lines.skip(self.top).map(Block::Text));
                }
            }
        }
        let can = matches!(self.plan, Some(Ok(_))) && self.blockers().is_empty();
        let title = model.record().session(&self.session).map(|s| text::clean(&s.title)).unwrap_or_default();
        let all: &[(&str, &str)] =
            if can { &[("enter", "finish"), ("esc", "close")] } else { &[("esc", "close")] };
        Panel {
            title: format!("Finish the worktree of {title}"),
            keys: keys(all),
            blocks,
            width: WIDTH,
            ..Panel::default()
        }
    }
}

/// `~/src/api-worktrees/feat  feat → main · 3 commits more`.
fn heading(plan: &FinishPlan, model: &Model) -> Vec<Span> {
    let path = model.app.settings.tilde(&plan.path.display().to_string());
    let branch = plan.branch.as_deref().unwrap_or("a commit by itself");
    let lacks =
        plan.lacks.filter(|n| *n > 0).map(|n| format!(" · {} more", text::counted(n as usize, "commit")));
    let base = plan.base.as_ref().filter(|base| Some(*base) != plan.branch.as_ref());
    let base = base.map(|base| format!(" → {base}{}", lacks.unwrap_or_default())).unwrap_or_default();
    vec![
        span(Role::Title, text::clean(&format!("{branch}{base}"))),
        span(Role::Dim, text::clean(&format!("   {path}"))),
    ]
}
