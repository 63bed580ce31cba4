//! Secrets: made at random, kept as checksums, compared in constant time.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// A new secret of so many random bytes, in letters that an address and a cookie can hold.
///
/// # Errors
/// The system's error when it has no randomness.
pub(super) fn new(bytes: usize) -> std::io::Result<String> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(std::io::Error::other)?;
    Ok(URL_SAFE_NO_PAD.encode(random))
}

/// What is kept of a secret: its SHA-256, in hexadecimal.
pub(super) fn checksum(secret: &str) -> String {
    Sha256::digest(secret.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether two texts are the same. How long that takes says nothing about where they differ.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_long_and_never_the_same() {
        let (a, b) = (new(16).unwrap(), new(16).unwrap());
        assert_eq!(a.len(), 22);
        assert!(!is_same(&a, &b) && is_same(&a, &a.clone()));
        assert_eq!(checksum("a").len(), 64);
    }
}
