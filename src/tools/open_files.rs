//! The conversation whose file an agent has open: how its id is learnt if nothing reported it.
//!
//! Invariant: exactly one, or none: which of several is shown is not known. An agent that works through
//! a daemon, or closes its file after each write, has none open.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::domain::conversation;
use crate::domain::id::is_conversation;
use crate::domain::launch::matches_any;
use crate::ports::reports::Asked;
use crate::sys::process;

/// How often an agent on whose window nothing moves is looked at.
const AGAIN: SignedDuration = SignedDuration::from_secs(10);
/// The length of a UUID as text.
const UUID: usize = 36;

/// When each process was last looked at.
#[derive(Debug, Default)]
pub(super) struct Looks(Mutex<BTreeMap<i32, Timestamp>>);

impl Looks {
    /// The conversation that an agent has open, if deck knows none of it.
    pub fn conversation(&self, asked: &Asked<'_>) -> Option<String> {
        if asked.conversation.is_some() || asked.pid <= 1 || asked.tool.conversation_files.is_empty() {
            return None;
        }
        let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = |at: &Timestamp| asked.moved || asked.now.duration_since(*at) >= AGAIN;
        if !states.get(&asked.pid).is_none_or(is_due) {
            return None;
        }
        states.retain(|_, at| asked.now.duration_since(*at) < AGAIN + AGAIN);
        states.insert(asked.pid, asked.now);
        drop(states);
        open(asked)
    }
}

/// The one conversation whose file the process, or one that it started, has open.
fn open(asked: &Asked<'_>) -> Option<String> {
    let files = process::open_files(asked.pid);
    let ids: BTreeSet<String> = files.iter().filter_map(|path| id_of(asked, path)).collect();
    let mut ids = ids.into_iter();
    ids.next().filter(|_| ids.next().is_none())
}

/// The id of the conversation that a file is of: the tool's file says where a file of that id would be.
fn id_of(asked: &Asked<'_>, path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let uuid = stem.get(stem.len().checked_sub(UUID)?..).filter(|end| Uuid::try_parse(end).is_ok());
    let id = uuid.filter(|id| is_conversation(id))?;
    let path = path.to_str()?;
    let is_here = |place: &String| {
        let (place, path): (Vec<&str>, Vec<&str>) = (place.split('/').collect(), path.split('/').collect());
        let fits = |(part, name): (&&str, &&str)| matches_any(&[(*part).to_owned()], name);
        place.len() == path.len() && place.iter().zip(&path).all(fits)
    };
    // An abbreviated id names no conversation for sure.
    let named = |place: &String| place.contains(id) && is_here(place);
    conversation::places(asked.tool, id, |name| asked.var(name)).iter().any(named).then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::domain::tool::Tool;
    use crate::sys::{files, spawn};

    /// Looks until this conversation, or none, is seen. Returns the looks that saw it. Other tests run in the same process: what
    /// they start has its open files for a moment, and the kernel's list of its children may leave one out while another ends.
    #[track_caller]
    fn until_seen(asked: &Asked<'_>, want: Option<&str>, when: &str) -> Looks {
        let begun = Instant::now();
        loop {
            let looks = Looks::default();
            let seen = looks.conversation(asked);
            if seen.as_deref() == want {
                return looks;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{when}: {seen:?}");
            std::thread::yield_now();
        }
    }

    const ID: &str = "01a204ed-8dcd-73e1-a194-423388e0c05b";

    #[test]
    fn the_one_file_that_is_open_names_the_conversation() {
        let dir = tempfile::tempdir().unwrap();
        let day = dir.path().join("sessions/2026");
        files::make_dir(&day).unwrap();
        let place = |id: &str| day.join(format!("rollout-2026-11-22T20-23-26-{id}.jsonl"));
        let other = ID.replace('a', "b");
        for path in [place(ID), place(&other), dir.path().join(format!("{ID}.jsonl"))] {
            files::create_new(&path, b"", 0o600).unwrap();
        }
        let tool = Tool {
            conversation_files: vec!["$X_HOME/sessions/*/rollout-*-{id}.jsonl".into()],
            ..Tool::default()
        };
        let env = BTreeMap::from([("X_HOME".to_owned(), dir.path().to_str().unwrap().to_owned())]);
        let now = Timestamp::UNIX_EPOCH;
        let mut asked = Asked {
            pid: 0,
            tool: &tool,
            env: &env,
            conversation: None,
            port: None,
            title: "",
            moved: true,
            now,
        };
        asked.pid = i32::try_from(std::process::id()).unwrap();
        assert_eq!(Looks::default().conversation(&asked), None);
        // One of another place is not its.
        let _elsewhere = std::fs::File::open(dir.path().join(format!("{ID}.jsonl"))).unwrap();
        assert_eq!(Looks::default().conversation(&asked), None);
        let mut child = spawn::command("sh");
        child.args(["-c", "exec 9<\"$1\"; echo; read -r _", "sh", place(ID).to_str().unwrap()]);
        let pipe = std::process::Stdio::piped;
        // It ends with this test, however that ends.
        let mut child = child.stdin(pipe()).stdout(pipe()).spawn().unwrap();
        let mut said = [0; 1];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
        until_seen(&asked, Some(ID), "a process that it started");
        let second = std::fs::File::open(place(&other)).unwrap();
        until_seen(&asked, None, "which one is shown is not known");
        drop(second);
        asked.moved = false;
        let states = until_seen(&asked, Some(ID), "the one that is left");
        assert_eq!(states.conversation(&asked), None, "not at each poll");
        asked.conversation = Some("known");
        assert_eq!(Looks::default().conversation(&asked), None);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
