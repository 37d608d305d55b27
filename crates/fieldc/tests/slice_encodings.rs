//! Slices as bytes and as limbs: against the elements' own conversions, on every path.

mod common;

use common::{Random, on_every_path, values};
use fieldc::{DecodeError, slices};

/// Lengths around the vectors of kernels and the parts that are converted together.
const LENGTHS: [usize; 10] = [0, 1, 7, 8, 9, 31, 32, 33, 64, 201];

macro_rules! tests {
    ($name:ident, $Fp:ty) => {
        mod $name {
            use super::*;

            type Fp = $Fp;
            type Limbs = [u64; Fp::LIMBS];
            const P: Limbs = Fp::MODULUS;

            /// Edge values and random ones.
            fn numbers(count: usize) -> Vec<Limbs> {
                let (every, mut random) = (values(&P, 20), Random::new(count as u64));
                let mut draw = || every[random.next() as usize % every.len()];
                (0..count).map(|_| draw()).collect()
            }

            fn elements(numbers: &[Limbs]) -> Vec<Fp> {
                let found = numbers.iter().map(|limbs| Fp::from_limbs(*limbs));
                found.map(Option::unwrap).collect()
            }

            #[test]
            fn slices_are_converted_as_their_elements() {
                on_every_path(|_| LENGTHS.into_iter().for_each(check));
            }

            fn check(count: usize) {
                let numbers = numbers(count);
                let x = elements(&numbers);
                let mut z = vec![Fp::ONE; count];
                let mut limbs = vec![[1; Fp::LIMBS]; count];
                slices::to_limbs(&x, &mut limbs);
                assert_eq!(limbs, numbers);
                assert_eq!(slices::from_limbs(&numbers, &mut z), Ok(()));
                assert_eq!(z, x);

                let forms: Vec<Limbs> = x.iter().map(Fp::to_montgomery_limbs).collect();
                slices::to_montgomery_limbs(&x, &mut limbs);
                assert_eq!(limbs, forms);
                z.fill(Fp::ONE);
                assert_eq!(slices::from_montgomery_limbs(&forms, &mut z), Ok(()));
                assert_eq!(z, x);

                let little: Vec<u8> = x.iter().flat_map(Fp::to_bytes_le).collect();
                let big: Vec<u8> = x.iter().flat_map(Fp::to_bytes_be).collect();
                let mut bytes = vec![0xff; little.len()];
                slices::to_bytes_le(&x, &mut bytes);
                assert_eq!(bytes, little);
                slices::to_bytes_be(&x, &mut bytes);
                assert_eq!(bytes, big);
                z.fill(Fp::ONE);
                assert_eq!(slices::from_bytes_le(&little, &mut z), Ok(()));
                assert_eq!(z, x);
                z.fill(Fp::ONE);
                assert_eq!(slices::from_bytes_be(&big, &mut z), Ok(()));
                assert_eq!(z, x);
            }

            #[test]
            fn numbers_not_below_p_are_refused_with_their_place() {
                on_every_path(|_| LENGTHS.into_iter().skip(1).for_each(refuse));
            }

            fn refuse(count: usize) {
                let kept = vec![Fp::ONE; count];
                for first in [0, count / 2, count - 1] {
                    let mut limbs = numbers(count);
                    limbs[first] = P;
                    limbs[count - 1] = if first == count - 1 {
                        P
                    } else {
                        [u64::MAX; Fp::LIMBS]
                    };
                    let wanted = Err(DecodeError::Element { position: first });
                    let mut z = kept.clone();
                    assert_eq!(slices::from_limbs(&limbs, &mut z), wanted);
                    assert_eq!(slices::from_montgomery_limbs(&limbs, &mut z), wanted);
                    let encode = |limbs: &Limbs| -> Vec<u8> {
                        let bytes = limbs.iter().flat_map(|limb| limb.to_le_bytes());
                        bytes.take(Fp::BYTES).collect()
                    };
                    let mut bytes: Vec<u8> = limbs.iter().flat_map(encode).collect();
                    assert_eq!(slices::from_bytes_le(&bytes, &mut z), wanted);
                    bytes.chunks_mut(Fp::BYTES).for_each(|each| each.reverse());
                    assert_eq!(slices::from_bytes_be(&bytes, &mut z), wanted);
                    assert_eq!(z, kept); // nothing was written
                }
            }

            #[test]
            fn other_lengths_are_refused() {
                let (kept, expected) = (vec![Fp::ONE; 3], 3 * Fp::BYTES);
                let mut z = kept.clone();
                for found in [
                    0,
                    Fp::BYTES,
                    expected - 1,
                    expected + 1,
                    expected + Fp::BYTES,
                ] {
                    let (bytes, error) = (vec![0; found], DecodeError::Length { expected, found });
                    assert_eq!(slices::from_bytes_le(&bytes, &mut z), Err(error));
                    assert_eq!(slices::from_bytes_be(&bytes, &mut z), Err(error));
                    refused(|| slices::to_bytes_le(&kept, &mut vec![0; found]));
                    refused(|| slices::to_bytes_be(&kept, &mut vec![0; found]));
                }
                for found in [0, 2, 4] {
                    let limbs = vec![[0; Fp::LIMBS]; found];
                    refused(|| slices::from_limbs(&limbs, &mut kept.clone()).unwrap());
                    refused(|| slices::from_montgomery_limbs(&limbs, &mut kept.clone()).unwrap());
                    refused(|| slices::to_limbs(&kept, &mut limbs.clone()));
                    refused(|| slices::to_montgomery_limbs(&kept, &mut limbs.clone()));
                }
                assert_eq!(z, kept);
            }
        }
    };
}

for_every_field!(tests);

/// The function panics about lengths.
fn refused(run: impl FnOnce() + std::panic::UnwindSafe) {
    let error = std::panic::catch_unwind(run).unwrap_err();
    let said = error
        .downcast_ref::<String>()
        .expect("a panic with lengths");
    assert!(said.contains("the slices have different lengths"), "{said}");
}

#[test]
fn errors_say_which_element() {
    let error = DecodeError::Element { position: 5 };
    assert_eq!(
        error.to_string(),
        "the number of element 5 is not below the modulus"
    );
}
