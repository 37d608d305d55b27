//! Random elements.
#![cfg(feature = "rand_core")]

mod common;

use std::convert::Infallible;
use std::fmt;

use common::{Random, reduce};
use rand_core::TryRng;

/// A generator that hands out the bytes of another one, and of a list first.
struct Source(Random, Vec<u8>);

impl TryRng for Source {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next() as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        for byte in bytes {
            *byte = self.1.pop().unwrap_or(*byte);
        }
        Ok(())
    }
}

/// A generator that fails.
struct Broken;

impl TryRng for Broken {
    type Error = fmt::Error;

    fn try_next_u32(&mut self) -> Result<u32, fmt::Error> {
        Err(fmt::Error)
    }

    fn try_next_u64(&mut self) -> Result<u64, fmt::Error> {
        Err(fmt::Error)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), fmt::Error> {
        Err(fmt::Error)
    }
}

macro_rules! field_tests {
    ($module:ident, $Fp:ty) => {
        mod $module {
            use super::*;

            type Fp = $Fp;

            #[test]
            fn every_part_of_the_field_is_hit() {
                let mut source = Source(Random::new(1), vec![]);
                let mut seen = [0; 8];
                for _ in 0..4_000 {
                    let x = Fp::from_rng(&mut source).to_limbs();
                    // 8*x / p, from the multiples of p/8.
                    let mut eighths = x.to_vec();
                    eighths.push(0);
                    let mut part = 0;
                    for bit in 0..3 {
                        let doubled: Vec<u64> = (0..eighths.len())
                            .map(|i| eighths[i] << 1 | if i > 0 { eighths[i - 1] >> 63 } else { 0 })
                            .collect();
                        let mut rest = reduce(&doubled, &Fp::MODULUS).to_vec();
                        rest.push(0);
                        part |= usize::from(rest != doubled) << (2 - bit);
                        eighths = rest;
                    }
                    seen[part] += 1;
                }
                assert!(seen.iter().all(|n| (400..600).contains(n)), "{seen:?}");
            }

            #[test]
            fn what_is_not_below_p_is_drawn_again() {
                let p = Fp::MODULUS.map(u64::to_le_bytes);
                let bytes = [
                    vec![0xff; Fp::BYTES],
                    p.as_flattened()[..Fp::BYTES].to_vec(),
                ];
                // Bits above those of p are not looked at.
                let mut seven = vec![0; Fp::BYTES];
                seven[0] = 7;
                if Fp::BITS % 8 != 0 {
                    seven[Fp::BYTES - 1] = 0xff << (Fp::BITS % 8);
                }
                let mut all = [bytes.concat(), seven].concat();
                all.reverse();
                let mut source = Source(Random::new(1), all);
                assert_eq!(Fp::from_rng(&mut source), Fp::from_u64(7));
                assert!(source.1.is_empty());
            }

            #[test]
            fn an_error_of_the_generator_comes_back() {
                assert_eq!(Fp::try_from_rng(&mut Broken), Err(fmt::Error));
            }
        }
    };
}

for_some_fields!(field_tests);
