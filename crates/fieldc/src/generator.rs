//! Non-residues, and what follows from a generator of the multiplicative group, when the program is
//! compiled. Nothing here is for secret values.

use core::marker::PhantomData;

use crate::constant::product;
use crate::limbs;
use crate::modulus::{Modulus, Montgomery};
use crate::{portable, residues};

/// Whether g is no square modulo p. A generator is none, and has full 2-adic order then.
pub const fn is_non_residue<const N: usize, M: Modulus<N>>(g: u64) -> bool {
    jacobi(g, &M::P) == -1
}

/// The least number that is no square modulo p.
pub const fn least_non_residue<const N: usize, M: Modulus<N>>() -> u64 {
    let mut g = 2;
    while !is_non_residue::<N, M>(g) {
        g += 1;
        assert!(g < 1 << 16, "every small number is a square: no prime");
    }
    g
}

/// The Jacobi symbol (g/p), by reciprocity: (p mod g / g) is a matter of one limb.
pub(crate) const fn jacobi<const N: usize>(g: u64, p: &[u64; N]) -> i8 {
    if g == 0 {
        return 0;
    }
    let (odd, mut sign) = turn(g, p[0], 1);
    let (mut above, mut below) = (remainder(p, odd), odd);
    while above != 0 {
        let (odd, turned) = turn(above, below, sign);
        (above, below, sign) = (below % odd, odd, turned);
    }
    if below == 1 { sign } else { 0 }
}

/// The odd part m of a, and the sign s for which (a/n) = s*(n/m) times the given one.
const fn turn(a: u64, n: u64, sign: i8) -> (u64, i8) {
    let twos = a.trailing_zeros();
    let odd = a >> twos;
    let two_is_minus = twos % 2 == 1 && matches!(n % 8, 3 | 5);
    let turn_is_minus = odd % 4 == 3 && n % 4 == 3;
    let minus = two_is_minus != turn_is_minus;
    (odd, if minus { -sign } else { sign })
}

/// a mod d.
const fn remainder<const N: usize>(a: &[u64; N], d: u64) -> u64 {
    divide(a, d).1
}

/// a / d, rounded down, and a mod d.
const fn divide<const N: usize>(a: &[u64; N], d: u64) -> ([u64; N], u64) {
    let (mut quotient, mut rest, mut i) = ([0; N], 0, N);
    while i > 0 {
        i -= 1;
        let part = (rest as u128) << 64 | a[i] as u128;
        quotient[i] = (part / d as u128) as u64;
        rest = (part % d as u128) as u64;
    }
    (quotient, rest)
}

/// The largest s for which 2^s divides p - 1.
pub const fn two_adicity<const N: usize, M: Modulus<N>>() -> u32 {
    limbs::trailing_zeros(&less_one(&M::P))
}

/// 3 where it divides p - 1, else 2.
pub const fn small_order<const N: usize, M: Modulus<N>>() -> u8 {
    if remainder(&M::P, 3) == 1 { 3 } else { 2 }
}

/// (p + 1)/2, the inverse of 2, as a residue like all that follow.
pub const fn two_inverse<const N: usize, M: Modulus<N>>() -> [u64; N] {
    let (mut half, mut i) = (limbs::shifted(&M::P, 1), 0);
    loop {
        let (sum, carry) = half[i].overflowing_add(1);
        half[i] = sum;
        i += 1;
        if !carry {
            return portable::to_montgomery::<N, M>(&half);
        }
    }
}

/// The root of unity that follows from the least non-residue, which the compiler finds once.
pub struct LeastRoot<const N: usize, M>(PhantomData<M>);

impl<const N: usize, M: Modulus<N>> LeastRoot<N, M> {
    /// g^((p - 1)/2^s) for the least non-residue g: a 2^s-th root of unity.
    pub const ROOT: [u64; N] = if two_adicity::<N, M>() == 1 {
        minus_one::<N, M>()
    } else {
        let odd = limbs::shifted(&M::P, two_adicity::<N, M>());
        power::<N, M>(least_non_residue::<N, M>(), &odd)
    };

    /// [`ROOT`](Self::ROOT), which the compiler finds only where a program uses it.
    pub const fn root() -> [u64; N] {
        Self::ROOT
    }

    /// Its inverse.
    pub const fn root_inverse() -> [u64; N] {
        inverse::<N, M>(&Self::ROOT)
    }
}

/// What follows from a generator G: powers of one power, which the compiler finds once.
pub struct Generated<const N: usize, const G: u64, M>(PhantomData<M>);

impl<const N: usize, const G: u64, M: Modulus<N>> Generated<N, G, M> {
    /// G^((p - 1)/(2^s * 3^k)), for k = [`three_adicity`].
    const LARGE_ROOT: [u64; N] = power::<N, M>(G, &without_threes::<N, M>());

    /// The constant. A function of its own: the compiler finds every constant that a body names, also
    /// where a branch does without it.
    pub const fn large_root() -> [u64; N] {
        Self::LARGE_ROOT
    }

    /// G^((p - 1)/2^s): a 2^s-th root of unity.
    pub const ROOT: [u64; N] = if two_adicity::<N, M>() == 1 {
        minus_one::<N, M>()
    } else {
        cubed::<N, M>(Self::large_root(), three_adicity::<N, M>())
    };

    /// G^((p - 1)/k), which has order k, for k = [`small_order`].
    pub const ZETA: [u64; N] = if small_order::<N, M>() == 2 {
        minus_one::<N, M>()
    } else {
        let odd = cubed::<N, M>(Self::large_root(), three_adicity::<N, M>() - 1);
        let root = squared::<N, M>(odd, two_adicity::<N, M>());
        assert!(!limbs::is_same(&root, &M::R), "the generator is a cube");
        root
    };

    /// G^(2^s), which has odd order.
    pub const DELTA: [u64; N] = squared::<N, M>(element::<N, M>(G), two_adicity::<N, M>());

    /// [`ROOT`](Self::ROOT), which the compiler finds only where a program uses it.
    pub const fn root() -> [u64; N] {
        Self::ROOT
    }

    /// Its inverse.
    pub const fn root_inverse() -> [u64; N] {
        inverse::<N, M>(&Self::ROOT)
    }
}

/// -1, which is a non-residue's power (p - 1)/2.
const fn minus_one<const N: usize, M: Modulus<N>>() -> [u64; N] {
    residues::neg(&M::R, &M::P)
}

/// The most that a 3-adicity is said to be: 3^20 is below 2^32, and a number of any machine.
const MOST_THREES: u32 = 20;

/// The largest k up to 20 for which 3^k divides p - 1.
pub const fn three_adicity<const N: usize, M: Modulus<N>>() -> u32 {
    let (mut rest, mut k) = (less_one(&M::P), 0);
    loop {
        let (third, remainder) = divide(&rest, 3);
        if remainder != 0 || k == MOST_THREES {
            return k;
        }
        (rest, k) = (third, k + 1);
    }
}

/// (p - 1)/(2^s * 3^k), for k = [`three_adicity`].
const fn without_threes<const N: usize, M: Modulus<N>>() -> [u64; N] {
    let mut exponent = limbs::shifted(&M::P, two_adicity::<N, M>());
    let mut k = three_adicity::<N, M>();
    while k > 0 {
        exponent = divide(&exponent, 3).0;
        k -= 1;
    }
    exponent
}

/// x^(3^times).
const fn cubed<const N: usize, M: Modulus<N>>(mut x: [u64; N], times: u32) -> [u64; N] {
    let mut i = 0;
    while i < times {
        x = product::<N, M>(&product::<N, M>(&x, &x), &x);
        i += 1;
    }
    x
}

/// x^(2^times).
const fn squared<const N: usize, M: Modulus<N>>(mut x: [u64; N], times: u32) -> [u64; N] {
    let mut i = 0;
    while i < times {
        x = product::<N, M>(&x, &x);
        i += 1;
    }
    x
}

/// The inverse of the 2^s-th root of unity: its power 2^s - 1.
pub(crate) const fn inverse<const N: usize, M: Modulus<N>>(root: &[u64; N]) -> [u64; N] {
    let (mut result, mut square, mut i) = (M::R, *root, 0);
    while i < two_adicity::<N, M>() {
        result = product::<N, M>(&result, &square);
        square = product::<N, M>(&square, &square);
        i += 1;
    }
    result
}

/// p - 1.
const fn less_one<const N: usize>(p: &[u64; N]) -> [u64; N] {
    let mut less = *p;
    less[0] -= 1;
    less
}

/// A number of one limb as an element.
const fn element<const N: usize, M: Modulus<N>>(number: u64) -> [u64; N] {
    let mut limbs = [0; N];
    limbs[0] = if N == 1 { number % M::P[0] } else { number };
    portable::to_montgomery::<N, M>(&limbs)
}

/// Bits of a digit of an exponent.
const WINDOW: u32 = 4;

/// g^exponent, found in Montgomery form, whose products have fewer statements.
const fn power<const N: usize, M: Modulus<N>>(g: u64, exponent: &[u64; N]) -> [u64; N] {
    let power = montgomery_power::<N, Montgomery<M>>(g, exponent);
    if M::PLAIN {
        return portable::from_montgomery::<N, Montgomery<M>>(&power);
    }
    power
}

/// The same of a modulus in Montgomery form, a digit at a time: a product for every four squares.
const fn montgomery_power<const N: usize, M: Modulus<N>>(g: u64, exponent: &[u64; N]) -> [u64; N] {
    let mut powers = [M::R; 1 << WINDOW];
    powers[1] = element::<N, M>(g);
    let mut digit = 2;
    while digit < powers.len() {
        powers[digit] = product::<N, M>(&powers[digit - 1], &powers[1]);
        digit += 1;
    }
    let mut i = limbs::bits(exponent).next_multiple_of(WINDOW);
    let mut result = M::R;
    while i > 0 {
        i -= WINDOW;
        result = squared::<N, M>(result, WINDOW);
        digit = (exponent[i as usize / 64] >> (i % 64)) as usize % powers.len();
        if digit > 0 {
            result = product::<N, M>(&result, &powers[digit]);
        }
    }
    result
}
