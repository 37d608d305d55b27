//! Sums of multiples of many points, and transforms.

use std::rc::Rc;

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::UniformRand;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use race::chain::Element;
use race::operand::Form;

use crate::elements::{bit, limbs};

/// The most points that are summed up.
const MOST: usize = 1 << 14;
/// Values of a transform.
const VALUES: usize = 1 << 14;

/// Always the same numbers for an operand, other ones for another.
pub(crate) fn random(operand: &[u64]) -> StdRng {
    StdRng::seed_from_u64(operand.iter().fold(0, |seed: u64, limb| seed.rotate_left(7) ^ limb))
}

/// N scalars and the last sum of multiples of points, which decides which points are next.
#[derive(Clone)]
pub(crate) struct Sum<const N: usize> {
    points: Rc<[G1Affine]>,
    scalars: Rc<[Fr]>,
    value: G1Projective,
}

impl<const N: usize> Sum<N> {
    pub(crate) fn step(x: &mut Self, y: &Self) {
        let first = usize::from(bit(&x.value.x));
        let points = &x.points[first..first + N];
        x.value = G1Projective::msm(points, &y.scalars).expect("as many scalars");
    }
}

impl<const N: usize> Element for Sum<N> {
    const FORM: Form = Form::Plain;

    fn load(operand: &[u64]) -> Self {
        let random = &mut random(operand);
        let scalars = (0..N).map(|_| Fr::rand(random)).collect();
        Self { points: points(), scalars, value: G1Projective::default() }
    }

    fn store(&self) -> Vec<u64> {
        let value = self.value.into_affine();
        value.xy().map_or(vec![], |(x, y)| [limbs(x), limbs(y)].concat())
    }
}

/// One point more than are summed up, the same for everyone.
fn points() -> Rc<[G1Affine]> {
    thread_local! {
        static POINTS: Rc<[G1Affine]> = {
            let random = &mut StdRng::seed_from_u64(4);
            let (mut point, step) = (G1Projective::rand(random), G1Projective::rand(random));
            let mut points = vec![];
            for _ in 0..=MOST {
                points.push(point);
                point += step;
            }
            G1Projective::normalize_batch(&points).into()
        };
    }
    POINTS.with(Rc::clone)
}

/// Values, their transform, and room for it; a value of the last one is added to the next.
#[derive(Clone)]
pub(crate) struct Transform {
    domain: Radix2EvaluationDomain<Fr>,
    values: Rc<[Fr]>,
    transformed: Vec<Fr>,
}

impl Transform {
    pub(crate) fn step(x: &mut Self, y: &Self) {
        let last = x.transformed[1];
        x.transformed.copy_from_slice(&y.values);
        x.transformed[0] += last;
        x.domain.fft_in_place(&mut x.transformed);
    }
}

impl Element for Transform {
    const FORM: Form = Form::Plain;

    fn load(operand: &[u64]) -> Self {
        let random = &mut random(operand);
        let domain = Radix2EvaluationDomain::new(VALUES).expect("p - 1 is a multiple of 2^32");
        let values: Rc<[Fr]> = (0..VALUES).map(|_| Fr::rand(random)).collect();
        Self { domain, transformed: values.to_vec(), values }
    }

    fn store(&self) -> Vec<u64> {
        self.transformed.iter().flat_map(|value| limbs(*value)).collect()
    }
}
