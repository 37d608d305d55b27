//! Plonky3's Goldilocks and its primes of 31 bits: one at a time, and arrays in packed fields, whose
//! width follows from what the compiler may use. An element is a number of 64 or 32 bits. That of
//! Goldilocks is below p or not, that of 2^31 - 1 at most p.

use p3_baby_bear::BabyBear;
use p3_field::{Field, PackedValue, PrimeCharacteristicRing, PrimeField32, PrimeField64};
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use p3_mersenne_31::Mersenne31;

use crate::chain::Element;
use crate::entry::Range::{self, Canonical, Lazy};
use crate::entry::{Entry, Peer, Rows};
use crate::fields::{self, BABYBEAR, GOLDILOCKS, KOALABEAR, MERSENNE31};
use crate::operand::Form;

/// Products that share a reduction in inner products of packed fields.
const TOGETHER: usize = 8;

macro_rules! elements {
    ($($Fp:ident, $Word:ty, $canonical:ident;)+) => {
        $(
            impl Element for $Fp {
                const FORM: Form = Form::Plain;

                fn load(limbs: &[u64]) -> Self {
                    Self::new(limbs[0] as $Word)
                }

                fn store(&self) -> Vec<u64> {
                    vec![self.$canonical().into()]
                }
            }
        )+
    };
}

elements! {
    Goldilocks, u64, as_canonical_u64;
    BabyBear, u32, as_canonical_u32;
    KoalaBear, u32, as_canonical_u32;
    Mersenne31, u32, as_canonical_u32;
}

/// All products, in packs and then one by one.
fn array_mul<F: Field>(x: &mut [F], y: &[F]) -> F {
    let (packs, rest) = F::Packing::pack_slice_with_suffix_mut(x);
    let (others, last) = F::Packing::pack_slice_with_suffix(y);
    packs.iter_mut().zip(others).for_each(|(x, y)| *x *= *y);
    rest.iter_mut().zip(last).for_each(|(x, y)| *x *= *y);
    x[x.len() - 1]
}

/// The sum of all products: one for each lane, and then of these.
fn inner_product<F: Field>(x: &[F], y: &[F]) -> F {
    let (packs, rest) = F::Packing::pack_slice_with_suffix(x);
    let (others, last) = F::Packing::pack_slice_with_suffix(y);
    let lanes = packs.iter().zip(others).fold(F::Packing::ZERO, |sum, (x, y)| sum + *x * *y);
    total(lanes, rest, last)
}

/// The same, by the packed fields' own inner products of a few packs.
fn inner_product_together<F: Field>(x: &[F], y: &[F]) -> F {
    let (packs, rest) = F::Packing::pack_slice_with_suffix(x);
    let (others, last) = F::Packing::pack_slice_with_suffix(y);
    let (groups, few) = packs.as_chunks::<TOGETHER>();
    let (other_groups, other_few) = others.as_chunks::<TOGETHER>();
    let lanes = groups
        .iter()
        .zip(other_groups)
        .fold(F::Packing::ZERO, |sum, (x, y)| sum + F::Packing::dot_product(x, y));
    let lanes = few.iter().zip(other_few).fold(lanes, |sum, (x, y)| sum + *x * *y);
    total(lanes, rest, last)
}

fn total<F: Field>(lanes: F::Packing, rest: &[F], last: &[F]) -> F {
    let sum = lanes.as_slice().iter().copied().sum::<F>();
    rest.iter().zip(last).fold(sum, |sum, (x, y)| sum + *x * *y)
}

/// The rows of a field that are not of packs.
fn single<'a, F: Field + Element>(
    entries: &'a mut Vec<Entry>,
    field: &'static fields::Field,
    package: &str,
    range: Range,
) -> Rows<'a> {
    let version = super::version(package, "");
    let peer = Peer { name: "Plonky3", version, algorithm: "rust" };
    let mut rows = Rows::new(entries, field, peer);
    rows.inlined("mul", range, |x: &mut F, y| *x *= *y)
        .inlined("square", range, |x: &mut F, _| *x = x.square())
        .inlined("add", range, |x: &mut F, y| *x += *y)
        .inlined("sub", range, |x: &mut F, y| *x -= *y)
        .horner(range, |x: &F, y, z| *x * *y + *z)
        .called("inverse", range, |x: &mut F, y| {
            *x = (*x + *y).try_inverse().unwrap_or(F::ZERO);
        })
        .code("rust, packed");
    rows
}

/// The rows of a prime of 31 bits.
fn short<F: PrimeField32 + Element>(
    entries: &mut Vec<Entry>,
    field: &'static fields::Field,
    package: &str,
    range: Range,
) {
    single::<F>(entries, field, package, range)
        .in_both_lengths("array_mul", range, |x: &mut [F], y: &[F]| array_mul(x, y))
        .in_both_lengths("inner_product", range, |x: &mut [F], y: &[F]| inner_product(x, y))
        .code("rust, packed, 8 together")
        .in_both_lengths("inner_product", range, |x: &mut [F], y: &[F]| {
            inner_product_together(x, y)
        });
}

pub(super) fn enter(entries: &mut Vec<Entry>) {
    single::<Goldilocks>(entries, &GOLDILOCKS, "p3-goldilocks", Lazy)
        .array("array_mul", Lazy, |x: &mut [Goldilocks], y| array_mul(x, y))
        .array("inner_product", Lazy, |x: &mut [Goldilocks], y| inner_product(x, y));
    short::<BabyBear>(entries, &BABYBEAR, "p3-baby-bear", Canonical);
    short::<KoalaBear>(entries, &KOALABEAR, "p3-koala-bear", Canonical);
    short::<Mersenne31>(entries, &MERSENNE31, "p3-mersenne-31", Lazy);
}
