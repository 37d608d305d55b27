//! The pairing of BN254.

use super::curve::{Pairing, Step, signed_digits, steps};
use super::lines::Line;
use crate::bn254::{Fp, Fr};
use crate::curves::Curve;
use crate::curves::bn254::{G1, G2, X, power_of_p};
use crate::fp2::Fp2;
use crate::tower::Fp12;

/// The pairing of BN254.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bn254 {}

/// 65 doublings, 21 additions and subtractions, and two steps at the end.
const LINES: usize = 88;

impl Pairing for Bn254 {
    type Base = Fp;
    type Scalar = Fr;
    type G1 = G1;
    type G2 = G2;

    type Lines = [Line<Fp>; LINES];
    const NO_LINES: Self::Lines = [Line::NONE; LINES];
    const STEPS: &'static [Step] = &steps::<LINES>(
        &signed_digits::<66>(6 * X as u128 + 2),
        &[Step::AddImage, Step::SubtractSecondImage],
    );
    const IS_MULTIPLIED: bool = false;
    const IS_NEGATIVE: bool = false;

    #[inline(always)]
    fn triple_b(x: &Fp2<Fp>) -> Fp2<Fp> {
        let product = x * G2::B;
        product.double() + product
    }

    fn image(x: &Fp2<Fp>, y: &Fp2<Fp>) -> (Fp2<Fp>, Fp2<Fp>) {
        power_of_p(x, y)
    }

    /// The power 2x(6x^2 + 3x + 1)*(p^4 - p^2 + 1)/r = a + 6x^2 + 1 + b*p + a*p^2 + (b - 1)*p^3 for
    /// a = 12x^3 + 6x^2 + 6x and b = a - 2x.
    ///
    /// Source: L. Fuentes-Castañeda, E. Knapp, F. Rodríguez-Henríquez, "Faster hashing to G2" (2011),
    /// 4.
    fn hard_part(m: &Fp12<Fp>) -> Fp12<Fp> {
        let x = power_of_x(m);
        let xx = power_of_x(&x);
        let xxx = power_of_x(&xx);
        let sum = xxx.cyclotomic_square() * xx * x;
        let a = (sum.cyclotomic_square() * sum).cyclotomic_square();
        let b = a * x.cyclotomic_square().conjugate();
        let six = (xx.cyclotomic_square() * xx).cyclotomic_square();
        let without_p = a * six * m;
        without_p * b.frobenius(1) * a.frobenius(2) * (b * m.conjugate()).frobenius(3)
    }
}

/// The power x.
fn power_of_x(m: &Fp12<Fp>) -> Fp12<Fp> {
    m.cyclotomic_pow(&[X])
}
