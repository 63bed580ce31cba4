//! Running an agent's program once, without a terminal, to write something: in an empty folder, with an end.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::json_path::JsonPath;
use crate::domain::text;
use crate::ports::Cancel;
use crate::ports::headless::{Headless, HeadlessAnswer, HeadlessError, HeadlessJob};
use crate::sys::spawn::{self, Ended, Limits};
use crate::sys::{files, process};

/// The variable that marks all processes of a run.
const MARK: &str = "DECK_HEADLESS";
/// The most characters of what a program complains of.
const WORDS: usize = 200;

/// Runs programs on this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemHeadless;

/// A folder that goes with what is in it.
struct Scratch(PathBuf);

impl Scratch {
    fn make(below: &Path) -> io::Result<Self> {
        let dir = below.join(uuid::Uuid::new_v4().to_string());
        files::make_dir(&dir)?;
        Ok(Self(dir))
    }

    fn put(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        files::create_new(&path, text.as_bytes(), 0o600)?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for entry in std::fs::read_dir(&self.0).into_iter().flatten().flatten() {
            // A folder in it is not deck's, and stays with it.
            let _ = std::fs::remove_file(entry.path());
        }
        if let Err(error) = std::fs::remove_dir(&self.0) {
            tracing::warn!(path = %self.0.display(), %error, "a headless run left something");
        }
    }
}

/// Ends what still runs of a run.
fn end(mark: &str) {
    for (pid, error) in process::end_all_with_variable(&format!("{MARK}={mark}")) {
        tracing::warn!(%error, pid, "can't end what a headless run left");
    }
}

/// What an error says that a program printed as JSON.
fn in_json(line: &str) -> Option<String> {
    let value = serde_json::from_str::<Value>(line).ok()?;
    let paths = ["/error/message", "/result", "/message", "/error"];
    let words = paths.iter().find_map(|path| value.pointer(path).and_then(Value::as_str));
    words.filter(|words| !words.trim().is_empty()).map(str::to_owned)
}

impl Headless for SystemHeadless {
    fn run(&self, job: &HeadlessJob, cancel: &Cancel) -> Result<HeadlessAnswer, HeadlessError> {
        let failed = |error: io::Error| HeadlessError::NotStarted(error.to_string());
        let scratch = Scratch::make(&job.scratch).map_err(failed)?;
        // Always the same one: some agents keep a note of each folder that they have worked in.
        let work = job.scratch.join("empty");
        files::make_dir(&work).map_err(failed)?;
        let input = scratch.put("input", &job.input).map_err(failed)?;
        let schema = scratch.put("schema.json", &job.schema).map_err(failed)?;
        let out = scratch.0.join("answer");
        let fill = |word: &String| {
            word.replace("{schema_file}", &schema.to_string_lossy())
                .replace("{schema}", &job.schema)
                .replace("{out}", &out.to_string_lossy())
                .replace("{system}", &job.system)
        };
        let has_out = job.argv.iter().any(|word| word.contains("{out}"));
        let mut argv = job.argv.iter().map(fill);
        let program =
            argv.next().ok_or_else(|| HeadlessError::NotStarted("no program is given".to_owned()))?;
        let path = job.env.get("PATH").map(String::as_str).unwrap_or_default();
        let found = spawn::find_program(&program, path, &work)
            .ok_or_else(|| HeadlessError::NotStarted(format!("{program} is not installed")))?;
        let mark = scratch.0.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut command = spawn::command(found);
        command.args(argv).current_dir(&work).env_clear().envs(&job.env).env(MARK, &mark);
        command.stdin(files::open(&input).map_err(failed)?);
        let limits = Limits { time: job.time, bytes: job.bytes };
        let ended = spawn::run_within(&mut command, limits, &|| cancel.is_cancelled());
        end(&mark);
        let printed = match ended.map_err(failed)? {
            Ended::Printed(printed) => printed,
            Ended::TimedOut => return Err(HeadlessError::TimedOut(job.time)),
            Ended::Stopped => return Err(HeadlessError::Cancelled),
        };
        if printed.is_cut {
            return Err(HeadlessError::TooMuch(job.bytes));
        }
        let stdout = String::from_utf8_lossy(&printed.stdout).into_owned();
        if printed.code != Some(0) {
            let code = printed.code.map_or_else(|| "none".to_owned(), |code| code.to_string());
            let last = |text: &str| text.lines().rev().find(|l| !l.trim().is_empty()).map(str::to_owned);
            let words = last(&printed.stderr).or_else(|| last(&stdout)).unwrap_or_default();
            let words = in_json(&words).unwrap_or(words);
            let words = text::clean(&words).chars().take(WORDS).collect();
            return Err(HeadlessError::Failed { code, words });
        }
        let value = serde_json::from_str::<Value>(stdout.trim()).ok();
        let at = |path: &str| -> Option<Value> { JsonPath::parse(path)?.find(value.as_ref()?).cloned() };
        let left = at(&job.leaves).and_then(|id| id.as_str().map(str::to_owned));
        let text = if has_out {
            files::read_text(&out, job.bytes)
                .map_err(|_| HeadlessError::NoResult("answer in its file".to_owned()))?
        } else if job.result == "." {
            stdout
        } else {
            match at(&job.result) {
                Some(Value::String(text)) => text,
                Some(Value::Null) | None => return Err(HeadlessError::NoResult(job.result.clone())),
                Some(other) => other.to_string(),
            }
        };
        Ok(HeadlessAnswer { text, left })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::{Duration, Instant};

    use super::*;

    fn job(dir: &Path, script: &str, result: &str) -> HeadlessJob {
        let path = std::env::var("PATH").unwrap();
        HeadlessJob {
            argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
            env: BTreeMap::from([("PATH".to_owned(), path)]),
            scratch: dir.to_owned(),
            input: "the material".to_owned(),
            system: "write".to_owned(),
            schema: "{\"type\":\"object\"}".to_owned(),
            result: result.to_owned(),
            leaves: ".session_id".to_owned(),
            time: Duration::from_secs(60),
            bytes: 10_000,
        }
    }

    fn run(script: &str, result: &str) -> Result<HeadlessAnswer, HeadlessError> {
        let dir = tempfile::tempdir().unwrap();
        let answer = SystemHeadless.run(&job(dir.path(), script, result), &Cancel::default());
        let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["empty"], "nothing else is left");
        assert_eq!(std::fs::read_dir(dir.path().join("empty")).unwrap().count(), 0);
        answer
    }

    #[test]
    fn an_answer_is_taken_from_where_it_is() {
        assert_eq!(run("cat; pwd | wc -l; ls", ".").unwrap().text, "the material1\n");
        let answer = run(r#"echo '{"response":"x","session_id":"s1"}'"#, ".response").unwrap();
        assert_eq!((answer.text.as_str(), answer.left.as_deref()), ("x", Some("s1")));
        assert_eq!(run(r#"echo '{"a":{"b":[1]}}'"#, ".a").unwrap().text, r#"{"b":[1]}"#);
        assert_eq!(
            run("echo '{schema}' > '{out}'; echo noise", ".").unwrap().text,
            "{\"type\":\"object\"}\n"
        );
        assert_eq!(run("cat '{schema_file}'", ".").unwrap().text, "{\"type\":\"object\"}");
    }

    #[test]
    fn what_goes_wrong_is_named_and_ends() {
        let failed = run("echo first >&2; echo 'API Error: 529 overloaded' >&2; exit 1", ".");
        assert_eq!(failed.unwrap_err().to_string(), "it ended with exit code 1: API Error: 529 overloaded");
        // Where it printed JSON, what that says.
        let json = r#"echo '{"type":"result","is_error":true,"result":"API Error: 529 overloaded","usage":{}}'; exit 1"#;
        let failed = run(json, ".result").unwrap_err().to_string();
        assert_eq!(failed, "it ended with exit code 1: API Error: 529 overloaded");
        assert_eq!(
            run("while :; do echo noise noise noise; done", ".").unwrap_err(),
            HeadlessError::TooMuch(10_000)
        );
        assert_eq!(run("echo prose", ".response").unwrap_err(), HeadlessError::NoResult(".response".into()));
        let dir = tempfile::tempdir().unwrap();
        let slow =
            HeadlessJob { time: Duration::from_millis(300), ..job(dir.path(), "sleep 1000 & wait", ".") };
        assert!(matches!(SystemHeadless.run(&slow, &Cancel::default()), Err(HeadlessError::TimedOut(_))));
        let none = HeadlessJob { argv: vec!["no-such-agent".into()], ..slow.clone() };
        let error = SystemHeadless.run(&none, &Cancel::default()).unwrap_err();
        assert_eq!(error.to_string(), "it can't be started: no-such-agent is not installed");
        let cancel = Cancel::default();
        cancel.cancel();
        let long = HeadlessJob { time: Duration::from_secs(60), ..slow };
        assert_eq!(SystemHeadless.run(&long, &cancel), Err(HeadlessError::Cancelled));
    }

    #[test]
    fn nothing_of_it_runs_on() {
        let dir = tempfile::tempdir().unwrap();
        let note = tempfile::NamedTempFile::new().unwrap();
        let script =
            format!("setsid sleep 1000 > /dev/null 2>&1 & echo $! > {}; echo done", note.path().display());
        SystemHeadless.run(&job(dir.path(), &script, "."), &Cancel::default()).unwrap();
        let pid: i32 = files::read_text(note.path(), 100).unwrap().trim().parse().unwrap();
        let begun = Instant::now();
        while process::stat(pid).is_some_and(|stat| !stat.zombie) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{pid} runs on");
            std::thread::yield_now();
        }
    }
}
