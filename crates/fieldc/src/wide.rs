//! Numbers of any length, reduced modulo p. The length is public.

use crate::assembly::{HasProducts, Products};
use crate::modulus::MOST_LIMBS;
use crate::portable;

/// Two limbs more than p has: 128 bits.
const MOST_BYTES: usize = 8 * (MOST_LIMBS + 2);

/// The number that chunks of N limbs say, the most significant first, modulo p; in Montgomery form
/// divided by R.
///
/// A chunk c is turned into c/R mod p, so a result of N limbs that may be above p needs no other
/// reduction; a product with 2^(64N)*R takes a result from one chunk to the next.
#[inline]
pub(crate) fn folded<const N: usize, M: HasProducts<N>>(
    chunks: impl Iterator<Item = [u64; N]>,
) -> [u64; N] {
    chunks.fold([0; N], |total, chunk| {
        let moved = M::Kernels::mul::<M>(&total, &M::SHIFT);
        M::Kernels::add::<M>(&moved, &portable::from_montgomery::<N, M>(&chunk))
    })
}

/// The residue of the number that chunks say.
fn from_chunks<const N: usize, M: HasProducts<N>>(
    chunks: impl Iterator<Item = [u64; N]>,
) -> [u64; N] {
    let total = folded::<N, M>(chunks);
    if M::PLAIN {
        return total;
    }
    let number = M::Kernels::mul::<M>(&total, &M::R2);
    M::Kernels::mul::<M>(&number, &M::R2)
}

/// The residue of a number modulo p, its least significant byte first.
pub fn from_bytes_wide_le<const N: usize, M: HasProducts<N>>(bytes: &[u8]) -> [u64; N] {
    from_chunks::<N, M>(bytes.chunks(8 * N).rev().map(|chunk| limbs(chunk.iter())))
}

/// The residue of a number modulo p, its most significant byte first.
pub fn from_bytes_wide_be<const N: usize, M: HasProducts<N>>(bytes: &[u8]) -> [u64; N] {
    from_chunks::<N, M>(
        bytes
            .rchunks(8 * N)
            .rev()
            .map(|chunk| limbs(chunk.iter().rev())),
    )
}

/// The number that at most 8N bytes say, the least significant first.
fn limbs<'a, const N: usize>(bytes: impl Iterator<Item = &'a u8>) -> [u64; N] {
    let mut limbs = [0; N];
    for (i, byte) in bytes.enumerate() {
        limbs[i / 8] |= (*byte as u64) << (8 * (i % 8));
    }
    limbs
}

/// 64N + 128 random bits modulo p: the statistical distance from uniform is below 2^-128.
pub fn random<const N: usize, M: HasProducts<N>>(mut fill: impl FnMut(&mut [u8])) -> [u64; N] {
    let mut buffer = [0; MOST_BYTES];
    let bytes = &mut buffer[..8 * (N + 2)];
    fill(bytes);
    from_bytes_wide_le::<N, M>(bytes)
}
