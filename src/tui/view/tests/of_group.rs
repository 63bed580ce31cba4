//! What the commands on a group say.

use super::*;

#[test]
fn what_archiving_does_is_said_as_it_is() {
    let stopped = |title| (title, "old", None, Status::Stopped, None, 10);
    let mut m = model(&[stopped("one")], (100, 30));
    m.go_to_group(&GroupPath::parse("old").unwrap());
    press(&mut m, "A");
    assert!(shown(&m).contains("This hides the session."), "{}", shown(&m));
    assert!(!shown(&m).contains("stops"), "{}", shown(&m));
}
