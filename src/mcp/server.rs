//! The protocol: a client on stdin and stdout, until its end.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    MetaObject, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};

use super::call::{Call, Progress, Watching};
use super::consent::Consent;
use super::error::ToolError;
use super::tool::{Tool, schemas};
use super::tools;
use crate::api::Code;
use crate::domain::mcp_scope::{Scope, allow};
use crate::ops::{Caller, Cancel, Cx};

/// How many calls are worked on at the same time.
const THREADS: usize = 64;

/// What a client is told about the server as a whole.
const INSTRUCTIONS: &str = "Shells that keep their state between calls, and jobs whose output and exit codes stay readable. Call exec with code; \
                            startSession gives a shell to go on in.";

/// Serves a client on stdin and stdout until it closes them. Jobs go on.
///
/// # Errors
/// The system's, or that what was said first is no such protocol.
pub fn serve(cx: Cx, scopes: Vec<Scope>, watching: Watching) -> std::io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(THREADS).build()?;
    let result = runtime.block_on(async {
        let running = Server { cx, scopes, watching }.serve(rmcp::transport::stdio()).await;
        let running = running.map_err(std::io::Error::other)?;
        running.waiting().await.map(drop).map_err(std::io::Error::other)
    });
    // Calls that are still worked on are of no use to anybody.
    runtime.shutdown_background();
    result
}

#[derive(Clone)]
struct Server {
    cx: Cx,
    scopes: Vec<Scope>,
    watching: Watching,
}

impl Server {
    fn find(&self, name: &str) -> Result<&'static Tool, ToolError> {
        let known = tools::all(&Scope::ALL).find(|tool| tool.name == name);
        let Some(tool) = known else {
            return Err(
                ToolError::new(Code::NotFound, format!("no tool {name:?}")).hint("tools/list shows all")
            );
        };
        if allow(&self.scopes, tool.scope) {
            return Ok(tool);
        }
        let words =
            format!("{name} needs the scope `{}`, which this server was not given", tool.scope.word());
        Err(ToolError::new(Code::Refused, words).hint("its user gives it with `deck mcp --scopes`"))
    }

    /// Who asks: shells that are started outside of deck's sessions are their client's.
    fn caller(&self, context: &RequestContext<RoleServer>, consent: Option<&Consent>) -> Arc<Caller> {
        let client = context.client_info().map(|info| info.name);
        Arc::new(Caller { client, ask_user: consent.map(Consent::ask_user), ..(*self.cx.caller).clone() })
    }

    async fn call(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let tool = match self.find(&request.name) {
            Ok(tool) => tool,
            Err(error) => return failed(&error).into(),
        };
        let cancel = Cancel::default();
        let consent = Consent::of(&context, request.input_responses.take());
        let caller = self.caller(&context, consent.as_ref());
        let call = Call {
            cx: Cx { cancel: cancel.clone(), caller, ..self.cx.clone() },
            arguments: request.arguments.unwrap_or_default(),
            progress: progress(&context),
            watching: self.watching.clone(),
        };
        let mut work = tokio::task::spawn_blocking(move || (tool.run)(&call));
        let result = tokio::select! {
            done = &mut work => done,
            () = context.ct.cancelled() => {
                cancel.cancel();
                work.await
            }
        };
        let internal = |_| Err(ToolError::new(Code::Failed, format!("internal error in {}", tool.name)));
        match (result.unwrap_or_else(internal), consent.and_then(|consent| consent.open_question())) {
            (Ok(value), _) => CallToolResult::structured(value).into(),
            (Err(_), Some(question)) => question.into(),
            (Err(error), None) => failed(&error).into(),
        }
    }
}

/// An error that the agent can read, with its code beside it: clients hold structured content against the schema of what
/// comes out well.
fn failed(error: &ToolError) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(error.text())]);
    result.meta = Some(MetaObject(error.data()));
    result
}

/// How progress is reported to a client that wants it.
fn progress(context: &RequestContext<RoleServer>) -> Option<Progress> {
    let token = context.meta.get_progress_token()?;
    let (peer, runtime) = (context.peer.clone(), tokio::runtime::Handle::current());
    Some(Arc::new(move |bytes, words| {
        let (peer, token) = (peer.clone(), token.clone());
        #[expect(clippy::cast_precision_loss, reason = "a number to look at")]
        let param = ProgressNotificationParam::new(token, bytes as f64).with_message(words);
        runtime.spawn(async move {
            // A client that is gone needs none.
            let _ = peer.notify_progress(param).await;
        });
    }))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("deck", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schemas = schemas();
        let listed = tools::all(&self.scopes).map(|tool| tool.listed(&schemas)).collect();
        Ok(ListToolsResult::with_all_items(listed))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.call(request, context).await)
    }
}
