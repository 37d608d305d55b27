//! Points against affine formulas on big integers, and published points.
#![cfg(feature = "curves")]

mod common;

use common::{big, on_every_path};
use fieldc::curves::{Affine, Curve, Jacobian, bls12_381, bn254, p256, pallas, secp256k1, vesta};
use fieldc::{Field, Fp2, PrimeField, ShortScratch};
use num_bigint::BigUint;

/// A point of a curve over the integers modulo p; `None` is infinity.
type Point = Option<(BigUint, BigUint)>;

/// The sum by the textbook: chord and tangent.
fn sum(p: &BigUint, a: &BigUint, left: &Point, right: &Point) -> Point {
    let (Some((x1, y1)), Some((x2, y2))) = (left, right) else {
        return left.clone().or(right.clone());
    };
    let minus = |x: &BigUint, y: &BigUint| (x + p - y) % p;
    let over = |x: BigUint, y: BigUint| x * y.modinv(p).unwrap() % p;
    let slope = if x1 != x2 {
        over(minus(y2, y1), minus(x2, x1))
    } else if y1 == y2 {
        over(3_u32 * x1 * x1 + a, 2_u32 * y1)
    } else {
        return None;
    };
    let x = minus(&minus(&(&slope * &slope % p), x1), x2);
    let y = minus(&(slope * minus(x1, &x) % p), y1);
    Some((x, y))
}

/// The multiple by a number, bit by bit.
fn multiple(p: &BigUint, a: &BigUint, k: &BigUint, point: &Point) -> Point {
    (0..k.bits()).rev().fold(None, |total, i| {
        let double = sum(p, a, &total, &total);
        if k.bit(i) {
            sum(p, a, &double, point)
        } else {
            double
        }
    })
}

fn number<F: PrimeField>(x: F) -> BigUint {
    big(x.to_limbs().as_ref())
}

fn point<C: Curve<Base: PrimeField>>(x: &Affine<C>) -> Point {
    (!x.is_infinity()).then(|| (number(x.x()), number(x.y())))
}

/// The same point with another z.
fn scaled<C: Curve>(x: Affine<C>) -> Jacobian<C> {
    let x = Jacobian::from(x);
    x.double() - x
}

/// Scalars at edges, and others.
fn scalars<F: PrimeField>() -> Vec<F> {
    let mut found: Vec<F> = [0_u64, 1, 2, 3, 15, 16, 17, u64::MAX].map(F::from).into();
    found.extend([
        -F::ONE,
        -F::from(2_u64),
        (-F::ONE).square() + F::ROOT_OF_UNITY,
    ]);
    found.push(F::from_bytes_wide_le(&[0x5a; 64]));
    found
}

fn laws<C: Curve>() {
    let g = Affine::<C>::GENERATOR;
    assert!(g.is_on_curve() && g.is_in_subgroup());
    assert!(
        (Jacobian::from(g) * -C::Scalar::ONE + g).is_infinity(),
        "the order"
    );
    let all: Vec<Affine<C>> = scalars::<C::Scalar>()
        .iter()
        .map(|k| (g * *k).to_affine())
        .collect();
    for x in &all {
        assert!(x.is_on_curve() && x.is_in_subgroup());
        assert_eq!(scaled(*x).double(), scaled(*x) + scaled(*x));
        for y in &all {
            let sum = Jacobian::from(*x) + Jacobian::from(*y);
            assert_eq!(x + y, sum);
            assert_eq!(scaled(*x) + y, sum);
            assert_eq!(scaled(*x) + scaled(*y), sum);
            assert_eq!(sum - y, Jacobian::from(*x));
            assert_eq!(sum - scaled(*y), Jacobian::from(*x));
            assert_eq!(Jacobian::from(*x) == Jacobian::from(*y), x == y);
            assert!(sum.to_affine().is_on_curve());
        }
    }
    let points: Vec<Jacobian<C>> = all.iter().map(|x| scaled(*x)).collect();
    assert_eq!(points.iter().sum::<Jacobian<C>>(), all.iter().sum());
    let mut affine = vec![Affine::INFINITY; all.len()];
    let mut scratch = vec![C::Base::ZERO; 2 * all.len()];
    assert_eq!(
        Jacobian::batch_to_affine(&points, &mut affine, &mut scratch),
        Ok(())
    );
    assert_eq!(affine, all);
    let short = ShortScratch {
        expected: 2 * all.len(),
        found: 1,
    };
    let found = Jacobian::batch_to_affine(&points, &mut affine, &mut [C::Base::ZERO]);
    assert_eq!(found, Err(short));
    let (one, two) = (C::Scalar::ONE, C::Scalar::from(2_u64));
    assert_eq!(g.is_infinity(), (g * (two - one - one)).to_affine() == g);
}

/// Multiples of the generator and their sums, as big integers say them.
fn expected<C: Curve<Base: PrimeField>>(scalars: &[C::Scalar]) -> (Vec<Point>, Vec<Point>) {
    let p = big(C::Base::MODULUS.as_ref());
    let a = if C::A_IS_MINUS_3 {
        &p - 3_u32
    } else {
        BigUint::from(0_u32)
    };
    let g = point(&Affine::<C>::GENERATOR);
    let multiples: Vec<Point> = scalars
        .iter()
        .map(|k| multiple(&p, &a, &number(*k), &g))
        .collect();
    let sums = multiples
        .iter()
        .flat_map(|x| multiples.iter().map(|y| sum(&p, &a, x, y)))
        .collect();
    (multiples, sums)
}

fn against_big_integers<C: Curve<Base: PrimeField>>() {
    let scalars = scalars::<C::Scalar>();
    let (multiples, sums) = expected::<C>(&scalars);
    let g = Jacobian::<C>::GENERATOR;
    on_every_path(|kernels| {
        let ours: Vec<Affine<C>> = scalars.iter().map(|k| (g * *k).to_affine()).collect();
        let found: Vec<Point> = ours.iter().map(point).collect();
        assert_eq!(found, multiples, "{kernels:?}");
        let public = scalars.iter().map(|k| g.mul_public(k.to_limbs().as_ref()));
        let public: Vec<Point> = public.map(|x| point(&x.to_affine())).collect();
        assert_eq!(public, multiples, "{kernels:?}");
        let pairs = ours.iter().flat_map(|x| ours.iter().map(move |y| x + y));
        let found: Vec<Point> = pairs.map(|x| point(&x.to_affine())).collect();
        assert_eq!(found, sums, "{kernels:?}");
    });
}

macro_rules! tests {
    ($($name:ident: $Curve:ty, $check:ident;)+) => {
        mod laws {
            use super::*;
            $(
                #[test]
                fn $name() {
                    on_every_path(|_| super::laws::<$Curve>());
                }
            )+
        }
        $(tests! { @ $check $name $Curve })+
    };
    (@ big $name:ident $Curve:ty) => {
        #[test]
        fn $name() {
            against_big_integers::<$Curve>();
        }
    };
    (@ laws $name:ident $Curve:ty) => {};
}

tests! {
    bls12_381_g1: bls12_381::G1, big;
    bls12_381_g2: bls12_381::G2, laws;
    bn254_g1: bn254::G1, big;
    bn254_g2: bn254::G2, laws;
    secp256k1: secp256k1::Secp256k1, big;
    p256: p256::P256, big;
    pallas: pallas::Pallas, big;
    vesta: vesta::Vesta, big;
}

/// Published multiples: the number, x and y.
const SECP256K1: [(u64, &str, &str); 2] = [
    (
        2,
        "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
        "1ae168fea63dc339a3c58419466ceaeef7f632653266d0e1236431a950cfe52a",
    ),
    (
        3,
        "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
        "388f7b0f632de8140fe337e62a37f3566500a99934c2231b6cb9fd7584b8e672",
    ),
];
const P256: [(u64, &str, &str); 1] = [(
    2,
    "7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
    "07775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1",
)];

#[test]
fn published_multiples() {
    for (k, x, y) in SECP256K1 {
        let found = (secp256k1::Affine::GENERATOR * fieldc::secp256k1::Fr::from(k)).to_affine();
        assert_eq!(format!("{:x}", found.x()), x);
        assert_eq!(format!("{:x}", found.y()), y);
    }
    for (k, x, y) in P256 {
        let found = (p256::Affine::GENERATOR * p256::Fr::from(k)).to_affine();
        assert_eq!(format!("{:x}", found.x()), x);
        assert_eq!(format!("{:x}", found.y()), y);
    }
}

/// A point of the curve with the least x from some on.
fn some_point<C: Curve>(mut x: C::Base) -> Affine<C> {
    loop {
        if let Some(y) = (x.square() * x + C::B).sqrt() {
            return Affine::new(x, y).unwrap();
        }
        x += C::Base::ONE;
    }
}

#[test]
fn points_outside_the_groups_are_found() {
    use fieldc::bls12_381::{Fp, Fr};
    let order: Vec<u64> = Fr::MODULUS.into();
    for seed in 1..20_u64 {
        let x = some_point::<bls12_381::G1>(Fp::from(seed));
        let is_in = Jacobian::from(x).mul_public(&order).is_infinity();
        assert_eq!((x.is_in_subgroup(), is_in), (false, false));
        // The effective cofactor 1 - x.
        let cleared = Jacobian::from(x)
            .mul_public(&[0xd201_0000_0001_0001])
            .to_affine();
        assert!(cleared.is_in_subgroup() && !cleared.is_infinity());

        let x = some_point::<bls12_381::G2>(Fp2::new(Fp::from(seed), Fp::ONE));
        assert!(!x.is_in_subgroup() && !Jacobian::from(x).mul_public(&order).is_infinity());
        let x = some_point::<bn254::G2>(Fp2::new(seed.into(), fieldc::bn254::Fp::ONE));
        let order: Vec<u64> = fieldc::bn254::Fr::MODULUS.into();
        assert!(!x.is_in_subgroup() && !Jacobian::from(x).mul_public(&order).is_infinity());
    }
    // Of order 3: (0, 2).
    let small = bls12_381::G1Affine::new(Fp::ZERO, Fp::from(2_u64)).unwrap();
    assert!((small + small + small).is_infinity() && !small.is_in_subgroup());
}

#[test]
fn encodings_are_those_of_zcash() {
    use bls12_381::{G1Affine, G2Affine};
    for k in [1_u64, 2, 3, 4, 5] {
        for sign in [false, true] {
            let k = fieldc::bls12_381::Fr::from(k);
            let k = if sign { -k } else { k };
            let (p, q) = (
                (G1Affine::GENERATOR * k).to_affine(),
                (G2Affine::GENERATOR * k).to_affine(),
            );
            assert_eq!(G1Affine::from_compressed(&p.to_compressed()), Some(p));
            assert_eq!(G1Affine::from_uncompressed(&p.to_uncompressed()), Some(p));
            assert_eq!(G2Affine::from_compressed(&q.to_compressed()), Some(q));
            assert_eq!(G2Affine::from_uncompressed(&q.to_uncompressed()), Some(q));
            assert_ne!(p.to_compressed(), (-p).to_compressed());
            assert_ne!(q.to_compressed(), (-q).to_compressed());
        }
    }
    let g = G1Affine::GENERATOR.to_compressed();
    assert_eq!(g[..4], [0x97, 0xf1, 0xd3, 0xa7]);
    let g = G2Affine::GENERATOR.to_compressed();
    assert_eq!(g[..4], [0x93, 0xe0, 0x2b, 0x60]);
}

#[test]
fn wrong_encodings_are_refused() {
    use bls12_381::{G1Affine, G2Affine};
    let right = G1Affine::GENERATOR.to_compressed();
    let changed = |i: usize, bits: u8| {
        let mut bytes = right;
        bytes[i] ^= bits;
        G1Affine::from_compressed(&bytes)
    };
    assert_eq!(changed(0, 0x80), None, "not compressed");
    assert_eq!(changed(0, 0x40), None, "infinity with a coordinate");
    assert_eq!(changed(0, 0x20), Some(-G1Affine::GENERATOR));
    let mut infinity = [0; 48];
    for first in [0x00, 0x20, 0x40, 0x60, 0x80, 0xa0, 0xe0] {
        infinity[0] = first;
        assert_eq!(G1Affine::from_compressed(&infinity), None, "{first:x}");
    }
    infinity[0] = 0xc0;
    assert_eq!(
        G1Affine::from_compressed(&infinity),
        Some(G1Affine::INFINITY)
    );
    infinity[47] = 1;
    assert_eq!(G1Affine::from_compressed(&infinity), None);
    // x + p instead of x, and (0, 2) of order 3.
    assert_eq!(G1Affine::from_compressed(&[0x9f; 48]), None);
    let mut outside = [0; 48];
    outside[0] = 0x80;
    assert_eq!(G1Affine::from_compressed(&outside), None);

    let mut bytes = G2Affine::GENERATOR.to_uncompressed();
    bytes[191] ^= 1;
    assert_eq!(
        G2Affine::from_uncompressed(&bytes),
        None,
        "not on the curve"
    );
    let mut bytes = G1Affine::GENERATOR.to_uncompressed();
    for flags in [0x20, 0x40, 0x80, 0xc0] {
        bytes[0] ^= flags;
        assert_eq!(G1Affine::from_uncompressed(&bytes), None, "{flags:x}");
        bytes[0] ^= flags;
        bytes[48] ^= flags;
        assert_eq!(G1Affine::from_uncompressed(&bytes), None, "{flags:x} in y");
        bytes[48] ^= flags;
    }
    let mut infinity = [0; 192];
    infinity[0] = 0x40;
    assert_eq!(
        G2Affine::from_uncompressed(&infinity),
        Some(G2Affine::INFINITY)
    );
}

macro_rules! sec1 {
    ($curve:ident) => {
        use $curve::Affine;
        for k in [1_u64, 2, 3, 4, 5, 6] {
            let p = $curve::Jacobian::GENERATOR.mul_public(&[k]).to_affine();
            for p in [p, -p] {
                assert_eq!(Affine::from_sec1(&p.to_sec1_compressed()), Some(p));
                assert_eq!(Affine::from_sec1(&p.to_sec1_uncompressed()), Some(p));
            }
        }
        let mut bytes = Affine::GENERATOR.to_sec1_uncompressed();
        for first in (0..=255).filter(|first| *first != 4) {
            bytes[0] = first;
            assert_eq!(Affine::from_sec1(&bytes), None, "{first}");
        }
        (bytes[0], bytes[64]) = (4, bytes[64] ^ 1);
        assert_eq!(Affine::from_sec1(&bytes), None, "not on the curve");
        let mut bytes = Affine::GENERATOR.to_sec1_compressed();
        bytes[0] ^= 1;
        assert_eq!(Affine::from_sec1(&bytes), Some(-Affine::GENERATOR));
        for first in (0..=255).filter(|first| ![2, 3].contains(first)) {
            bytes[0] = first;
            assert_eq!(Affine::from_sec1(&bytes), None, "{first}");
        }
        assert_eq!(Affine::from_sec1(&[2; 1]), None);
        assert_eq!(Affine::from_sec1(&[]), None);
        let mut too_large = [0xff; 33];
        too_large[0] = 2;
        assert_eq!(Affine::from_sec1(&too_large), None, "not below p");
    };
}

#[test]
fn encodings_are_those_of_sec1() {
    {
        sec1! { secp256k1 }
    }
    sec1! { p256 }
}

#[cfg(feature = "subtle")]
#[test]
fn points_are_compared_and_selected() {
    use bls12_381::{G1Affine, G1Jacobian};
    use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

    let (a, b) = (G1Affine::GENERATOR, -G1Affine::GENERATOR);
    let chosen = G1Affine::conditional_select(&a, &b, Choice::from(1));
    assert!(bool::from(chosen.ct_eq(&b) & !chosen.ct_eq(&a)));
    let (a, b) = (scaled(a), G1Jacobian::from(b));
    let chosen = G1Jacobian::conditional_select(&a, &b, Choice::from(0));
    assert!(bool::from(
        chosen.ct_eq(&G1Jacobian::GENERATOR) & !chosen.ct_eq(&b)
    ));
}

#[cfg(feature = "zeroize")]
#[test]
fn points_are_erased() {
    use zeroize::Zeroize;

    let mut point = bls12_381::G2Jacobian::GENERATOR;
    point.zeroize();
    assert!(point.is_infinity());
    let mut point = bls12_381::G2Affine::GENERATOR;
    point.zeroize();
    assert!(point.x().is_zero() && point.y().is_zero());
}
