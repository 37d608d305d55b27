//! Products in Fp2 = Fp(u) with u^2 = -1, of elements `x[0] + x[1]*u`.
//!
//! ```
//! use fieldc::bls12_381::Fp;
//! use fieldc::fp2;
//!
//! let x = [Fp::from_u64(3), Fp::from_u64(4)];
//! assert_eq!(fp2::mul(&x, &[Fp::from_u64(3), -Fp::from_u64(4)]), [Fp::from_u64(25), Fp::ZERO]);
//! assert_eq!(fp2::square(&x), fp2::mul(&x, &x));
//! ```
//!
//! Where -1 is a square modulo p there is no such field, and nothing is compiled:
//!
//! ```compile_fail
//! use fieldc::bls12_381::Fr;
//!
//! fieldc::fp2::square(&[Fr::ONE, Fr::ONE]);
//! ```

use crate::assembly::{HasProducts, Products};
use crate::modulus::Modulus;

/// The product: two sums of two products, each of them reduced once.
///
/// Aranha, Karabina, Longa, Gebotys, Lopez, "Faster explicit formulas for computing pairings over
/// ordinary curves" (2011), 3, without its Karatsuba: three products and two reductions by our
/// kernels take longer.
#[inline]
pub fn mul<const N: usize, F: HasProducts<N>>(x: &[F; 2], y: &[F; 2]) -> [F; 2] {
    const { assert_no_square::<N, F>() };
    // By reference: a copy of x would be made of pairs of limbs, for which a kernel's loads wait.
    let (x, [y0, y1]) = (limbs(x), *limbs(y));
    let minus_y1 = F::Kernels::sub::<F>(&[0; N], &y1);
    element([
        F::Kernels::sum_of_products::<F>(x, &[y0, minus_y1]),
        F::Kernels::sum_of_products::<F>(x, &[y1, y0]),
    ])
}

/// The square: `(x[0] + x[1])*(x[0] - x[1])` and `2*x[0]*x[1]`.
#[inline]
pub fn square<const N: usize, F: HasProducts<N>>(x: &[F; 2]) -> [F; 2] {
    const { assert_no_square::<N, F>() };
    let [x0, x1] = *limbs(x);
    let (sum, difference) = (
        F::Kernels::add::<F>(&x0, &x1),
        F::Kernels::sub::<F>(&x0, &x1),
    );
    let twice = F::Kernels::add::<F>(&x0, &x0);
    element([
        F::Kernels::mul::<F>(&sum, &difference),
        F::Kernels::mul::<F>(&twice, &x1),
    ])
}

/// Refuses a modulus that is not 3 modulo 4.
const fn assert_no_square<const N: usize, M: Modulus<N>>() {
    assert!(
        M::P[0] % 4 == 3,
        "u^2 = -1 makes no field: it is a square modulo p"
    );
}

#[inline(always)]
fn limbs<const N: usize, F: HasProducts<N>>(x: &[F; 2]) -> &[[u64; N]; 2] {
    // SAFETY: an element is nothing but its limbs, as its implementation promises.
    unsafe { &*core::ptr::from_ref(x).cast() }
}

fn element<const N: usize, F: HasProducts<N>>(x: [[u64; N]; 2]) -> [F; 2] {
    // SAFETY: an element is nothing but its limbs, and kernels' results are below p.
    unsafe { core::mem::transmute_copy(&x) }
}
