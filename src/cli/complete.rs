//! What shells complete: live titles, groups, tools, profiles.

use clap_complete::{ArgValueCandidates, CompletionCandidate};

use crate::app::commands::{self, Command};
use crate::config::paths::Environment;
use crate::config::{Kind, SETTINGS, Setting, kind_of};
use crate::domain::resolve::resolve;
use crate::domain::screen::Choice;
use crate::domain::session::Session;
use crate::engine::Goal;
use crate::ops;
use crate::ports::Catalogue;
use crate::tui::theme_names;
use crate::wiring::Wiring;

/// The variable by which a shell asks for completions.
pub(crate) const VARIABLE: &str = "DECK_COMPLETE";

/// A completion that can't be made is none: a shell has no place for errors.
fn wiring() -> Option<Wiring> {
    let env = Environment::of_process();
    let profile = env.get("DECK_PROFILE").map(str::to_owned);
    Wiring::new(env, profile.as_deref()).ok()
}

fn candidates(list: impl Fn(&Wiring) -> Vec<String> + Send + Sync + 'static) -> ArgValueCandidates {
    ArgValueCandidates::new(move || {
        wiring().map(|w| list(&w)).unwrap_or_default().into_iter().map(CompletionCandidate::new).collect()
    })
}

/// Titles of live sessions.
pub(crate) fn sessions() -> ArgValueCandidates {
    candidates(|w| {
        let loaded = w.cx().profile.store.load();
        loaded.map(|l| l.profile.live_sessions().map(|s| s.title.clone()).collect()).unwrap_or_default()
    })
}

/// Workers of live sessions, as they are named.
pub(crate) fn workers() -> ArgValueCandidates {
    candidates(|w| {
        let profile = w.cx().profile.store.load().map(|l| l.profile).unwrap_or_default();
        let of =
            |s: &Session| s.workers.iter().map(|w| format!("{}:{}", s.title, w.name)).collect::<Vec<_>>();
        profile.live_sessions().flat_map(of).collect()
    })
}

/// Paths of groups.
pub(crate) fn groups() -> ArgValueCandidates {
    candidates(|w| {
        let loaded = w.cx().profile.store.load();
        loaded.map(|l| l.profile.live_groups().map(|g| g.path.to_string()).collect()).unwrap_or_default()
    })
}

/// Names of repositories.
pub(crate) fn repositories() -> ArgValueCandidates {
    candidates(|w| {
        let loaded = w.cx().profile.store.load();
        loaded.map(|l| l.profile.repositories.iter().map(|r| r.name.clone()).collect()).unwrap_or_default()
    })
}

/// Branches of worktrees.
pub(crate) fn worktrees() -> ArgValueCandidates {
    candidates(|w| {
        let listed = ops::worktree::list(&w.cx(), None).map(|(listed, _)| listed).unwrap_or_default();
        listed.into_iter().filter_map(|worktree| worktree.entry.branch).collect()
    })
}

/// Names of MCP servers and sets.
pub(crate) fn mcp_servers() -> ArgValueCandidates {
    candidates(|w| w.settings.mcps.words())
}

/// Names of tools.
pub(crate) fn tools() -> ArgValueCandidates {
    candidates(|w| w.tools.all().iter().map(|e| e.tool.name.clone()).collect())
}

/// Statuses to wait for.
pub(crate) fn goals() -> ArgValueCandidates {
    ArgValueCandidates::new(|| Goal::ALL.iter().map(|(word, _)| CompletionCandidate::new(*word)).collect())
}

/// The choices of the question asked by the session before it on the command line.
pub(crate) fn choices() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let words: Vec<String> = std::env::args().skip_while(|w| w != "answer").skip(1).collect();
        let dialog = wiring().zip(words.iter().find(|w| !w.starts_with('-'))).and_then(|(wiring, name)| {
            let cx = wiring.cx();
            let profile = cx.profile.store.load().ok()?.profile;
            let session = resolve(&profile, name, cx.caller.inside.as_ref()).ok()?;
            ops::question(&cx, &session.id).ok().filter(|d| !d.several)
        });
        let choices = dialog.map(|d| d.choices).unwrap_or_default().into_iter().filter(|c| !c.is_text);
        let one = |c: Choice| CompletionCandidate::new(c.number.to_string()).help(Some(c.label.into()));
        choices.map(one).collect()
    })
}

/// The words that name the output of a verb: the next one, after those on the command line.
pub(crate) fn outputs() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let mut words: Vec<String> = std::env::args().skip_while(|w| w != "schema").skip(1).collect();
        // The last one is being typed.
        words.pop();
        words.retain(|w| !w.starts_with('-'));
        let next = |name: &String| {
            let mut rest = name.split(' ');
            words.iter().all(|w| rest.next() == Some(w)).then(|| rest.next().map(str::to_owned)).flatten()
        };
        let mut all: Vec<String> = crate::api::outputs().iter().filter_map(next).collect();
        all.dedup();
        all.into_iter().filter(|w| !w.starts_with('-')).map(CompletionCandidate::new).collect()
    })
}

/// Names of shells, or their ids.
pub(crate) fn shells() -> ArgValueCandidates {
    candidates(|w| {
        let shells = w.cx().shells.all().map(|(all, _)| all).unwrap_or_default();
        shells.iter().filter(|s| s.is_active()).map(|s| s.label().to_owned()).collect()
    })
}

/// Jobs of shells, the newest first.
pub(crate) fn jobs() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let Some(cx) = wiring().map(|w| w.cx()) else { return Vec::new() };
        let shells = cx.shells.all().map(|(all, _)| all).unwrap_or_default();
        let of = |shell: &crate::domain::shell::Shell| {
            let (jobs, label) = (cx.shells.jobs(shell).unwrap_or_default(), shell.label().to_owned());
            let one = move |j: &crate::domain::shell::Job| {
                let help = crate::domain::text::fit(&crate::domain::text::clean(&j.code), 60);
                CompletionCandidate::new(format!("{label}/{}", j.seq)).help(Some(help.into()))
            };
            jobs.iter().map(one).collect::<Vec<_>>()
        };
        shells.iter().filter(|s| s.is_active()).flat_map(of).collect()
    })
}

/// Names of settings, with what they do; those of keys once their beginning is typed.
pub(crate) fn settings() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let typed = std::env::args().next_back().unwrap_or_default();
        let setting = |s: &Setting| {
            CompletionCandidate::new(s.key).help(s.doc.lines().next().map(|l| l.to_owned().into()))
        };
        let mut all: Vec<CompletionCandidate> = SETTINGS.iter().map(setting).collect();
        if typed.starts_with("keys") {
            let key =
                |c: &Command| CompletionCandidate::new(format!("keys.{}", c.id)).help(Some(c.doc.into()));
            all.extend(commands::known().map(key));
        }
        all
    })
}

/// Values of the setting before it on the command line.
pub(crate) fn setting_values() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let words: Vec<String> = std::env::args().skip_while(|w| w != "set").skip(1).collect();
        let key = words.into_iter().find(|w| !w.starts_with('-'));
        let kind = key.as_deref().and_then(kind_of);
        let words = match kind {
            Some(Kind::Theme) => wiring().map(|w| theme_names(&w.paths.themes)).unwrap_or_default(),
            Some(Kind::Tool) => {
                let all = wiring().map(|w| w.tools.all()).unwrap_or_default();
                all.iter().map(|e| e.tool.name.clone()).collect()
            }
            Some(kind) => kind.words().iter().map(|w| (*w).to_owned()).collect(),
            None => Vec::new(),
        };
        words.into_iter().map(CompletionCandidate::new).collect()
    })
}

/// What a session's folder may be compared with.
pub(crate) fn bases() -> ArgValueCandidates {
    ArgValueCandidates::new(|| ["head", "base", "index"].map(CompletionCandidate::new).into())
}

/// Names of profiles.
pub(crate) fn profiles() -> ArgValueCandidates {
    candidates(|w| w.profiles.list().map(|l| l.iter().map(ToString::to_string).collect()).unwrap_or_default())
}
