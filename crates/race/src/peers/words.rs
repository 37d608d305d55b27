//! Ours on arrays of 32-bit words, for primes below 2^31: kernels that no package has yet (see
//! [`texts`](crate::texts)).

use super::OURS;
use crate::chain::Element;
use crate::entry::Range::Canonical;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::{BABYBEAR, KOALABEAR, MERSENNE31};
use crate::operand::Form;
use crate::texts::words::{babybear, koalabear, mersenne31};

/// A residue in Montgomery form, with R = 2^32.
#[derive(Clone, Copy)]
struct Word<const P: u32>(u32);

impl<const P: u32> Word<P> {
    /// 2^-32 = 2^(32(p - 2)) mod p, by squaring.
    const INVERSE: u64 = {
        let (p, mut square, mut exponent, mut power) = (P as u64, (1 << 32) % P as u64, P - 2, 1);
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = power * square % p;
            }
            square = square * square % p;
            exponent /= 2;
        }
        power
    };
}

impl<const P: u32> Element for Word<P> {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        Self(((limbs[0] << 32) % u64::from(P)) as u32)
    }

    fn store(&self) -> Vec<u64> {
        assert!(self.0 < P, "a canonical result");
        vec![u64::from(self.0) * Self::INVERSE % u64::from(P)]
    }
}

/// The rows of a field, once the processor is known to have what the kernels need.
macro_rules! words {
    ($entries:expr, $FIELD:ident, $text:ident) => {
        type Element = Word<{ $text::P }>;
        let mul = |x: &mut [Element], y: &[Element]| {
            let (count, z) = (x.len(), x.as_mut_ptr().cast());
            assert_eq!(count, y.len());
            // SAFETY: an element is a word of 32 bits, and there are so many of them; the result may
            // be an operand, and the processor has AVX-512.
            unsafe { $text::mul(count, z, z, y.as_ptr().cast()) };
            x[count - 1]
        };
        let inner_product = |x: &mut [Element], y: &[Element]| {
            assert_eq!(x.len(), y.len());
            let mut sum = 0;
            for (x, y) in x.chunks($text::MOST).zip(y.chunks($text::MOST)) {
                let (mut t, mut z) = ([0; $text::COLUMNS], [0; 8]);
                // SAFETY: as above; the columns are zeros, and take MOST terms.
                unsafe {
                    let operands = (x.as_ptr().cast(), y.as_ptr().cast());
                    $text::accumulate(x.len(), t.as_mut_ptr(), operands.0, operands.1);
                    $text::collect(8, z.as_mut_ptr(), t.as_ptr());
                }
                sum += z.iter().sum::<u64>();
            }
            Word((sum % u64::from($text::P)) as u32)
        };
        let peer = Peer { name: OURS, version: "", algorithm: "words of 32 bits" };
        Rows::new($entries, &$FIELD, peer)
            .in_both_lengths("array_mul", Canonical, mul)
            .in_both_lengths("inner_product", Canonical, inner_product);
    };
}

/// The rows that need AVX-512; the message says why there are none.
pub(super) fn enter(entries: &mut Vec<Entry>) -> Result<(), String> {
    if !is_x86_feature_detected!("avx512f") || !is_x86_feature_detected!("avx512dq") {
        return Err("this processor has no AVX-512 F and DQ".into());
    }
    {
        words!(entries, BABYBEAR, babybear);
    }
    {
        words!(entries, KOALABEAR, koalabear);
    }
    {
        words!(entries, MERSENNE31, mersenne31);
    }
    Ok(())
}
