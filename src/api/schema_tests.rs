//! The schemas are made from the types that are printed, and compared with the file that deck ships.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};

use super::super::{
    Answer, Archived, ConfigPath, ConfigSetting, ConfigWarning, Deleted, Diff, ErrorAnswer, Explanation,
    Finding, FinishAnswer, Group, GroupChanged, Handoff, Import, Job, JobKilled, JobOutput, JobWaited,
    JobWritten, JobsPruned, McpCheck, McpImport, McpPool, McpServer, McpServerRemoved, McpStatus, OneOrMany,
    Output, PairedDevice, Pairing, Pressed, Profile, ProfileChanged, Pruned, Repository, Restored, Revive,
    Sent, ServeStatus, Session, SessionCheckpoint, Shape, Shell, ShellCheckpoint, ShellEnded, ShellExec,
    ShellStarted, Shown, StatusCounts, Talk, TalkAdded, TalkCheckpoint, TalkCleared, TalkCompactAnswer,
    TalkContext, TalkDescription, TalkEvent, TalkExported, TalkMessages, TalkRemoved, TalkRequest, Tool,
    ToolProblem, ToolSettings, ToolTest, Trusted, Unarchived, WaitedFor, WatchLine, Worker, WorkerRemoved,
    Worktree,
};
use super::*;
use crate::reference::up_to_date;

type Make = fn(&mut SchemaGenerator) -> Schema;

/// What each verb prints with `--json`.
const OUTPUTS: &[(&str, Make)] = &[
    ("add", of::<Session>),
    ("list", of::<Vec<Session>>),
    (WATCH, of::<WatchLine>),
    ("show", of::<Shown>),
    ("explain", of::<Explanation>),
    ("status", of::<StatusCounts>),
    ("next", of::<Option<Session>>),
    ("answer", of::<Answer>),
    ("wait", of::<WaitedFor>),
    ("ack", of::<OneOrMany<Session>>),
    ("start", of::<OneOrMany<Session>>),
    ("stop", of::<OneOrMany<Session>>),
    ("restart", of::<OneOrMany<Session>>),
    ("fork", of::<Session>),
    ("revive", of::<Revive>),
    ("import", of::<Import>),
    ("set", of::<Session>),
    ("rename", of::<Session>),
    ("move", of::<OneOrMany<Session>>),
    ("archive", of::<OneOrMany<Archived>>),
    ("unarchive", of::<Unarchived>),
    ("rm", of::<OneOrMany<Deleted>>),
    ("undo", of::<Restored>),
    ("send", of::<OneOrMany<Sent>>),
    ("keys", of::<Pressed>),
    ("diff", of::<Diff>),
    ("checkpoint", of::<SessionCheckpoint>),
    ("handoff", of::<Handoff>),
    ("output", of::<Output>),
    ("serve status", of::<ServeStatus>),
    ("serve stop", of::<ServeStatus>),
    ("serve pair", of::<Pairing>),
    ("serve devices", of::<Vec<PairedDevice>>),
    ("serve revoke", of::<Vec<PairedDevice>>),
    ("group add", of::<GroupChanged>),
    ("group list", of::<Vec<Group>>),
    ("group rename", of::<GroupChanged>),
    ("group move", of::<GroupChanged>),
    ("group rm", of::<GroupChanged>),
    ("group set", of::<GroupChanged>),
    ("profile add", of::<ProfileChanged>),
    ("profile list", of::<Vec<Profile>>),
    ("profile rename", of::<ProfileChanged>),
    ("profile rm", of::<ProfileChanged>),
    ("profile default", of::<ProfileChanged>),
    ("repo add", of::<Repository>),
    ("repo list", of::<Vec<Repository>>),
    ("repo show", of::<Repository>),
    ("repo set", of::<Repository>),
    ("repo trust", of::<Trusted>),
    ("repo rm", of::<Repository>),
    ("worktree list", of::<Vec<Worktree>>),
    ("worktree add", of::<Worktree>),
    ("worktree setup", of::<Session>),
    ("worktree restore", of::<Session>),
    ("worktree show", of::<Worktree>),
    ("worktree finish", of::<FinishAnswer>),
    ("worktree rm", of::<FinishAnswer>),
    ("worktree prune", of::<Vec<Pruned>>),
    ("worktree lock", of::<Worktree>),
    ("worktree unlock", of::<Worktree>),
    ("worker add", of::<Worker>),
    ("worker list", of::<Vec<Worker>>),
    ("worker rename", of::<Worker>),
    ("worker rm", of::<WorkerRemoved>),
    ("worker restart", of::<Worker>),
    ("mcp list", of::<Vec<McpServer>>),
    ("mcp check", of::<McpCheck>),
    ("mcp import", of::<Vec<McpImport>>),
    ("mcp pool", of::<Vec<McpPool>>),
    ("mcp restart", of::<Vec<McpPool>>),
    ("mcp show", of::<McpServer>),
    ("mcp add", of::<McpServer>),
    ("mcp rm", of::<McpServerRemoved>),
    ("mcp attach", of::<OneOrMany<McpStatus>>),
    ("mcp detach", of::<OneOrMany<McpStatus>>),
    ("mcp status", of::<OneOrMany<McpStatus>>),
    ("conversation open", of::<Talk>),
    ("conversation add", of::<TalkAdded>),
    ("conversation carry", of::<Talk>),
    ("conversation detach", of::<Talk>),
    ("conversation compact", of::<TalkCompactAnswer>),
    ("conversation messages", of::<TalkMessages>),
    ("conversation checkpoint", of::<TalkCheckpoint>),
    ("conversation request", of::<TalkRequest>),
    ("conversation preview", of::<TalkRequest>),
    ("conversation context", of::<TalkContext>),
    ("conversation show", of::<Talk>),
    ("conversation list", of::<Vec<Talk>>),
    ("conversation events", of::<TalkEvent>),
    ("conversation pin", of::<Talk>),
    ("conversation unpin", of::<Talk>),
    ("conversation describe", of::<TalkDescription>),
    ("conversation clear", of::<TalkCleared>),
    ("conversation archive", of::<OneOrMany<Talk>>),
    ("conversation unarchive", of::<OneOrMany<Talk>>),
    ("conversation rm", of::<OneOrMany<TalkRemoved>>),
    ("conversation undo", of::<Talk>),
    ("conversation export", of::<TalkExported>),
    ("conversation import", of::<Vec<Talk>>),
    ("tool list", of::<Vec<Tool>>),
    ("tool show", of::<ToolSettings>),
    ("tool check", of::<Vec<ToolProblem>>),
    ("tool test", of::<ToolTest>),
    ("config path", of::<ConfigPath>),
    ("config check", of::<Vec<ConfigWarning>>),
    ("config get", of::<OneOrMany<ConfigSetting>>),
    ("config set", of::<ConfigSetting>),
    ("config init", of::<ConfigPath>),
    ("doctor", of::<Vec<Finding>>),
    ("shell start", of::<ShellStarted>),
    ("shell exec", of::<ShellExec>),
    ("shell list", of::<Vec<Shell>>),
    ("shell show", of::<Shell>),
    ("shell history", of::<Vec<Job>>),
    ("shell update", of::<Shell>),
    ("shell checkpoint", of::<ShellCheckpoint>),
    ("shell restore", of::<Shell>),
    ("shell open", of::<Session>),
    ("shell replay", of::<Shell>),
    ("shell end", of::<OneOrMany<ShellEnded>>),
    ("job list", of::<Vec<Job>>),
    ("job show", of::<Job>),
    ("job output", of::<JobOutput>),
    ("job wait", of::<OneOrMany<JobWaited>>),
    ("job kill", of::<OneOrMany<JobKilled>>),
    ("job write", of::<JobWritten>),
    ("job run", of::<ShellExec>),
    ("job prune", of::<JobsPruned>),
    (ERROR, of::<ErrorAnswer>),
];

fn of<T: Shape>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Describes what is printed: every field that is always there is required.
fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

/// A schema on its own: with its dialect, a title, and the definitions that it refers to.
fn complete(mut generator: SchemaGenerator, title: &str, schema: Schema) -> Value {
    let mut whole = Map::new();
    let dialect = generator.settings().meta_schema.as_deref().map(str::to_owned);
    whole.extend(dialect.map(|d| ("$schema".to_owned(), d.into())));
    whole.insert("title".to_owned(), title.into());
    whole.extend(schema.to_value().as_object().cloned().unwrap_or_default());
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        whole.insert(DEFINITIONS.to_owned(), definitions.into());
    }
    whole.into()
}

#[test]
fn docs_schemas_of_verbs_are_up_to_date() {
    let mut generator = generator();
    let properties: Map<String, Value> =
        OUTPUTS.iter().map(|(name, make)| ((*name).to_owned(), make(&mut generator).to_value())).collect();
    let schema = json_schema!({ "type": "object", "properties": properties });
    let all = complete(generator, "deck", schema);
    up_to_date("assets/schemas/verbs.json", &format!("{all}\n"));
}

#[test]
fn each_verb_has_its_part_with_all_that_it_refers_to() {
    for (name, make) in OUTPUTS {
        let mut generator = generator();
        let schema = make(&mut generator);
        let made = complete(generator, &format!("deck {name}"), schema);
        assert_eq!(super::schema(name), Some(made), "{name}");
    }
    assert_eq!(schema("attach"), None);
}
