//! Further agents: sessions of their own that belong to another one.

use super::worker;
use crate::support::Sandbox;

#[test]
fn a_further_agent_is_a_session_that_goes_with_its_own() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.ask_session("api");
    s.deck(&["worker", "add", "api", "--type", "agent", "-n", "review", "-c", "asker"]).ok();
    s.deck(&["wait", "api:review", "--for", "idle", "--timeout", "60"]).ok();
    let (api, review) = (s.session("api"), s.session("review"));
    assert_eq!((&review["worker_of"], &review["parent_id"]), (&api["id"], &api["id"]));
    assert_eq!(review["project_path"], dir);
    let listed = worker(&s, "api", "review");
    assert_eq!(
        (&listed["agent_id"], &listed["alive"], &listed["tab"]),
        (&review["id"], &true.into(), &2.into())
    );
    s.deck(&["send", "api:review", "ask all"]).ok();
    s.deck(&["wait", "api:2", "--for", "waiting", "--timeout", "60"]).ok();
    assert_eq!(s.session("review")["reason"], "permission");
    assert_eq!(s.session("api")["status"], "idle", "each has its own status");
    let words = s.deck(&["rm", "api"]).fails(6);
    assert!(words.contains("still running"), "{words}");
    s.deck(&["rm", "--stop", "api"]).ok();
    assert!(s.list().is_empty());
    s.deck(&["undo"]).ok();
    assert_eq!(s.list().len(), 2, "an undo brings both");
    assert_eq!(s.session("review")["worker_of"], api["id"]);
    // By its name as well; and a further agent of a further one goes along, too.
    s.deck(&["worker", "add", "review", "--type", "agent", "-n", "deep", "-c", "asker"]).ok();
    s.deck(&["rm", "--stop", "api"]).ok();
    assert!(s.list().is_empty());
    s.deck(&["undo", "api"]).ok();
    assert_eq!(s.list().len(), 3);
    s.deck(&["worker", "rm", "review:deep"]).ok();
    s.deck(&["worker", "rm", "api:review"]).ok();
    assert_eq!(s.list().len(), 1);
}
