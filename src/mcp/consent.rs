//! Asking the user of an agent, by the agent's own program: the protocol's elicitation.
//!
//! Up to version 2025-11-25 the server sends a request of its own and waits for the reply. Since 2026-07-28 a server sends none: the
//! call ends with the question, and the client calls again with the reply (SEP-2322).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequiredResult, InputResponses, ServerRequest,
};
use rmcp::service::{RequestContext, RoleServer};

use crate::domain::guard::digest_of;
use crate::ops::guard::{AskUser, Reply};

/// The way to the user during one call.
pub struct Consent {
    way: Way,
    /// The questions so far, with their replies: none is asked twice in one call.
    asked: Arc<Mutex<BTreeMap<String, Reply>>>,
}

#[derive(Clone)]
enum Way {
    /// By a request to the client, for as long as that waits for the call.
    Request(RequestContext<RoleServer>, tokio::runtime::Handle),
    /// By the result of the call; with the replies that the client brought.
    Result(Arc<InputResponses>),
}

impl Consent {
    /// None if the client can't ask its user.
    pub fn of(context: &RequestContext<RoleServer>, replies: Option<InputResponses>) -> Option<Self> {
        let can = context.client_capabilities()?.elicitation?;
        // A client that names no mode has forms: the first version knew nothing else.
        if can.form.is_none() && can.url.is_some() {
            return None;
        }
        let has_requests = context.protocol_version().is_none_or(|version| version.has_initialize());
        let way = if has_requests {
            Way::Request(context.clone(), tokio::runtime::Handle::current())
        } else {
            Way::Result(Arc::new(replies.unwrap_or_default()))
        };
        Some(Self { way, asked: Arc::default() })
    }

    /// How a use case asks.
    pub fn ask_user(&self) -> AskUser {
        let (way, asked) = (self.way.clone(), self.asked.clone());
        AskUser::new(move |question| {
            let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            *asked.entry(question.to_owned()).or_insert_with(|| way.ask(question))
        })
    }

    /// What the call has to end with, if it asked something that waits for its reply.
    pub fn open_question(&self) -> Option<InputRequiredResult> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let open = asked.iter().filter(|(_, reply)| **reply == Reply::Later);
        let requests: BTreeMap<String, InputRequest> = open
            .map(|(question, _)| (digest_of(question), InputRequest::Elicitation(form(question))))
            .collect();
        (!requests.is_empty()).then(|| InputRequiredResult::from_input_requests(requests))
    }
}

impl Way {
    /// Asks, and waits for the reply where the protocol lets it. A client that goes away, or replies what is none, has declined.
    fn ask(&self, question: &str) -> Reply {
        match self {
            Self::Request(context, runtime) => {
                let request = ServerRequest::ElicitRequest(form(question));
                let replied = runtime.block_on(async {
                    tokio::select! {
                        replied = context.peer.send_request(request) => Some(replied),
                        () = context.ct.cancelled() => None,
                    }
                });
                let Some(replied) = replied else { return Reply::No };
                match replied {
                    Ok(ClientResult::ElicitResult(result)) => reply(&result),
                    Ok(_) => Reply::No,
                    Err(error) => {
                        tracing::warn!(%error, "the user was not asked");
                        Reply::No
                    }
                }
            }
            // The reply counts for this very question alone: its arguments are in its words.
            Self::Result(replies) => replies.get(&digest_of(question)).map_or(Reply::Later, |value| {
                serde_json::from_value(value.clone()).map_or(Reply::No, |result| reply(&result))
            }),
        }
    }
}

fn reply(result: &ElicitResult) -> Reply {
    if result.action == ElicitationAction::Accept { Reply::Yes } else { Reply::No }
}

/// A question with nothing to fill in: it is accepted or declined.
fn form(question: &str) -> ElicitRequest {
    ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.to_owned(),
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    })
}
