//! Effects that are done beside the loop.
//!
//! Invariant: each answers, also when it panics.

use std::sync::Arc;

use tokio::sync::mpsc::Sender;

use super::Program;
use crate::app::{self, Done, Effect, Msg};
use crate::ops::Cx;

/// What an effect is done with, beside the loop.
#[derive(Clone)]
struct Work {
    cx: Cx,
    settings: Arc<app::Settings>,
    sender: Sender<Msg>,
}

impl Work {
    /// Does one, and answers, also when it panics. Returns whether the loop is still there.
    async fn one(&self, effect: Effect) -> bool {
        let what = format!("{effect:?}");
        let of = app::session_of(&effect);
        let (cx, settings) = (self.cx.clone(), self.settings.clone());
        let work = tokio::task::spawn_blocking(move || app::perform(&cx, &settings, effect));
        let done = work.await.unwrap_or_else(|_| Done::Failed(of, format!("internal error in {what}")));
        self.sender.send(Msg::Done(done)).await.is_ok()
    }
}

impl Program<'_> {
    /// Runs effects beside the loop, in their order; each answers, also when it panics.
    pub(super) fn perform(&mut self, effects: Vec<Effect>) {
        let asks = |e: &&Effect| {
            matches!(
                e,
                Effect::Prepare(..) | Effect::CompletePath(..) | Effect::CompleteFile(..) | Effect::Versions
            )
        };
        let lasting = |e: &&Effect| !asks(e);
        self.under_way += effects.iter().filter(lasting).count();
        let cx = self.cx.seen_at(app::first_size(&self.model));
        let (settings, sender) = (self.model.app.settings.clone(), self.sender.clone());
        // Confirming a message takes seconds: those for several sessions are sent in parallel.
        let (sends, others): (Vec<_>, Vec<_>) =
            effects.into_iter().partition(|e| matches!(e, Effect::Send(..)));
        let work = Work { cx, settings, sender };
        for send in sends {
            let (work, turn) = (work.clone(), self.sends.clone());
            tokio::spawn(async move {
                // It is never closed.
                let _turn = turn.acquire().await;
                work.one(send).await;
            });
        }
        tokio::spawn(async move {
            for effect in others {
                if !work.one(effect).await {
                    return;
                }
            }
        });
    }
}
