//! The verbs for tools, for settings and for the web server.

use super::checked::Checked;

pub(super) fn setup(c: &mut Checked<'_>, screen: &str) {
    for (name, args) in [
        ("tool list", &[][..]),
        ("tool show", &["claude"]),
        ("tool show", &["asker"]),
        ("tool test", &["asker", screen]),
        ("tool test", &["asker", screen, "--dead", "3"]),
        ("tool check", &[]),
        ("config path", &[]),
        ("config check", &[]),
        ("config init", &[]),
        ("config get", &[]),
        ("config get", &["keys.stop"]),
        ("config set", &["ui.theme", "light"]),
        ("doctor", &[]),
    ] {
        c.ok(name, args);
    }
    #[cfg(feature = "web")]
    serve(c);
    c.exits(3, "tool show", &["nonesuch"]);
    c.sandbox.file("tools/bad.toml", "command = 3\n");
    c.sandbox.file("config.toml", "[ui]\nsplt = 3\n");
    c.exits(1, "tool check", &[]);
    c.exits(1, "config check", &[]);
    c.exits(1, "doctor", &[]);
}

#[cfg(feature = "web")]
fn serve(c: &mut Checked<'_>) {
    let server = crate::web::Server::start(c.sandbox, &[]);
    server.paired(&server.pair);
    for (name, args) in [
        ("serve status", &[][..]),
        ("serve pair", &[]),
        ("serve devices", &[]),
        ("serve revoke", &["--all"]),
        ("serve stop", &[]),
    ] {
        c.ok(name, args);
    }
    c.exits(1, "serve status", &[]);
}
