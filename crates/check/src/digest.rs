//! The digests that a manifest has.

use sha2::{Digest, Sha256};

/// That of some bytes.
pub(crate) fn digest_of(data: &[u8]) -> String {
    hex(&Sha256::digest(data))
}

/// That of a kernel: of the digests of its object (or text), the prime, the contract and the
/// certificate, which is empty where there is none.
pub(crate) fn digest_of_parts(parts: &[&[u8]]) -> String {
    let mut total = Sha256::new();
    for part in parts {
        total.update(Sha256::digest(part));
    }
    hex(&total.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
