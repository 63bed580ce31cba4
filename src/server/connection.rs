//! One connection: limits on what it may hold up, TLS if that is asked for, and an end that says goodbye.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;

/// How many connections there may be.
pub(super) const MAX_CONNECTIONS: usize = 256;
/// The most bytes of the headers of a request.
const MAX_HEADERS: usize = 16 * 1024;
/// How long a client may take to send them, or to agree on TLS.
const PATIENCE: Duration = Duration::from_secs(10);

/// Takes connections until the server ends.
pub(super) async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    room: Arc<Semaphore>,
    mut ends: watch::Receiver<bool>,
) {
    loop {
        let Ok(permit) = room.clone().acquire_owned().await else { return };
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            () = ended(&mut ends) => return,
        };
        let (stream, from) = match stream {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "can't take a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let (router, ends, tls) = (router.clone(), ends.clone(), tls.clone());
        tokio::spawn(async move {
            let _permit = permit;
            let Some(tls) = tls else { return serve(stream, from, router, ends).await };
            match tokio::time::timeout(PATIENCE, tls.accept(stream)).await {
                Ok(Ok(stream)) => serve(stream, from, router, ends).await,
                Ok(Err(error)) => tracing::debug!(%error, "a client doesn't agree on TLS"),
                Err(_) => tracing::debug!("a client took too long to agree on TLS"),
            }
        });
    }
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    from: SocketAddr,
    router: Router,
    mut ends: watch::Receiver<bool>,
) {
    let service = TowerToHyperService::new(router.layer(axum::Extension(ConnectInfo(from))));
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::pin!(connection);
    tokio::select! {
        done = connection.as_mut() => {
            if let Err(error) = done {
                tracing::debug!(%error, "a connection ended");
            }
        }
        () = ended(&mut ends) => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// Waits for the end of the server.
async fn ended(ends: &mut watch::Receiver<bool>) {
    // A server that is dropped has ended, too.
    let _ = ends.wait_for(|ends| *ends).await;
}
