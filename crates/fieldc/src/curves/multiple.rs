//! Multiples of points.

use super::{Curve, Jacobian};
use crate::prime_field::PrimeField;

/// Bits of a window.
const WIDTH: usize = 4;

impl<C: Curve> Jacobian<C> {
    /// The multiple by a scalar, in the same time for all: a window of four bits is a sum with an entry
    /// of a table, every entry of which is read.
    pub(super) fn multiple(&self, scalar: &C::Scalar) -> Self {
        let mut table = [Self::INFINITY; 1 << WIDTH];
        for i in 1..table.len() {
            table[i] = if i % 2 == 0 {
                table[i / 2].double()
            } else {
                table[i - 1].sum(self)
            };
        }
        let limbs = scalar.to_limbs();
        let windows = (limbs.as_ref().iter().rev())
            .flat_map(|limb| (0..64 / WIDTH).rev().map(move |i| limb >> (WIDTH * i)));
        let mut result = Self::INFINITY;
        for (i, window) in windows.enumerate() {
            if i > 0 {
                result = (0..WIDTH).fold(result, |point, _| point.double());
            }
            let window = window & ((1 << WIDTH) - 1);
            let entry = (0..).zip(&table).fold(Self::INFINITY, |found, (j, entry)| {
                Self::select(j == window, entry, &found)
            });
            result = result.sum(&entry);
        }
        result
    }

    /// The multiple by a public number in limbs, least significant first. Time depends on the number,
    /// and on nothing else.
    ///
    /// ```
    /// use fieldc::curves::pallas::Jacobian;
    ///
    /// let g = Jacobian::GENERATOR;
    /// assert_eq!(g.mul_public(&[5]), g.double().double() + g);
    /// ```
    pub fn mul_public(&self, number: &[u64]) -> Self {
        let bits = (number.iter().rev())
            .flat_map(|limb| (0..64).rev().map(move |i| limb >> i & 1 == 1))
            .skip_while(|bit| !bit);
        bits.fold(Self::INFINITY, |point, bit| {
            let double = point.double();
            if bit { double.sum(self) } else { double }
        })
    }
}
