//! Sums of many multiples of points, with additions in affine coordinates.
//!
//! Buckets by signed digits, as in the rest of this module. But a bucket is an affine point, and additions
//! to different buckets wait for each other until one inversion serves all of them: a sum takes six
//! products, where one in other coordinates takes ten or more.
//!
//! Source: N. Pippenger, "On the evaluation of powers and related problems" (1976); P. L. Montgomery,
//! "Speeding the Pollard and elliptic curve methods of factorization" (1987), 10.3.1.

use super::make_digits;
use crate::short_weierstrass::{Affine, Bucket, Projective, SWCurveConfig};
use crate::AffineRepr;
use ark_ff::{AdditiveGroup, Field, PrimeField, Zero};
use ark_std::{vec, vec::Vec};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

type BigInt<P> = <<Projective<P> as crate::PrimeGroup>::ScalarField as PrimeField>::BigInt;

/// Fewer points have too few buckets to fill a batch.
const LEAST: usize = 1024;
/// Additions that share an inversion, at most.
const BATCH: usize = 512;
/// Buckets that are filled at once, if those of one window are fewer.
const BUCKETS: usize = 4096;
/// Of fewer additions an inversion takes longer than what it saves.
const FEW: usize = 16;

/// The sum of so many multiples, or None if there are too few of them.
pub(crate) fn sum_of_multiples<P: SWCurveConfig>(
    bases: &[Affine<P>],
    scalars: &[BigInt<P>],
) -> Option<Projective<P>> {
    let size = bases.len().min(scalars.len());
    if size < LEAST {
        return None;
    }
    let bits = P::ScalarField::MODULUS_BIT_SIZE as usize;
    let width = width(size, bits);
    let windows = bits.div_ceil(width);
    let digits: Vec<i64> =
        scalars[..size].iter().flat_map(|scalar| make_digits(scalar, width, bits)).collect();
    // As many windows at once as have buckets for batches with few additions to the same bucket.
    let together = (BUCKETS >> (width - 1)).max(1);
    let sums: Vec<Vec<Projective<P>>> = ark_std::cfg_into_iter!(0..windows.div_ceil(together))
        .map(|part| {
            let part = part * together..windows.min((part + 1) * together);
            let own = digits.chunks(windows).map(|digits| &digits[part.clone()]);
            sums_of_windows(bases.iter().zip(own), part.len(), width)
        })
        .collect();
    Some(sums.iter().flatten().rev().fold(Projective::zero(), |mut total, sum| {
        for _ in 0..width {
            total.double_in_place();
        }
        total + sum
    }))
}

/// The bits of a digit for which the fewest products are made. The highest digit is a shorter one, so
/// that its carry does not need a bucket more.
fn width(size: usize, bits: usize) -> usize {
    let products = |width: &usize| bits.div_ceil(*width) * (5 * size + (26 << (width - 1)));
    (8..=16).filter(|width| bits % width != 0).min_by_key(products).unwrap_or(10)
}

/// For each of some windows the sum of all points times their digits, of at most `width` bits and a
/// sign.
fn sums_of_windows<'a, P: SWCurveConfig>(
    terms: impl Iterator<Item = (&'a Affine<P>, &'a [i64])>,
    windows: usize,
    width: usize,
) -> Vec<Projective<P>> {
    let most = 1 << (width - 1);
    let mut buckets = Buckets::new(windows * most);
    let mut waiting = vec![];
    for (base, digits) in terms.filter(|(base, _)| !base.is_zero()) {
        for (window, &digit) in digits.iter().enumerate().filter(|(_, digit)| **digit != 0) {
            let point = if digit > 0 { *base } else { -*base };
            let bucket = window * most + digit.unsigned_abs() as usize - 1;
            if !buckets.takes(bucket, point) {
                waiting.push((bucket, point));
            }
        }
    }
    // As long as each turn leaves at most half of them: where most points are of few buckets, turns
    // would be many.
    let mut before = usize::MAX;
    while buckets.added.len() >= FEW && waiting.len() <= before / 2 {
        before = waiting.len();
        buckets.add_all();
        waiting.retain(|&(bucket, point)| !buckets.takes(bucket, point));
    }
    let late = buckets.late(&waiting);
    let parts = buckets.points.chunks(most).enumerate();
    parts.map(|(i, points)| sum_of_buckets(points, late.get(i * most..).unwrap_or(&[]))).collect()
}

/// The sum of (i + 1) times the points of bucket i, which are in one place or two.
fn sum_of_buckets<P: SWCurveConfig>(points: &[Affine<P>], late: &[Bucket<P>]) -> Projective<P> {
    let (mut running, mut total) = (Bucket::ZERO, Bucket::ZERO);
    for (i, point) in points.iter().enumerate().rev() {
        running += point;
        if let Some(late) = late.get(i) {
            running += late;
        }
        total += &running;
    }
    total.into()
}

/// Sums of points, each in affine coordinates.
struct Buckets<P: SWCurveConfig> {
    points: Vec<Affine<P>>,
    /// Whether a point waits to be added.
    is_busy: Vec<bool>,
    /// The buckets with such points, and the points.
    added: Vec<(usize, Affine<P>)>,
    most: usize,
}

impl<P: SWCurveConfig> Buckets<P> {
    fn new(count: usize) -> Self {
        Self {
            points: vec![Affine::identity(); count],
            is_busy: vec![false; count],
            added: Vec::with_capacity(BATCH),
            most: BATCH.min(count / 4),
        }
    }

    /// Add a point to a bucket, now or later; false if one waits there already.
    fn takes(&mut self, bucket: usize, point: Affine<P>) -> bool {
        if self.is_busy[bucket] {
            return false;
        }
        if self.points[bucket].is_zero() {
            self.points[bucket] = point;
            return true;
        }
        self.is_busy[bucket] = true;
        self.added.push((bucket, point));
        if self.added.len() == self.most {
            self.add_all();
        }
        true
    }

    /// Add all points that wait, with one inversion.
    fn add_all(&mut self) {
        let lines = self.added.iter().map(|(bucket, point)| line(&self.points[*bucket], point));
        let (mut slopes, mut runs): (Vec<_>, Vec<_>) = lines.unzip();
        P::BaseField::invert_all(&mut runs);
        P::BaseField::multiply_all(&mut slopes, &runs);
        let mut x = slopes.clone();
        P::BaseField::multiply_all(&mut x, &slopes);
        // y is the slope times (x of the bucket - x of the sum), less y of the bucket.
        let mut y = runs;
        for (((bucket, point), x), y) in self.added.iter().zip(&mut x).zip(&mut y) {
            let sum = &self.points[*bucket];
            *x -= sum.x;
            *x -= point.x;
            *y = sum.x - &*x;
        }
        P::BaseField::multiply_all(&mut y, &slopes);
        for (((bucket, point), x), y) in self.added.drain(..).zip(x).zip(y) {
            let sum = &mut self.points[bucket];
            let is_opposite = sum.x == point.x && (sum.y != point.y || sum.y.is_zero());
            *sum =
                if is_opposite { Affine::identity() } else { Affine::new_unchecked(x, y - sum.y) };
            self.is_busy[bucket] = false;
        }
    }

    /// The points that still wait, and these, by their buckets; nothing if there are none.
    fn late(&mut self, waiting: &[(usize, Affine<P>)]) -> Vec<Bucket<P>> {
        let mut late = vec![];
        for (bucket, point) in self.added.drain(..).chain(waiting.iter().copied()) {
            late.resize(self.points.len(), Bucket::ZERO);
            late[bucket] += &point;
        }
        late
    }
}

/// Rise and run of the line through two points, or of the tangent. The run is 0 for points whose sum
/// is 0, and those alone.
fn line<P: SWCurveConfig>(p: &Affine<P>, q: &Affine<P>) -> (P::BaseField, P::BaseField) {
    let run = q.x - p.x;
    if !run.is_zero() || p.y != q.y {
        return (q.y - p.y, run);
    }
    let square = p.x.square();
    (square.double() + square + P::COEFF_A, p.y.double())
}
