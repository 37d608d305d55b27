//! Arithmetic modulo primes, on kernels that the compiler `fieldc` generated.
//!
//! ```
//! use fieldc::bls12_381::Fp;
//!
//! let x = Fp::from_u64(3);
//! let y = x.square() + Fp::ONE;
//! assert_eq!(y, Fp::from_u64(10));
//! assert_eq!(y - y, Fp::ZERO);
//!
//! // Decoding takes canonical encodings only.
//! assert_eq!(Fp::from_bytes_be(&y.to_bytes_be()), Ok(y));
//! assert!(Fp::from_bytes_be(&[0xff; Fp::BYTES]).is_err());
//! ```
//!
//! Inverses, powers and roots, and numbers of any length and as text:
//!
//! ```
//! use fieldc::bls12_381::Fp;
//! use fieldc::{inner_product, slices};
//!
//! let x: Fp = "1234567890".parse()?;
//! let inverse = x.invert().expect("x is not 0");
//! assert_eq!(inverse * x, Fp::ONE);
//! assert_eq!(Fp::ZERO.invert(), None);
//!
//! assert_eq!(x.square().sqrt(), Some(x)); // of x and -x the even one
//! assert_eq!(x.pow_u64(3), x * x * x);
//!
//! let mut elements = [x, Fp::ZERO, x + x];
//! slices::batch_invert(&mut elements);
//! assert_eq!(elements, [inverse, Fp::ZERO, Fp::ONE / (x + x)]);
//!
//! let y = inner_product(&[x, x], &[inverse, Fp::ONE]);
//! assert_eq!(y, Fp::ONE + x);
//! assert_eq!(Fp::from_hex("499602d2"), Ok(x));
//! assert_eq!(Fp::from_bytes_wide_le(&[1; 100]).double(), Fp::from_bytes_wide_be(&[2; 100]));
//! assert_ne!(Fp::random_from(|bytes| bytes.fill(4)), x); // the source's bytes go here
//! # Ok::<(), fieldc::DecodeError>(())
//! ```
//!
//! [`slices`] computes with whole slices, [`Fp2`] is the quadratic extension of a prime field;
//! [`Fp6`] and [`Fp12`] are those of pairings, see [`tower`]. [`Field`] and [`PrimeField`] are traits
//! for generic code. With the feature `curves` there are points of the named curves, the module
//! `curves`; with `pairing` the pairings of BLS12-381 and BN254, the module `pairing`.
//!
//! Where the modulus has two spare bits, [`Lazy`] keeps values below 2p, and products leave out a
//! subtraction; it is a type of its own. The fields of many curves are here by name; [`field!`] makes
//! a type of any other odd prime. With the feature `alloc`, `DigitArray` is an array that stays in the
//! form in which vectors compute, from one operation to the next.
//!
//! The crate is `no_std`, allocates nothing but for that array, and has no build script. It finds out once what the
//! processor has: with BMI2 or on AArch64 it runs assembly, else, or with the feature `portable`, portable Rust (see
//! [`Kernels`]). No branch and no address depends on an element; they may on what is public: an exponent, a length, a text.
//!
//! # Traits of other crates
//!
//! Each needs a feature of its name, none of which is on by default:
//!
//! | feature | every field gets |
//! |---|---|
//! | `subtle` | `ConstantTimeEq`, `ConditionallySelectable`, `ConstantTimeGreater` and `ConstantTimeLess`; the order is that of the numbers below p |
//! | `zeroize` | `Zeroize` |
//! | `serde` | `Serialize` and `Deserialize`: the number, most significant byte first, as text in formats for humans; what is not canonical is refused |
//! | `rand_core` | `from_rng` and `try_from_rng`, for generators of rand_core 0.10 |
//! | `ff`, `ff-0-13` | `Field` of ff 0.14 or 0.13; with a generator `PrimeField`, `FromUniformBytes` and `WithSmallOrderMulGroup` too |
//! | `group`, `group-0-13` | points, not fields, get `Group`, `PrimeCurve` and more of group 0.14 or 0.13: the module `curves` |
//! | `num-traits` | `Zero`, `One`, `Inv`, `Pow` and `MulAdd` |
//! | `bytemuck` | `Zeroable`, `NoUninit` and `CheckedBitPattern`, of the limbs that elements are kept in |
//! | `arbitrary`, `proptest` | `Arbitrary` |
//! | `digest` | hashing by RFC 9380: the module `hash` |
//! | `bits` | `PrimeFieldBits` of the versions of ff that are on |
//! | `ark-ff` | with a generator `MontConfig` of ark-ff 0.6: a field of arkworks on these kernels, and `From` both ways |
//!
//! Some methods of `ff` have the names of the elements' own. Where the type is known the own one is
//! called, `Fp::ONE.is_zero()` is a `bool`; generic code gets the trait's, which is a `Choice`.
//!
//! ```
//! # #[cfg(feature = "ff")] {
//! use fieldc::bls12_381::Fr;
//! use ff::{Field, FromUniformBytes, PrimeField};
//!
//! fn inverse_of_two<F: PrimeField>() -> F {
//!     F::ONE.double().invert().unwrap()
//! }
//!
//! assert_eq!(inverse_of_two::<Fr>(), Fr::TWO_INV);
//! assert_eq!(Fr::from_uniform_bytes(&[0; 64]), Fr::ZERO);
//! # }
//! ```
//!
//! `FromUniformBytes` is there for every number of bytes that makes a uniform element, at least 128
//! bits more than p has. Fewer are an error when the call is compiled:
//!
#![cfg_attr(not(feature = "ff"), doc = "```ignore")]
#![cfg_attr(feature = "ff", doc = "```compile_fail,E0080")]
//! use ff::FromUniformBytes;
//!
//! fieldc::bls12_381::Fr::from_uniform_bytes(&[0; 47]);
//! ```
//!
//! With `ark-ff` a field type is the configuration of a field of arkworks, whose elements have the
//! same limbs:
//!
//! ```
//! # #[cfg(feature = "ark-ff")] {
//! use ark_ff::{Field, Fp384, MontBackend};
//! use fieldc::bls12_381::Fp;
//!
//! type Fq = Fp384<MontBackend<Fp, 6>>;
//!
//! let x = Fq::from(3);
//! assert_eq!(x.square() + x * x, Fq::from(18));
//! assert_eq!(Fp::from(x), Fp::from_u64(3));
//! assert_eq!(Fq::from(Fp::from_u64(3).invert().unwrap()), x.inverse().unwrap());
//! # }
//! ```

#![no_std]
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]
#![allow(
    clippy::op_ref,
    reason = "operands by value are copied, and a kernel's loads wait for the copy"
)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod accumulator;
mod addition;
mod arithmetic;
mod array_operation;
mod arrays;
mod assembly;
mod available;
mod batch;
mod chains;
mod conditions;
mod constant;
mod constants;
mod conversions;
#[cfg(feature = "curves")]
pub mod curves;
mod decode;
#[cfg(feature = "alloc")]
mod digit_array;
#[cfg(feature = "alloc")]
mod digit_calls;
mod digit_inversion;
mod digit_rows;
mod digits;
mod divsteps;
mod extension;
mod field;
mod forward;
pub mod fp2;
mod generator;
// The generator prints it; `cargo fmt` would only make its own check fail.
#[rustfmt::skip]
#[allow(
    named_asm_labels,
    reason = "an object defines each once, and says so to the linker"
)]
#[allow(
    clippy::extra_unused_type_parameters,
    reason = "kernels without constants of a modulus are called as all others"
)]
#[deny(
    clippy::missing_inline_in_public_items,
    reason = "a field's code is compiled where it is used, not with the crate"
)]
mod generated;
mod generic;
#[cfg(feature = "digest")]
pub mod hash;
mod inversion;
mod kernels;
mod lazy;
mod lazy_kernels;
mod limb_inversion;
mod limbs;
#[cfg(all(
    any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little")
    ),
    not(feature = "portable"),
    not(miri)
))]
mod machine;
#[cfg(not(all(
    any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little")
    ),
    not(feature = "portable"),
    not(miri)
)))]
#[path = "machine/portable.rs"]
mod machine;
mod modulus;
mod montgomery;
mod ntt;
mod operations;
#[cfg(feature = "pairing")]
pub mod pairing;
mod parse;
mod plain;
mod portable;
mod portable_products;
mod power;
mod primality;
mod prime_field;
mod residues;
mod root;
mod running;
pub mod slices;
mod small;
#[cfg(feature = "sources")]
#[doc(hidden)]
pub mod sources;
mod standard_traits;
mod sum;
mod tiles;
mod torsion;
pub mod tower;
mod traits;
mod unreduced;
#[cfg(all(
    feature = "vectors",
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(target_os = "uefi"),
    not(feature = "portable"),
    not(miri)
))]
mod vector_kernels;
#[cfg(all(
    feature = "vectors",
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(target_os = "uefi"),
    not(feature = "portable"),
    not(miri)
))]
mod vectors;
#[cfg(not(all(
    feature = "vectors",
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(target_os = "uefi"),
    not(feature = "portable"),
    not(miri)
)))]
#[path = "no_vectors.rs"]
#[allow(
    dead_code,
    clippy::extra_unused_type_parameters,
    reason = "what other builds ask has one answer here"
)]
mod vectors;
mod wide;

pub use accumulator::{Accumulator, IntegerAccumulator};
pub use batch::ShortScratch;
pub use decode::DecodeError;
#[cfg(feature = "alloc")]
pub use digit_array::DigitArray;
pub use fp2::Fp2;
pub use generated::fields::*;
pub use generic::{Field, Operators};
pub use kernels::Kernels;
pub use lazy::Lazy;
pub use modulus::Modulus;
pub use ntt::Ntt;
pub use prime_field::PrimeField;
pub use running::Unavailable;
pub use slices::inner_product;
pub use tower::{Fp6, Fp12, HasTower};
#[cfg(any(feature = "ff", feature = "ff-0-13"))]
pub use traits::Repr;

/// The examples of the page that a reader of the repository or of crates.io sees.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What [`field!`] expands to; not for use.
#[doc(hidden)]
pub mod __private {
    use crate::assembly::Products;

    pub use crate::array_operation::Operation;
    pub use crate::arrays::{butterfly_in_vectors, in_vectors, inner_product_in_vectors, least};
    pub use crate::assembly::{HasProducts, Shape};
    pub use crate::batch::batch_invert;
    pub use crate::conditions::{
        Conditions, MinusOne, TwoSpareBits, has_no_root_of_minus_one, has_two_spare_bits,
    };
    pub use crate::constant::{const_add, const_invert, const_mul, const_sub, from_u128};
    pub use crate::digits::{Digits, digits};
    pub use crate::extension::{fp2_mul, fp2_square};
    pub use crate::generator::{
        Generated, LeastRoot, is_non_residue, least_non_residue, small_order, three_adicity,
        two_adicity, two_inverse,
    };
    pub use crate::inversion::invert;
    pub use crate::lazy_kernels::{LazyRing, lazy_class};
    pub use crate::limbs::{
        exactly, from_bytes_be, from_bytes_le, hex, is_equal, is_less, length, shifted, text,
        to_bytes_be, to_bytes_le, write_hex,
    };
    pub use crate::modulus::{
        Modulus, Montgomery, class, is_served, limbs_of, montgomery_class, parse,
    };
    pub use crate::parse::{from_hex, from_text};
    pub use crate::portable::{from_montgomery, number, one_by_one, to_montgomery};
    pub use crate::power::{const_power, power};
    pub use crate::primality::is_probable_prime;
    pub use crate::root::{is_square, sqrt};
    pub use crate::slices::numbers::*;
    pub use crate::small::{mul_i64, mul_u64};
    pub use crate::sum::{inner_product, sum_of_products};
    pub use crate::tiles::transform_in_vectors;
    #[allow(unused_imports, unreachable_pub, reason = "nothing, without features")]
    pub use crate::traits::private::*;
    pub use crate::unreduced::{HasSums, MultipleSum, ProductSum};
    pub use crate::wide::{from_bytes_wide_be, from_bytes_wide_le, random};

    /// a if the flag is set, else b.
    #[inline(always)]
    pub fn choose<const N: usize>(flag: bool, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        crate::addition::choose(flag, a, b)
    }

    /// x*y/R mod p, by the kernels of a class.
    #[inline]
    pub fn mul<const N: usize, const CLASS: u8, M: Modulus<N>>(
        x: &[u64; N],
        y: &[u64; N],
    ) -> [u64; N]
    where
        Shape<N, CLASS>: Products<N>,
    {
        <Shape<N, CLASS> as Products<N>>::mul::<M>(x, y)
    }

    /// x becomes x*y/R mod p, by the kernels of a class.
    #[inline]
    pub fn mul_in_place<const N: usize, const CLASS: u8, M: Modulus<N>>(
        x: &mut [u64; N],
        y: &[u64; N],
    ) where
        Shape<N, CLASS>: Products<N>,
    {
        <Shape<N, CLASS> as Products<N>>::mul_in_place::<M>(x, y)
    }

    /// x becomes x*x/R mod p, by the kernels of a class.
    #[inline]
    pub fn square_in_place<const N: usize, const CLASS: u8, M: Modulus<N>>(x: &mut [u64; N])
    where
        Shape<N, CLASS>: Products<N>,
    {
        <Shape<N, CLASS> as Products<N>>::square_in_place::<M>(x)
    }

    /// x + y mod p, by the code of a class.
    #[inline]
    pub fn add<const N: usize, const CLASS: u8, M: Modulus<N>>(
        x: &[u64; N],
        y: &[u64; N],
    ) -> [u64; N]
    where
        Shape<N, CLASS>: Products<N>,
    {
        <Shape<N, CLASS> as Products<N>>::add::<M>(x, y)
    }

    /// x - y mod p, by the code of a class.
    #[inline]
    pub fn sub<const N: usize, const CLASS: u8, M: Modulus<N>>(
        x: &[u64; N],
        y: &[u64; N],
    ) -> [u64; N]
    where
        Shape<N, CLASS>: Products<N>,
    {
        <Shape<N, CLASS> as Products<N>>::sub::<M>(x, y)
    }

    /// x*x/R mod p, by the kernels of a class.
    #[inline]
    pub fn square<const N: usize, const CLASS: u8, M: Modulus<N>>(x: &[u64; N]) -> [u64; N]
    where
        Shape<N, CLASS>: Products<N>,
    {
        <Shape<N, CLASS> as Products<N>>::square::<M>(x)
    }
}
