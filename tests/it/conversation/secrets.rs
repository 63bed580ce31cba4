//! What is taken for a secret in ordinary texts.

use std::path::Path;

use deck::reference::Redactor;

#[test]
fn this_programs_own_code_raises_next_to_no_alarm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let redactor = Redactor::new("k", []);
    let (mut lines, mut alarms) = (0_usize, Vec::new());
    let mut folders = ["src", "assets", "docs", "web/src", "tests"].map(|folder| root.join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_text =
                path.extension().is_some_and(|e| ["rs", "toml", "md", "ts", "css"].iter().any(|t| e == *t));
            if path.is_dir() {
                folders.push(path);
            } else if is_text && path.file_name().is_some_and(|name| name != "secrets.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                lines += text.lines().count();
                alarms.extend(redactor.redact(&text).hidden.into_iter().map(|kind| (path.clone(), kind)));
            }
        }
    }
    assert!(lines > 50_000, "{lines}");
    assert!(alarms.len() * 10_000 <= lines, "{} in {lines} lines: {alarms:?}", alarms.len());
}
