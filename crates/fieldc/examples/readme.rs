//! Arithmetic modulo the prime of BN254.
use fieldc::bn254::Fp; // crates/fieldc: no_std, no dependencies, no build script

fn main() {
    let x = Fp::from_u64(3) * Fp::from_u64(5);
    assert_eq!(x.square() - Fp::ONE, Fp::from_u64(224));
    assert_eq!(Fp::from_bytes_be(&x.to_bytes_be()), Ok(x));
    assert!(Fp::from_bytes_be(&[0xff; 32]).is_err()); // not canonical
}
