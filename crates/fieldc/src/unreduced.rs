//! What sums of products are kept in, as words that are reduced once.

use core::marker::PhantomData;
use core::mem::transmute_copy;

use crate::assembly::{HasProducts, Products};
use crate::limbs::{adc, mac, wide_product};
use crate::wide;

/// What the sums of a field type are kept in.
pub trait HasSums: Sized {
    /// Sums of products of elements.
    type Products: Sum<Element = Self, Factor = Self>;
    /// Sums of products with integers of a limb.
    type Multiples: Sum<Element = Self, Factor = u64>;
}

/// A sum of products that is not reduced.
pub trait Sum: Copy {
    /// The field type.
    type Element;
    /// What elements are multiplied by.
    type Factor;
    /// The empty sum.
    const ZERO: Self;

    /// One product more.
    fn add(&mut self, x: &Self::Element, y: &Self::Factor);
    /// The sum as an element.
    fn reduced(&self) -> Self::Element;
}

/// low + 2^(64N)*high + 2^(128N)*top, the sum of at most 2^64 products.
#[derive(Clone, Copy)]
pub struct ProductSum<const N: usize, F> {
    low: [u64; N],
    high: [u64; N],
    top: u64,
    field: PhantomData<F>,
}

impl<const N: usize, F: HasProducts<N> + Copy> Sum for ProductSum<N, F> {
    type Element = F;
    type Factor = F;
    const ZERO: Self = Self {
        low: [0; N],
        high: [0; N],
        top: 0,
        field: PhantomData,
    };

    #[inline(always)]
    fn add(&mut self, x: &F, y: &F) {
        let (low, high) = wide_product(limbs_of(x), limbs_of(y));
        let mut carry = false;
        for (sum, limb) in self
            .low
            .iter_mut()
            .chain(&mut self.high)
            .zip(low.iter().chain(&high))
        {
            (*sum, carry) = adc(*sum, *limb, carry);
        }
        self.top = self.top.wrapping_add(u64::from(carry));
    }

    #[inline]
    fn reduced(&self) -> F {
        let chunks = [padded(&[self.top]), self.high, self.low];
        element(&wide::folded::<N, F>(chunks.into_iter()))
    }
}

/// low + 2^(64N)*high, the sum of at most 2^64 products with integers of a limb.
#[derive(Clone, Copy)]
pub struct MultipleSum<const N: usize, F> {
    low: [u64; N],
    high: [u64; 2],
    field: PhantomData<F>,
}

impl<const N: usize, F: HasProducts<N> + Copy> Sum for MultipleSum<N, F> {
    type Element = F;
    type Factor = u64;
    const ZERO: Self = Self {
        low: [0; N],
        high: [0; 2],
        field: PhantomData,
    };

    #[inline(always)]
    fn add(&mut self, x: &F, k: &u64) {
        let mut carry = 0;
        for (sum, limb) in self.low.iter_mut().zip(limbs_of(x)) {
            (*sum, carry) = mac(*sum, *limb, *k, carry);
        }
        let (sum, above) = adc(self.high[0], carry, false);
        self.high = [sum, self.high[1].wrapping_add(u64::from(above))];
    }

    #[inline]
    fn reduced(&self) -> F {
        let high = self.high.chunks(N).rev().map(padded);
        let total = wide::folded::<N, F>(high.chain([self.low]));
        if F::PLAIN {
            return element(&total);
        }
        element(&F::Kernels::mul::<F>(&total, &F::R2))
    }
}

/// At most N limbs, and zeros above them.
fn padded<const N: usize>(limbs: &[u64]) -> [u64; N] {
    core::array::from_fn(|i| limbs.get(i).copied().unwrap_or(0))
}

/// The limbs of an element.
#[inline(always)]
fn limbs_of<const N: usize, F: HasProducts<N>>(x: &F) -> &[u64; N] {
    // SAFETY: an element is nothing but its limbs, as its implementation promises.
    unsafe { &*core::ptr::from_ref(x).cast() }
}

/// The element of limbs that are below p.
#[inline(always)]
fn element<const N: usize, F: HasProducts<N>>(limbs: &[u64; N]) -> F {
    // SAFETY: an element is nothing but its limbs, and these are below p.
    unsafe { transmute_copy(limbs) }
}
