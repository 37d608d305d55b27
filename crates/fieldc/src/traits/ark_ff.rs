//! `ark-ff`: a field as the configuration of an arkworks field, which then runs on its kernels.
//!
//! Elements of arkworks have the Montgomery form, so a conversion is a copy, unless ours are plain.

/// The arkworks field of a configuration.
#[cfg(feature = "ark-ff")]
pub type Ark<F, const N: usize> = ark_ff::Fp<ark_ff::MontBackend<F, N>, N>;

/// Elements of an arkworks field as those of its configuration.
#[cfg(feature = "ark-ff")]
#[inline(always)]
pub fn from_arks<F, const N: usize, const K: usize>(elements: &[Ark<F, N>; K]) -> &[F; K]
where
    F: crate::assembly::HasProducts<N> + ark_ff::MontConfig<N>,
{
    const {
        assert!(size_of::<Ark<F, N>>() == size_of::<F>());
        assert!(align_of::<Ark<F, N>>() == align_of::<F>());
    }
    // SAFETY: both are nothing but N limbs below p: the sizes are the same, and an arkworks element
    // is reduced.
    unsafe { &*core::ptr::from_ref(elements).cast() }
}

/// `MontConfig` of `ark-ff` for a field with a generator, and conversions.
#[cfg(feature = "ark-ff")]
#[doc(hidden)]
#[macro_export]
macro_rules! __ark_ff {
    ($Fp:ident) => {};
    ($Fp:ident, $generator:literal) => {
        /// `ark_ff::Fp<ark_ff::MontBackend<Self, N>, N>` is this field in arkworks.
        impl $crate::__private::ark_ff::MontConfig<{ $Fp::LIMBS }> for $Fp {
            $crate::__ark_ff_constants! { $Fp, $generator }
            $crate::__ark_ff_operations! { $Fp }
        }

        /// A copy, unless elements of this type are plain: theirs have the Montgomery form.
        impl ::core::convert::From<$Fp> for $crate::__private::Ark<$Fp, { $Fp::LIMBS }> {
            #[inline]
            fn from(element: $Fp) -> Self {
                Self::new_unchecked($crate::__private::ark_ff::BigInt(
                    element.to_montgomery_limbs(),
                ))
            }
        }

        /// A copy, unless elements of this type are plain.
        impl ::core::convert::From<$crate::__private::Ark<$Fp, { $Fp::LIMBS }>> for $Fp {
            #[inline]
            fn from(element: $crate::__private::Ark<$Fp, { $Fp::LIMBS }>) -> Self {
                if <Self as $crate::Modulus<{ $Fp::LIMBS }>>::PLAIN {
                    return Self($crate::__private::from_montgomery::<
                        { $Fp::LIMBS },
                        $crate::__private::Montgomery<Self>,
                    >(&element.0.0));
                }
                Self(element.0.0)
            }
        }
    };
}

/// Nothing: the feature is off.
#[cfg(not(feature = "ark-ff"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __ark_ff {
    ($($ignored:tt)*) => {};
}

/// The constants of `MontConfig`. What is not here follows from these in `ark-ff`.
#[cfg(feature = "ark-ff")]
#[doc(hidden)]
#[macro_export]
macro_rules! __ark_ff_constants {
    ($Fp:ident, $generator:literal) => {
        const MODULUS: $crate::__private::ark_ff::BigInt<{ $Fp::LIMBS }> =
            $crate::__private::ark_ff::BigInt(<Self as $crate::Modulus<{ $Fp::LIMBS }>>::P);
        const R: $crate::__private::ark_ff::BigInt<{ $Fp::LIMBS }> =
            $crate::__private::ark_ff::BigInt(<Self as $crate::Modulus<{ $Fp::LIMBS }>>::RADIX);
        const R2: $crate::__private::ark_ff::BigInt<{ $Fp::LIMBS }> =
            $crate::__private::ark_ff::BigInt(
                <$crate::__private::Montgomery<Self> as $crate::Modulus<{ $Fp::LIMBS }>>::R2,
            );
        const INV: u64 = <Self as $crate::Modulus<{ $Fp::LIMBS }>>::N0;

        const GENERATOR: $crate::__private::Ark<Self, { $Fp::LIMBS }> =
            $crate::__private::Ark::<Self, { $Fp::LIMBS }>::new_unchecked(
                $crate::__private::ark_ff::BigInt(Self::GENERATOR.to_montgomery_limbs()),
            );
        const TWO_ADIC_ROOT_OF_UNITY: $crate::__private::Ark<Self, { $Fp::LIMBS }> =
            $crate::__private::Ark::<Self, { $Fp::LIMBS }>::new_unchecked(
                $crate::__private::ark_ff::BigInt({
                    let root = Self::root_of_unity();
                    root.to_montgomery_limbs()
                }),
            );

        // The powers of 3 are the small subgroup, where there are any.
        const SMALL_SUBGROUP_BASE: ::core::option::Option<u32> =
            match $crate::__private::three_adicity::<{ $Fp::LIMBS }, Self>() {
                0 => None,
                _ => Some(3),
            };
        const SMALL_SUBGROUP_BASE_ADICITY: ::core::option::Option<u32> =
            match $crate::__private::three_adicity::<{ $Fp::LIMBS }, Self>() {
                0 => None,
                adicity => Some(adicity),
            };
        const LARGE_SUBGROUP_ROOT_OF_UNITY: ::core::option::Option<
            $crate::__private::Ark<Self, { $Fp::LIMBS }>,
        > = match $crate::__private::three_adicity::<{ $Fp::LIMBS }, Self>() {
            0 => None,
            _ => Some(
                $crate::__private::Ark::<Self, { $Fp::LIMBS }>::new_unchecked(
                    $crate::__private::ark_ff::BigInt({
                        let root = Self($crate::__private::Generated::<
                            { $Fp::LIMBS },
                            $generator,
                            Self,
                        >::large_root());
                        root.to_montgomery_limbs()
                    }),
                ),
            ),
        };
    };
}

/// The arithmetic of `MontConfig`, by our own.
#[cfg(feature = "ark-ff")]
#[doc(hidden)]
#[macro_export]
macro_rules! __ark_ff_operations {
    ($Fp:ident) => {
        #[inline]
        fn add_assign(
            a: &mut $crate::__private::Ark<Self, { $Fp::LIMBS }>,
            b: &$crate::__private::Ark<Self, { $Fp::LIMBS }>,
        ) {
            a.0.0 = (Self(a.0.0) + Self(b.0.0)).0;
        }

        #[inline]
        fn sub_assign(
            a: &mut $crate::__private::Ark<Self, { $Fp::LIMBS }>,
            b: &$crate::__private::Ark<Self, { $Fp::LIMBS }>,
        ) {
            a.0.0 = (Self(a.0.0) - Self(b.0.0)).0;
        }

        #[inline]
        fn double_in_place(a: &mut $crate::__private::Ark<Self, { $Fp::LIMBS }>) {
            a.0.0 = Self(a.0.0).double().0;
        }

        #[inline]
        fn neg_in_place(a: &mut $crate::__private::Ark<Self, { $Fp::LIMBS }>) {
            a.0.0 = (-Self(a.0.0)).0;
        }

        #[inline]
        fn mul_assign(
            a: &mut $crate::__private::Ark<Self, { $Fp::LIMBS }>,
            b: &$crate::__private::Ark<Self, { $Fp::LIMBS }>,
        ) {
            a.0.0 = $crate::__private::mul::<
                { $Fp::LIMBS },
                { $crate::__private::montgomery_class::<{ $Fp::LIMBS }, Self>() },
                $crate::__private::Montgomery<Self>,
            >(&a.0.0, &b.0.0);
        }

        #[inline]
        fn square_in_place(a: &mut $crate::__private::Ark<Self, { $Fp::LIMBS }>) {
            a.0.0 = $crate::__private::square::<
                { $Fp::LIMBS },
                { $crate::__private::montgomery_class::<{ $Fp::LIMBS }, Self>() },
                $crate::__private::Montgomery<Self>,
            >(&a.0.0);
        }

        #[inline]
        fn inverse(
            a: &$crate::__private::Ark<Self, { $Fp::LIMBS }>,
        ) -> ::core::option::Option<$crate::__private::Ark<Self, { $Fp::LIMBS }>> {
            let (inverse, exists) = $crate::__private::invert::<
                { $Fp::LIMBS },
                $crate::__private::Montgomery<Self>,
            >(&a.0.0);
            exists.then(|| {
                $crate::__private::Ark::<Self, { $Fp::LIMBS }>::new_unchecked(
                    $crate::__private::ark_ff::BigInt(inverse),
                )
            })
        }

        #[inline]
        fn into_bigint(
            a: $crate::__private::Ark<Self, { $Fp::LIMBS }>,
        ) -> $crate::__private::ark_ff::BigInt<{ $Fp::LIMBS }> {
            $crate::__private::ark_ff::BigInt($crate::__private::from_montgomery::<
                { $Fp::LIMBS },
                $crate::__private::Montgomery<Self>,
            >(&a.0.0))
        }

        #[inline(always)]
        fn sum_of_products<const M: usize>(
            a: &[$crate::__private::Ark<Self, { $Fp::LIMBS }>; M],
            b: &[$crate::__private::Ark<Self, { $Fp::LIMBS }>; M],
        ) -> $crate::__private::Ark<Self, { $Fp::LIMBS }> {
            if <Self as $crate::Modulus<{ $Fp::LIMBS }>>::PLAIN {
                let pairs = a.iter().zip(b);
                return pairs.map(|(a, b)| *a * b).sum();
            }
            let [a, b] = [a, b].map($crate::__private::from_arks::<Self, { $Fp::LIMBS }, { M }>);
            Self::sum_of_products(a, b).into()
        }
    };
}
