//! What every prime field has: limbs, bytes, roots of unity.

use core::fmt::{Debug, LowerHex, UpperHex};
use core::str::FromStr;

use crate::slices::numbers::{Form, Order};
use crate::unreduced::HasSums;
use crate::{DecodeError, Field};

/// The integers modulo a prime: what every type of [`field!`](crate::field!) is.
///
/// ```
/// use fieldc::PrimeField;
///
/// /// The number below p, as hexadecimal digits.
/// fn digits<F: PrimeField>(text: &str) -> Result<String, fieldc::DecodeError> {
///     Ok(format!("{:x}", text.parse::<F>()?))
/// }
///
/// fieldc::field! { struct Byte(modulus = "251"); }
/// assert!(digits::<Byte>("250")?.ends_with("fa"));
/// assert!(digits::<Byte>("251").is_err());
/// # Ok::<(), fieldc::DecodeError>(())
/// ```
pub trait PrimeField: Field + FromStr<Err = DecodeError> + LowerHex + UpperHex + HasSums {
    /// An array of limbs, least significant first.
    type Limbs: Copy + Debug + Eq + AsRef<[u64]> + AsMut<[u64]>;
    /// An array of bytes.
    type Bytes: Copy + Debug + Eq + AsRef<[u8]> + AsMut<[u8]>;

    /// The modulus p, least significant limb first.
    const MODULUS: Self::Limbs;
    /// Bits of the modulus.
    const BITS: u32;
    /// Limbs of 64 bits.
    const LIMBS: usize;
    /// Bytes of an encoding.
    const BYTES: usize;
    /// The largest s for which 2^s divides p - 1.
    const TWO_ADICITY: u32;
    /// An element of order 2^s.
    const ROOT_OF_UNITY: Self;

    /// The number with these limbs; `None` unless it is below p.
    ///
    /// ```
    /// use fieldc::{PrimeField, bn254::Fp};
    ///
    /// assert_eq!(<Fp as PrimeField>::from_limbs([7, 0, 0, 0]), Some(Fp::from(7_u64)));
    /// assert_eq!(<Fp as PrimeField>::from_limbs(Fp::MODULUS), None);
    /// ```
    fn from_limbs(limbs: Self::Limbs) -> Option<Self>;
    /// The limbs of the number below p.
    ///
    /// ```
    /// use fieldc::{PrimeField, bn254::Fp};
    ///
    /// /// Whether the number below p is odd.
    /// fn is_odd<F: PrimeField>(x: F) -> bool {
    ///     x.to_limbs().as_ref()[0] % 2 == 1
    /// }
    /// assert!(is_odd(Fp::from(7_u64)));
    /// ```
    fn to_limbs(&self) -> Self::Limbs;
    /// Decodes a number below p, least significant byte first.
    ///
    /// ```
    /// use fieldc::{DecodeError, PrimeField, bn254::Fp};
    ///
    /// /// Elements whose encodings follow one another.
    /// fn decoded<F: PrimeField>(bytes: &[u8]) -> Result<Vec<F>, DecodeError> {
    ///     bytes.chunks(F::BYTES).map(F::from_bytes_le).collect()
    /// }
    /// assert_eq!(decoded::<Fp>(&[0; 64])?, [Fp::ZERO; 2]);
    /// assert!(decoded::<Fp>(&[255; 32]).is_err());
    /// # Ok::<(), DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// If there are not [`BYTES`](Self::BYTES) bytes, or the number is not below p.
    fn from_bytes_le(bytes: &[u8]) -> Result<Self, DecodeError>;
    /// Decodes a number below p, most significant byte first.
    ///
    /// ```
    /// use fieldc::{DecodeError, PrimeField, bn254::Fp};
    ///
    /// let mut bytes = [0; 32];
    /// bytes[31] = 7;
    /// assert_eq!(<Fp as PrimeField>::from_bytes_be(&bytes)?, Fp::from(7_u64));
    /// # Ok::<(), DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// If there are not [`BYTES`](Self::BYTES) bytes, or the number is not below p.
    fn from_bytes_be(bytes: &[u8]) -> Result<Self, DecodeError>;
    /// Encodes the number below p, least significant byte first.
    ///
    /// ```
    /// use fieldc::{PrimeField, bn254::Fp};
    ///
    /// assert_eq!(PrimeField::to_bytes_le(&Fp::from(7_u64))[0], 7);
    /// ```
    fn to_bytes_le(&self) -> Self::Bytes;
    /// Encodes the number below p, most significant byte first.
    ///
    /// ```
    /// use fieldc::{PrimeField, bn254::Fp};
    ///
    /// fn digest_input<F: PrimeField>(x: &[F]) -> Vec<u8> {
    ///     x.iter().flat_map(|each| each.to_bytes_be().as_ref().to_vec()).collect()
    /// }
    /// assert_eq!(digest_input(&[Fp::ONE, Fp::ONE]).len(), 64);
    /// ```
    fn to_bytes_be(&self) -> Self::Bytes;
    /// A number of any length modulo p, least significant byte first.
    ///
    /// ```
    /// use fieldc::{PrimeField, bn254::Fp};
    ///
    /// assert_eq!(<Fp as PrimeField>::from_bytes_wide_le(&[7; 1]), Fp::from(7_u64));
    /// let number = <Fp as PrimeField>::from_bytes_wide_le(&[255; 48]); // 2^384 - 1
    /// assert_eq!(number, Fp::from(2_u64).pow(&[384]) - Fp::ONE);
    /// ```
    fn from_bytes_wide_le(bytes: &[u8]) -> Self;
    /// A number of any length modulo p, most significant byte first.
    ///
    /// ```
    /// use fieldc::{PrimeField, bn254::Fp};
    ///
    /// /// 48 bytes of a hash modulo p: RFC 9380, section 5.
    /// fn hashed<F: PrimeField>(digest: &[u8; 48]) -> F {
    ///     F::from_bytes_wide_be(digest)
    /// }
    /// let mut digest = [0; 48];
    /// digest[47] = 7;
    /// assert_eq!(hashed::<Fp>(&digest), Fp::from(7_u64));
    /// ```
    fn from_bytes_wide_be(bytes: &[u8]) -> Self;
    /// An element from a source that fills a slice with random bytes, once.
    ///
    /// ```
    /// use fieldc::{PrimeField, bn254::Fp};
    ///
    /// /// A stand-in for a random generator.
    /// fn fill(bytes: &mut [u8]) {
    ///     bytes.fill(9);
    /// }
    /// let x = <Fp as PrimeField>::random_from(fill);
    /// assert_eq!(x, <Fp as PrimeField>::random_from(fill));
    /// ```
    fn random_from(fill: impl FnMut(&mut [u8])) -> Self;
    /// `self * k`.
    ///
    /// ```
    /// use fieldc::{PrimeField, bn254::Fp};
    ///
    /// assert_eq!(PrimeField::mul_small(&Fp::from(5_u64), 3), Fp::from(15_u64));
    /// ```
    fn mul_small(&self, k: u32) -> Self;
    /// `self * k`.
    ///
    /// ```
    /// use fieldc::{PrimeField, bn254::Fp};
    ///
    /// fn weighted<F: PrimeField>(x: &[F], weights: &[u64]) -> F {
    ///     x.iter().zip(weights).map(|(each, weight)| each.mul_u64(*weight)).sum()
    /// }
    /// assert_eq!(weighted(&[Fp::ONE, Fp::ONE], &[2, 1 << 40]), Fp::from(2_u64 + (1 << 40)));
    /// ```
    fn mul_u64(&self, k: u64) -> Self;
    /// `self * k`.
    ///
    /// ```
    /// use fieldc::{PrimeField, bn254::Fp};
    ///
    /// assert_eq!(PrimeField::mul_i64(&Fp::from(5_u64), -3), -Fp::from(15_u64));
    /// ```
    fn mul_i64(&self, k: i64) -> Self;
    /// An element of order 2^k; `None` for k above [`TWO_ADICITY`](Self::TWO_ADICITY).
    ///
    /// ```
    /// use fieldc::PrimeField;
    /// use fieldc::bls12_381::Fr;
    ///
    /// let root = <Fr as PrimeField>::primitive_root_of_unity(3).unwrap();
    /// assert_eq!(root.pow(&[4]), -Fr::ONE);
    /// assert_eq!(<Fr as PrimeField>::primitive_root_of_unity(Fr::TWO_ADICITY + 1), None);
    /// ```
    fn primitive_root_of_unity(k: u32) -> Option<Self>;

    /// Elements of bytes in an order.
    #[doc(hidden)]
    fn read_bytes(bytes: &[u8], x: &mut [Self], order: Order) -> Result<(), DecodeError>;
    /// The bytes of elements in an order.
    #[doc(hidden)]
    fn write_bytes(x: &[Self], bytes: &mut [u8], order: Order);
    /// Elements of limbs in a form.
    #[doc(hidden)]
    fn read_limbs(limbs: &[Self::Limbs], x: &mut [Self], form: Form) -> Result<(), DecodeError>;
    /// The limbs of elements in a form.
    #[doc(hidden)]
    fn write_limbs(x: &[Self], limbs: &mut [Self::Limbs], form: Form);

    /// The product of `x[0] + x[1]*u` and `y[0] + y[1]*u` with u^2 = -1.
    #[doc(hidden)]
    fn fp2_mul(x: &[Self; 2], y: &[Self; 2]) -> [Self; 2];
    /// The square of `x[0] + x[1]*u`.
    #[doc(hidden)]
    fn fp2_square(x: &[Self; 2]) -> [Self; 2];
}
