//! All elements of small fields, and many of the field of 2^61 - 1, against arithmetic on u128.

use crate::common::{Random, on_every_path};

macro_rules! small_fields {
    ($($module:ident $p:literal $text:literal $random:literal),+ $(,)?) => {$(
        mod $module {
            use super::*;

            fieldc::field! {
                /// A small field.
                pub(crate) struct Fp(modulus = $text);
            }

            const P: u64 = $p;

            fn power(x: u64, mut exponent: u64) -> u64 {
                let times = |x, y| (u128::from(x) * u128::from(y) % u128::from(P)) as u64;
                let (mut x, mut result) = (x, 1);
                while exponent > 0 {
                    if exponent % 2 == 1 {
                        result = times(result, x);
                    }
                    x = times(x, x);
                    exponent /= 2;
                }
                result
            }

            fn numbers() -> Box<dyn Iterator<Item = u64>> {
                let mut source = Random(P);
                match $random {
                    0 => Box::new(0..P),
                    many => Box::new((0..many).map(move |_| source.next() % P)),
                }
            }

            fn value(x: Fp) -> u64 {
                x.to_limbs()[0]
            }

            #[test]
            fn every_element_has_the_right_inverse() {
                on_every_path(|_| {
                    for k in numbers() {
                        let (inverse, exists) = Fp::from_u64(k).invert_ct();
                        assert_eq!((value(inverse), exists), (power(k, P - 2), k != 0), "{k}");
                    }
                });
                assert_eq!(Fp::ZERO.invert_ct(), (Fp::ZERO, false));
            }

            #[test]
            fn every_element_has_the_right_root() {
                let check = |k| {
                    let x = Fp::from_u64(k);
                    let is_square = power(k, (P - 1) / 2) <= 1;
                    assert_eq!(x.is_square(), is_square, "{k}");
                    let (root, exists) = x.sqrt_ct();
                    assert_eq!(exists, is_square, "{k}");
                    assert_eq!(value(root) % 2, 0, "{k}");
                    assert_eq!(value(root.square()), if exists { k } else { 0 });
                };
                numbers().for_each(check);
                // Fewer on each path of a larger field: the products are tested in others.
                let step = 1 + P.min(65_537) as usize / 2_000;
                on_every_path(|_| numbers().step_by(step).for_each(check));
            }

            #[test]
            fn every_element_has_the_right_powers() {
                for k in numbers().step_by(1 + P.min(65_537) as usize / 50) {
                    for exponent in [0, 1, 2, 30, 31, 32, 0xfffe, 0xffff, P, u64::MAX] {
                        let expected = power(k, exponent);
                        assert_eq!(value(Fp::from_u64(k).pow_u64(exponent)), expected);
                    }
                }
            }

            #[test]
            fn all_inverses_at_once() {
                let before: Vec<Fp> = numbers().map(Fp::from_u64).collect();
                let (mut found, mut scratch) = (before.clone(), before.clone());
                assert_eq!(Fp::batch_invert(&mut found, &mut scratch), Ok(()));
                for (x, inverse) in before.iter().zip(found) {
                    assert_eq!(x.invert_ct().0, inverse);
                }
            }
        }
    )+};
}

small_fields! {
    three 3 "3" 0,
    five 5 "5" 0,
    seven 7 "7" 0,
    seventeen 17 "17" 0,
    of_251 251 "251" 0,
    of_257 257 "257" 0,
    of_65521 65_521 "65521" 0,
    of_65537 65_537 "65537" 0,
    of_61_bits 0x1fff_ffff_ffff_ffff "0x1fffffffffffffff" 20_000,
    of_64_bits 0xffff_ffff_ffff_ffc5 "0xffffffffffffffc5" 20_000,
}
