//! Hashing to elements of a field: RFC 9380, sections 5.2 and 5.3.1.
//!
//! ```
//! use fieldc::bls12_381::Fp;
//! use fieldc::hash::hash_to_field;
//! use sha2::Sha256;
//!
//! let mut elements = [Fp::ZERO; 2];
//! hash_to_field::<Sha256, Fp>(b"a message", b"MY-PROTOCOL-V1", 128, &mut elements)?;
//! assert_ne!(elements[0], elements[1]);
//! # Ok::<(), fieldc::hash::HashError>(())
//! ```
//!
//! An element of [`Fp2`](crate::Fp2) takes two elements of the prime field, `c0` first.

use core::fmt;

use digest::block_api::BlockSizeUser;
use digest::{Digest, Output};

use crate::PrimeField;
use crate::modulus::MOST_LIMBS;

/// The most bits of security that [`hash_to_field`] takes.
const MOST_SECURITY: usize = 256;
/// The most bytes that make an element.
const MOST_BYTES: usize = 8 * MOST_LIMBS + MOST_SECURITY / 8;

/// Why nothing can be hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HashError {
    /// The domain separation tag is empty.
    EmptyTag,
    /// More bytes are wanted than 255 outputs of the hash function, or than 65535.
    TooLong,
    /// The security level is above 256 bits.
    Security,
}

impl fmt::Display for HashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EmptyTag => "the domain separation tag is empty",
            Self::TooLong => "more bytes are wanted than the hash function can be expanded to",
            Self::Security => "the security level is above 256 bits",
        })
    }
}

impl core::error::Error for HashError {}

/// Hashes a message to elements: `hash_to_field` of RFC 9380 with `expand_message_xmd`.
///
/// `tag` is the domain separation tag, `security` the level k in bits: 128 for BLS12-381, BN254,
/// P-256 and secp256k1, 192 for P-384, 256 for P-521.
///
/// ```
/// use fieldc::{hash::hash_to_field, p384::Fp};
/// use sha2::Sha384;
///
/// let mut element = [Fp::ZERO];
/// let tag = b"QUUX-V01-CS02-with-P384_XMD:SHA-384_SSWU_NU_";
/// hash_to_field::<Sha384, Fp>(b"abc", tag, 192, &mut element)?;
/// # Ok::<(), fieldc::hash::HashError>(())
/// ```
///
/// # Errors
/// If the tag is empty, the security level above 256, or if so many elements are wanted that the
/// hash function cannot make their bytes.
pub fn hash_to_field<D: Digest + BlockSizeUser, F: PrimeField>(
    message: &[u8],
    tag: &[u8],
    security: usize,
    elements: &mut [F],
) -> Result<(), HashError> {
    if security > MOST_SECURITY {
        return Err(HashError::Security);
    }
    let mut buffer = [0; MOST_BYTES];
    let bytes = &mut buffer[..(F::BITS as usize + security).div_ceil(8)];
    let length = bytes.len().checked_mul(elements.len());
    let mut source = Expander::<D>::new(message, tag, length.ok_or(HashError::TooLong)?)?;
    for element in elements {
        source.fill(bytes);
        *element = F::from_bytes_wide_be(bytes);
    }
    Ok(())
}

/// Fills a slice with bytes that follow from a message: `expand_message_xmd` of RFC 9380, 5.3.1.
///
/// ```
/// let mut bytes = [0; 32];
/// fieldc::hash::expand_message_xmd::<sha2::Sha256>(b"abc", b"MY-PROTOCOL-V1", &mut bytes)?;
/// # Ok::<(), fieldc::hash::HashError>(())
/// ```
///
/// # Errors
/// If the tag is empty, or if the slice is longer than 255 outputs of the hash function or than
/// 65535 bytes.
pub fn expand_message_xmd<D: Digest + BlockSizeUser>(
    message: &[u8],
    tag: &[u8],
    bytes: &mut [u8],
) -> Result<(), HashError> {
    Expander::<D>::new(message, tag, bytes.len())?.fill(bytes);
    Ok(())
}

/// The bytes that follow from a message, output by output of the hash function.
struct Expander<'a, D: Digest> {
    tag: &'a [u8],
    /// The hash of the tag if it is longer than 255 bytes.
    long_tag: Option<Output<D>>,
    first: Output<D>,
    current: Output<D>,
    number: u8,
    used: usize,
}

impl<'a, D: Digest + BlockSizeUser> Expander<'a, D> {
    fn new(message: &[u8], tag: &'a [u8], length: usize) -> Result<Self, HashError> {
        if tag.is_empty() {
            return Err(HashError::EmptyTag);
        }
        let is_possible = length.div_ceil(<D as Digest>::output_size()) <= 255;
        let length = u16::try_from(length).ok().filter(|_| is_possible);
        let length = length.ok_or(HashError::TooLong)?.to_be_bytes();
        let long_tag = (tag.len() > 255).then(|| {
            D::new()
                .chain_update(b"H2C-OVERSIZE-DST-")
                .chain_update(tag)
                .finalize()
        });
        let mut hash = D::new();
        // A block of zeros, without an array of that length.
        for _ in 0..D::block_size() {
            hash.update([0]);
        }
        let mut result = Self {
            tag,
            long_tag,
            first: Output::<D>::default(),
            current: Output::<D>::default(),
            number: 0,
            used: <D as Digest>::output_size(),
        };
        let hash = hash.chain_update(message).chain_update(length);
        result.first = result.tagged(hash);
        Ok(result)
    }

    /// The hash of what was given, the number of this output and the tag.
    fn tagged(&self, hash: D) -> Output<D> {
        let tag = self
            .long_tag
            .as_ref()
            .map_or(self.tag, |tag| tag.as_slice());
        hash.chain_update([self.number])
            .chain_update(tag)
            .chain_update([tag.len() as u8])
            .finalize()
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            if self.used == self.current.len() {
                self.number += 1;
                for (byte, first) in self.current.iter_mut().zip(&self.first) {
                    *byte ^= first;
                }
                self.current = self.tagged(D::new().chain_update(&self.current));
                self.used = 0;
            }
            *byte = self.current[self.used];
            self.used += 1;
        }
    }
}
