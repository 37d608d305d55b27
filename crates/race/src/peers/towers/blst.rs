//! blst: C functions on its assembly.

use blst::{
    blst_final_exp, blst_fp, blst_fp2, blst_fp6, blst_fp12, blst_fp12_cyclotomic_sqr,
    blst_fp12_mul, blst_fp12_mul_by_xy00z0, blst_fp12_sqr, blst_miller_loop, blst_miller_loop_n,
    blst_p1, blst_p1_add_or_double_affine, blst_p1_affine, blst_p1_double, blst_p1_from_affine,
    blst_p1_to_affine, blst_p2, blst_p2_add_or_double_affine, blst_p2_affine, blst_p2_double,
    blst_p2_from_affine, blst_p2_to_affine,
};
use fieldc::bls12_381::Fp;
use fieldc::curves::bls12_381::{G1Affine, G2Affine};
use fieldc::pairing::bls12_381::Bls12381;
use fieldc::{Fp2, Fp6, Fp12};

use super::Library;
use crate::entry::{Entry, Peer};
use crate::fields::BLS12_381_P;

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let version = crate::peers::version("blst", "");
    let algorithm = if crate::clock::has_adx() { "assembly, adx" } else { "assembly" };
    super::rows::<Blst>(entries, &BLS12_381_P, Peer { name: "blst", version, algorithm });
}

struct Blst;

fn fp(x: &Fp) -> blst_fp {
    blst_fp { l: x.to_montgomery_limbs() }
}

fn fp_back(x: &blst_fp) -> Fp {
    Fp::from_montgomery_limbs(x.l).expect("a canonical result")
}

fn fp2(x: &Fp2<Fp>) -> blst_fp2 {
    blst_fp2 { fp: [fp(&x.c0), fp(&x.c1)] }
}

fn fp2_back(x: &blst_fp2) -> Fp2<Fp> {
    Fp2::new(fp_back(&x.fp[0]), fp_back(&x.fp[1]))
}

fn fp6(x: &Fp6<Fp>) -> blst_fp6 {
    blst_fp6 { fp2: [fp2(&x.c0), fp2(&x.c1), fp2(&x.c2)] }
}

fn fp6_back(x: &blst_fp6) -> Fp6<Fp> {
    Fp6::new(fp2_back(&x.fp2[0]), fp2_back(&x.fp2[1]), fp2_back(&x.fp2[2]))
}

/// Points of a group: ours from theirs, where (0, 0) is infinity.
macro_rules! points {
    ($there:ident, $back:ident, $Ours:ty, $P:ident, $Affine:ident, $from:ident, $to:ident,
     $part:ident, $part_back:ident) => {
        fn $there(x: &$Ours) -> ($P, $Affine) {
            let affine = $Affine { x: $part(&x.x()), y: $part(&x.y()) };
            let mut point = $P::default();
            // SAFETY: both pointers come from references.
            unsafe { $from(&mut point, &affine) };
            (point, affine)
        }

        fn $back(x: &$P) -> $Ours {
            let mut affine = $Affine::default();
            // SAFETY: both pointers come from references.
            unsafe { $to(&mut affine, x) };
            if affine == $Affine::default() {
                return <$Ours>::INFINITY;
            }
            <$Ours>::new($part_back(&affine.x), $part_back(&affine.y)).expect("on the curve")
        }
    };
}

points! {
    p1, p1_back, G1Affine, blst_p1, blst_p1_affine, blst_p1_from_affine, blst_p1_to_affine,
    fp, fp_back
}
points! {
    p2, p2_back, G2Affine, blst_p2, blst_p2_affine, blst_p2_from_affine, blst_p2_to_affine,
    fp2, fp2_back
}

/// A step by a function of some pointers, its result over the first operand.
macro_rules! call {
    ($function:ident($x:ident $(, $y:expr)*)) => {
        // SAFETY: all pointers come from references; the function allows its result over x.
        unsafe { $function($x, $x $(, $y)*) }
    };
}

impl Library for Blst {
    type Curve = Bls12381;
    type Tower = blst_fp12;
    type Line = blst_fp6;
    type P = blst_p1;
    type PAffine = blst_p1_affine;
    type Q = blst_p2;
    type QAffine = blst_p2_affine;

    fn tower(x: &Fp12<Fp>) -> blst_fp12 {
        blst_fp12 { fp6: [fp6(&x.c0), fp6(&x.c1)] }
    }

    fn tower_back(x: &blst_fp12) -> Fp12<Fp> {
        Fp12::new(fp6_back(&x.fp6[0]), fp6_back(&x.fp6[1]))
    }

    fn line(parts: &Fp6<Fp>) -> blst_fp6 {
        fp6(parts)
    }

    fn p(x: &G1Affine) -> (blst_p1, blst_p1_affine) {
        p1(x)
    }

    fn p_back(x: &blst_p1) -> G1Affine {
        p1_back(x)
    }

    fn q(x: &G2Affine) -> (blst_p2, blst_p2_affine) {
        p2(x)
    }

    fn q_back(x: &blst_p2) -> G2Affine {
        p2_back(x)
    }

    fn mul(x: &mut blst_fp12, y: &blst_fp12) {
        call!(blst_fp12_mul(x, y))
    }

    fn square(x: &mut blst_fp12) {
        call!(blst_fp12_sqr(x))
    }

    fn cyclotomic_square(x: &mut blst_fp12) {
        call!(blst_fp12_cyclotomic_sqr(x))
    }

    fn mul_line(x: &mut blst_fp12, line: &blst_fp6) {
        call!(blst_fp12_mul_by_xy00z0(x, line))
    }

    fn add_p(x: &mut blst_p1, y: &blst_p1_affine) {
        call!(blst_p1_add_or_double_affine(x, y))
    }

    fn double_p(x: &mut blst_p1) {
        call!(blst_p1_double(x))
    }

    fn add_q(x: &mut blst_p2, y: &blst_p2_affine) {
        call!(blst_p2_add_or_double_affine(x, y))
    }

    fn double_q(x: &mut blst_p2) {
        call!(blst_p2_double(x))
    }

    fn miller_loop(pairs: &[(blst_p1_affine, blst_p2_affine)]) -> blst_fp12 {
        let mut value = blst_fp12::default();
        if let [(p, q)] = pairs {
            // SAFETY: all pointers come from references.
            unsafe { blst_miller_loop(&mut value, q, p) };
            return value;
        }
        // The function for many is not for infinity. The default is 1.
        let (none, zero) = (blst_p1_affine::default(), blst_p2_affine::default());
        let finite = || pairs.iter().filter(|(p, q)| *p != none && *q != zero);
        let p: Vec<*const blst_p1_affine> = finite().map(|(p, _)| p as *const _).collect();
        let q: Vec<*const blst_p2_affine> = finite().map(|(_, q)| q as *const _).collect();
        if !p.is_empty() {
            // SAFETY: both arrays have as many pointers, which come from references.
            unsafe { blst_miller_loop_n(&mut value, q.as_ptr(), p.as_ptr(), p.len()) };
        }
        value
    }

    fn final_exponentiation(x: &blst_fp12) -> blst_fp12 {
        let mut value = blst_fp12::default();
        // SAFETY: both pointers come from references.
        unsafe { blst_final_exp(&mut value, x) };
        value
    }
}
