//! Base64 for the header that carries a service's password.

/// Base64 with padding (RFC 4648), for one short header.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |n: u32| DIGITS.get((n & 63) as usize).map_or('=', |d| char::from(*d));
    bytes
        .chunks(3)
        .flat_map(|chunk| {
            let n = (0..3).fold(0u32, |n, i| n << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
            let mut four = [digit(n >> 18), digit(n >> 12), digit(n >> 6), digit(n)];
            four.iter_mut().skip(chunk.len() + 1).for_each(|c| *c = '=');
            four
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_rfc() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
