//! The macro that makes a prime a type.

/// Makes an odd prime of up to 768 bits a field type.
///
/// ```
/// fieldc::field! {
///     /// The integers modulo 2^61 - 1.
///     pub struct Mersenne61(modulus = "0x1fff_ffff_ffff_ffff");
/// }
///
/// let x = Mersenne61::from_u64(7);
/// assert_eq!(x.square() - x, Mersenne61::from_u64(42));
/// ```
///
/// The modulus is decimal, or hexadecimal after `0x`. What is even, too large, no number, or
/// composite is an error of the compiler:
///
/// ```compile_fail,E0080
/// fieldc::field! { struct Composite(modulus = "0x1fff_ffff_ffff_fff1"); }
/// ```
///
/// The test of primality is that of Baillie and Wagstaff (BPSW): a strong test to base 2 and an
/// extra strong Lucas test. No composite number is known to pass, but it is no proof. It runs
/// whenever the type is compiled. For moduli above 512 bits that would take seconds, so there the
/// Lucas test runs only where the type is compiled for its crate's own unit tests.
///
/// Where the number is known to be prime, the word `prime` leaves the test out. With `prime` and a
/// composite modulus, sums and products are right; inverses, roots and all else that needs a field
/// are not:
///
/// ```
/// fieldc::field! { struct P127(modulus = "170141183460469231731687303715884105727", prime); }
/// ```
///
/// Some traits need a generator of the multiplicative group, which nobody finds without the factors
/// of p - 1. Give the type one to get `PrimeField` with the feature `ff`; a square is refused:
///
/// ```
/// fieldc::field! {
///     /// The integers modulo 2^31 - 1.
///     struct Mersenne31(modulus = "0x7fffffff", generator = 7);
/// }
/// ```
///
/// ```compile_fail
/// fieldc::field! { struct Mersenne31(modulus = "0x7fffffff", generator = 2); }
/// ```
///
/// The type gets the kernels of its number of limbs and of its class of primes. For the primes that
/// the crate names they are proved; for others they are tested.
///
/// Kernels on arrays have the constants of one prime in their code. So a type of one of the primes
/// that have them ([`slices`](crate::slices)) has them too, and a type of another prime computes
/// arrays one element at a time. A package of that prime, which `fieldc build --package rust`
/// makes, has kernels on arrays of its own.
#[macro_export]
macro_rules! field {
    ($(#[$doc:meta])* $visibility:vis struct $Fp:ident(
        modulus = $modulus:literal $(, generator = $generator:literal)? $(,)?
    );) => {
        $crate::field! {
            $(#[$doc])*
            $visibility struct $Fp(modulus = $modulus, prime $(, generator = $generator)?);
        }

        #[allow(long_running_const_eval, reason = "a test of primality, once")]
        const _: () = assert!(
            $crate::__private::is_probable_prime::<{ $Fp::LIMBS }, $Fp>(cfg!(test)),
            "the modulus is composite"
        );
    };
    ($(#[$doc:meta])* $visibility:vis struct $Fp:ident(
        modulus = $modulus:literal, prime $(, generator = $generator:literal)? $(,)?
    );) => {
        $crate::__field! {
            "```text"
            $(#[$doc])*
            $visibility struct $Fp(modulus = $modulus $(, generator = $generator)?);
        }
    };
}

/// A field type, from a number that is taken for prime; `$fence` begins the examples of its methods.
///
/// Examples are tests in this crate, with "```". In a crate that calls [`field!`](crate::field!) they are
/// none: it may know this crate by another name.
#[doc(hidden)]
#[macro_export]
macro_rules! __field {
    ($fence:literal $(#[$doc:meta])* $visibility:vis struct $Fp:ident(
        modulus = $modulus:literal $(, generator = $generator:literal)?
    );) => {
        $(#[$doc])*
        ///
        /// An element is kept below the modulus, so it has one form only: in Montgomery form, or
        /// plain where `Modulus::PLAIN` says so.
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        $visibility struct $Fp([u64; $crate::__private::limbs_of($modulus)]);

        impl $crate::Modulus<{ $Fp::LIMBS }> for $Fp {
            const P: [u64; $Fp::LIMBS] = $crate::__private::parse($modulus);
        }

        const _: () = assert!(
            $crate::__private::is_served(&$Fp::MODULUS),
            "this package is for one modulus; build another package for this one"
        );

        $crate::__element! { $Fp, $fence }
        $crate::__arithmetic! { $Fp, $fence }
        $crate::__operations! { $Fp, $fence }
        $crate::__operators! { [] $Fp, sum, Add::add, AddAssign::add_assign }
        $crate::__operators! { [] $Fp, difference, Sub::sub, SubAssign::sub_assign }
        $crate::__operators! {
            [] $Fp, product (by_limbs), Mul::mul, MulAssign::mul_assign (multiply_by)
        }
        $crate::__operators! { [] $Fp, quotient, Div::div, DivAssign::div_assign }
        $crate::__standard_traits! { $Fp }
        $crate::__constants! { $Fp, $fence $(, $generator)? }
        $crate::__conversions! { $Fp }
        $crate::__generic! { $Fp }
        $crate::__traits! { $Fp, $fence $(, $generator)? }
    };
}

/// Constants and encodings.
#[doc(hidden)]
#[macro_export]
macro_rules! __element {
    ($Fp:ident, $fence:literal) => {
        impl $Fp {
            /// Limbs of 64 bits.
            pub const LIMBS: usize = $crate::__private::length(&Self::ZERO.0);
            /// Bits of the modulus.
            pub const BITS: u32 = <Self as $crate::Modulus<{ $Fp::LIMBS }>>::BITS;
            /// Bytes of an encoding.
            pub const BYTES: usize = Self::BITS.div_ceil(8) as usize;
            /// The modulus p as limbs, least significant first.
            pub const MODULUS: [u64; $Fp::LIMBS] = <Self as $crate::Modulus<{ $Fp::LIMBS }>>::P;
            /// The element 0.
            pub const ZERO: Self = Self([0; ::core::mem::size_of::<Self>() / 8]);
            /// The element 1.
            pub const ONE: Self = Self(<Self as $crate::Modulus<{ $Fp::LIMBS }>>::R);

            /// A small number as an element.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u64(2) * Fp::from_u64(3), Fp::from_u64(6));
            /// ```
            #[inline]
            pub const fn from_u64(value: u64) -> Self {
                let mut limbs = [0; $Fp::LIMBS];
                limbs[0] = value;
                Self($crate::__private::to_montgomery::<{ $Fp::LIMBS }, Self>(
                    &limbs,
                ))
            }

            /// A number of 128 bits as an element, modulo p.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u128(1 << 64), Fp::from_u64(1 << 32).square());
            /// ```
            #[inline]
            pub const fn from_u128(value: u128) -> Self {
                Self($crate::__private::from_u128::<{ $Fp::LIMBS }, Self>(value))
            }

            /// The number with these limbs, least significant first; `None` unless it is below p.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_limbs([3, 0, 0, 0]), Some(Fp::from_u64(3)));
            /// assert_eq!(Fp::from_limbs(Fp::MODULUS), None);
            /// ```
            #[inline]
            pub const fn from_limbs(limbs: [u64; $Fp::LIMBS]) -> ::core::option::Option<Self> {
                if $crate::__private::is_less(&limbs, &Self::MODULUS) {
                    Some(Self(
                        $crate::__private::to_montgomery::<{ $Fp::LIMBS }, Self>(&limbs),
                    ))
                } else {
                    None
                }
            }

            /// The limbs of the number below p, least significant first.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u64(3).to_limbs(), [3, 0, 0, 0]);
            /// ```
            #[inline]
            pub const fn to_limbs(&self) -> [u64; $Fp::LIMBS] {
                $crate::__private::number::<{ $Fp::LIMBS }, Self>(&self.0)
            }

            /// The element a whose Montgomery form a*R mod p has these limbs; `None` unless they
            /// are below p.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let limbs = Fp::from_u64(3).to_montgomery_limbs();
            /// assert_eq!(Fp::from_montgomery_limbs(limbs), Some(Fp::from_u64(3)));
            /// assert_eq!(Fp::from_montgomery_limbs(Fp::MODULUS), None);
            /// ```
            #[inline]
            pub const fn from_montgomery_limbs(
                limbs: [u64; $Fp::LIMBS],
            ) -> ::core::option::Option<Self> {
                if !$crate::__private::is_less(&limbs, &Self::MODULUS) {
                    None
                } else if <Self as $crate::Modulus<{ $Fp::LIMBS }>>::PLAIN {
                    Some(Self($crate::__private::from_montgomery::<
                        { $Fp::LIMBS },
                        $crate::__private::Montgomery<Self>,
                    >(&limbs)))
                } else {
                    Some(Self(limbs))
                }
            }

            /// The limbs of the Montgomery form, below p.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::ZERO.to_montgomery_limbs(), [0; Fp::LIMBS]);
            /// ```
            #[inline]
            pub const fn to_montgomery_limbs(&self) -> [u64; $Fp::LIMBS] {
                if <Self as $crate::Modulus<{ $Fp::LIMBS }>>::PLAIN {
                    return $crate::__private::to_montgomery::<
                        { $Fp::LIMBS },
                        $crate::__private::Montgomery<Self>,
                    >(&self.0);
                }
                self.0
            }

            /// Decodes a number below p, least significant byte first; refuses every other one.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let mut bytes = [0; Fp::BYTES];
            /// bytes[0] = 3;
            /// assert_eq!(Fp::from_bytes_le(&bytes), Ok(Fp::from_u64(3)));
            /// assert!(Fp::from_bytes_le(&[0xff; Fp::BYTES]).is_err());
            /// ```
            ///
            /// # Errors
            /// If there are not [`BYTES`](Self::BYTES) bytes, or the number is not below p.
            #[inline]
            pub const fn from_bytes_le(
                bytes: &[u8],
            ) -> ::core::result::Result<Self, $crate::DecodeError> {
                match $crate::__private::exactly(bytes) {
                    Ok(bytes) => Self::from_byte_array_le(bytes),
                    Err(error) => Err(error),
                }
            }

            /// Decodes a number below p, most significant byte first; refuses every other one.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let mut bytes = [0; Fp::BYTES];
            /// bytes[31] = 3;
            /// assert_eq!(Fp::from_bytes_be(&bytes), Ok(Fp::from_u64(3)));
            /// assert!(Fp::from_bytes_be(&bytes[1..]).is_err());
            /// ```
            ///
            /// # Errors
            /// If there are not [`BYTES`](Self::BYTES) bytes, or the number is not below p.
            #[inline]
            pub const fn from_bytes_be(
                bytes: &[u8],
            ) -> ::core::result::Result<Self, $crate::DecodeError> {
                match $crate::__private::exactly::<{ $Fp::BYTES }>(bytes) {
                    Ok(bytes) => Self::decoded($crate::__private::from_bytes_be(bytes)),
                    Err(error) => Err(error),
                }
            }

            #[inline]
            const fn from_byte_array_le(
                bytes: &[u8; $Fp::BYTES],
            ) -> ::core::result::Result<Self, $crate::DecodeError> {
                Self::decoded($crate::__private::from_bytes_le(bytes))
            }

            #[inline]
            const fn decoded(
                limbs: [u64; $Fp::LIMBS],
            ) -> ::core::result::Result<Self, $crate::DecodeError> {
                match Self::from_limbs(limbs) {
                    Some(element) => Ok(element),
                    None => Err($crate::DecodeError::NotCanonical),
                }
            }

            /// Encodes the number below p, least significant byte first.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u64(3).to_bytes_le()[..2], [3, 0]);
            /// ```
            #[inline]
            pub const fn to_bytes_le(&self) -> [u8; $Fp::BYTES] {
                $crate::__private::to_bytes_le(&self.to_limbs())
            }

            /// Encodes the number below p, most significant byte first.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u64(3).to_bytes_be()[30..], [0, 3]);
            /// ```
            #[inline]
            pub const fn to_bytes_be(&self) -> [u8; $Fp::BYTES] {
                $crate::__private::to_bytes_be(&self.to_limbs())
            }

            /// Whether this is 0, in the same time for all values.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert!(Fp::ZERO.is_zero() && !Fp::ONE.is_zero());
            /// ```
            #[inline]
            pub fn is_zero(&self) -> bool {
                *self == Self::ZERO
            }
        }
    };
}
