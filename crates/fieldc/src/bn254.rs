//! The base field of BN254 (alt_bn128), the pairing curve of Ethereum.

use crate::generated::bn254_fp;

prime_field! {
    /// The base field of BN254, 254 bits.
    pub struct Fp([u64; 4], 32 bytes, bn254_fp);
}
