//! The laws that `ff` asks of a field, in both versions.
#![cfg(any(feature = "ff", feature = "ff-0-13"))]

mod common;

use common::{Random, reduce, values};

/// What generic code sees: only the traits' methods.
macro_rules! laws {
    ($ff:ident) => {
        use $ff::{Field, FromUniformBytes, PrimeField, WithSmallOrderMulGroup};

        pub(crate) fn one_operand<F: Field>(elements: &[F]) {
            for x in elements {
                let is_zero = bool::from(x.is_zero());
                assert_eq!(is_zero, *x == F::ZERO);
                assert_eq!(is_zero, x.is_zero_vartime());
                assert_eq!(x.double(), *x + x);
                assert_eq!(x.square(), *x * x);
                assert_eq!(x.cube(), *x * x * x);
                let inverse = Option::<F>::from(x.invert());
                assert_eq!(inverse.map(|y| y * x), (!is_zero).then_some(F::ONE));
            }
        }

        pub(crate) fn powers<F: Field>(elements: &[F]) {
            for x in elements {
                let mut power = F::ONE;
                for e in 0..20_u64 {
                    assert_eq!(x.pow([e]), power);
                    assert_eq!(x.pow_vartime([e, 0]), power);
                    power *= x;
                }
                let square = (0..64).fold(*x, |y, _| y.square());
                assert_eq!(x.pow([0, 1]), square);
                assert_eq!(x.pow_vartime([1, 1]), square * x);
                assert_eq!(x.pow_vartime([]), F::ONE);
            }
        }

        pub(crate) fn roots<F: Field>(elements: &[F]) {
            let mut g = None;
            for x in elements {
                let root = Option::<F>::from(x.square().sqrt()).unwrap();
                assert!(root == *x || root == -*x);
                for y in elements {
                    let (is_square, root) = F::sqrt_ratio(x, y);
                    let is_square = bool::from(is_square);
                    if *x == F::ZERO || *y == F::ZERO {
                        assert_eq!((is_square, root), (*x == F::ZERO, F::ZERO));
                        continue;
                    }
                    let ratio = *x * y.invert().unwrap();
                    assert_eq!(is_square, bool::from(ratio.sqrt().is_some()));
                    assert_eq!(is_square, bool::from(ratio.sqrt_alt().0));
                    if is_square {
                        assert_eq!(root.square(), ratio);
                    } else {
                        let found = root.square() * ratio.invert().unwrap();
                        assert_eq!(*g.get_or_insert(found), found);
                    }
                }
            }
            assert!(bool::from(g.unwrap().sqrt().is_none()));
        }

        pub(crate) fn encodings<F: PrimeField>(elements: &[(F, Vec<u8>)]) {
            for (x, bytes) in elements {
                let mut encoding = x.to_repr();
                assert_eq!(encoding.as_ref(), bytes);
                assert_eq!(F::from_repr(encoding).unwrap(), *x);
                assert_eq!(F::from_repr_vartime(encoding), Some(*x));
                assert_eq!(bool::from(x.is_odd()), bytes[0] % 2 == 1);
                assert_eq!(bool::from(x.is_even()), bytes[0] % 2 == 0);
                encoding.as_mut().fill(0xff);
                assert!(bool::from(F::from_repr(encoding).is_none()));
                assert!(F::Repr::default().as_ref().iter().all(|byte| *byte == 0));
            }
            let mut p = (-F::ONE).to_repr();
            p.as_mut()[0] += 1;
            assert!(bool::from(F::from_repr(p).is_none()));
        }

        pub(crate) fn numbers<F: PrimeField>() {
            let x = F::from_u128(0x1234_5678_9abc_def0_0fed_cba9_8765_4321);
            let high = F::from(0x1234_5678_9abc_def0) * F::from(2).pow([64]);
            assert_eq!(x, high + F::from(0x0fed_cba9_8765_4321));
            let text = "24197857203266734864629346612071973665";
            assert_eq!(F::from_str_vartime(text), Some(x));
        }

        /// The constants of a field whose p - 1 is 2^s * odd.
        pub(crate) fn constants<F: PrimeField>(modulus: &str, odd: &[u64]) {
            let g = F::MULTIPLICATIVE_GENERATOR;
            let two_to_the_s = |x: F| (0..F::S).fold(x, |x, _| x.square());
            assert_eq!(F::MODULUS, modulus);
            assert_eq!(F::CAPACITY + 1, F::NUM_BITS);
            assert_eq!(F::TWO_INV.double(), F::ONE);
            assert_eq!(odd[0] % 2, 1);
            assert!(bool::from(g.sqrt().is_none()));
            assert_eq!(F::ROOT_OF_UNITY, g.pow(odd));
            assert_eq!((1..F::S).fold(F::ROOT_OF_UNITY, |x, _| x.square()), -F::ONE);
            assert_eq!(F::ROOT_OF_UNITY * F::ROOT_OF_UNITY_INV, F::ONE);
            assert_eq!(F::DELTA, two_to_the_s(g));
            assert_eq!(F::DELTA.pow(odd), F::ONE);
        }

        pub(crate) fn small_order<F: WithSmallOrderMulGroup<N>, const N: u8>() {
            assert_ne!(F::ZETA, F::ONE);
            assert_eq!(F::ZETA.pow([u64::from(N)]), F::ONE);
        }

        pub(crate) fn uniform<F: FromUniformBytes<N>, const N: usize>(
            bytes: &[u8; N],
            number: Vec<u8>,
        ) {
            assert_eq!(F::from_uniform_bytes(bytes).to_repr().as_ref(), number);
        }

        #[cfg(feature = "bits")]
        pub(crate) fn bits<F: $ff::PrimeFieldBits>(x: F, bits: &[bool], modulus: &[bool]) {
            assert_eq!(x.to_le_bits().iter().by_vals().collect::<Vec<_>>(), bits);
            assert_eq!(
                F::char_le_bits().iter().by_vals().collect::<Vec<_>>(),
                modulus
            );
        }
    };
}

macro_rules! field_tests {
    ($module:ident, $laws:ident, $Fp:ty, $order:literal, $uniform:literal) => {
        mod $module {
            use super::*;

            type Fp = $Fp;

            fn elements() -> Vec<Fp> {
                let numbers = values(&Fp::MODULUS, 3);
                numbers
                    .iter()
                    .map(|n| Fp::from_limbs(*n).unwrap())
                    .collect()
            }

            #[cfg(feature = "bits")]
            fn bits(bytes: &[u8]) -> Vec<bool> {
                let all = bytes
                    .iter()
                    .flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1));
                all.collect()
            }

            #[test]
            fn laws_of_a_field() {
                $laws::one_operand(&elements());
                $laws::powers(&elements()[..8]);
                let small = [3, 5, 7, 11].map(Fp::from_u64);
                $laws::roots(&[&elements()[..6], &small].concat());
            }

            #[test]
            fn laws_of_a_prime_field() {
                let pairs = elements()
                    .into_iter()
                    .map(|x| (x, x.to_bytes_le().to_vec()));
                $laws::encodings(&pairs.collect::<Vec<_>>());
                $laws::numbers::<Fp>();
                $laws::small_order::<Fp, $order>();
            }

            #[test]
            fn constants() {
                let mut odd = Fp::MODULUS;
                odd[0] -= 1;
                while odd[0] % 2 == 0 {
                    let high = odd.iter().skip(1).chain(&[0]).copied().collect::<Vec<_>>();
                    odd.iter_mut()
                        .zip(high)
                        .for_each(|(limb, high)| *limb = *limb >> 1 | high << 63);
                }
                let p = Fp::MODULUS.iter().rev().map(|limb| format!("{limb:016x}"));
                let digits: String = p.collect();
                let digits = &digits[digits.len() - 2 * Fp::BYTES..];
                $laws::constants::<Fp>(&format!("0x{digits}"), &odd);
            }

            #[test]
            fn uniform_bytes_are_reduced() {
                let mut random = Random::new(3);
                for i in 0..20 {
                    let mut bytes = [0xff; $uniform];
                    random.fill(&mut bytes[i % 2 * $uniform..]);
                    let limbs = bytes
                        .chunks_exact(8)
                        .map(|limb| u64::from_le_bytes(limb.try_into().unwrap()));
                    let number = reduce(&limbs.collect::<Vec<_>>(), &Fp::MODULUS);
                    let mut number = number.map(u64::to_le_bytes).as_flattened().to_vec();
                    number.truncate(Fp::BYTES);
                    $laws::uniform::<Fp, $uniform>(&bytes, number);
                }
            }

            #[cfg(feature = "bits")]
            #[test]
            fn bits_are_those_of_the_encoding() {
                let modulus = Fp::MODULUS.map(u64::to_le_bytes);
                let modulus = bits(&modulus.as_flattened()[..Fp::BYTES]);
                for x in elements() {
                    $laws::bits(x, &bits(&x.to_bytes_le()), &modulus);
                }
            }
        }
    };
}

fieldc::field! {
    struct Mersenne61(modulus = "0x1fff_ffff_ffff_ffff", generator = 37);
}
fieldc::field! {
    struct F3(modulus = "3", generator = 2);
}
fieldc::field! {
    struct F97(modulus = "97", generator = 5);
}
fieldc::field! {
    struct NoGenerator(modulus = "0x03ff_ffff_ffff_ffff_ffff_fef9");
}

macro_rules! versions {
    ($laws:ident, $tests:ident, $ff:ident) => {
        mod $laws {
            laws!($ff);
        }

        mod $tests {
            use super::*;
            use $ff::PrimeField;

            field_tests!(bls12_381_fp, $laws, fieldc::bls12_381::Fp, 3, 64);
            field_tests!(bls12_381_fr, $laws, fieldc::bls12_381::Fr, 3, 64);
            field_tests!(bls12_377_fr, $laws, fieldc::bls12_377::Fr, 3, 64);
            field_tests!(bn254_fr, $laws, fieldc::bn254::Fr, 3, 48);
            field_tests!(secp256k1_fp, $laws, fieldc::secp256k1::Fp, 3, 64);
            field_tests!(curve25519_fp, $laws, fieldc::curve25519::Fp, 3, 64);
            field_tests!(p384_fp, $laws, fieldc::p384::Fp, 2, 64);
            field_tests!(p521_fp, $laws, fieldc::p521::Fp, 3, 96);
            field_tests!(bw6_761_fp, $laws, fieldc::bw6_761::Fp, 3, 128);
            field_tests!(goldilocks_fp, $laws, fieldc::goldilocks::Fp, 3, 24);
            field_tests!(mersenne61, $laws, Mersenne61, 3, 64);

            fn all<F: PrimeField>(p: u64) -> Vec<F> {
                (0..p).map(F::from).collect()
            }

            /// Whether the powers of the generator are all elements but 0.
            fn generates<F: PrimeField>(p: u64) -> bool {
                let elements = all::<F>(p);
                let powers = (0..p - 1).map(|e| F::MULTIPLICATIVE_GENERATOR.pow([e]));
                let seen: Vec<F> = powers.collect();
                elements[1..].iter().all(|x| seen.contains(x))
            }

            #[test]
            fn fields_of_a_few_elements() {
                assert!(generates::<F3>(3) && generates::<F97>(97));
                for x in all::<F3>(3) {
                    $laws::roots(&[x, F3::from(1), F3::from(2)]);
                }
                $laws::roots(&all::<F97>(97));
                $laws::powers(&all::<F97>(97));
                $laws::small_order::<F3, 2>();
                $laws::small_order::<F97, 3>();
                $laws::constants::<F3>("0x03", &[1]);
                $laws::constants::<F97>("0x61", &[3]);
            }

            #[test]
            fn a_field_without_a_generator() {
                let elements: Vec<_> = (0..12)
                    .map(|i| NoGenerator::from(i) - NoGenerator::ONE)
                    .collect();
                $laws::one_operand(&elements);
                $laws::powers(&elements);
                $laws::roots(&elements);
            }

            /// What the crates of these fields say.
            #[test]
            fn roots_of_unity_are_the_published_ones() {
                fn root<F: PrimeField>() -> String {
                    let mut bytes = F::ROOT_OF_UNITY.to_repr();
                    bytes.as_mut().reverse();
                    bytes
                        .as_ref()
                        .iter()
                        .map(|byte| format!("{byte:02x}"))
                        .collect()
                }
                assert_eq!(
                    root::<fieldc::bls12_381::Fr>(),
                    "16a2a19edfe81f20d09b681922c813b4b63683508c2280b93829971f439f0d2b"
                );
                assert_eq!(
                    root::<fieldc::bn254::Fr>(),
                    "03ddb9f5166d18b798865ea93dd31f743215cf6dd39329c8d34f1ed960c37c9c"
                );
                assert_eq!(
                    root::<fieldc::pallas::Fp>(),
                    "2bce74deac30ebda362120830561f81aea322bf2b7bb7584bdad6fabd87ea32f"
                );
            }
        }
    };
}

#[cfg(feature = "ff")]
versions! { laws_0_14, tests_0_14, ff }
#[cfg(feature = "ff-0-13")]
versions! { laws_0_13, tests_0_13, ff_0_13 }
