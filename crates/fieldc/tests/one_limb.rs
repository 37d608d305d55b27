//! Primes of one limb, whose kernels are inlined: against integers of 128 bits.

use fieldc::{Lazy, goldilocks};

/// A number from a seed, by Knuth's MMIX generator; its upper bits are as good as random.
fn next(state: &mut u64) -> u64 {
    for _ in 0..2 {
        *state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
    }
    *state ^ *state >> 32
}

/// Numbers below p: both ends, what is near powers of two and the shifts of folds, and others.
fn numbers(p: u64) -> Vec<u64> {
    let powers = (0..64).map(|i| 1u64 << i);
    let near = powers.flat_map(|x| [x - 1, x, x.wrapping_add(1), x.wrapping_neg()]);
    let ends = [p / 2, p.div_ceil(2), p.wrapping_neg(), u64::MAX % p];
    let mut state = p;
    let others = (0..40).map(|_| next(&mut state));
    let mut found: Vec<u64> = (0..4).flat_map(|i| [i, p - 1 - i % p]).collect();
    found.extend(near.chain(ends).chain(others));
    found.retain(|x| *x < p);
    found.sort_unstable();
    found.dedup();
    found
}

macro_rules! check {
    ($name:ident, $Fp:ty) => {
        #[test]
        fn $name() {
            type F = $Fp;
            let p = F::MODULUS[0];
            let element = |x: u64| F::from_montgomery_limbs([x]).expect("below p");
            let radix = (1u128 << 64) % u128::from(p);
            let raw = |x: F| u128::from(x.to_montgomery_limbs()[0]);
            let m = u128::from(p);
            let times = |x: u128, y: u128| x * y % m;
            let all = numbers(p);
            for (i, &a) in all.iter().enumerate() {
                let x = element(a);
                let a = u128::from(a);
                assert!(raw(x.square()) < m && raw(-x) < m && raw(x.double()) < m);
                assert_eq!(times(raw(x.square()), radix), a * a % m);
                assert_eq!(raw(-x), (m - a) % m);
                assert_eq!(raw(x.double()), 2 * a % m);
                assert_eq!(
                    u128::from(F::from_limbs([a as u64]).unwrap().to_limbs()[0]),
                    a
                );
                for &b in &all {
                    let y = element(b);
                    let b = u128::from(b);
                    assert_eq!(raw(x + y), (a + b) % m);
                    assert_eq!(raw(x - y), (m + a - b) % m);
                    assert!(raw(x * y) < m);
                    assert_eq!(times(raw(x * y), radix), a * b % m);
                    let z = element(all[(i * 7 + 3) % all.len()]);
                    let sum = F::sum_of_products(&[x, z], &[y, z]);
                    assert!(raw(sum) < m);
                    assert_eq!(sum, x * y + z.square());
                }
            }
        }
    };
}

macro_rules! check_lazy {
    ($name:ident, $Fp:ty) => {
        #[test]
        fn $name() {
            let element = |x: u64| <$Fp>::from_montgomery_limbs([x]).expect("below p");
            let all = numbers(<$Fp>::MODULUS[0]);
            for &a in &all {
                for &b in &all {
                    let (x, y) = (element(a), element(b));
                    let (s, t) = (Lazy::from(x), Lazy::from(y));
                    assert_eq!((s * t).reduce(), x * y);
                    assert_eq!((s * t + s - t).reduce(), x * y + x - y);
                    assert_eq!((s * t - (t - s) * (s + s)).square().reduce(), {
                        (x * y - (y - x) * x.double()).square()
                    });
                }
            }
        }
    };
}

macro_rules! field_of {
    ($Name:ident, $modulus:literal) => {
        fieldc::field! {
            struct $Name(modulus = $modulus);
        }
    };
}

field_of!(Shift34, "0xfffffffc00000001");
field_of!(Shift40, "0xffffff0000000001");
field_of!(Largest, "0xffffffffffffffc5");
field_of!(AboveHalf, "0x800000000000001d");
field_of!(BelowHalf, "0x7fffffffffffffe7");
field_of!(AboveQuarter, "0x4000000000000087");
field_of!(BelowQuarter, "0x3fffffffffffffc7");
field_of!(Mersenne61, "0x1fffffffffffffff");
field_of!(BabyBear, "0x78000001");
field_of!(Mersenne31, "0x7fffffff");
field_of!(Three, "3");
field_of!(Small, "251");

check!(goldilocks_is_right, goldilocks::Fp);
check!(a_shift_of_34_is_right, Shift34);
check!(a_shift_of_40_is_right, Shift40);
check!(the_largest_prime_is_right, Largest);
check!(a_prime_above_half_is_right, AboveHalf);
check!(a_prime_below_half_is_right, BelowHalf);
check!(a_prime_above_a_quarter_is_right, AboveQuarter);
check!(a_prime_below_a_quarter_is_right, BelowQuarter);
check!(mersenne_61_is_right, Mersenne61);
check!(baby_bear_is_right, BabyBear);
check!(mersenne_31_is_right, Mersenne31);
check!(three_is_right, Three);
check!(a_small_prime_is_right, Small);

check_lazy!(lazy_values_below_a_quarter_are_right, BelowQuarter);
check_lazy!(lazy_mersenne_61_is_right, Mersenne61);
check_lazy!(lazy_baby_bear_is_right, BabyBear);
check_lazy!(lazy_three_is_right, Three);
