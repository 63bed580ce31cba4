//! How much each piece of evidence weighs, and whether it was used: for the reducer and for `explain`.
//!
//! Invariants: a source that is blind to something can't contradict one that isn't; what no source
//! confirms grows weaker with age, never stronger.

use jiff::{SignedDuration, Timestamp};

use super::answered::is_answered;
use super::evidence::{Evidence, Exit, Observation, Source};
use super::hook::LATE;
use super::reduce::Facts;
use super::resized::{is_laying_out, may_lay_out};

/// How long a title that shows busy is believed while nothing on the screen moves.
const STUCK_TITLE: SignedDuration = SignedDuration::from_secs(10);
/// How long a hook's event counts by itself. Esc runs no hook: what happened a while ago is only a
/// hint, to be confirmed by what is seen.
const FRESH: SignedDuration = SignedDuration::from_secs(1);

/// The weight of a statement; [`Err`] is why it has none.
fn weigh(facts: &Facts<'_>, e: &Evidence) -> Result<u8, &'static str> {
    match (&e.what, e.source) {
        (Observation::Unknown, _) => Err("not understood"),
        (Observation::Gone(Exit::NotYetKnown), _) => Err("not known yet"),
        (Observation::Gone(_), _) => Ok(9),
        (Observation::Blocked(_), _) if is_answered(facts, e) => Err("answered"),
        // But for a dialog, which is drawn as a whole, what is shown now is not what the agent does.
        (Observation::Blocked(_), Source::Screen) => Ok(8),
        (_, Source::Screen | Source::Activity) if is_laying_out(facts) => Err("the screen is being laid out"),
        (_, Source::Hook) => weigh_hook(facts, e),
        // A title is painted after the dialog is gone, and stays when it gets stuck.
        (Observation::Blocked(_), Source::Title) if shows_no_dialog(facts) => Err("no dialog on the screen"),
        // A dialog on the screen beats a title or a file that shows busy: those get stuck.
        (Observation::Blocked(_), _) => Ok(8),
        // While the agent itself reports that it works, an error on its screen is one it repeats.
        (Observation::Busy(_), Source::Title) if is_stuck(facts) => Err("stuck"),
        (Observation::Busy(_), s) if s.is_exact() => Ok(7),
        // Own reports are blind to errors, so they can't contradict one.
        (Observation::Failed(_), _) => Ok(6),
        (Observation::Ready(_), s) if s.is_exact() => Ok(5),
        (Observation::Busy(_), Source::Activity) => Ok(1),
        (Observation::Ready(_), Source::Activity) => Ok(0),
        (Observation::Busy(_), _) => Ok(4),
        (Observation::Ready(_), _) => Ok(3),
    }
}

fn weigh_hook(facts: &Facts<'_>, e: &Evidence) -> Result<u8, &'static str> {
    const HINT: u8 = 2;
    let at = e.since.unwrap_or(e.seen_at);
    let fresh = facts.now.duration_since(at) < FRESH && e.rule.as_deref() != Some(LATE);
    let newer_report =
        facts.evidence.iter().any(|o| o.source == Source::Report && o.since.is_some_and(|since| since > at));
    match &e.what {
        Observation::Failed(_) if is_overtaken(facts, at) => Err("outdated"),
        Observation::Failed(_) => Ok(6),
        // A hint that nothing has moved since is none.
        _ if !fresh && is_stuck(facts) => Err("outdated"),
        _ if !fresh && is_laying_out(facts) => Err("the screen is being laid out"),
        _ if newer_report => Ok(HINT),
        Observation::Blocked(_) if fresh => Ok(8),
        Observation::Busy(_) if fresh => Ok(7),
        // The screen may still be about to change: it decides, but is believed at once.
        Observation::Ready(_) if fresh => Ok(3),
        _ => Ok(HINT),
    }
}

/// Whether work or a dialog was seen after a failure.
fn is_overtaken(facts: &Facts<'_>, failed_at: Timestamp) -> bool {
    let lives = |o: &Evidence| matches!(o.what, Observation::Busy(_) | Observation::Blocked(_));
    facts
        .evidence
        .iter()
        .any(|o| o.source == Source::Screen && lives(o) && o.seen_at.duration_since(failed_at) > FRESH)
}

/// Whether the screen is understood, and shows something else than a dialog.
fn shows_no_dialog(facts: &Facts<'_>) -> bool {
    if may_lay_out(facts) {
        return false;
    }
    let other = |o: &Observation| !matches!(o, Observation::Blocked(_) | Observation::Unknown);
    facts.evidence.iter().any(|o| o.source == Source::Screen && other(&o.what))
}

/// Whether nothing on the screen moved for so long that a busy title is only a hint.
fn is_stuck(facts: &Facts<'_>) -> bool {
    facts.activity_at.is_some_and(|at| facts.now.duration_since(at) > STUCK_TITLE)
}

/// The evidence that decides: the one of highest weight, then the newest.
pub(super) fn choose<'a>(
    facts: &'a Facts<'_>,
    may: impl Fn(&Evidence) -> bool,
) -> Option<(usize, &'a Evidence)> {
    let heard = facts.evidence.iter().enumerate().filter(|(_, e)| may(e));
    let weighed = heard.filter_map(|(i, e)| Some((weigh(facts, e).ok()?, i, e)));
    weighed
        .max_by(|(wa, _, a), (wb, _, b)| {
            let key = |e: &Evidence| (e.since, e.seen_at, e.source, e.what.clone());
            wa.cmp(wb).then_with(|| key(a).cmp(&key(b)))
        })
        .map(|(_, i, e)| (i, e))
}

/// What became of one piece of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceOutcome {
    Decides,
    /// It reports the same as the one that decided.
    Agrees,
    /// It reports something else, and weighs less.
    Disagrees,
    /// It can't see what the one that decided reports.
    Blind,
    /// It has no weight, for this reason.
    SetAside(&'static str),
}

impl EvidenceOutcome {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Decides => "← decides",
            Self::Agrees => "agrees",
            Self::Disagrees => "disagrees",
            Self::Blind => "can't tell",
            Self::SetAside(why) => why,
        }
    }
}

/// What became of each piece of evidence, in its order.
pub fn outcomes(facts: &Facts<'_>) -> Vec<EvidenceOutcome> {
    let chosen = choose(facts, |_| true);
    let of = |(i, e): (usize, &Evidence)| match (weigh(facts, e), &chosen) {
        (Err(why), _) => EvidenceOutcome::SetAside(why),
        (Ok(_), Some((decider, _))) if *decider == i => EvidenceOutcome::Decides,
        (Ok(_), Some((_, decider))) => stand_beside(facts, e, decider),
        (Ok(_), None) => EvidenceOutcome::Disagrees,
    };
    facts.evidence.iter().enumerate().map(of).collect()
}

fn stand_beside(facts: &Facts<'_>, e: &Evidence, decider: &Evidence) -> EvidenceOutcome {
    if e.what.word() == decider.what.word() {
        return EvidenceOutcome::Agrees;
    }
    let blind_to_errors = matches!(e.source, Source::Report | Source::Title | Source::Activity);
    if blind_to_errors && matches!(decider.what, Observation::Failed(_)) {
        return EvidenceOutcome::Blind;
    }
    let at = e.since.unwrap_or(e.seen_at);
    if e.source == Source::Hook && facts.now.duration_since(at) >= FRESH {
        return EvidenceOutcome::SetAside("outdated");
    }
    if e.source == Source::Activity {
        return EvidenceOutcome::SetAside("only a guess");
    }
    EvidenceOutcome::Disagrees
}
