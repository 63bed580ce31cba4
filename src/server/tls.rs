//! A certificate with its key, for a server that ends TLS itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::{Error as PemError, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{Error, ServerConfig};

/// A certificate that can be used.
#[derive(Debug, Clone)]
pub struct Certificate(Arc<ServerConfig>);

/// Why one can't be.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("can't read a certificate from {}", .0.display())]
    Certificate(PathBuf, #[source] PemError),
    #[error("{} has no certificate in it", .0.display())]
    Empty(PathBuf),
    #[error("can't read a private key from {}", .0.display())]
    Key(PathBuf, #[source] PemError),
    #[error("the certificate and the key can't be used together")]
    Together(#[source] Error),
}

impl Certificate {
    /// Reads both from PEM files: the certificate with those that lead to its issuer, and its key.
    ///
    /// # Errors
    /// [`TlsError`].
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let failed = |error| TlsError::Certificate(certificate.to_owned(), error);
        let all = CertificateDer::pem_file_iter(certificate).map_err(failed)?;
        let all = all.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        if all.is_empty() {
            return Err(TlsError::Empty(certificate.to_owned()));
        }
        let key = PrivateKeyDer::from_pem_file(key).map_err(|error| TlsError::Key(key.to_owned(), error))?;
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(all, key))
            .map_err(TlsError::Together)?;
        Ok(Self(Arc::new(config)))
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.0.clone())
    }
}
