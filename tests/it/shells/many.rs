//! Many at once.

use super::{begin, json, nothing_runs, run, world};
use crate::support::Sandbox;

#[test]
fn fifty_askers_of_one_shell_take_turns_and_none_is_lost() {
    let s = world();
    run(&s, "n=0").ok();
    let all: Vec<_> = (0..50)
        .map(|_| begin(&s, &["shell", "exec", "api", "m=$n; sleep 0.005; n=$((m + 1))"], ""))
        .collect();
    for mut asker in all {
        assert!(asker.wait().unwrap().success());
    }
    assert_eq!(json(&s, "echo $n")["stdout"], "50\n");
    let jobs: serde_json::Value =
        serde_json::from_str(&s.deck(&["--json", "job", "list", "api"]).ok()).unwrap();
    let mut times: Vec<(String, String)> = jobs
        .as_array()
        .unwrap()
        .iter()
        .map(|j| {
            (j["started_at"].as_str().unwrap().to_owned(), j["completed_at"].as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(times.len(), 52);
    times.sort();
    let overlap = times.windows(2).find(|two| two[0].1 > two[1].0);
    assert_eq!(overlap, None, "two had the turn at once");
    nothing_runs(&s);
}

#[test]
fn shells_beyond_the_limit_end_the_least_recently_used_one() {
    let s = Sandbox::new();
    for i in 0..10 {
        s.deck(&["shell", "start", "--name", &format!("s{i}")]).ok();
    }
    s.deck(&["shell", "exec", "s0", "true"]).ok();
    s.deck(&["shell", "exec", "s1", "sleep 600", "--background"]).ok();
    let started: serde_json::Value =
        serde_json::from_str(&s.deck(&["--json", "shell", "start"]).ok()).unwrap();
    assert_eq!(started["evicted"].as_array().unwrap().len(), 1);
    s.deck(&["shell", "exec", "s2", "true"]).fails(3);
    for name in ["s0", "s1", "s3"] {
        s.deck(&["shell", "show", name]).ok();
    }
    s.deck(&["shell", "end", "s1", "--kill"]).ok();
    nothing_runs(&s);
}

#[test]
fn several_shells_run_several_jobs_at_once() {
    let s = Sandbox::new();
    let mut all = Vec::new();
    for shell in 0..5 {
        let name = format!("s{shell}");
        s.deck(&["shell", "start", "--name", &name]).ok();
        for i in 0..6 {
            all.push(begin(&s, &["shell", "exec", &name, &format!("echo {i}; exit {i}")], ""));
        }
    }
    for mut asker in all {
        asker.wait().unwrap();
    }
    for shell in 0..5 {
        let text = s.deck(&["--json", "job", "list", &format!("s{shell}")]).ok();
        let jobs: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        let mut codes: Vec<i64> = jobs.iter().map(|j| j["exit_code"].as_i64().unwrap()).collect();
        codes.sort_unstable();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5]);
    }
    nothing_runs(&s);
}
