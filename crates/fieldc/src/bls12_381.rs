//! The fields of the pairing curve BLS12-381.

use crate::generated::{bls12_381_fp, bls12_381_fr};

prime_field! {
    /// The base field of BLS12-381, 381 bits.
    pub struct Fp([u64; 6], 48 bytes, bls12_381_fp);
}

prime_field! {
    /// The scalar field of BLS12-381, 255 bits.
    pub struct Fr([u64; 4], 32 bytes, bls12_381_fr);
}
