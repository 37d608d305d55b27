//! The operations of a field type that are made of products: inverses, powers, roots, sums, and
//! more encodings.

/// Inherent methods of a type that `field!` makes.
#[doc(hidden)]
#[macro_export]
macro_rules! __operations {
    ($Fp:ident, $fence:literal) => {
        // SAFETY: it is transparent, and holds limbs only.
        unsafe impl $crate::__private::HasProducts<{ $Fp::LIMBS }> for $Fp {
            type Kernels = $crate::__private::Shape<
                { $Fp::LIMBS },
                { $crate::__private::class::<{ $Fp::LIMBS }, $Fp>() },
            >;
        }

        impl $crate::__private::HasSums for $Fp {
            type Products = $crate::__private::ProductSum<{ $Fp::LIMBS }, $Fp>;
            type Multiples = $crate::__private::MultipleSum<{ $Fp::LIMBS }, $Fp>;
        }

        impl $crate::__private::Conditions for $Fp {
            type Ring = $crate::__private::LazyRing<
                { $Fp::LIMBS },
                { $crate::__private::lazy_class::<{ $Fp::LIMBS }, $Fp>() },
                $Fp,
            >;
            type TwoSpareBits = $crate::__private::TwoSpareBits<
                { $crate::__private::has_two_spare_bits::<{ $Fp::LIMBS }, $Fp>() },
            >;
            type MinusOne = $crate::__private::MinusOne<
                { $crate::__private::has_no_root_of_minus_one::<{ $Fp::LIMBS }, $Fp>() },
            >;
        }

        impl $Fp {
            /// The inverse; `None` for 0, which has none.
            ///
            /// What it computes takes the same time for all values. Whether there is an inverse is
            /// then known to the caller's branches; where not even that may show, use
            /// [`invert_ct`](Self::invert_ct).
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let x = Fp::from_u64(3);
            /// assert_eq!(x.invert().unwrap() * x, Fp::ONE);
            /// assert_eq!(Fp::ZERO.invert(), None);
            /// ```
            #[inline]
            pub fn invert(&self) -> ::core::option::Option<Self> {
                let (inverse, exists) = self.invert_ct();
                exists.then_some(inverse)
            }

            /// The inverse and true; for 0, which has none, 0 and false. The form for secrets: no
            /// branch and no address depends on the value.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let (inverse, exists) = Fp::from_u64(3).invert_ct();
            /// assert!(exists && inverse * Fp::from_u64(3) == Fp::ONE);
            /// assert_eq!(Fp::ZERO.invert_ct(), (Fp::ZERO, false));
            /// ```
            #[inline]
            pub fn invert_ct(&self) -> (Self, bool) {
                let (inverse, exists) = $crate::__private::invert::<{ $Fp::LIMBS }, Self>(&self.0);
                (Self(inverse), exists)
            }

            /// Inverts every element, three products for each and one inversion in all. Zeros stay
            /// zeros.
            ///
            /// What the scratch space holds afterwards follows from the elements. Time depends on
            /// the number of elements only. `fieldc::slices::batch_invert`
            /// needs no scratch space.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let mut x = [2, 0, 3].map(Fp::from_u64);
            /// assert_eq!(Fp::batch_invert(&mut x, &mut [Fp::ZERO; 3]), Ok(()));
            /// assert_eq!(x[0].double(), Fp::ONE);
            /// ```
            ///
            /// # Errors
            /// If the scratch space has fewer elements than there are to invert; nothing has
            /// changed then.
            #[inline]
            pub fn batch_invert(
                elements: &mut [Self],
                scratch: &mut [Self],
            ) -> ::core::result::Result<(), $crate::ShortScratch> {
                $crate::__private::batch_invert(elements, scratch)
            }

            /// The power with an exponent in limbs, least significant first; x^0 is 1, 0^0 too.
            ///
            /// Time depends on the exponent, which must be no secret, and not on `self`.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let x = Fp::from_u64(3);
            /// assert_eq!(x.pow(&[0, 1]), x.pow_u64(1 << 32).pow_u64(1 << 32)); // x^(2^64)
            /// ```
            #[inline]
            pub fn pow(&self, exponent: &[u64]) -> Self {
                Self($crate::__private::power::<{ $Fp::LIMBS }, Self>(
                    &self.0, exponent,
                ))
            }

            /// The power with a small exponent, as [`Self::pow`].
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u64(3).pow_u64(4), Fp::from_u64(81));
            /// ```
            #[inline]
            pub fn pow_u64(&self, exponent: u64) -> Self {
                self.pow(&[exponent])
            }

            /// Whether this is the square of an element; 0 is.
            ///
            /// It takes the same time for all values.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert!(Fp::from_u64(9).is_square());
            /// assert!(!Fp::from_u64(3).is_square());
            /// ```
            #[inline]
            pub fn is_square(&self) -> bool {
                $crate::__private::is_square::<{ $Fp::LIMBS }, Self>(&self.0)
            }

            /// A square root; `None` if there is none. Of the two roots it is the one whose number
            /// below p is even.
            ///
            /// What it computes takes the same time for all values. Whether there is a root is then
            /// known to the caller's branches; where not even that may show, use
            /// [`sqrt_ct`](Self::sqrt_ct).
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u64(36).sqrt(), Some(Fp::from_u64(6)));
            /// assert_eq!(Fp::from_u64(3).sqrt(), None);
            /// ```
            #[inline]
            pub fn sqrt(&self) -> ::core::option::Option<Self> {
                let (root, exists) = self.sqrt_ct();
                exists.then_some(root)
            }

            /// The even square root and true; 0 and false if there is none. The form for secrets:
            /// no branch and no address depends on the value.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u64(36).sqrt_ct(), (Fp::from_u64(6), true));
            /// assert_eq!(Fp::from_u64(3).sqrt_ct(), (Fp::ZERO, false));
            /// ```
            #[inline]
            pub fn sqrt_ct(&self) -> (Self, bool) {
                let (root, exists) = $crate::__private::sqrt::<{ $Fp::LIMBS }, Self>(&self.0);
                (Self(root), exists)
            }

            /// `self * y + z`.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let [x, y, z] = [2, 3, 4].map(Fp::from_u64);
            /// assert_eq!(x.mul_add(&y, &z), Fp::from_u64(10));
            /// ```
            #[inline(always)]
            pub fn mul_add(&self, y: &Self, z: &Self) -> Self {
                self.product(y).sum(z)
            }

            /// `self * k`, faster than a product of elements, in the same time for all values.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u64(7).mul_small(6), Fp::from_u64(42));
            /// ```
            #[inline]
            pub fn mul_small(&self, k: u32) -> Self {
                self.mul_u64(k.into())
            }

            /// `self * k`, as [`Self::mul_small`].
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let x = Fp::from_u64(7);
            /// assert_eq!(x.mul_u64(u64::MAX), x * Fp::from_u64(u64::MAX));
            /// ```
            #[inline]
            pub fn mul_u64(&self, k: u64) -> Self {
                Self($crate::__private::mul_u64::<{ $Fp::LIMBS }, Self>(
                    &self.0, k,
                ))
            }

            /// `self * k`, as [`Self::mul_small`].
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u64(7).mul_i64(-6), -Fp::from_u64(42));
            /// ```
            #[inline]
            pub fn mul_i64(&self, k: i64) -> Self {
                Self($crate::__private::mul_i64::<{ $Fp::LIMBS }, Self>(
                    &self.0, k,
                ))
            }

            /// `a` if the flag is set, else `b`, in the same time for both.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::select(true, &Fp::ONE, &Fp::ZERO), Fp::ONE);
            /// ```
            #[inline(always)]
            pub fn select(flag: bool, a: &Self, b: &Self) -> Self {
                Self($crate::__private::choose(flag, &a.0, &b.0))
            }

            /// The sum of products of corresponding elements; every two of them are reduced as one.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let [a, b, c, d] = [2, 3, 4, 5].map(Fp::from_u64);
            /// assert_eq!(Fp::sum_of_products(&[a, b], &[c, d]), a * c + b * d);
            /// ```
            #[inline(always)]
            pub fn sum_of_products<const K: usize>(x: &[Self; K], y: &[Self; K]) -> Self {
                Self($crate::__private::sum_of_products::<
                    { $Fp::LIMBS },
                    { K },
                    Self,
                >(x, y))
            }

            /// The sum of products of corresponding elements of slices.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let (x, y) = ([1, 2, 3].map(Fp::from_u64), [4, 5, 6].map(Fp::from_u64));
            /// assert_eq!(Fp::inner_product(&x, &y), Fp::from_u64(32));
            /// ```
            ///
            /// # Panics
            /// If the slices have different lengths.
            #[inline]
            pub fn inner_product(x: &[Self], y: &[Self]) -> Self {
                match $crate::__private::inner_product_in_vectors::<{ $Fp::LIMBS }, Self>(x, y) {
                    Some(total) => total,
                    None => Self($crate::__private::inner_product::<{ $Fp::LIMBS }, Self>(
                        x, y,
                    )),
                }
            }

            /// A number of any length modulo p, least significant byte first.
            ///
            /// Time depends on the length only.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let two_to_256 = Fp::from_u64(2).pow_u64(256);
            /// let mut bytes = [0; 33];
            /// bytes[32] = 1;
            /// assert_eq!(Fp::from_bytes_wide_le(&bytes), two_to_256);
            /// ```
            #[inline]
            pub fn from_bytes_wide_le(bytes: &[u8]) -> Self {
                Self($crate::__private::from_bytes_wide_le::<{ $Fp::LIMBS }, Self>(bytes))
            }

            /// A number of any length modulo p, most significant byte first.
            ///
            /// Time depends on the length only.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let two_to_256 = Fp::from_u64(2).pow_u64(256);
            /// let mut bytes = [0; 33];
            /// bytes[0] = 1;
            /// assert_eq!(Fp::from_bytes_wide_be(&bytes), two_to_256);
            /// ```
            #[inline]
            pub fn from_bytes_wide_be(bytes: &[u8]) -> Self {
                Self($crate::__private::from_bytes_wide_be::<{ $Fp::LIMBS }, Self>(bytes))
            }

            /// A random element from a source that fills a slice with random bytes, once.
            ///
            /// If they are uniform, the statistical distance from a uniform element is below
            /// 2^-128.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// // In earnest: the bytes of a cryptographic generator.
            /// let x = Fp::random_from(|bytes| bytes.fill(1));
            /// assert!(!x.is_zero());
            /// ```
            #[inline]
            pub fn random_from(fill: impl ::core::ops::FnMut(&mut [u8])) -> Self {
                Self($crate::__private::random::<{ $Fp::LIMBS }, Self>(fill))
            }

            /// Decodes hexadecimal digits, which `0x` may precede; refuses a number that is not
            /// below p.
            ///
            /// Time depends on the text.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_hex("ff"), Ok(Fp::from_u64(255)));
            /// assert_eq!(Fp::from_hex("0xFF"), Ok(Fp::from_u64(255)));
            /// ```
            ///
            /// # Errors
            /// If the text has no digits, or something that is no digit, or if the number is not
            /// below p.
            #[inline]
            pub const fn from_hex(text: &str) -> ::core::result::Result<Self, $crate::DecodeError> {
                match $crate::__private::from_hex(text, &Self::MODULUS) {
                    Ok(limbs) => Ok(Self(
                        $crate::__private::to_montgomery::<{ $Fp::LIMBS }, Self>(&limbs),
                    )),
                    Err(error) => Err(error),
                }
            }
        }

        /// Decodes decimal digits, or hexadecimal ones after `0x`, as they are printed; refuses a
        /// number that is not below p. Time depends on the text.
        impl ::core::str::FromStr for $Fp {
            type Err = $crate::DecodeError;

            #[inline]
            fn from_str(text: &str) -> ::core::result::Result<Self, $crate::DecodeError> {
                Self::const_from_str(text)
            }
        }

        /// The number below p in hexadecimal, all its digits; after `0x` with `#`.
        impl ::core::fmt::LowerHex for $Fp {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::__private::write_hex(&self.to_limbs(), f.alternate(), false, f)
            }
        }

        /// The same with the digits A to F; after `0x` with `#`.
        impl ::core::fmt::UpperHex for $Fp {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::__private::write_hex(&self.to_limbs(), f.alternate(), true, f)
            }
        }
    };
}
