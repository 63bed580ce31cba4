//! A tool: an agent program as data. Built-in tools and users' tools share this schema.
//!
//! Invariant: everything deck knows about a program is here; code never asks for a tool by name.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::mcp_servers::{AgentFile, ServerEntries};
use super::screen::{ChoiceSpec, ComposerSpec, RegionSpec, RuleSpec};
use super::text;

/// How the id of a conversation comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResumeKind {
    /// deck makes a UUID and passes it with `new_id_flag`.
    Minted,
    /// A headless run prints it before the agent starts.
    Capture,
    /// The agent reports it while it runs; resumed with `resume_flag ID`.
    Hook,
    /// The agent reports it while it runs; resumed with `resume_flag` as a subcommand before all arguments.
    Subcommand,
}

/// How a first prompt reaches the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartPrompt {
    /// As an argument, after `prompt_flag` if there is one.
    Argv,
    /// Pasted once the agent is ready.
    #[default]
    Paste,
}

/// How text is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Send {
    /// Milliseconds between the paste and Enter.
    pub delay_ms: u64,
    /// Milliseconds that an effect of what was typed is waited for.
    pub wait_ms: u64,
}

impl Default for Send {
    fn default() -> Self {
        // Works for every agent measured; the slowest needs more than 50.
        Self { delay_ms: 300, wait_ms: 5000 }
    }
}

/// How the agent is ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Stop {
    /// tmux key names to press first, such as `C-c`; empty: signals at once.
    pub keys: Vec<String>,
}

/// A service on loopback that the agent is made to run, to be asked what it does.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Service {
    /// Arguments that make it serve; `{port}` is a port that deck picks. The user's own flag wins.
    pub args: Vec<String>,
    /// The variable that sets its password, which deck makes.
    pub password_env: Option<String>,
}

/// Hooks that are passed on the command line when the agent starts; the user's settings stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hooks {
    /// The agent's events that deck wants to hear of.
    pub events: Vec<String>,
    /// The settings of one event; `{event}` and `{command}` are filled in, the latter as the inside of
    /// a JSON or TOML string.
    pub entry: String,
    /// A settings file that deck writes; `{entries}` is all entries, joined by commas. In the file of
    /// [`OwnSettings`], too.
    pub file: String,
    /// Arguments; `{file}` is the path of that file.
    pub args: Vec<String>,
    /// Arguments for each event; `{entry}` is its entry.
    pub each: Vec<String>,
}

impl Hooks {
    /// Whether nothing is passed.
    pub const fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}

/// A settings file written by deck that an agent is pointed to by a variable; the user's settings stay as
/// they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OwnSettings {
    /// What is in it.
    pub file: String,
    /// The variable that names it. If the user sets it, theirs wins.
    pub env: String,
    /// The file that the agent would read otherwise: if that exists, deck passes none.
    pub instead: String,
}

/// How deck's MCP server is passed when the agent starts; the user's settings stay as they are. In every text `{deck}` is
/// deck's program, as the inside of a JSON or TOML string, and `{scopes}` what it gives.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpServer {
    /// A file that deck writes.
    pub file: String,
    /// Arguments; `{file}` is the path of that file.
    pub args: Vec<String>,
    /// What is merged into the file of [`OwnSettings`]: a JSON object.
    pub settings: String,
    /// A variable whose value is a JSON object, the user's or none.
    pub env: String,
    /// What is merged into that: a JSON object.
    pub value: String,
    /// What gives the server to an agent that deck doesn't start: a command, or what belongs into `config_file`.
    pub config: String,
    pub config_file: String,
    /// Whether the agent confines the commands that it runs. Those of a shell of deck's are not.
    pub confines: bool,
    /// What its agents are given where their user doesn't say; empty for what is usual.
    pub scopes: Vec<String>,
    /// How servers of the user's are passed.
    pub servers: ServerEntries,
    /// Where its agents' own files have servers.
    pub read: Vec<AgentFile>,
}

/// How its program is run once, without a terminal, to write something.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeadlessRun {
    /// Arguments: `{system}` is what it is told, `{schema}` and `{schema_file}` the shape of its answer, `{out}` a file for
    /// that. What it works on comes on stdin. Empty: it can't.
    pub args: Vec<String>,
    /// Where the answer is in the JSON that it prints, such as `.response`; `.` is all that it prints.
    pub result: String,
    /// Where the id of a conversation is in that JSON which it leaves behind: deck removes it.
    pub leaves: String,
    /// How many tokens it reads at once; 0 for 200000.
    pub window: u64,
}

/// Sources of status that an adapter in the code can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// Claude Code's own session file.
    ClaudeSessionFile,
    /// OpenCode's own service, started by `service`.
    OpencodeHttp,
    /// Claude Code's conversation file.
    ClaudeTranscript,
    /// Codex's conversation file.
    CodexRollout,
    /// Gemini CLI's conversation file.
    GeminiChat,
    /// What runs in the terminal's foreground: for shells.
    Foreground,
    /// Rules on the pane's title.
    Title,
    /// Rules on the screen.
    Screen,
}

/// The status when no rule matches and no exact source speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// Repainted within two seconds: running; else ready.
    #[default]
    Activity,
    /// The last status stays, with a doubt.
    Unknown,
}

/// A switch that the new-session form offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOption {
    /// Its words on the form.
    pub label: String,
    /// What it adds to the command.
    pub args: Vec<String>,
}

/// A tool, merged from all its sources.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tool {
    /// The name it goes by; from its file or table, not from a key.
    #[serde(skip)]
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The program.
    pub command: String,
    /// One-cell icon.
    pub icon: String,
    /// Arguments it always gets.
    pub args: Vec<String>,
    /// Environment it always gets.
    pub env: BTreeMap<String, String>,
    /// A file of `KEY=value` lines, read at each start.
    pub env_file: Option<String>,
    /// Variables of the caller it must not inherit; `*` matches any run of characters.
    pub unset_env: Vec<String>,
    /// How the id of a conversation comes about.
    pub resume: Option<ResumeKind>,
    /// The flag, or subcommand, that resumes a conversation; its id follows.
    pub resume_flag: Option<String>,
    /// The flag that starts a conversation under a given id.
    pub new_id_flag: Option<String>,
    /// Arguments that start a copy of a conversation: `{id}` is its id, `{new}` the copy's, which deck makes.
    pub fork: Vec<String>,
    /// Whether those come right after the program, before all other arguments.
    pub fork_first: bool,
    /// The path to post to for a copy of a conversation, `{id}` filled in; the service is the one of
    /// `capture_args`, and the answer is JSON with the copy's id. The arguments of `fork` do if that fails.
    pub fork_post: Option<String>,
    /// Whether a copy is made by copying the conversation's file under a new id, and resuming that.
    pub fork_copy: bool,
    /// The variable of the tmux session that holds the id.
    pub session_id_env: Option<String>,
    /// Where the id is in the headless run's JSON, such as `.session_id`.
    pub session_id_json_path: Option<String>,
    /// What makes the headless run print JSON; split as a shell would.
    pub output_format_flag: Option<String>,
    /// Arguments that make it serve HTTP on loopback, when its id comes from there; `{port}` is filled in.
    pub capture_args: Vec<String>,
    /// The path to post to for a new conversation; the answer is JSON with the id.
    pub capture_post: Option<String>,
    /// The variable that sets the service's password.
    pub capture_password_env: Option<String>,
    /// The flag that skips permission prompts.
    pub dangerous_flag: Option<String>,
    /// Whether that flag is always passed.
    pub dangerous_mode: bool,
    /// How a first prompt reaches it.
    pub start_prompt: StartPrompt,
    /// The flag that a first prompt follows.
    pub prompt_flag: Option<String>,
    /// Where a conversation's file is: `{id}`, `{id8}` and `~` are filled in, `$NAME` is a variable of
    /// the session, `*` any run of characters. Empty: nobody knows, so none is missed.
    pub conversation_files: Vec<String>,
    /// Hooks by which it reports to deck.
    pub hooks: Hooks,
    /// Settings that it is pointed to.
    pub settings: OwnSettings,
    /// How deck's MCP server is passed to it.
    pub mcp: McpServer,
    /// How it writes checkpoints.
    pub headless: HeadlessRun,
    /// A service that it runs for deck.
    pub service: Service,
    /// How text is sent.
    pub send: Send,
    /// How it is ended.
    pub stop: Stop,
    /// Switches for the new-session form.
    pub options: Vec<ToolOption>,
    /// Which sources of status it has.
    pub sources: Vec<SourceKind>,
    /// What holds when nothing is known.
    pub fallback: Fallback,
    /// Texts near the end of the screen while it works.
    pub busy_patterns: Vec<String>,
    /// Texts near the end of the screen while it asks.
    pub prompt_patterns: Vec<String>,
    /// Texts that identify it.
    pub detect_patterns: Vec<String>,
    /// Named parts of the screen for `rules`.
    pub regions: BTreeMap<String, RegionSpec>,
    /// Screen rules.
    pub rules: Vec<RuleSpec>,
    /// How the choices of its dialogs are read and taken.
    pub choices: Vec<ChoiceSpec>,
    /// How what is typed and not sent is read.
    pub composer: ComposerSpec,
    /// The oldest version whose screens are known.
    pub min_version: Option<String>,
}

impl Tool {
    /// Where the id comes from: as set, else captured when there is enough to capture and resume with.
    pub fn resume_kind(&self) -> Option<ResumeKind> {
        let can_capture = self.resume_flag.is_some() && self.session_id_env.is_some();
        self.resume.or(can_capture.then_some(ResumeKind::Capture))
    }

    /// Whether its agents keep a conversation that deck can resume or read.
    pub fn has_conversation(&self) -> bool {
        self.resume_kind().is_some() || !self.conversation_files.is_empty()
    }

    /// Its name for people, or the name it goes by.
    pub fn display_title(&self) -> &str {
        if self.title.is_empty() { &self.name } else { &self.title }
    }

    /// The one character that stands for it where there is little room: its icon, or the first letter of its name.
    pub fn letter(&self) -> String {
        let icon = text::clean(&self.icon);
        if text::cells(&icon) == 1 {
            return icon;
        }
        self.name
            .chars()
            .find(|c| c.is_alphanumeric())
            .map(|c| c.to_uppercase().take(1).collect())
            .unwrap_or_default()
    }

    /// Whether it has this source. Rules on the screen exist whenever there are rules.
    pub fn has_source(&self, kind: SourceKind) -> bool {
        self.sources.contains(&kind)
    }
}

/// Every key of a tool's table with its doc, for checks, help and documentation.
pub const KEYS: &[(&str, &str)] = &[
    ("title", "its display name"),
    ("command", "the program to run"),
    ("icon", "one-cell icon"),
    ("args", "arguments that are always passed"),
    ("env", "environment variables that are always set"),
    ("env_file", "a file of KEY=value lines, read at each start"),
    ("unset_env", "variables it must not inherit; * matches any run of characters"),
    (
        "resume",
        "where a conversation's id comes from: minted (assigned by deck), capture, hook or subcommand",
    ),
    ("resume_flag", "the flag, or subcommand, that resumes a conversation"),
    ("new_id_flag", "the flag that starts a conversation with a given id"),
    ("fork", "arguments that fork a conversation; {id} and {new} are filled in"),
    ("fork_first", "whether the fork arguments come right after the program"),
    ("fork_post", "the path to POST to for a fork, {id} filled in; the answer is JSON with its id"),
    ("fork_copy", "whether a fork copies the conversation's file to a new id and resumes that"),
    ("session_id_env", "the variable of the tmux session that holds the id"),
    ("session_id_json_path", "where the id is in the headless run's JSON, such as .session_id"),
    ("output_format_flag", "the arguments that make the headless run print JSON"),
    ("capture_args", "arguments that make it serve HTTP on loopback, to get an id from; {port} is filled in"),
    ("capture_post", "the path to POST to for a new conversation; the answer is JSON with the id"),
    ("capture_password_env", "the variable that sets the service's password"),
    ("dangerous_flag", "the flag that skips permission prompts"),
    ("dangerous_mode", "whether that flag is always passed"),
    ("start_prompt", "how the initial prompt is passed: argv or paste"),
    ("prompt_flag", "the flag before the initial prompt"),
    ("conversation_files", "where a conversation's file is; {id}, {id8}, ~, $NAME and * are filled in"),
    ("hooks", "hooks by which it reports to deck, passed when it starts: events, entry, file, args, each"),
    ("settings", "a settings file written by deck that a variable points to: file, env, instead"),
    (
        "headless",
        "how it is run once, without a terminal, to write a checkpoint: args, result, leaves, window",
    ),
    (
        "mcp",
        "how MCP servers are passed to it: deck's own by file, args, settings, env, value, config, config_file and confines, yours by servers; read: where its own files have servers",
    ),
    ("service", "a loopback service that reports its status: args, password_env"),
    ("send", "delay_ms: milliseconds between a paste and Enter"),
    ("stop", "keys: keys to press before signals are sent"),
    ("options", "switches for the new-session form: label, args"),
    (
        "sources",
        "sources of status: claude-session-file, claude-transcript, codex-rollout, gemini-chat, opencode-http, foreground, title, screen",
    ),
    ("fallback", "the status when nothing is known: activity or unknown"),
    ("busy_patterns", "texts near the end of the screen while it works"),
    ("prompt_patterns", "texts near the end of the screen while it asks"),
    ("detect_patterns", "texts that identify it"),
    ("regions", "named parts of the screen for rules"),
    ("rules", "screen rules"),
    ("choices", "how the choices of its dialogs are read and answered"),
    ("composer", "how unsent input is read: region, start, end, frame, empty"),
    ("min_version", "the oldest version whose screens are known"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_without_an_icon_has_the_first_letter_of_its_name() {
        let letter = |name: &str, icon: &str| {
            Tool { name: name.to_owned(), icon: icon.to_owned(), ..Tool::default() }.letter()
        };
        assert_eq!(letter("claude", "✻"), "✻");
        assert_eq!(letter("vibe", ""), "V");
        assert_eq!(letter("-vibe", "\u{1b}[31m"), "V");
        // What needs two cells would shift all behind it.
        assert_eq!(letter("übersicht", "🚀"), "Ü");
        assert_eq!(letter("_", ""), "");
    }
}
