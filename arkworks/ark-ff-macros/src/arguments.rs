//! What the macros are told about a field.

use num_bigint::BigUint;
use proc_macro2::Ident;
use quote::quote;

use crate::number::{divide_out, error, natural};

/// A prime field with a generator of its multiplicative group.
pub(crate) struct Field {
    /// The type that gets the configuration.
    pub(crate) name: Ident,
    /// An odd number above 1.
    pub(crate) modulus: BigUint,
    /// Below the modulus.
    pub(crate) generator: BigUint,
    /// A small subgroup of order base^power.
    pub(crate) subgroup: Option<(u32, u32)>,
}

impl Field {
    pub(crate) fn new(name: Ident, modulus: BigUint, generator: &BigUint) -> syn::Result<Self> {
        if !modulus.bit(0) || modulus.bits() < 2 {
            return Err(error("the modulus is no odd prime"));
        }
        let generator = generator % &modulus;
        Ok(Self { name, modulus, generator, subgroup: None })
    }

    /// The field of a type with attributes.
    pub(crate) fn from_attributes(input: &syn::DeriveInput) -> syn::Result<Self> {
        let needed = |name: &str| {
            attribute(input, name)?
                .ok_or_else(|| error(format!("the attribute `{name}` is missing")))
        };
        let modulus = natural(&needed("modulus")?)?;
        let generator = natural(&needed("generator")?)?;
        let base = small_number(input, "small_subgroup_base")?;
        let power = small_number(input, "small_subgroup_power")?;
        let mut field = Self::new(input.ident.clone(), modulus, &generator)?;
        field.subgroup = match (base, power) {
            (Some(base), Some(power)) if base > 1 => Some((base, power)),
            (None, None) => None,
            _ => return Err(error("small_subgroup_base and small_subgroup_power come together")),
        };
        Ok(field)
    }

    /// The odd part of p - 1.
    pub(crate) fn odd_part(&self) -> BigUint {
        let less = &self.modulus - 1u32;
        let twos = less.trailing_zeros().unwrap_or(0);
        less >> twos
    }

    /// A subgroup whose order is a power of 3, 5 or 7, the first of them that divides p - 1.
    pub(crate) fn small_subgroup(&self) -> Option<(u32, u32)> {
        let odd = self.odd_part();
        [3, 5, 7].into_iter().find_map(|base| match divide_out(&odd, base).0 {
            0 => None,
            power => Some((base, power)),
        })
    }

    /// The generator of what the 2-group and the small subgroup span.
    pub(crate) fn large_subgroup_root(&self, base: u32, power: u32) -> BigUint {
        let order = BigUint::from(base).pow(power);
        self.generator.modpow(&(self.odd_part() / order), &self.modulus)
    }
}

/// The text of an attribute `#[name = "text"]`.
fn attribute(input: &syn::DeriveInput, name: &str) -> syn::Result<Option<String>> {
    let Some(found) = input.attrs.iter().find(|attribute| attribute.path().is_ident(name)) else {
        return Ok(None);
    };
    let value = &found.meta.require_name_value()?.value;
    crate::number::literal(quote! { #value }).map(Some)
}

/// An attribute that is a small number.
fn small_number(input: &syn::DeriveInput, name: &str) -> syn::Result<Option<u32>> {
    let text = attribute(input, name)?;
    text.map(|text| text.parse().map_err(|_| error(format!("`{name}` is no small number"))))
        .transpose()
}
