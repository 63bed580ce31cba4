//! What a request says of the project, the feature and the task.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `context_<id>.json`, in the shape in which other programs read it. What is not known is null.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Context {
    pub project_root: String,
    pub feature_id: String,
    pub feature_name: Option<String>,
    pub feature_goal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_state: Option<String>,
    /// How it stands with the tasks: `5 tasks: 2 complete, 1 in progress, 2 pending`.
    pub dag_summary: Option<String>,
    pub dependencies: Option<Vec<String>>,
    pub dependents: Option<Vec<String>>,
    pub project_structure: Option<String>,
    /// The instruction files of the project, each under its name.
    pub claude_md: Option<String>,
    pub recent_commits: Option<Vec<String>>,
    /// Why a part is not known, by its key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub problems: BTreeMap<String, String>,
    /// Keys of other programs.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Context {
    /// Sets what is given from outside, by key.
    ///
    /// # Errors
    /// The words for a value of the wrong shape; nothing is set then.
    pub fn set(&mut self, values: &Map<String, Value>) -> Result<(), String> {
        let mut whole = serde_json::to_value(&*self).unwrap_or_default();
        if let Some(object) = whole.as_object_mut() {
            object.extend(values.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        *self = serde_json::from_value(whole).map_err(|error| error.to_string())?;
        Ok(())
    }
}

/// A feature with its tasks: `.deck/features/<feature>.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Feature {
    pub name: Option<String>,
    pub goal: Option<String>,
    pub tasks: Vec<FeatureTask>,
}

/// A task of a feature.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct FeatureTask {
    pub id: String,
    pub title: String,
    pub state: String,
    /// The ids of the tasks that must be finished before.
    pub depends_on: Vec<String>,
}

/// Where a task stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Complete,
    InProgress,
    Pending,
}

fn standing(state: &str) -> Standing {
    match state {
        "complete" | "completed" | "done" | "merged" | "archived" => Standing::Complete,
        state if state.starts_with("in_") || state == "ready_for_merge" || state == "review" => {
            Standing::InProgress
        }
        _ => Standing::Pending,
    }
}

impl Feature {
    /// How it stands with its tasks, and which of them wait for each other.
    pub fn summary(&self) -> String {
        let count = |of: Standing| self.tasks.iter().filter(|task| standing(&task.state) == of).count();
        let words = format!(
            "{} tasks: {} complete, {} in progress, {} pending",
            self.tasks.len(),
            count(Standing::Complete),
            count(Standing::InProgress),
            count(Standing::Pending)
        );
        match self.cycle() {
            Some(cycle) => format!("{words}; these wait for each other: {}", cycle.join(" -> ")),
            None => words,
        }
    }

    /// Tasks that depend on each other in a ring, the first one again at the end.
    fn cycle(&self) -> Option<Vec<String>> {
        let tasks: BTreeMap<&str, &FeatureTask> =
            self.tasks.iter().map(|task| (task.id.as_str(), task)).collect();
        // Those that are known to lead to no ring.
        let mut free: Vec<&str> = Vec::new();
        for start in tasks.keys() {
            let mut path: Vec<(&str, usize)> = vec![(start, 0)];
            while let Some((at, next)) = path.pop() {
                if free.contains(&at) {
                    continue;
                }
                let Some(on) = tasks.get(at).and_then(|task| task.depends_on.get(next)) else {
                    free.push(at);
                    continue;
                };
                path.push((at, next + 1));
                if let Some(begin) = path.iter().position(|(id, _)| id == on) {
                    let ring = path.iter().skip(begin).map(|(id, _)| (*id).to_owned());
                    return Some(ring.chain([on.clone()]).collect());
                }
                path.push((on, 0));
            }
        }
        None
    }

    /// What is known of one task: its title, what it depends on, and what depends on it.
    pub fn task(&self, id: &str) -> Option<(String, Vec<String>, Vec<String>)> {
        let task = self.tasks.iter().find(|task| task.id == id)?;
        let dependents = self.tasks.iter().filter(|other| other.depends_on.iter().any(|on| on == id));
        Some((
            task.title.clone(),
            task.depends_on.clone(),
            dependents.map(|other| other.id.clone()).collect(),
        ))
    }
}

/// A tree of files, two levels deep: folders with how many files are in them, and the files of the first level.
pub fn tree(paths: &[String]) -> String {
    let mut top: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut files: Vec<&str> = Vec::new();
    for path in paths {
        let mut parts = path.splitn(3, '/');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(name), None, _) => files.push(name),
            (Some(dir), Some(name), rest) => {
                let below = top.entry(dir).or_default();
                if rest.is_some() {
                    *below.entry(name).or_default() += 1;
                } else {
                    below.insert(name, 0);
                }
            }
            _ => {}
        }
    }
    let mut text = String::new();
    for (dir, below) in &top {
        text.push_str(&format!("{dir}/\n"));
        for (name, count) in below {
            text.push_str(&match count {
                0 => format!("  {name}\n"),
                count => format!("  {name}/ ({count})\n"),
            });
        }
    }
    files.sort_unstable();
    for name in files {
        text.push_str(&format!("{name}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(tasks: &[(&str, &str, &[&str])]) -> Feature {
        let task = |(id, state, on): &(&str, &str, &[&str])| FeatureTask {
            id: (*id).into(),
            title: format!("Title of {id}"),
            state: (*state).into(),
            depends_on: on.iter().map(|on| (*on).into()).collect(),
        };
        Feature { tasks: tasks.iter().map(task).collect(), ..Feature::default() }
    }

    #[test]
    fn how_it_stands_with_tasks() {
        let of = feature(&[
            ("a", "done", &[]),
            ("b", "merged", &["a"]),
            ("c", "in_dev", &["a"]),
            ("d", "todo", &["c"]),
            ("e", "", &["c"]),
        ]);
        assert_eq!(of.summary(), "5 tasks: 2 complete, 1 in progress, 2 pending");
        let want = ("Title of c".to_owned(), vec!["a".to_owned()], vec!["d".to_owned(), "e".to_owned()]);
        assert_eq!(of.task("c"), Some(want));
        assert_eq!(of.task("x"), None);
        let ring = feature(&[("a", "", &["b"]), ("b", "", &["gone", "c"]), ("c", "", &["b"])]);
        assert!(ring.summary().ends_with("these wait for each other: b -> c -> b"), "{}", ring.summary());
        let own = feature(&[("a", "", &["a"])]);
        assert!(own.summary().ends_with("a -> a"), "{}", own.summary());
    }

    #[test]
    fn a_tree_is_two_levels_deep() {
        let paths =
            ["README.md", "src/main.rs", "src/app/a.rs", "src/app/b/c.rs", "docs/x.md"].map(str::to_owned);
        assert_eq!(tree(&paths), "docs/\n  x.md\nsrc/\n  app/ (2)\n  main.rs\nREADME.md\n");
        assert_eq!(tree(&[]), "");
    }

    #[test]
    fn another_programs_context_stays_as_it_is_and_values_are_set() {
        let text = include_str!("../../../tests/fixtures/conversations/context.json");
        let value: Value = serde_json::from_str(text).unwrap();
        let mut context: Context = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&context).unwrap(), value);
        let values = serde_json::json!({"featureGoal": "less", "dependencies": ["x"]});
        context.set(values.as_object().unwrap()).unwrap();
        assert_eq!(
            (context.feature_goal.as_deref(), context.dependencies),
            (Some("less"), Some(vec!["x".into()]))
        );
        let mut other = Context::default();
        assert!(other.set(serde_json::json!({"dependencies": 5}).as_object().unwrap()).is_err());
        assert_eq!(other, Context::default());
    }
}
