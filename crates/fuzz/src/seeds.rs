//! Inputs to begin with: edge values in every form that the checks read, and random ones.

use num_bigint::BigUint;

use crate::element::Element;
use crate::fields::on_every_field;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// The edge inputs of every field on all kernels, and for each field this many random ones.
pub fn seeds(seed: u64, random: usize) -> Vec<Vec<u8>> {
    let mut source = Random(seed);
    let makers: [fn() -> Vec<Vec<u8>>; _] = on_every_field!(edges);
    let mut found = Vec::new();
    for (field, edges) in (0u8..).zip(makers) {
        for payload in edges() {
            for kernels in 0..3 {
                found.push([&[field, kernels], &payload[..]].concat());
            }
        }
        for _ in 0..random {
            let length = source.next() as usize % 400;
            let kernels = source.next() as u8;
            found.push([vec![field, kernels], source.bytes(length)].concat());
        }
    }
    found
}

/// What follows the first two bytes: encodings and texts of numbers around p, 0 and powers of 2.
fn edges<F: Element>() -> Vec<Vec<u8>> {
    let (p, one) = (F::modulus(), BigUint::from(1u8));
    let full = &one << (8 * F::BYTES);
    let numbers = [
        BigUint::ZERO,
        one.clone(),
        &p - 2u8,
        &p - 1u8,
        p.clone(),
        &p + 1u8,
        &p * 2u8,
        &full - 1u8,
        full,
        &one << (64 * F::LIMBS),
        // The digit that is too many is not the last one.
        one << (64 * F::LIMBS + 8),
    ];
    let mut found: Vec<Vec<u8>> = numbers.iter().flat_map(encodings::<F>).collect();
    found.extend(
        [
            "", "0x", "0x0x1", "-1", "+1", "1 ", "0X1", "1_0", "\u{663}", "0xg",
        ]
        .map(Into::into),
    );
    // Operands: kinds of elements, and bytes that are the same.
    for byte in [0, 1, 2, 3, 4, 5, 6, 0x7f, 0x80, 0xff] {
        found.extend([1, F::BYTES - 1, F::BYTES + 1, 40, 20 * F::LIMBS].map(|n| vec![byte; n]));
    }
    found
}

/// A number in every form.
fn encodings<F: Element>(number: &BigUint) -> Vec<Vec<u8>> {
    let mut le = number.to_bytes_le();
    le.resize(le.len().max(F::BYTES), 0);
    let be: Vec<u8> = le.iter().rev().copied().collect();
    let text = format!("0x{number:0width$x}", width = 2 * F::BYTES);
    vec![
        format!("{number}").into(),
        format!("{number:x}").into(),
        format!("\"{text}\"").into(),
        format!("{text}\0").into(),
        text.to_uppercase().into(),
        text.into(),
        [&le[..], &[0]].concat(),
        [&[0], &be[..]].concat(),
        le,
        be,
    ]
}
