//! The function X25519 of RFC 7748: 255 steps of ten products each. curve25519-dalek does not show
//! its field, but this function is made of it. Ours is the ladder of the RFC on the crate's field.

use ::curve25519_dalek::montgomery::MontgomeryPoint;
use ::curve25519_dalek::scalar::clamp_integer;
use fieldc::curve25519::Fp;

use super::OURS;
use crate::chain::{Chain, Element};
use crate::entry::Range::Canonical;
use crate::entry::{Call, Entry, Peer, Rows};
use crate::fields::CURVE25519_P;
use crate::operand::Form;

/// A u-coordinate, and a scalar.
type Pair = ([u8; 32], [u8; 32]);
/// Of a scalar and a u-coordinate the u-coordinate of the multiple.
type Function = fn(&[u8; 32], &[u8; 32]) -> [u8; 32];

impl Element for Pair {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let mut bytes = [0; 32];
        for (chunk, limb) in bytes.chunks_exact_mut(8).zip(limbs) {
            chunk.copy_from_slice(&limb.to_le_bytes());
        }
        (bytes, bytes)
    }

    fn store(&self) -> Vec<u64> {
        let limb = |chunk: &[u8]| u64::from_le_bytes(chunk.try_into().expect("8 bytes"));
        self.0.chunks_exact(8).map(limb).collect()
    }
}

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let dalek = super::version("curve25519-dalek", "");
    let peers = [
        (OURS, super::version("fieldc", ""), crate::curves::kernels(), ours as Function),
        ("curve25519-dalek", dalek, "rust, 5 x 51", theirs),
    ];
    for (name, version, algorithm, function) in peers {
        let step = move |x: &mut Pair, y: &Pair| x.0 = function(&y.1, &x.0);
        Rows::new(entries, &CURVE25519_P, Peer { name, version, algorithm }).add(
            "x25519",
            Call::Called,
            Canonical,
            Box::new(Chain::long(step)),
        );
    }
}

fn theirs(scalar: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    MontgomeryPoint(*u).mul_clamped(*scalar).to_bytes()
}

fn ours(scalar: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    let scalar = clamp_integer(*scalar);
    let u = Fp::from_bytes_le(u).expect("a canonical coordinate");
    let (mut near, mut far) = ([Fp::ONE, Fp::ZERO], [u, Fp::ONE]);
    let mut is_swapped = false;
    for i in (0..255).rev() {
        let bit = scalar[i / 8] >> (i % 8) & 1 == 1;
        swap(is_swapped ^ bit, &mut near, &mut far);
        is_swapped = bit;
        step(&u, &mut near, &mut far);
    }
    swap(is_swapped, &mut near, &mut far);
    (near[0] * near[1].invert_ct().0).to_bytes_le()
}

/// One step: `near` becomes its double, `far` the sum of both.
#[allow(clippy::op_ref, reason = "a kernel's loads wait for the copy of an operand by value")]
#[inline(always)]
fn step(u: &Fp, near: &mut [Fp; 2], far: &mut [Fp; 2]) {
    let (sum, difference) = (near[0] + near[1], near[0] - near[1]);
    let (a, b) = ((far[0] - far[1]) * &sum, (far[0] + far[1]) * &difference);
    *far = [(a + b).square(), (a - b).square() * u];
    let (squared, other) = (sum.square(), difference.square());
    let between = squared - other;
    *near = [squared * &other, between * &(squared + between.mul_small(121_665))];
}

#[inline(always)]
fn swap(flag: bool, a: &mut [Fp; 2], b: &mut [Fp; 2]) {
    for (a, b) in a.iter_mut().zip(b) {
        (*a, *b) = (Fp::select(flag, b, a), Fp::select(flag, a, b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7748, section 5.2: one call from the base point with the base point as scalar, and 1000.
    #[test]
    fn both_are_those_of_the_rfc() {
        let mut base = [0; 32];
        base[0] = 9;
        for function in [ours, theirs] {
            let (mut k, mut u) = (base, base);
            for i in 0..1000 {
                (k, u) = (function(&k, &u), k);
                if i == 0 {
                    assert_eq!(k[..4], [0x42, 0x2c, 0x8e, 0x7a]);
                }
            }
            assert_eq!((k[..4].to_vec(), k[31]), (vec![0x68, 0x4c, 0xf5, 0x9b], 0x51));
        }
    }
}
