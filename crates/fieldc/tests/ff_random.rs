//! Both versions of `ff` choose the elements at random that the crate itself chooses.
#![cfg(all(feature = "ff", feature = "ff-0-13"))]

mod common;

use std::convert::Infallible;

use common::Random;
use rand_core_0_6::{Error, RngCore};

/// A generator of rand_core 0.10.
struct New(Random);

impl rand_core::TryRng for New {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next() as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        Ok(())
    }
}

/// A generator of rand_core 0.6.
struct Old(Random);

impl RngCore for Old {
    fn next_u32(&mut self) -> u32 {
        self.0.next() as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.0.next()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.0.fill(bytes);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.0.fill(bytes);
        Ok(())
    }
}

macro_rules! field_tests {
    ($module:ident, $Fp:ty) => {
        #[test]
        fn $module() {
            let mut own = New(Random::new(5));
            let mut new = New(Random::new(5));
            let mut old = Old(Random::new(5));
            for _ in 0..100 {
                let x = <$Fp>::from_rng(&mut own);
                assert_eq!(<$Fp as ff::Field>::random(&mut new), x);
                assert_eq!(<$Fp as ff_0_13::Field>::random(&mut old), x);
            }
        }
    };
}

for_some_fields!(field_tests);
