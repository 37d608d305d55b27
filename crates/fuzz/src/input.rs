//! The bytes of an input, read from the front.

use fieldc::Kernels;
use num_bigint::BigUint;

use crate::element::{Element, big};

/// What is left of an input. At its end there are zeros.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    /// Runs the check of the field that the first byte chooses, on the kernels that the second one
    /// does, if this processor has them.
    pub(crate) fn check<const N: usize>(bytes: &'a [u8], checks: [fn(Input<'_>); N]) {
        let mut input = Self(bytes);
        let field = usize::from(input.byte()) % N;
        use Kernels::{Adx, AdxAvx2, AdxAvx512Ifma, Avx2, Avx512Ifma, Avx512f, Mulx, Portable};
        let kernels = [
            Portable,
            Mulx,
            Adx,
            Avx2,
            AdxAvx2,
            Avx512f,
            Avx512Ifma,
            AdxAvx512Ifma,
        ];
        let chosen = kernels[usize::from(input.byte()) % kernels.len()];
        // Without them those that ran before go on: the results are the same.
        let _ = chosen.select();
        checks[field](input);
    }

    /// All that is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// The next limb.
    pub(crate) fn limb(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// Some limbs, at most this many.
    pub(crate) fn limbs(&mut self, most: usize) -> Vec<u64> {
        let length = usize::from(self.byte()) % (most + 1);
        (0..length).map(|_| self.limb()).collect()
    }

    /// An element, and its number: small, close to p, limbs of few kinds, or any.
    pub(crate) fn element<F: Element>(&mut self) -> (F, BigUint) {
        let p = F::modulus();
        let number = match self.byte() % 4 {
            0 => BigUint::from(self.byte()),
            1 => &p * 4u8 - self.byte(),
            2 => {
                let limbs: Vec<u64> = p.to_u64_digits().iter().map(|p| self.edge(*p)).collect();
                big(&limbs)
            }
            _ => big(&(0..F::LIMBS).map(|_| self.limb()).collect::<Vec<_>>()),
        };
        (F::reduced(&number), number % p)
    }

    /// A limb where carries begin or end.
    fn edge(&mut self, p: u64) -> u64 {
        match self.byte() % 8 {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 => u64::MAX - 1,
            4 => 1 << 63,
            5 => p,
            6 => p.wrapping_sub(1),
            _ => self.limb(),
        }
    }
}
