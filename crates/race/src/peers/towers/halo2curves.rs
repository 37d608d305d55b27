//! halo2curves: BN254, whose base field is in assembly on x86-64.

use fieldc::bn254::Fp;
use fieldc::curves::bn254 as ours;
use fieldc::pairing::bn254::Bn254;
use fieldc::{Fp2, Fp6, Fp12};
use halo2curves::bn256::{Fq, Fq2, Fq6, Fq12, G1, G1Affine, G2, G2Affine, Gt, multi_miller_loop};
use halo2curves::ff::Field;
use halo2curves::ff_ext::quadratic::QuadSparseMul;
use halo2curves::group::{Curve, Group, prime::PrimeCurveAffine};
use halo2curves::pairing::MillerLoopResult;

use super::Library;
use crate::entry::{Entry, Peer};
use crate::fields::BN254_P;

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let version = crate::peers::version("halo2curves", "");
    let algorithm = if cfg!(target_arch = "x86_64") { "assembly" } else { "rust" };
    super::rows::<Halo>(entries, &BN254_P, Peer { name: "halo2curves", version, algorithm });
}

struct Halo;

/// 2x(6x^2 + 3x + 1) for the curve's x: its pairing is the reduced one, of which ours is this power.
const POWER: [u64; 3] = [0x2e5d4e223ddedaf4, 0x1ea96b02d9d9e38d, 0x3bec47df15e307c8];

fn fp(x: Fp) -> Fq {
    Fq(x.to_montgomery_limbs())
}

fn fp_back(x: &Fq) -> Fp {
    Fp::from_montgomery_limbs(x.0).expect("a canonical result")
}

fn fp2(x: Fp2<Fp>) -> Fq2 {
    Fq2::new(fp(x.c0), fp(x.c1))
}

fn fp2_back(x: &Fq2) -> Fp2<Fp> {
    Fp2::new(fp_back(x.c0()), fp_back(x.c1()))
}

fn fp6(x: &Fp6<Fp>) -> Fq6 {
    Fq6::new(fp2(x.c0), fp2(x.c1), fp2(x.c2))
}

fn fp6_back(x: &Fq6) -> Fp6<Fp> {
    Fp6::new(fp2_back(x.c0()), fp2_back(x.c1()), fp2_back(x.c2()))
}

impl Library for Halo {
    type Curve = Bn254;
    type Tower = Fq12;
    type Line = [Fq2; 3];
    type P = G1;
    type PAffine = G1Affine;
    type Q = G2;
    type QAffine = G2Affine;

    fn tower(x: &Fp12<Fp>) -> Fq12 {
        Fq12::new(fp6(&x.c0), fp6(&x.c1))
    }

    fn tower_back(x: &Fq12) -> Fp12<Fp> {
        Fp12::new(fp6_back(x.c0()), fp6_back(x.c1()))
    }

    fn pairing_back(x: &Fq12) -> Fp12<Fp> {
        Self::tower_back(x).pow(&POWER)
    }

    fn line(parts: &Fp6<Fp>) -> [Fq2; 3] {
        [fp2(parts.c0), fp2(parts.c1), fp2(parts.c2)]
    }

    fn p(x: &ours::G1Affine) -> (G1, G1Affine) {
        let affine = match x.is_infinity() {
            true => G1Affine::identity(),
            false => G1Affine { x: fp(x.x()), y: fp(x.y()) },
        };
        (affine.into(), affine)
    }

    fn p_back(x: &G1) -> ours::G1Affine {
        let affine = x.to_affine();
        match bool::from(x.is_identity()) {
            true => ours::G1Affine::INFINITY,
            false => {
                ours::G1Affine::new(fp_back(&affine.x), fp_back(&affine.y)).expect("on the curve")
            }
        }
    }

    fn q(x: &ours::G2Affine) -> (G2, G2Affine) {
        let affine = match x.is_infinity() {
            true => G2Affine::identity(),
            false => G2Affine { x: fp2(x.x()), y: fp2(x.y()) },
        };
        (affine.into(), affine)
    }

    fn q_back(x: &G2) -> ours::G2Affine {
        let affine = x.to_affine();
        match bool::from(x.is_identity()) {
            true => ours::G2Affine::INFINITY,
            false => {
                ours::G2Affine::new(fp2_back(&affine.x), fp2_back(&affine.y)).expect("on the curve")
            }
        }
    }

    fn mul(x: &mut Fq12, y: &Fq12) {
        *x *= y;
    }

    fn square(x: &mut Fq12) {
        *x = Field::square(x);
    }

    fn cyclotomic_square(x: &mut Fq12) {
        x.cyclotomic_square();
    }

    fn mul_line(x: &mut Fq12, [a, b, c]: &[Fq2; 3]) {
        Fq12::mul_by_034(x, a, b, c);
    }

    fn add_p(x: &mut G1, y: &G1Affine) {
        *x += y;
    }

    fn double_p(x: &mut G1) {
        *x = x.double();
    }

    fn add_q(x: &mut G2, y: &G2Affine) {
        *x += y;
    }

    fn double_q(x: &mut G2) {
        *x = x.double();
    }

    fn miller_loop(pairs: &[(G1Affine, G2Affine)]) -> Fq12 {
        let pairs: Vec<(&G1Affine, &G2Affine)> = pairs.iter().map(|(p, q)| (p, q)).collect();
        multi_miller_loop(&pairs)
    }

    fn final_exponentiation(x: &Fq12) -> Fq12 {
        let value = x.final_exponentiation();
        // SAFETY: the type has one field, of this type, which nothing else shows; the checks compare
        // what is in it with ours.
        unsafe { std::mem::transmute::<Gt, Fq12>(value) }
    }
}
