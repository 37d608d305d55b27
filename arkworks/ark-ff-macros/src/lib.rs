//! The macros that ark-ff 0.6 and its curves use, with products on the kernels of `fieldc`.
//!
//! In place of the published crate of this name, through `[patch.crates-io]`, it makes every field
//! that derives `MontConfig` multiply, square and sum products on those kernels. The curves stay
//! as they are published. On x86-64 processors without BMI2, on other architectures than it and
//! AArch64, and for more than 12 limbs ark-ff's own algorithms run.

mod arguments;
mod calls;
mod definition;
mod inversion;
mod kernels;
mod montgomery;
mod number;
mod products;
#[cfg(feature = "sabotage")]
mod sabotage;
mod small;
#[cfg(test)]
mod tests;
mod unroll;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use syn::parse_macro_input;

/// The sign of an integer and its limbs, least significant first: `(true, [5u64])` for `"5"`.
///
/// The integer is a string literal: decimal, or after `0x`, `0o` or `0b` in another base, and
/// after `-` negative.
#[proc_macro]
pub fn to_sign_and_limbs(input: TokenStream) -> TokenStream {
    finish(number::literal(input.into()).and_then(|text| number::sign_and_limbs(&text)))
}

/// Defines a prime field and its configuration: `modulus = "...", generator = "...", name = F`.
///
/// `F` is a `SmallFp<FConfig>` for a modulus below 2^64, else an `Fp` of `MontBackend<FConfig, N>`.
#[proc_macro]
pub fn define_field(input: TokenStream) -> TokenStream {
    let field = parse_macro_input!(input as definition::Definition);
    finish(field.expand())
}

/// Derives `MontConfig` from the attributes `modulus` and `generator`, strings of decimal digits.
///
/// `small_subgroup_base` and `small_subgroup_power` are optional, and there are both or none.
#[proc_macro_derive(
    MontConfig,
    attributes(modulus, generator, small_subgroup_base, small_subgroup_power)
)]
pub fn mont_config(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as syn::DeriveInput);
    finish(arguments::Field::from_attributes(&input).and_then(|field| montgomery::config(&field)))
}

/// Derives `SmallFpConfig` from the attributes `modulus`, below 2^64, and `generator`.
#[proc_macro_derive(SmallFpConfig, attributes(modulus, generator))]
pub fn small_fp_config(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as syn::DeriveInput);
    finish(arguments::Field::from_attributes(&input).and_then(|field| small::config(&field)))
}

/// Unrolls the loops over ranges in a function, as many iterations at once as the argument says.
#[proc_macro_attribute]
pub fn unroll_for_loops(arguments: TokenStream, input: TokenStream) -> TokenStream {
    let iterations = parse_macro_input!(arguments as syn::LitInt);
    let function = parse_macro_input!(input as syn::ItemFn);
    finish(iterations.base10_parse().map(|n| unroll::unroll(function, n)))
}

/// The expansion, or the error where the macro was used.
fn finish(expansion: syn::Result<Tokens>) -> TokenStream {
    expansion.unwrap_or_else(|error| error.to_compile_error()).into()
}
