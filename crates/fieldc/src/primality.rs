//! Whether a modulus is prime, when the program is compiled.
//!
//! The test of R. Baillie, S. Wagstaff ("Lucas pseudoprimes", 1980) and others: a strong test to base
//! 2, then an extra strong Lucas test (J. Grantham, "Frobenius pseudoprimes", 2001). No composite
//! number is known to pass; below 2^64 none does. It is no proof.
//!
//! The compiler interprets it, statement by statement, so it multiplies by `constant::product`, which has few of them.

use crate::constant::product;
use crate::generator::jacobi;
use crate::limbs::{bits, is_same, shifted, trailing_zeros};
use crate::modulus::Modulus;
use crate::residues::{add, neg, sub};

/// Moduli below its square are divided by all smaller numbers.
const SMALL: u64 = 1 << 8;

/// The most bits of a modulus to which both tests are put in every build.
const MOST_BITS: u32 = 512;

/// Whether p is prime, as far as the tests can tell; for long moduli without the Lucas test unless
/// it shall be thorough.
pub const fn is_probable_prime<const N: usize, M: Modulus<N>>(is_thorough: bool) -> bool {
    if N == 1 && M::P[0] < SMALL * SMALL {
        return is_small_prime(M::P[0]);
    }
    is_strong::<N, M>() && (M::BITS > MOST_BITS && !is_thorough || is_lucas::<N, M>())
}

const fn is_small_prime(p: u64) -> bool {
    let mut divisor = 2;
    while divisor * divisor <= p {
        if p % divisor == 0 {
            return false;
        }
        divisor += 1;
    }
    p > 1
}

/// Whether 2^odd is 1, or one of its repeated squares is -1, where p - 1 = odd * 2^twos.
const fn is_strong<const N: usize, M: Modulus<N>>() -> bool {
    let minus_one = neg(&M::R, &M::P);
    let mut less = M::P;
    less[0] -= 1;
    let twos = trailing_zeros(&less);
    let (mut x, mut i) = (M::R, M::BITS);
    while i > twos {
        i -= 1;
        x = product::<N, M>(&x, &x);
        if bit(&less, i) {
            x = add(&x, &x, &M::P);
        }
    }
    if is_same(&x, &M::R) {
        return true;
    }
    while i > 0 {
        if is_same(&x, &minus_one) {
            return true;
        }
        x = product::<N, M>(&x, &x);
        i -= 1;
    }
    false
}

/// The Lucas sequence V_0 = 2, V_1 = P, V_(k+1) = P*V_k - V_(k-1), for the least P above 2 of which
/// P^2 - 4 is no square; p + 1 = odd * 2^twos. Either V_odd is 2 or -2 and U_odd is 0, which is to say
/// 2*V_(odd+1) = P*V_odd, or V is 0 at odd times a power of 2 below 2^(twos-1).
const fn is_lucas<const N: usize, M: Modulus<N>>() -> bool {
    let mut number = 3;
    loop {
        match jacobi(number * number - 4, &M::P) {
            -1 => break,
            // A common factor. The numbers end where p is a square.
            0 => return false,
            _ if number > 1 << 16 => return false,
            _ => number += 1,
        }
    }
    let p = &M::P;
    let two = add(&M::R, &M::R, p);
    let mut one = [0; N];
    one[0] = number;
    let first = product::<N, M>(&one, &M::R2);
    // p ends in as many ones as p + 1 in zeros.
    let mut twos = 0;
    while bit(p, twos) {
        twos += 1;
    }
    let mut odd = shifted(p, twos);
    odd[0] += 1;
    let (mut v, mut next) = (two, first);
    let mut i = bits(&odd);
    while i > 0 {
        i -= 1;
        let between = sub(&product::<N, M>(&v, &next), &first, p);
        if bit(&odd, i) {
            next = sub(&product::<N, M>(&next, &next), &two, p);
            v = between;
        } else {
            v = sub(&product::<N, M>(&v, &v), &two, p);
            next = between;
        }
    }
    if is_same(&v, &two) || is_same(&v, &neg(&two, p)) {
        return is_same(&add(&next, &next, p), &product::<N, M>(&first, &v));
    }
    while twos > 1 {
        if is_same(&v, &[0; N]) {
            return true;
        }
        v = sub(&product::<N, M>(&v, &v), &two, p);
        twos -= 1;
    }
    false
}

const fn bit<const N: usize>(a: &[u64; N], i: u32) -> bool {
    a[i as usize / 64] >> (i % 64) & 1 == 1
}
