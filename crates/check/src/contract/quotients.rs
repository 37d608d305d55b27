//! What the update of f and g after a batch of divsteps must do: a claim modulo no prime.

use super::{Claims, Contract, Operand, number};
use crate::Outcome;
use crate::convention::Convention;
use crate::polynomial::Polynomial;
use num_bigint::BigInt;
use std::collections::BTreeMap;

impl Contract {
    /// The contract of both quotients by 2^59 after a batch of divsteps, modulo 2^128*R + 1.
    ///
    /// 2^64 times the first is 2^64*(x + y + 9*R/2) + R*(m0 + m1) - 2*(m0*x + m1*y), as
    /// `algorithms/divsteps.py` explains.
    pub(super) fn of_quotients(
        r: &BigInt,
        limbs: usize,
        convention: &'static Convention,
    ) -> Outcome<Self> {
        let radix: BigInt = BigInt::from(1) << 64;
        let residue = |name| Operand::of(name, 1, limbs, r - 1);
        let operands = vec![residue("x"), residue("y"), Operand::of("m", 4, 1, &radix - 1)];
        let (x, y) = (number(0, limbs), number(limbs, limbs));
        let row = |first: usize| {
            let entry = |k| number(2 * limbs + first + k, 1);
            let added = Polynomial::default().plus(&Polynomial::constant(r * 9 / 2), radix.clone());
            let whole = added.plus(&x, radix.clone()).plus(&y, radix.clone());
            let whole = whole.plus(&entry(0), r.clone()).plus(&entry(1), r.clone());
            whole.plus(&x.times(&entry(0)), -2).plus(&y.times(&entry(1)), -2)
        };
        let claims = Claims::Known(vec![row(0), row(2)]);
        let most: BigInt = (r << 128) - 1;
        let (p, width, factor) = (&most + 2, limbs + 2, radix.clone());
        let (between, shown) = (0, BTreeMap::new());
        Self { p, limbs, convention, operands, width, factor, claims, most, between, shown }
            .checked()
    }
}
