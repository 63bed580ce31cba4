//! The example file: every setting with its default and its doc, as a comment.

use super::settings::SETTINGS;

const TOP: &str = "\
# deck's settings. Every key is listed with its default: uncomment what you change.
# `deck config init` writes this file, `deck config set KEY VALUE` changes a key, `deck config check` finds mistakes.
";

const TOOLS: &str = "
# Your own tools, and changes to the built-in ones. A table overrides key by key;
# `deck tool show NAME` prints the result and where each key came from.
#
# [tools.vibe]
# command = \"vibe\"
# icon = \"V\"
# busy_patterns = [\"executing\", \"running tool\"]
# prompt_patterns = [\"approve?\", \"[y/n]\"]
# resume_flag = \"--resume\"
# session_id_env = \"VIBE_SESSION_ID\"
# session_id_json_path = \".session_id\"
# output_format_flag = \"--output-format json\"
";

const MCPS: &str = "
# MCP servers that can be attached to sessions: `deck mcp add` writes one, docs/mcp.md describes them.
#
# [mcps.memory]
# command = \"npx\"
# args = [\"-y\", \"@modelcontextprotocol/server-memory\"]
# env = { MEMORY_FILE_PATH = \"~/notes/memory.json\" }
#
# [mcps.linear]
# url = \"https://mcp.linear.app/mcp\"
# headers = { Authorization = \"Bearer $LINEAR_TOKEN\" }
#
# [mcp_sets]
# web = [\"fetch\", \"context7\"]
";

const ROLES: &str = "
# Roles of conversations: changes to the built-in ones (pm, dev, qa, harness, merge), and your own. docs/conversations.md describes them.
#
# [roles.dev]
# token_limit = 200000
#
# [roles.writer]
# title = \"documentation\"
# instructions = { file = \"writer.md\" }
";

/// The text of a config file that changes nothing.
pub fn example() -> String {
    let mut text = TOP.to_owned();
    let mut table = "";
    for setting in SETTINGS {
        let (of, name) = setting.key.rsplit_once('.').unwrap_or(("", setting.key));
        text.push('\n');
        if of != table {
            text.push_str(&format!("[{of}]\n"));
            table = of;
        }
        text.extend(setting.doc.lines().map(|line| format!("# {line}\n")));
        text.push_str(&format!("# {name} = {}\n", setting.default));
    }
    text.push_str(TOOLS);
    text.push_str(MCPS);
    text.push_str(ROLES);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load::parse;
    use crate::config::schema::Config;
    use std::path::Path;

    #[test]
    fn it_changes_nothing_and_neither_do_its_comments() {
        let example = example();
        let loaded = parse(Path::new("example"), &example);
        assert_eq!((loaded.config, loaded.problems.len()), (Config::default(), 0));
        let names: Vec<String> = SETTINGS
            .iter()
            .map(|s| format!("# {} = {}", s.key.rsplit('.').next().unwrap(), s.default))
            .collect();
        let lines = example
            .lines()
            .map(|l| if names.iter().any(|n| n == l) { l.trim_start_matches("# ") } else { l });
        let uncommented: String = lines.map(|l| format!("{l}\n")).collect();
        let loaded = parse(Path::new("example"), &uncommented);
        assert_eq!((loaded.config, loaded.problems), (Config::default(), Vec::new()));
        assert!(
            SETTINGS
                .iter()
                .all(|s| uncommented.contains(&format!("\n{} = ", s.key.rsplit('.').next().unwrap())))
        );
    }
}
