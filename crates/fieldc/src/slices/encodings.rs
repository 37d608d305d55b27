//! Slices of elements as bytes and as limbs.

use super::numbers::{Form, Order};
use crate::{DecodeError, PrimeField};

/// Decodes elements whose bytes follow one another, least significant byte first; refuses numbers that
/// are not below p.
///
/// ```
/// use fieldc::{DecodeError, bn254::Fr, slices};
///
/// let mut bytes = [0; 3 * Fr::BYTES];
/// (bytes[0], bytes[Fr::BYTES]) = (5, 7);
/// let mut x = [Fr::ZERO; 3];
/// slices::from_bytes_le(&bytes, &mut x)?;
/// assert_eq!(x, [5, 7, 0].map(Fr::from_u64));
/// bytes[Fr::BYTES..].fill(0xff);
/// let refused = slices::from_bytes_le(&bytes, &mut x);
/// assert_eq!(refused, Err(DecodeError::Element { position: 1 }));
/// assert_eq!(x, [5, 7, 0].map(Fr::from_u64)); // as before
/// # Ok::<(), DecodeError>(())
/// ```
///
/// # Errors
/// If there are not `F::BYTES` bytes for each element, or if a number is not below p. Then nothing was
/// written.
#[inline]
pub fn from_bytes_le<F: PrimeField>(bytes: &[u8], x: &mut [F]) -> Result<(), DecodeError> {
    F::read_bytes(bytes, x, Order::Little)
}

/// Decodes elements whose bytes follow one another, most significant byte first; refuses numbers that
/// are not below p.
///
/// ```
/// use fieldc::{DecodeError, bn254::Fr, slices};
///
/// let (mut bytes, mut x) = ([0; 2 * Fr::BYTES], [Fr::ONE; 2]);
/// bytes[Fr::BYTES - 1] = 5;
/// slices::from_bytes_be(&bytes, &mut x)?;
/// assert_eq!(x, [5, 0].map(Fr::from_u64));
/// assert!(slices::from_bytes_be(&bytes[1..], &mut x).is_err());
/// # Ok::<(), DecodeError>(())
/// ```
///
/// # Errors
/// If there are not `F::BYTES` bytes for each element, or if a number is not below p. Then nothing was
/// written.
#[inline]
pub fn from_bytes_be<F: PrimeField>(bytes: &[u8], x: &mut [F]) -> Result<(), DecodeError> {
    F::read_bytes(bytes, x, Order::Big)
}

/// Encodes the number below p of each element, least significant byte first.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut bytes = [0xff; 2 * Fr::BYTES];
/// slices::to_bytes_le(&[5, 7].map(Fr::from_u64), &mut bytes);
/// assert_eq!((bytes[0], bytes[1], bytes[Fr::BYTES]), (5, 0, 7));
/// ```
///
/// # Panics
/// If there are not `F::BYTES` bytes for each element.
#[inline]
pub fn to_bytes_le<F: PrimeField>(x: &[F], bytes: &mut [u8]) {
    F::write_bytes(x, bytes, Order::Little);
}

/// Encodes the number below p of each element, most significant byte first.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut bytes = [0xff; 2 * Fr::BYTES];
/// slices::to_bytes_be(&[5, 7].map(Fr::from_u64), &mut bytes);
/// assert_eq!((bytes[0], bytes[31], bytes[63]), (0, 5, 7));
/// ```
///
/// # Panics
/// If there are not `F::BYTES` bytes for each element.
#[inline]
pub fn to_bytes_be<F: PrimeField>(x: &[F], bytes: &mut [u8]) {
    F::write_bytes(x, bytes, Order::Big);
}

/// The elements of numbers in limbs, least significant first; refuses numbers that are not below p.
///
/// ```
/// use fieldc::{DecodeError, bn254::Fr, slices};
///
/// let mut x = [Fr::ZERO; 2];
/// slices::from_limbs(&[[5, 0, 0, 0], [7, 0, 0, 0]], &mut x)?;
/// assert_eq!(x, [5, 7].map(Fr::from_u64));
/// let refused = slices::from_limbs(&[[0; 4], Fr::MODULUS], &mut x);
/// assert_eq!(refused, Err(DecodeError::Element { position: 1 }));
/// # Ok::<(), DecodeError>(())
/// ```
///
/// # Errors
/// If a number is not below p. Then nothing was written.
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn from_limbs<F: PrimeField>(limbs: &[F::Limbs], x: &mut [F]) -> Result<(), DecodeError> {
    F::read_limbs(limbs, x, Form::Plain)
}

/// The limbs of the number below p of each element, least significant first.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut limbs = [[1; Fr::LIMBS]; 2];
/// slices::to_limbs(&[5, 7].map(Fr::from_u64), &mut limbs);
/// assert_eq!(limbs, [[5, 0, 0, 0], [7, 0, 0, 0]]);
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn to_limbs<F: PrimeField>(x: &[F], limbs: &mut [F::Limbs]) {
    F::write_limbs(x, limbs, Form::Plain);
}

/// The elements a of Montgomery forms a\*R mod p, R = 2^64 to the number of limbs; refuses numbers that
/// are not below p.
///
/// ```
/// use fieldc::{DecodeError, bn254::Fr, slices};
///
/// let limbs = [5, 7].map(|x| Fr::from_u64(x).to_montgomery_limbs());
/// let mut x = [Fr::ZERO; 2];
/// slices::from_montgomery_limbs(&limbs, &mut x)?;
/// assert_eq!(x, [5, 7].map(Fr::from_u64));
/// assert!(slices::from_montgomery_limbs(&[Fr::MODULUS; 2], &mut x).is_err());
/// # Ok::<(), DecodeError>(())
/// ```
///
/// # Errors
/// If a number is not below p. Then nothing was written.
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn from_montgomery_limbs<F: PrimeField>(
    limbs: &[F::Limbs],
    x: &mut [F],
) -> Result<(), DecodeError> {
    F::read_limbs(limbs, x, Form::Montgomery)
}

/// The limbs of the Montgomery form of each element, below p.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let (x, mut limbs) = ([5, 7].map(Fr::from_u64), [[0; Fr::LIMBS]; 2]);
/// slices::to_montgomery_limbs(&x, &mut limbs);
/// assert_eq!(limbs, x.map(|x| x.to_montgomery_limbs()));
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn to_montgomery_limbs<F: PrimeField>(x: &[F], limbs: &mut [F::Limbs]) {
    F::write_limbs(x, limbs, Form::Montgomery);
}
