//! The traits of `group`, by programs that know nothing else of a point.
#![cfg(all(feature = "group", feature = "group-0-13", feature = "alloc"))]

mod common;

use common::on_every_path;
use fieldc::curves::{Affine, Curve, Jacobian, bls12_381, bn254, p256, pallas, secp256k1, vesta};
use fieldc::{Field, Fp2};

/// Bytes that look random enough for scalars.
struct Source(u64);

impl Source {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^ (z >> 27)
    }
}

impl rand_core_0_6::RngCore for Source {
    fn next_u32(&mut self) -> u32 {
        self.next() as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.next()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.next() as u8);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core_0_6::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

impl rand_core::TryRng for Source {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(self.next() as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill_with(|| self.next() as u8);
        Ok(())
    }
}

/// Programs for one version of `group`.
macro_rules! programs {
    ($version:ident, $group:ident, $Affine:ident: $AffineTrait:path) => {
        mod $version {
            use super::Source;
            use $AffineTrait as Coordinates;
            use $group::prime::PrimeCurve;
            use $group::{Curve, ff::Field};
            use $group::{
                Group, GroupEncoding, UncompressedEncoding, WnafBase, WnafGroup, WnafScalar,
            };

            /// A Pedersen commitment, as one would write it for any group.
            fn commit<G: Group + GroupEncoding>(
                h: &G,
                message: &G::Scalar,
                blind: G::Scalar,
            ) -> G::Repr {
                (G::generator() * message + *h * blind).to_bytes()
            }

            pub(super) fn any_group<G: Group + GroupEncoding>() {
                let mut source = Source(5);
                let (g, h) = (G::generator(), G::random(&mut source));
                assert!(!bool::from(h.is_identity() | g.is_identity()));
                assert!(bool::from(
                    G::identity().is_identity() & (h - h).is_identity()
                ));
                let [a, b, c, d] = std::array::from_fn(|_| G::Scalar::random(&mut source));
                let commitments = [(a, b), (c, d), (a + c, b + d)]
                    .map(|(message, blind)| G::from_bytes(&commit(&h, &message, blind)).unwrap());
                let [one, two, both] = commitments;
                assert_eq!(one + two, both);
                assert_eq!(commitments[..2].iter().sum::<G>(), both);
                assert_eq!([one, two].into_iter().sum::<G>(), both);
                let mut product = h;
                product *= a;
                product *= &b;
                assert_eq!(product, h * (a * b));
                assert_eq!(h.double() - h, h);
                assert_eq!(h * G::Scalar::ZERO, G::identity());
                assert_eq!(h * -G::Scalar::ONE, -h);

                for point in [G::identity(), g, h, -h] {
                    let bytes = point.to_bytes();
                    assert_eq!(G::from_bytes(&bytes).unwrap(), point);
                    assert_eq!(G::from_bytes_unchecked(&bytes).unwrap(), point);
                }
                let mut bytes = G::Repr::default();
                bytes.as_mut().fill(0xff);
                assert!(bool::from(G::from_bytes(&bytes).is_none()));
            }

            /// Multiples by digits, in windows as large as they pay.
            pub(super) fn digits<G: WnafGroup>() {
                let mut last = 2;
                for count in [0, 1, 10, 1_000, 1_000_000, usize::MAX] {
                    let window = G::recommended_wnaf_for_num_scalars(count);
                    assert!((last..=22).contains(&window), "{count}: {window}");
                    last = window;
                }
                let (h, a) = (G::random(&mut Source(3)), -G::Scalar::from(9));
                let (base, scalar) = (
                    WnafBase::<G, 4>::new(h),
                    WnafScalar::<G::Scalar, 4>::new(&a),
                );
                assert_eq!(&base * &scalar, h * a);
            }

            pub(super) fn any_curve<G: PrimeCurve>()
            where
                G::$Affine: Coordinates<Curve = G, Scalar = G::Scalar> + UncompressedEncoding,
            {
                type Point<G> = <G as Curve>::$Affine;
                let mut source = Source(7);
                let mut points: Vec<G> = (0..9).map(|_| G::random(&mut source)).collect();
                (points[0], points[4], points[8]) = (G::identity(), G::identity(), G::generator());
                let mut affine = vec![Point::<G>::identity(); points.len()];
                for end in [0, 1, 4, 9] {
                    G::batch_normalize(&points[..end], &mut affine[..end]);
                }
                for (point, affine) in points.iter().zip(&affine) {
                    assert_eq!(point.to_affine(), *affine);
                    assert_eq!(affine.to_curve(), *point);
                    assert_eq!(
                        bool::from(affine.is_identity()),
                        bool::from(point.is_identity())
                    );
                    assert_eq!(*point + affine, point.double());
                    assert_eq!(*point - *affine, G::identity());
                    assert_eq!(*affine * G::Scalar::from(2), point.double());
                    assert_eq!(affine.to_bytes().as_ref(), point.to_bytes().as_ref());
                    let bytes = affine.to_uncompressed();
                    assert_eq!(Point::<G>::from_uncompressed(&bytes).unwrap(), *affine);
                    assert_eq!(
                        Point::<G>::from_uncompressed_unchecked(&bytes).unwrap(),
                        *affine
                    );
                    let bytes = affine.to_bytes();
                    assert_eq!(Point::<G>::from_bytes(&bytes).unwrap(), *affine);
                }
                assert_eq!(Point::<G>::generator().to_curve(), G::generator());
            }
        }
    };
}

programs! { version_0_14, group, Affine: group::CurveAffine }
programs! { version_0_13, group_0_13, AffineRepr: group_0_13::prime::PrimeCurveAffine }

macro_rules! tests {
    ($($name:ident: $Curve:ty $(, $digits:ident)?;)+) => {
        $(
            #[test]
            fn $name() {
                on_every_path(|_| {
                    $(version_0_14::$digits::<Jacobian<$Curve>>();
                    version_0_13::$digits::<Jacobian<$Curve>>();)?
                    version_0_14::any_group::<Jacobian<$Curve>>();
                    version_0_13::any_group::<Jacobian<$Curve>>();
                    version_0_14::any_curve::<Jacobian<$Curve>>();
                    version_0_13::any_curve::<Jacobian<$Curve>>();
                });
            }
        )+
    };
}

tests! {
    bls12_381_g1: bls12_381::G1, digits;
    bls12_381_g2: bls12_381::G2, digits;
    bn254_g1: bn254::G1, digits;
    bn254_g2: bn254::G2, digits;
    secp256k1: secp256k1::Secp256k1;
    p256: p256::P256;
    pallas: pallas::Pallas, digits;
    vesta: vesta::Vesta, digits;
}

/// Points of the curve, but not of the group, are points only for who asks for no check.
fn outside<C: Curve>(point: Affine<C>)
where
    Affine<C>: group::GroupEncoding + group::UncompressedEncoding,
    Jacobian<C>: group::GroupEncoding<Repr = <Affine<C> as group::GroupEncoding>::Repr>,
{
    use group::{GroupEncoding, UncompressedEncoding};

    let bytes = point.to_bytes();
    assert!(bool::from(Affine::<C>::from_bytes(&bytes).is_none()));
    assert!(bool::from(Jacobian::<C>::from_bytes(&bytes).is_none()));
    assert_eq!(Affine::<C>::from_bytes_unchecked(&bytes).unwrap(), point);
    let bytes = point.to_uncompressed();
    assert!(bool::from(Affine::<C>::from_uncompressed(&bytes).is_none()));
    assert_eq!(
        Affine::<C>::from_uncompressed_unchecked(&bytes).unwrap(),
        point
    );
}

#[test]
fn points_outside_the_groups_are_refused() {
    use fieldc::bn254::Fp;

    let two = fieldc::bls12_381::Fp::from_u64(2);
    outside(bls12_381::G1Affine::new(Field::ZERO, two).unwrap());
    let b = <bn254::G2 as Curve>::B;
    let points = (0_u64..).filter_map(|i| {
        let x = Fp2::new(Fp::from(i), Fp::ONE);
        Affine::<bn254::G2>::new(x, (x.square() * x + b).sqrt()?)
    });
    points.take(3).for_each(outside);
}

#[test]
#[should_panic(expected = "a place for each point")]
fn too_few_places() {
    use group::Curve;

    let g = pallas::Jacobian::GENERATOR;
    Jacobian::batch_normalize(&[g, g], &mut [pallas::Affine::INFINITY]);
}
