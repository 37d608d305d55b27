//! Integers from literals, and their limbs.

use num_bigint::{BigInt, BigUint, Sign};
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// An error where the macro was used.
pub(crate) fn error(message: impl std::fmt::Display) -> syn::Error {
    syn::Error::new(Span::call_site(), message)
}

/// The text of a string literal, which a macro may have put into invisible brackets.
pub(crate) fn literal(tokens: TokenStream) -> syn::Result<String> {
    let mut expression: syn::Expr = syn::parse2(tokens)?;
    while let syn::Expr::Group(group) = expression {
        expression = *group.expr;
    }
    match expression {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Ok(text.value()),
        other => Err(syn::Error::new_spanned(other, "a string of digits is needed")),
    }
}

/// The integer that a text says.
fn integer(text: &str) -> syn::Result<BigInt> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (Sign::Minus, digits),
        None => (Sign::Plus, text),
    };
    let prefix = digits.get(..2).unwrap_or("");
    let (base, digits) = match prefix.to_ascii_lowercase().as_str() {
        "0x" => (16, &digits[2..]),
        "0o" => (8, &digits[2..]),
        "0b" => (2, &digits[2..]),
        _ => (10, digits),
    };
    BigUint::parse_bytes(digits.as_bytes(), base)
        .map(|magnitude| BigInt::from_biguint(sign, magnitude))
        .ok_or_else(|| error(format!("\"{text}\" is no integer")))
}

/// The natural number that a text says.
pub(crate) fn natural(text: &str) -> syn::Result<BigUint> {
    integer(text)?.to_biguint().ok_or_else(|| error(format!("\"{text}\" is negative")))
}

/// Limbs of 64 bits, least significant first; one for 0.
pub(crate) fn limbs(number: &BigUint) -> Vec<u64> {
    let digits = number.to_u64_digits();
    if digits.is_empty() { vec![0] } else { digits }
}

/// Whether it is not negative, and the limbs of its magnitude.
pub(crate) fn sign_and_limbs(text: &str) -> syn::Result<TokenStream> {
    let number = integer(text)?;
    let is_positive = number.sign() != Sign::Minus;
    let limbs = limbs(number.magnitude());
    Ok(quote! { (#is_positive, [#(#limbs),*]) })
}

/// How often a divisor above 1 divides a number that is not 0, and what is left.
pub(crate) fn divide_out(number: &BigUint, divisor: u32) -> (u32, BigUint) {
    let (mut rest, mut times) = (number.clone(), 0);
    while &rest % divisor == BigUint::ZERO {
        rest /= divisor;
        times += 1;
    }
    (times, rest)
}
