//! What only some moduli have, as types: a program that needs it and has not got it does not pass
//! the compiler's check.

use crate::generated::LAZY_FULL_TOP;
use crate::lazy_kernels::{HasLazy, Ring};
use crate::modulus::Modulus;
use crate::prime_field::PrimeField;

/// What `field!` says of a type. Whoever needs a condition asks for a trait that has it.
pub trait Conditions: Copy {
    /// Values below 2p.
    type Ring: Ring<Element = Self>;
    /// Whether values below 2p stay there.
    type TwoSpareBits;
    /// Whether -1 is no square.
    type MinusOne;
}

/// Whether 4p < 2^(64N).
pub struct TwoSpareBits<const HOLDS: bool>;

/// A modulus with 4p < 2^(64N).
#[diagnostic::on_unimplemented(
    message = "`Lazy` needs a modulus with two spare bits",
    label = "only where 4p < 2^(64*LIMBS) do values below 2p stay there",
    note = "compute with the field type itself"
)]
pub trait HasTwoSpareBits {}

impl HasTwoSpareBits for TwoSpareBits<true> {}

/// Whether 4p < 2^(64N).
pub const fn has_two_spare_bits<const N: usize, M: Modulus<N>>() -> bool {
    M::P[N - 1] < LAZY_FULL_TOP
}

impl<F: Conditions<TwoSpareBits: HasTwoSpareBits>> HasLazy for F {
    type Ring = F::Ring;
}

/// Whether -1 is no square.
pub struct MinusOne<const IS_NO_SQUARE: bool>;

/// A modulus of which -1 is no square.
#[diagnostic::on_unimplemented(
    message = "`Fp2` needs a prime that is 3 modulo 4",
    label = "-1 is a square modulo this one, so u^2 = -1 makes no field"
)]
pub trait IsNoSquare {}

impl IsNoSquare for MinusOne<true> {}

/// Whether p = 3 modulo 4.
pub const fn has_no_root_of_minus_one<const N: usize, M: Modulus<N>>() -> bool {
    M::P[0] % 4 == 3
}

/// A prime field where -1 is no square, p = 3 modulo 4: what [`Fp2`](crate::Fp2) extends.
pub trait HasFp2: PrimeField {}

impl<F: PrimeField + Conditions<MinusOne: IsNoSquare>> HasFp2 for F {}
