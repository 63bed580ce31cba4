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

/// How many shells run at once, in two profiles: of one owner there are at most ten.
const SHELLS: usize = 20;
/// How many jobs each of them runs.
const JOBS: usize = 20;

#[test]
fn twenty_shells_run_twenty_jobs_each_at_once() {
    let s = Sandbox::new();
    let shells: Vec<(&str, String)> =
        (0..SHELLS).map(|n| (if n % 2 == 0 { "even" } else { "odd" }, format!("s{n}"))).collect();
    let mut all = Vec::new();
    for (profile, name) in &shells {
        s.deck(&["-p", profile, "shell", "start", "--name", name]).ok();
        s.deck(&["-p", profile, "shell", "exec", name, "n=0"]).ok();
    }
    for i in 0..JOBS {
        for (profile, name) in &shells {
            let code = format!("n=$((n + 1)); echo {i}; exit {i}");
            all.push(begin(&s, &["-p", profile, "shell", "exec", name, &code], ""));
        }
    }
    for mut asker in all {
        asker.wait().unwrap();
    }
    for (profile, name) in &shells {
        let text = s.deck(&["-p", profile, "--json", "job", "list", name]).ok();
        let jobs: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        let mut codes: Vec<i64> = jobs.iter().map(|j| j["exit_code"].as_i64().unwrap()).collect();
        codes.sort_unstable();
        let wanted: Vec<i64> = std::iter::once(0).chain((0..).take(JOBS)).collect();
        assert_eq!(codes, wanted, "of {name}");
        assert_eq!(s.deck(&["-p", profile, "shell", "exec", name, "echo $n"]).ok(), format!("{JOBS}\n"));
    }
    nothing_runs(&s);
}
