//! Traits of `group`, versions 0.14 and 0.13, for points in both forms.

use subtle::{Choice, CtOption};

use super::encoded::Encoded;
use super::{Affine, Curve, Jacobian};
#[cfg(feature = "alloc")]
use super::{bls12_381, bn254, pallas, vesta};
use crate::generic::Field;
#[cfg(feature = "alloc")]
use crate::prime_field::PrimeField;

/// A point, if it is there.
fn option<T: Default>(point: Option<T>) -> CtOption<T> {
    let is_some = Choice::from(u8::from(point.is_some()));
    CtOption::new(point.unwrap_or_default(), is_some)
}

/// The point with this encoding, if it is in the group of prime order.
fn checked<C: Encoded>(bytes: &C::Compressed) -> Option<Affine<C>> {
    C::decompressed(bytes).filter(Affine::is_in_subgroup)
}

impl<C: Curve> Jacobian<C> {
    /// The coordinates of many points, with one inversion in all and no more memory.
    ///
    /// # Panics
    /// If there are more or fewer places than points.
    fn normalize(points: &[Self], affine: &mut [Affine<C>]) {
        assert_eq!(points.len(), affine.len(), "a place for each point");
        let factor = |point: &Self| C::Base::select(point.is_infinity(), &C::Base::ONE, &point.z);
        // In each place the product of all z before its own.
        let mut product = C::Base::ONE;
        for (point, place) in points.iter().zip(affine.iter_mut()) {
            place.x = product;
            product *= factor(point);
        }
        let mut inverse = product.invert_ct().0;
        for (point, place) in points.iter().zip(affine).rev() {
            let own = inverse * place.x;
            inverse *= factor(point);
            *place = Affine::select(point.is_infinity(), &Affine::INFINITY, &point.scaled(own));
        }
    }
}

/// A version's traits: its name, that of its `ff`, and how they choose at random.
macro_rules! traits {
    ($group:ident, $ff:ident, $($random:tt)+) => {
        /// Products by scalars take the same time for all scalars. `from_bytes` checks that a point is
        /// in the group of prime order.
        impl<C: Curve<Scalar: $ff::PrimeField>> $group::Group for Jacobian<C> {
            type Scalar = C::Scalar;

            $($random)+

            #[inline]
            fn identity() -> Self {
                Self::INFINITY
            }

            #[inline]
            fn generator() -> Self {
                Self::GENERATOR
            }

            #[inline]
            fn is_identity(&self) -> Choice {
                Choice::from(u8::from(self.is_infinity()))
            }

            #[inline]
            fn double(&self) -> Self {
                self.double()
            }
        }

        impl<C: Encoded> $group::GroupEncoding for Affine<C> {
            type Repr = C::Compressed;

            fn from_bytes(bytes: &Self::Repr) -> CtOption<Self> {
                option(checked(bytes))
            }

            /// A point of the curve, which may be outside the group.
            fn from_bytes_unchecked(bytes: &Self::Repr) -> CtOption<Self> {
                option(C::decompressed(bytes))
            }

            fn to_bytes(&self) -> Self::Repr {
                C::compressed(self)
            }
        }

        impl<C: Encoded> $group::GroupEncoding for Jacobian<C> {
            type Repr = C::Compressed;

            fn from_bytes(bytes: &Self::Repr) -> CtOption<Self> {
                option(checked(bytes).map(Self::from))
            }

            /// A point of the curve, which may be outside the group.
            fn from_bytes_unchecked(bytes: &Self::Repr) -> CtOption<Self> {
                option(C::decompressed(bytes).map(Self::from))
            }

            fn to_bytes(&self) -> Self::Repr {
                C::compressed(&self.to_affine())
            }
        }

        impl<C: Encoded> $group::UncompressedEncoding for Affine<C> {
            type Uncompressed = C::Uncompressed;

            fn from_uncompressed(bytes: &Self::Uncompressed) -> CtOption<Self> {
                option(C::decoded(bytes).filter(Self::is_in_subgroup))
            }

            /// A point of the curve, which may be outside the group.
            fn from_uncompressed_unchecked(bytes: &Self::Uncompressed) -> CtOption<Self> {
                option(C::decoded(bytes))
            }

            fn to_uncompressed(&self) -> Self::Uncompressed {
                C::uncompressed(self)
            }
        }

        impl<C: Encoded<Scalar: $ff::PrimeField>> $group::prime::PrimeGroup for Jacobian<C> {}

        digits! { $group, bls12_381::G1, bls12_381::G2, bn254::G1, bn254::G2, pallas::Pallas, vesta::Vesta }
    };
}

/// Multiples by digits, where scalars have a spare bit: of others `group` drops the last carry.
#[cfg(feature = "alloc")]
macro_rules! digits {
    ($group:ident, $($Curve:ty),+) => {
        $(impl $group::WnafGroup for Jacobian<$Curve> {
            fn recommended_wnaf_for_num_scalars(count: usize) -> usize {
                let bits = const {
                    let bits = <<$Curve as Curve>::Scalar as PrimeField>::BITS as usize;
                    assert!(bits % 8 != 0, "no spare bit");
                    bits
                };
                window(count, bits)
            }
        })+
    };
}

/// Nothing: the feature is off.
#[cfg(not(feature = "alloc"))]
macro_rules! digits {
    ($($ignored:tt)*) => {};
}

/// Where the next larger window saves fewer sums, in so many multiples, than its table costs.
#[cfg(feature = "alloc")]
fn window(count: usize, bits: usize) -> usize {
    let sums = count.saturating_mul(bits);
    (2..22)
        .find(|w| sums / ((w + 1) * (w + 2)) <= 1 << (w - 1))
        .unwrap_or(22)
}

/// What `group` asks of points by their coordinates, in both versions.
macro_rules! affine {
    () => {
        type Scalar = C::Scalar;
        type Curve = Jacobian<C>;

        #[inline]
        fn identity() -> Self {
            Self::INFINITY
        }

        #[inline]
        fn generator() -> Self {
            Self::GENERATOR
        }

        #[inline]
        fn is_identity(&self) -> Choice {
            Choice::from(u8::from(self.is_infinity))
        }

        #[inline]
        fn to_curve(&self) -> Jacobian<C> {
            Jacobian::from(*self)
        }
    };
}

/// The affine form of a point, and those of many with one inversion.
macro_rules! normal_forms {
    ($Form:ident) => {
        type $Form = Affine<C>;

        #[inline]
        fn batch_normalize(points: &[Self], affine: &mut [Affine<C>]) {
            Self::normalize(points, affine);
        }

        #[inline]
        fn to_affine(&self) -> Affine<C> {
            self.to_affine()
        }
    };
}

#[cfg(feature = "group")]
mod version_0_14 {
    use super::*;

    traits! { group, ff,
        /// The generator times a scalar that is not 0.
        fn try_random<R: rand_core::TryRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
            loop {
                let scalar = <C::Scalar as ff::Field>::try_random(rng)?;
                if !Field::is_zero(&scalar) {
                    return Ok(Self::GENERATOR * scalar);
                }
            }
        }
    }

    impl<C: Encoded<Scalar: ff::PrimeField>> group::Curve for Jacobian<C> {
        normal_forms! { Affine }
    }

    impl<C: Encoded<Scalar: ff::PrimeField>> group::CurveAffine for Affine<C> {
        affine! {}
    }

    impl<C: Encoded<Scalar: ff::PrimeField>> group::prime::PrimeCurve for Jacobian<C> {}
}

#[cfg(feature = "group-0-13")]
mod version_0_13 {
    use super::*;

    traits! { group_0_13, ff_0_13,
        /// The generator times a scalar that is not 0.
        fn random(mut rng: impl rand_core_0_6::RngCore) -> Self {
            loop {
                let scalar = <C::Scalar as ff_0_13::Field>::random(&mut rng);
                if !Field::is_zero(&scalar) {
                    return Self::GENERATOR * scalar;
                }
            }
        }
    }

    impl<C: Curve<Scalar: ff_0_13::PrimeField>> group_0_13::Curve for Jacobian<C> {
        normal_forms! { AffineRepr }
    }

    impl<C: Encoded<Scalar: ff_0_13::PrimeField>> group_0_13::prime::PrimeCurveAffine for Affine<C> {
        affine! {}
    }

    impl<C: Encoded<Scalar: ff_0_13::PrimeField>> group_0_13::prime::PrimeCurve for Jacobian<C> {
        type Affine = Affine<C>;
    }
}
