//! The sessions of a profile, for the list of a page.

use std::sync::Arc;

use serde_json::json;

use super::{Close, Got, Socket};
use crate::server::assets;
use crate::server::error::ApiError;
use crate::server::hub::{Hub, Presence};

/// Sends what there is, and then what changes, until the page is closed.
pub async fn dashboard(mut socket: Socket, hub: Arc<Hub>, since: Option<u64>) {
    let presence = hub.enter();
    let why = follow(&mut socket, &presence, &hub, since).await;
    drop(presence);
    if let Err(why) = why {
        socket.close(why).await;
    }
}

async fn follow(
    socket: &mut Socket,
    presence: &Presence,
    hub: &Hub,
    mut since: Option<u64>,
) -> Result<(), Close> {
    let mut changes = hub.changes();
    // Said once there is something to say: from then on the page is up to date.
    let hello = json!({ "type": "hello", "build": assets::build(), "readOnly": socket.read_only() });
    let mut hello = Some(hello);
    loop {
        changes.mark_unchanged();
        if let Some((seq, events)) = hub.since(presence, since) {
            since = Some(seq);
            if let Some(hello) = hello.take() {
                socket.send(&hello).await?;
            }
            for event in &events {
                socket.send(event).await?;
            }
        }
        tokio::select! {
            changed = changes.changed() => changed.map_err(|_| Close::Restart)?,
            got = socket.next() => {
                if let Got::Text(_) = got? {
                    socket.send_error(&ApiError::usage("this socket takes no messages"), None).await?;
                }
            }
        }
    }
}
