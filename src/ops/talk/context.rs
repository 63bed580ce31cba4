//! Making the context of a request: what the project, the feature and the task are now.

use std::path::Path;
use std::time::{Duration, Instant};

use super::TalkError;
use crate::domain::talk::{CUT, Context, Feature, INSTRUCTIONS, STRUCTURE, State, cut_to, tree};
use crate::ops::{Cx, OpResult};
use crate::ports::conversations::{Part, Talk};

/// The files in which projects instruct agents.
const FILES: [&str; 3] = ["CLAUDE.md", "AGENTS.md", "GEMINI.md"];
/// The most that is read of one of them, or of a feature's file, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// How many commits are named.
const COMMITS: usize = 20;
/// How long all of it may take.
const LIMIT: Duration = Duration::from_secs(2);
/// What is never a part of a project's structure.
const LEFT_OUT: [&str; 3] = ["node_modules", "target", ".git"];

/// What a request says of the project, the feature and the task, as they are now. It is not written anywhere.
pub fn make(cx: &Cx, talk: &Talk) -> Context {
    let (root, state) = (&talk.root, &talk.state);
    let subject = &state.subject;
    let mut context = Context {
        project_root: root.to_string_lossy().into_owned(),
        feature_id: subject.feature.clone(),
        task_id: subject.task.clone(),
        task_state: subject.state.clone(),
        ..Context::default()
    };
    let begun = Instant::now();
    let stop = || begun.elapsed() >= LIMIT || cx.cancel.is_cancelled();
    let (structure, commits) = std::thread::scope(|scope| {
        let structure = scope.spawn(|| structure(cx, root, &stop));
        let commits = scope.spawn(|| cx.git.recent(root, COMMITS, &stop).map_err(|error| why(&error)));
        feature(cx, root, state, &mut context);
        instructions(cx, root, &mut context);
        let gone = || Err("it could not be asked".to_owned());
        (
            structure.join().unwrap_or_else(|_| gone()),
            commits.join().unwrap_or_else(|_| Err("it could not be asked".to_owned())),
        )
    });
    let mut problem = |key: &str, why: String| {
        context.problems.insert(key.to_owned(), why);
    };
    match structure {
        Ok(text) => context.project_structure = Some(cut(&text, STRUCTURE)),
        Err(why) => problem("projectStructure", why),
    }
    match commits {
        Ok(commits) => context.recent_commits = Some(commits),
        Err(why) => problem("recentCommits", why),
    }
    if let Err(why) = context.set(&state.context) {
        context.problems.insert("context".to_owned(), why);
    }
    context
}

fn why(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

fn cut(text: &str, most: u64) -> String {
    let (mut kept, is_cut) = cut_to(text, most);
    if is_cut {
        kept.push_str(CUT);
        kept.push('\n');
    }
    kept
}

fn structure(cx: &Cx, root: &Path, stop: &dyn Fn() -> bool) -> Result<String, String> {
    if cx.git.common_folder(root).is_some() {
        return cx.git.tracked(root, stop).map(|paths| tree(&paths)).map_err(|error| why(&error));
    }
    let of = |pattern: &str| cx.host.all_files(&root.join(pattern).to_string_lossy());
    let all = of("*").into_iter().chain(of("*/*"));
    let relative = all.filter_map(|path| Some(path.strip_prefix(root).ok()?.to_string_lossy().into_owned()));
    let is_part =
        |path: &String| !path.split('/').any(|name| name.starts_with('.') || LEFT_OUT.contains(&name));
    Ok(tree(&relative.filter(is_part).collect::<Vec<_>>()))
}

/// What the feature's file says.
fn feature(cx: &Cx, root: &Path, state: &State, context: &mut Context) {
    let path = root.join(".deck/features").join(format!("{}.json", state.subject.feature));
    let bytes = match cx.folders.content(&path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            let why = match error.kind() {
                std::io::ErrorKind::NotFound => format!("there is no {}", path.display()),
                _ => format!("can't read {}: {error}", path.display()),
            };
            context.problems.insert("featureName".to_owned(), why);
            return;
        }
    };
    let feature: Feature = match serde_json::from_slice(&bytes) {
        Ok(feature) => feature,
        Err(error) => {
            let why = format!("can't read {}: {error}", path.display());
            context.problems.insert("featureName".to_owned(), why);
            return;
        }
    };
    context.feature_name.clone_from(&feature.name);
    context.feature_goal.clone_from(&feature.goal);
    context.dag_summary = (!feature.tasks.is_empty()).then(|| feature.summary());
    let Some(id) = &state.subject.task else { return };
    match feature.task(id) {
        Some((title, dependencies, dependents)) => {
            context.task_title = Some(title);
            context.dependencies = Some(dependencies);
            context.dependents = Some(dependents);
        }
        None => {
            context.problems.insert("taskTitle".to_owned(), format!("{} has no task {id}", path.display()));
        }
    }
}

/// The instruction files, each under its name. Those that are links to another one are there once.
fn instructions(cx: &Cx, root: &Path, context: &mut Context) {
    let mut text = String::new();
    let mut seen: Vec<std::path::PathBuf> = Vec::new();
    for name in FILES {
        let path = root.join(name);
        let Some(real) = cx.host.real_path(&path) else { continue };
        if seen.contains(&real) {
            continue;
        }
        seen.push(real.clone());
        match cx.folders.content(&real, MAX_BYTES) {
            Ok(bytes) => {
                text.push_str(&format!("## {name}\n\n{}\n\n", String::from_utf8_lossy(&bytes).trim_end()));
            }
            Err(error) => {
                context
                    .problems
                    .insert("claudeMd".to_owned(), format!("can't read {}: {error}", path.display()));
            }
        }
    }
    context.claude_md = (!text.is_empty()).then(|| cut(text.trim_end(), INSTRUCTIONS));
}

/// Makes the context and writes it beside the conversation, as the last one that a request was made with.
///
/// # Errors
/// When it can't be written.
pub fn refresh(cx: &Cx, talk: &Talk) -> OpResult<Context> {
    let context = make(cx, talk);
    let text = serde_json::to_string_pretty(&context).unwrap_or_default();
    cx.conversations.put_part(&talk.root, &talk.state.id, Part::Context, &text).map_err(TalkError::from)?;
    Ok(context)
}
