//! Rows: what has room where, groups as tables, what is left of a stopped session, and what was lost.

use super::*;

#[test]
fn a_groups_sessions_stand_in_place_of_the_preview() {
    for size in [(40, 12), (80, 24), (120, 36), (200, 50)] {
        let mut m = model(FULL, size);
        press(&mut m, "g g j");
        assert!(m.group().is_some());
        if size.0 == 40 {
            press(&mut m, "tab");
        }
        insta::assert_snapshot!(format!("group-{}x{}", size.0, size.1), shown(&m));
    }
}

#[test]
fn a_stopped_session_shows_the_end_of_its_conversation() {
    let mut m = model(FULL, (120, 36));
    press(&mut m, "G k k");
    assert_eq!(m.session().unwrap().title, "old-idea");
    let digest = Digest {
        last_prompt: Some("Try it with\n\u{1b}[31mwasm".into()),
        last_response: Some((1..60).map(|n| format!("line {n} of what was said about it\n")).collect()),
        ..Digest::default()
    };
    let heading = PreviewHeader { branch: Some("try/wasm".into()), digest: Some(digest) };
    let id = m.selected().unwrap().clone();
    update(&mut m, Msg::PreviewHeader(id, Box::new(heading)));
    insta::assert_snapshot!("stopped-120x36", shown(&m));
}

#[test]
fn the_users_columns_in_their_order() {
    let mut m = model(FULL, (120, 20));
    m.app.settings = Arc::new(Settings { columns: vec![Column::Age, Column::Branch], ..settings() });
    m.view.split = Some(60);
    insta::assert_snapshot!(shown(&m).lines().take(12).collect::<Vec<_>>().join("\n"));
}

#[test]
fn branches_and_questions_are_found() {
    let mut m = model(FULL, (120, 36));
    let found = |m: &mut Model, keys: &str| {
        press(m, keys);
        let ids = m.view.rows.iter().filter_map(|r| match r.key() {
            crate::domain::tree::RowKey::Session(id) => Some(id.to_string()),
            _ => None,
        });
        let ids: Vec<String> = ids.collect();
        press(m, "esc");
        ids
    };
    assert_eq!(found(&mut m, "/ f e a t"), ["id-api"]);
    assert_eq!(found(&mut m, "/ s q l x"), ["id-api"]);
}

fn lost() -> Vec<Entry> {
    let one = |title| (title, "", None, Status::Error, Some(Reason::Gone), 60);
    vec![one("api"), one("web"), ("docs", "", None, Status::Idle, None, 60)]
}

#[test]
fn what_was_lost_is_offered_above_the_list() {
    for size in [(40, 12), (80, 24), (120, 36)] {
        let first = snapshot(&lost());
        let mut m = Model::new(Arc::new(settings()), ProfileName::default(), first.clone(), size);
        update(&mut m, Msg::Snapshot(Box::new(first)));
        insta::assert_snapshot!(format!("banner-{}x{}", size.0, size.1), shown(&m));
    }
}

#[test]
fn enter_restarts_what_was_lost_unless_the_user_is_elsewhere_by_then() {
    let begin = || {
        let first = snapshot(&lost());
        let mut m = Model::new(Arc::new(settings()), ProfileName::default(), first.clone(), (120, 36));
        update(&mut m, Msg::Snapshot(Box::new(first)));
        m
    };
    let both = vec![SessionId::new("id-api"), SessionId::new("id-web")];
    let mut m = begin();
    assert_eq!(press(&mut m, "enter"), [Effect::Revive(both.clone())]);
    let text = shown(&m);
    assert!(!text.contains("were lost") && text.contains("◌ C api") && text.contains("reviving"), "{text}");
    let mut m = begin();
    press(&mut m, "j");
    assert!(shown(&m).contains("2 lost · : revive all"), "{}", shown(&m));
    let effects = press(&mut m, "k enter");
    assert!(!effects.iter().any(|e| matches!(e, Effect::Revive(_))), "{effects:?}");
    let mut m = begin();
    press(&mut m, "esc");
    assert!(!shown(&m).contains("were lost"));
    // A click is as good as a key, also when Enter is for the row.
    let mut m = begin();
    assert_eq!(click(&mut m, "restart all"), [Effect::Revive(both.clone())]);
    let mut m = begin();
    press(&mut m, "j");
    assert_eq!(click(&mut m, "revive all"), [Effect::Revive(both)]);
    let mut m = begin();
    assert_eq!(click(&mut m, "lost ·"), [], "its words do nothing");
    assert_eq!(click(&mut m, "later"), []);
    assert!(!shown(&m).contains("lost ·"));
    // Two that are lost later were lost together; one alone is on its row.
    for (many, shows) in [(1, false), (2, true)] {
        let alive: Vec<Entry> = lost().into_iter().map(|e| (e.0, e.1, e.2, Status::Idle, None, 60)).collect();
        let mut m = model(&alive, (120, 36));
        let mut later = snapshot(&lost());
        later.states.retain(|id, _| many > 1 || id.as_str() != "id-web");
        update(&mut m, Msg::Snapshot(Box::new(later)));
        assert_eq!(shown(&m).contains("lost ·"), shows, "{}", shown(&m));
    }
}
