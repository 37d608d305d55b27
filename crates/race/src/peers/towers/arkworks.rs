//! arkworks 0.6 as published.

use ark_ec::pairing::{MillerLoopOutput, Pairing};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, BigInt, CyclotomicMultSubgroup, Field};
use fieldc::{Fp2, Fp6, Fp12};

use super::Library;
use crate::entry::{Entry, Peer};
use crate::fields::{BLS12_381_P, BN254_P};

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let has = cfg!(all(target_feature = "adx", target_feature = "bmi2"));
    let algorithm = if has { "assembly, adx" } else { "rust" };
    let version = crate::peers::version("ark-ff", "0.6");
    let peer = Peer { name: "arkworks", version, algorithm };
    super::rows::<bls12_381::Ark>(entries, &BLS12_381_P, peer);
    super::rows::<bn254::Ark>(entries, &BN254_P, peer);
}

macro_rules! library {
    ($name:ident, $ark:ident, $Engine:ident, $Curve:ident, $mul_line:ident) => {
        mod $name {
            use fieldc::curves::$name as ours;
            use fieldc::pairing::$name::$Curve;
            use fieldc::$name::Fp;
            use $ark::{Fq, Fq2, Fq6, Fq12, G1Affine, G1Projective, G2Affine, G2Projective};

            use super::*;

            pub(super) struct Ark;

            fn fp(x: Fp) -> Fq {
                Fq::new_unchecked(BigInt::new(x.to_montgomery_limbs()))
            }

            fn fp_back(x: &Fq) -> Fp {
                Fp::from_montgomery_limbs(x.0.0).expect("a canonical result")
            }

            fn fp2(x: Fp2<Fp>) -> Fq2 {
                Fq2::new(fp(x.c0), fp(x.c1))
            }

            fn fp2_back(x: &Fq2) -> Fp2<Fp> {
                Fp2::new(fp_back(&x.c0), fp_back(&x.c1))
            }

            fn fp6(x: &Fp6<Fp>) -> Fq6 {
                Fq6::new(fp2(x.c0), fp2(x.c1), fp2(x.c2))
            }

            fn fp6_back(x: &Fq6) -> Fp6<Fp> {
                Fp6::new(fp2_back(&x.c0), fp2_back(&x.c1), fp2_back(&x.c2))
            }

            impl Library for Ark {
                const HAS_PAIRING: bool = false;

                type Curve = $Curve;
                type Tower = Fq12;
                type Line = [Fq2; 3];
                type P = G1Projective;
                type PAffine = G1Affine;
                type Q = G2Projective;
                type QAffine = G2Affine;

                fn tower(x: &Fp12<Fp>) -> Fq12 {
                    Fq12::new(fp6(&x.c0), fp6(&x.c1))
                }

                fn tower_back(x: &Fq12) -> Fp12<Fp> {
                    Fp12::new(fp6_back(&x.c0), fp6_back(&x.c1))
                }

                fn line(parts: &Fp6<Fp>) -> [Fq2; 3] {
                    [fp2(parts.c0), fp2(parts.c1), fp2(parts.c2)]
                }

                fn p(x: &ours::G1Affine) -> (G1Projective, G1Affine) {
                    let affine = match x.is_infinity() {
                        true => G1Affine::zero(),
                        false => G1Affine::new_unchecked(fp(x.x()), fp(x.y())),
                    };
                    (affine.into(), affine)
                }

                fn p_back(x: &G1Projective) -> ours::G1Affine {
                    x.into_affine().xy().map_or(ours::G1Affine::INFINITY, |(x, y)| {
                        ours::G1Affine::new(fp_back(&x), fp_back(&y)).expect("on the curve")
                    })
                }

                fn q(x: &ours::G2Affine) -> (G2Projective, G2Affine) {
                    let affine = match x.is_infinity() {
                        true => G2Affine::zero(),
                        false => G2Affine::new_unchecked(fp2(x.x()), fp2(x.y())),
                    };
                    (affine.into(), affine)
                }

                fn q_back(x: &G2Projective) -> ours::G2Affine {
                    x.into_affine().xy().map_or(ours::G2Affine::INFINITY, |(x, y)| {
                        ours::G2Affine::new(fp2_back(&x), fp2_back(&y)).expect("on the curve")
                    })
                }

                fn mul(x: &mut Fq12, y: &Fq12) {
                    *x *= y;
                }

                fn square(x: &mut Fq12) {
                    x.square_in_place();
                }

                fn cyclotomic_square(x: &mut Fq12) {
                    x.cyclotomic_square_in_place();
                }

                fn mul_line(x: &mut Fq12, [a, b, c]: &[Fq2; 3]) {
                    x.$mul_line(a, b, c);
                }

                fn add_p(x: &mut G1Projective, y: &G1Affine) {
                    *x += y;
                }

                fn double_p(x: &mut G1Projective) {
                    x.double_in_place();
                }

                fn add_q(x: &mut G2Projective, y: &G2Affine) {
                    *x += y;
                }

                fn double_q(x: &mut G2Projective) {
                    x.double_in_place();
                }

                fn miller_loop(pairs: &[(G1Affine, G2Affine)]) -> Fq12 {
                    let (p, q) = (pairs.iter().map(|pair| pair.0), pairs.iter().map(|pair| pair.1));
                    $ark::$Engine::multi_miller_loop(p, q).0
                }

                fn final_exponentiation(x: &Fq12) -> Fq12 {
                    let value = $ark::$Engine::final_exponentiation(MillerLoopOutput(*x));
                    value.expect("the value is not 0").0
                }
            }
        }
    };
}

library! { bls12_381, ark_bls12_381, Bls12_381, Bls12381, mul_by_014 }
library! { bn254, ark_bn254, Bn254, Bn254, mul_by_034 }
