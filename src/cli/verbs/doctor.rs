//! `deck doctor`: diagnose problems.

use std::process::ExitCode;

use super::Done;
use crate::api::{Check, Finding, Version};
use crate::cli::Context;
use crate::cli::error::install_line;
use crate::domain::profile::Profile;
use crate::domain::shell::JobStatus;
use crate::domain::text;
use crate::ops::job::{JobFilter, jobs};
use crate::ops::shell;
use crate::ports::{Catalogue, Host, MuxError};
use crate::sys::host::SystemHost;

pub(super) fn run(context: &mut Context) -> Done {
    let findings: [Finding; 6] =
        [tmux, folders, profiles, tools, shells, foreign_panes].map(|check| check(context));
    let ok = findings.iter().all(|f| f.ok);
    if context.out.json {
        context.out.value(&Vec::from(findings))?;
    } else {
        for f in &findings {
            let mark = if f.ok { "ok  " } else { "WARN" };
            let what = title(f.what);
            context.out.line(&format!("{mark}  {what:<16} {}", f.text))?;
        }
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

const fn title(what: Check) -> &'static str {
    match what {
        Check::Tmux => "tmux",
        Check::Folders => "folders",
        Check::Profiles => "profiles",
        Check::Tools => "tools",
        Check::Shells => "shells",
        Check::Strangers => "unknown sessions",
    }
}

fn tmux(context: &Context) -> Finding {
    let wiring = &context.wiring;
    let what = Check::Tmux;
    let path = wiring.env.get("PATH").unwrap_or_default();
    let program = &wiring.config.tmux.program;
    let Some(found) = SystemHost.find_program(program, path, &wiring.env.cwd) else {
        return Finding {
            schema_version: Version,
            what,
            ok: false,
            text: format!("{program} not found; install it: {}", install_line(program)),
        };
    };
    let found = found.display();
    if !wiring.server_is_live() {
        return Finding {
            schema_version: Version,
            what,
            ok: true,
            text: format!("{found}; no server on socket {}", wiring.socket),
        };
    }
    match wiring.cx().mux.version() {
        Ok(version) => Finding {
            schema_version: Version,
            what,
            ok: true,
            text: format!("{found} {version}, socket {}", wiring.socket),
        },
        Err(error) => Finding {
            schema_version: Version,
            what,
            ok: false,
            text: format!("socket {}: {error}", wiring.socket),
        },
    }
}

fn folders(context: &Context) -> Finding {
    let paths = &context.wiring.paths;
    let text =
        format!("profiles in {}, settings in {}", paths.profiles.display(), paths.config_file.display());
    Finding { schema_version: Version, what: Check::Folders, ok: true, text }
}

fn profiles(context: &Context) -> Finding {
    let what = Check::Profiles;
    let names = match context.wiring.profiles.list() {
        Ok(names) => names,
        Err(error) => return Finding { schema_version: Version, what, ok: false, text: error.to_string() },
    };
    let mut bad = Vec::new();
    for name in &names {
        match context.wiring.cx_for(name).profile.store.load() {
            Ok(loaded) => bad.extend(loaded.recovered),
            Err(error) => bad.push(error.to_string()),
        }
    }
    let names: Vec<_> = names.iter().map(ToString::to_string).collect();
    let ok = bad.is_empty();
    Finding { schema_version: Version, what, ok, text: if ok { names.join(", ") } else { bad.join("; ") } }
}

fn tools(context: &Context) -> Finding {
    let path = context.wiring.env.get("PATH").unwrap_or_default();
    let all = context.wiring.tools.all();
    let installed: Vec<&str> = all
        .iter()
        .filter(|e| {
            let program = e.tool.command.split_whitespace().next().unwrap_or_default();
            SystemHost.find_program(program, path, &context.wiring.env.cwd).is_some()
        })
        .map(|e| e.tool.display_title())
        .collect();
    let wrong = context.wiring.tools.problems();
    let found = if installed.is_empty() { "no agent is installed".to_owned() } else { installed.join(", ") };
    let ok = wrong.is_empty();
    let text = if ok { found } else { format!("{found}; `deck tool check` shows {} problems", wrong.len()) };
    Finding { schema_version: Version, what: Check::Tools, ok, text }
}

/// The headless shells of all profiles. A job whose supervisor is gone and whose processes still run is named.
fn shells(context: &Context) -> Finding {
    let (mut count, mut kept, mut orphaned, mut problems) = (0, 0, Vec::new(), Vec::new());
    let mut names = context.wiring.profiles.list().unwrap_or_default();
    // A profile may have shells and no session.
    if !names.contains(&context.wiring.profile) {
        names.push(context.wiring.profile.clone());
    }
    for name in names {
        let cx = context.wiring.cx_for(&name);
        let listed = match shell::list(&cx, true) {
            Ok((listed, unreadable)) => {
                problems.extend(unreadable);
                listed
            }
            Err(error) => {
                problems.push(error.to_string());
                continue;
            }
        };
        count += listed.iter().filter(|l| l.shell.is_active()).count();
        kept += listed.iter().map(|l| l.shell.bytes).sum::<u64>();
        let lost = JobFilter { statuses: vec![JobStatus::Orphaned], ..JobFilter::default() };
        match jobs(&cx, None, &lost) {
            Ok(lost) => {
                orphaned.extend(lost.iter().filter(|j| !j.children.is_empty()).map(|j| j.job_id.to_string()))
            }
            Err(error) => problems.push(error.to_string()),
        }
    }
    let mut text = format!("{}, {} of output on disk", text::counted(count, "shell"), text::bytes(kept));
    if !orphaned.is_empty() {
        let jobs = orphaned.join(", ");
        text = format!(
            "{text}; processes of {jobs} still run without a supervisor (`deck job kill JOB` ends them)"
        );
    }
    for problem in &problems {
        text = format!("{text}; {problem}");
    }
    Finding {
        schema_version: Version,
        what: Check::Shells,
        ok: problems.is_empty() && orphaned.is_empty(),
        text,
    }
}

/// tmux sessions that carry an id which is in no profile. They are listed, never ended.
fn foreign_panes(context: &Context) -> Finding {
    let what = Check::Strangers;
    let rows = match context.wiring.cx().mux.panes(std::slice::from_ref(&context.wiring.socket), None) {
        Ok(list) => list.rows,
        Err(MuxError::NoServer(_)) => Vec::new(),
        Err(error) => return Finding { schema_version: Version, what, ok: false, text: error.to_string() },
    };
    let names = context.wiring.profiles.list().unwrap_or_default();
    let known: Vec<Profile> = names
        .iter()
        .filter_map(|n| context.wiring.cx_for(n).profile.store.load().ok())
        .map(|l| l.profile)
        .collect();
    let unknown: Vec<String> = rows
        .iter()
        .filter(|r| r.tags.id.as_ref().is_some_and(|id| known.iter().all(|p| p.session(id).is_none())))
        .map(|r| r.name.clone())
        .collect();
    let ok = unknown.is_empty();
    let text = if ok {
        "none on deck's server".to_owned()
    } else {
        format!("{} (in no profile; left unchanged)", unknown.join(", "))
    };
    Finding { schema_version: Version, what, ok, text }
}
