//! The MCP servers of sessions: what is loaded, what can be attached, what can't.

use super::*;
use crate::app::McpWork;
use crate::domain::mcp_servers::{Catalogue, Change, Definition, Loaded, McpChoice, Source};
use crate::domain::session::LeftOut;
use crate::ops::mcp_servers::McpState;

fn definition(toml: &str) -> Definition {
    toml::from_str(toml).unwrap()
}

fn catalogue() -> Arc<Catalogue> {
    let servers = [
        (
            "context7",
            "command = \"npx\"\nargs = [\"-y\", \"@upstash/context7-mcp\"]\nshare = \"profile\"\ndescription = \"docs of libraries\\u001b[31m\"",
        ),
        ("github", "url = \"https://mcp.example/github\"\nheaders = { Authorization = \"Bearer $TOKEN\" }"),
        (
            "memory",
            "command = \"npx\"\nargs = [\"-y\", \"@modelcontextprotocol/server-memory\"]\nshare = \"profile\"",
        ),
        ("playwright", "command = \"npx\"\nargs = [\"@playwright/mcp\"]"),
    ];
    Arc::new(Catalogue {
        servers: servers.into_iter().map(|(name, toml)| (name.to_owned(), definition(toml))).collect(),
        sets: [("web".to_owned(), vec!["context7".to_owned(), "playwright".to_owned()])].into(),
        default: vec!["memory".to_owned()],
    })
}

/// A deck whose selected session has some servers, out of date.
fn world(size: (u16, u16)) -> Model {
    let mut m = model(FULL, size);
    let id = m.selected().unwrap().clone();
    let mut all = snapshot(FULL);
    let session = Arc::make_mut(&mut all.profile).session_mut(&id).unwrap();
    session.mcps =
        McpChoice { attach: vec!["context7".into(), "github".into(), "gone".into()], ..McpChoice::default() };
    let loaded = |name: &str, source| Loaded { name: name.into(), source, digest: "0".into() };
    session.loaded_mcp_state = Some(vec![
        loaded("memory", Source::Deck),
        loaded("linear", Source::User),
        loaded("ours", Source::Project),
    ]);
    session.left_out_mcps = vec![LeftOut {
        name: "github".into(),
        why: "the variable TOKEN is not set".into(),
        in_passing: true,
    }];
    let state = all.states.get_mut(&id).unwrap();
    state.mcp = McpState::Known(vec![Change::Added("context7".into(), Source::Deck)]);
    update(&mut m, Msg::Snapshot(Box::new(all)));
    m
}

#[test]
fn what_is_loaded_and_what_can_be_attached() {
    for size in [(120, 40), (80, 24), (40, 12)] {
        let mut m = world(size);
        let id = m.selected().unwrap().clone();
        assert_eq!(press(&mut m, "C"), [Effect::McpServers]);
        assert!(shown(&m).contains("reading the settings"));
        update(&mut m, Msg::Done(Done::McpServers(catalogue())));
        insta::assert_snapshot!(format!("mcp-servers-{}x{}", size.0, size.1), shown(&m));
        let detach = Effect::Mcp(id.clone(), McpWork::Detach("context7".into()));
        assert_eq!(press(&mut m, "space"), [detach]);
        assert_eq!(press(&mut m, "R"), [Effect::Mcp(id.clone(), McpWork::Restart)]);
        let own = McpWork::Attach { name: "context7".into(), own: true };
        assert_eq!(press(&mut m, "o"), [Effect::Mcp(id.clone(), own)]);
        // Nothing else is shared or can be changed here.
        assert_eq!(press(&mut m, "j o"), []);
        assert!(shown(&m).contains("it isn't shared"), "{}", shown(&m));
        press(&mut m, "j j");
        let attach = McpWork::Attach { name: "playwright".into(), own: false };
        assert_eq!(press(&mut m, "enter"), [Effect::Mcp(id.clone(), attach)]);
        assert_eq!(press(&mut m, "j enter"), [Effect::Mcp(id.clone(), McpWork::Detach("gone".into()))]);
        assert_eq!(press(&mut m, "j space"), []);
        assert!(shown(&m).contains("it comes from your own settings"), "{}", shown(&m));
        assert_eq!(press(&mut m, "j j j j esc"), []);
        assert!(m.dialogs.is_empty());
    }
}

#[test]
fn several_sessions_at_once() {
    let mut m = world((80, 24));
    let first = m.selected().unwrap().clone();
    press(&mut m, "v v C");
    update(&mut m, Msg::Done(Done::McpServers(catalogue())));
    insta::assert_snapshot!("mcp-servers-of-two-80x24", shown(&m));
    // What one of them has is attached to both, and then detached from both.
    let effects = press(&mut m, "space");
    assert_eq!(effects.len(), 2, "{effects:?}");
    assert!(
        effects
            .iter()
            .all(|e| matches!(e, Effect::Mcp(_, McpWork::Attach { name, own: false }) if name == "context7"))
    );
    assert_eq!(press(&mut m, "R"), [Effect::Mcp(first, McpWork::Restart)], "the others are up to date");
}

#[test]
fn without_servers_it_says_how_one_is_described() {
    let mut m = model(FULL, (80, 24));
    press(&mut m, "C");
    assert_eq!(press(&mut m, "space o R j k"), [], "nothing is known yet");
    update(&mut m, Msg::Done(Done::McpServers(Arc::default())));
    assert_eq!(press(&mut m, "space o"), []);
    assert!(shown(&m).contains("deck mcp add memory"), "{}", shown(&m));
}

#[test]
fn the_form_has_a_row_of_them() {
    let with_servers = |size, keys: &str| {
        let mut m = model(FULL, size);
        press(&mut m, "n");
        update(&mut m, Msg::Done(Done::McpServers(catalogue())));
        press(&mut m, keys);
        m
    };
    // The default is on; another one is switched on, and the default off.
    let mut m = with_servers((100, 30), "up up space left left space");
    insta::assert_snapshot!("mcp-servers-in-the-form-100x30", shown(&m));
    let effects = press(&mut m, "right space");
    let new =
        effects.iter().rev().find_map(|e| if let Effect::Prepare(_, new) = e { Some(new) } else { None });
    let mcps = &new.unwrap_or_else(|| panic!("{effects:?}")).mcps;
    assert_eq!(
        (&mcps.attach[..], &mcps.detach[..]),
        (&["context7".to_owned(), "playwright".to_owned()][..], &["memory".to_owned()][..])
    );
    // More than a row has room for, and none at all.
    let mut many = Catalogue::default();
    for n in 0..12 {
        many.servers.insert(format!("server-{n:02}"), definition("command = \"x\""));
    }
    update(&mut m, Msg::Done(Done::McpServers(Arc::new(many))));
    assert!(shown(&m).contains("6 more"), "{}", shown(&m));
    press(&mut m, "left left left left");
    assert!(shown(&m).contains("server-11"), "{}", shown(&m));
    update(&mut m, Msg::Done(Done::McpServers(Arc::default())));
    assert!(!shown(&m).contains("MCP  "), "{}", shown(&m));
}
