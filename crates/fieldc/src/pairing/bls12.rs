//! The pairing of BLS12-381.

use super::curve::{Pairing, Step, bits, steps};
use super::lines::Line;
use crate::bls12_381::{Fp, Fr};
use crate::curves::bls12_381::{G1, G2, MINUS_X};
use crate::fp2::Fp2;
use crate::tower::{Fp12, HasTower};

/// The pairing of BLS12-381.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bls12381 {}

/// 63 doublings and 5 additions.
const LINES: usize = 68;

impl Pairing for Bls12381 {
    type Base = Fp;
    type Scalar = Fr;
    type G1 = G1;
    type G2 = G2;

    type Lines = [Line<Fp>; LINES];
    const NO_LINES: Self::Lines = [Line::NONE; LINES];
    const STEPS: &'static [Step] = &steps::<LINES>(&bits::<64>(MINUS_X), &[]);
    const IS_MULTIPLIED: bool = true;
    const IS_NEGATIVE: bool = true;

    /// The twist's b is 4ξ.
    #[inline(always)]
    fn triple_b(x: &Fp2<Fp>) -> Fp2<Fp> {
        let four = Fp::mul_by_xi(x).double().double();
        four.double() + four
    }

    /// No step asks for it.
    fn image(x: &Fp2<Fp>, y: &Fp2<Fp>) -> (Fp2<Fp>, Fp2<Fp>) {
        (*x, *y)
    }

    /// The power 3*(p^4 - p^2 + 1)/r = (x - 1)^2*(x + p)*(x^2 + p^2 - 1) + 3.
    ///
    /// Source: D. Hayashida, K. Hayasaka, T. Teruya, "Efficient final exponentiation via cyclotomic
    /// structure for pairings over families of elliptic curves" (2020), 4.
    fn hard_part(m: &Fp12<Fp>) -> Fp12<Fp> {
        let t = power_of_x(m) * m.conjugate();
        let t = power_of_x(&t) * t.conjugate();
        let t = power_of_x(&t) * t.frobenius(1);
        let t = power_of_x(&power_of_x(&t)) * t.frobenius(2) * t.conjugate();
        t * m.cyclotomic_square() * m
    }
}

/// The power x = -(2^63 + 2^62 + 2^60 + 2^57 + 2^48 + 2^16).
fn power_of_x(m: &Fp12<Fp>) -> Fp12<Fp> {
    m.cyclotomic_pow(&[MINUS_X]).conjugate()
}
