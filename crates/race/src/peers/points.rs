//! Points of curves that have no pairing here. Values are made by ours, alike for all, and come
//! back to ours to be compared.

use std::marker::PhantomData;

use fieldc::PrimeField;
use fieldc::curves::{Affine, Curve, Jacobian, p256 as ours_p256, pallas, secp256k1, vesta};
use k256::elliptic_curve::sec1::{FromEncodedPoint, ToEncodedPoint};
use pasta_curves::arithmetic::CurveAffine;
use pasta_curves::group::{Curve as _, Group, prime::PrimeCurveAffine};

use crate::chain::Element;
use crate::entry::Range::Canonical;
use crate::entry::{Entry, OURS, Peer, Rows};
use crate::fields::{Field, P256_P, PALLAS_P, SECP256K1_P, VESTA_P};
use crate::operand::Form;

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let version = super::version("fieldc", "");
    let peer = Peer { name: OURS, version, algorithm: crate::curves::kernels() };
    rows::<Ours<secp256k1::Secp256k1>>(entries, &SECP256K1_P, peer);
    rows::<Ours<ours_p256::P256>>(entries, &P256_P, peer);
    rows::<Ours<pallas::Pallas>>(entries, &PALLAS_P, peer);
    rows::<Ours<vesta::Vesta>>(entries, &VESTA_P, peer);
    let peer = |name, algorithm| Peer { name, version: super::version(name, ""), algorithm };
    rows::<K256>(entries, &SECP256K1_P, peer("k256", "rust, 5 x 52"));
    rows::<P256>(entries, &P256_P, peer("p256", "rust"));
    rows::<Pallas>(entries, &PALLAS_P, peer("pasta_curves", "rust"));
    rows::<Vesta>(entries, &VESTA_P, peer("pasta_curves", "rust"));
}

/// The element of a number in limbs.
pub(super) fn element<F: PrimeField>(limbs: &[u64]) -> F {
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    F::from_bytes_wide_le(&bytes)
}

/// The limbs of elements, one after the other.
pub(super) fn limbs<F: PrimeField>(parts: &[F]) -> Vec<u64> {
    parts.iter().flat_map(|part| part.to_limbs().as_ref().to_vec()).collect()
}

/// The multiple of the generator by a number in limbs.
pub(super) fn multiple<C: Curve>(limbs: &[u64]) -> Affine<C> {
    (Jacobian::<C>::GENERATOR * element::<C::Scalar>(limbs)).to_affine()
}

/// What a library has of a curve, with its own types.
trait Points: 'static {
    /// The curve, by our name.
    type Curve: Curve<Base: PrimeField>;
    type Point: Clone + 'static;
    type Affine: Clone + 'static;

    fn given(x: &Affine<Self::Curve>) -> (Self::Point, Self::Affine);
    fn back(x: &Self::Point) -> Affine<Self::Curve>;
    fn add(x: &mut Self::Point, y: &Self::Affine);
    fn double(x: &mut Self::Point);
}

/// A point, once as a sum and once as an operand.
struct On<L: Points> {
    point: L::Point,
    affine: L::Affine,
}

impl<L: Points> Clone for On<L> {
    fn clone(&self) -> Self {
        Self { point: self.point.clone(), affine: self.affine.clone() }
    }
}

impl<L: Points> Element for On<L> {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let (point, affine) = L::given(&multiple(limbs));
        Self { point, affine }
    }

    fn store(&self) -> Vec<u64> {
        let point = L::back(&self.point);
        limbs(&[point.x(), point.y()])
    }
}

fn rows<L: Points>(entries: &mut Vec<Entry>, field: &'static Field, peer: Peer) {
    Rows::new(entries, field, peer)
        .called("g1_add", Canonical, |x: &mut On<L>, y| L::add(&mut x.point, &y.affine))
        .called("g1_double", Canonical, |x: &mut On<L>, _| L::double(&mut x.point));
}

/// Ours.
struct Ours<C>(PhantomData<C>);

impl<C: Curve<Base: PrimeField>> Points for Ours<C> {
    type Curve = C;
    type Point = Jacobian<C>;
    type Affine = Affine<C>;

    fn given(x: &Affine<C>) -> (Jacobian<C>, Affine<C>) {
        ((*x).into(), *x)
    }

    fn back(x: &Jacobian<C>) -> Affine<C> {
        x.to_affine()
    }

    fn add(x: &mut Jacobian<C>, y: &Affine<C>) {
        *x += y;
    }

    fn double(x: &mut Jacobian<C>) {
        *x = x.double();
    }
}

/// The curves of RustCrypto, by their encodings. Their points are homogeneous, their sums complete.
macro_rules! encoded {
    ($($Name:ident = $library:ident, $ours:ident::$Curve:ident;)+) => {
        $(
            struct $Name;

            impl Points for $Name {
                type Curve = $ours::$Curve;
                type Point = $library::ProjectivePoint;
                type Affine = $library::AffinePoint;

                fn given(x: &Affine<$ours::$Curve>) -> (Self::Point, Self::Affine) {
                    let affine = match x.is_infinity() {
                        true => Self::Affine::IDENTITY,
                        false => {
                            let bytes = x.to_sec1_uncompressed();
                            let point = $library::EncodedPoint::from_bytes(bytes).expect("a point");
                            Self::Affine::from_encoded_point(&point).expect("on the curve")
                        }
                    };
                    (affine.into(), affine)
                }

                fn back(x: &Self::Point) -> Affine<$ours::$Curve> {
                    let affine = x.to_affine();
                    match affine == Self::Affine::IDENTITY {
                        true => Affine::INFINITY,
                        false => {
                            let point = affine.to_encoded_point(false);
                            Affine::<$ours::$Curve>::from_sec1(point.as_bytes()).expect("a canonical result")
                        }
                    }
                }

                fn add(x: &mut Self::Point, y: &Self::Affine) {
                    *x += y;
                }

                fn double(x: &mut Self::Point) {
                    *x = x.double();
                }
            }
        )+
    };
}

encoded! {
    K256 = k256, secp256k1::Secp256k1;
    P256 = p256, ours_p256::P256;
}

/// The curves of pasta_curves, by their coordinates.
macro_rules! pasta {
    ($($Name:ident = $Point:ident, $Affine:ident, $Base:ident, $ours:ident::$Curve:ident;)+) => {
        $(
            struct $Name;

            impl Points for $Name {
                type Curve = $ours::$Curve;
                type Point = pasta_curves::$Point;
                type Affine = pasta_curves::$Affine;

                fn given(x: &Affine<$ours::$Curve>) -> (Self::Point, Self::Affine) {
                    let load = |part: &[u64]| <pasta_curves::$Base as Element>::load(part);
                    let affine = match x.is_infinity() {
                        true => Self::Affine::identity(),
                        false => {
                            let (x, y) = (load(&limbs(&[x.x()])), load(&limbs(&[x.y()])));
                            Self::Affine::from_xy(x, y).expect("on the curve")
                        }
                    };
                    (affine.into(), affine)
                }

                fn back(x: &Self::Point) -> Affine<$ours::$Curve> {
                    match Option::from(x.to_affine().coordinates()) {
                        None => Affine::INFINITY,
                        Some(point) => {
                            let point: pasta_curves::arithmetic::Coordinates<Self::Affine> = point;
                            Affine::new(element(&point.x().store()), element(&point.y().store()))
                                .expect("on the curve")
                        }
                    }
                }

                fn add(x: &mut Self::Point, y: &Self::Affine) {
                    *x += y;
                }

                fn double(x: &mut Self::Point) {
                    *x = Group::double(x);
                }
            }
        )+
    };
}

pasta! {
    Pallas = Ep, EpAffine, Fp, pallas::Pallas;
    Vesta = Eq, EqAffine, Fq, vesta::Vesta;
}
