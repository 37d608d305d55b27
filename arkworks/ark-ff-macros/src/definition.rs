//! `define_field!`: a type for elements, and its configuration.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Token};

use crate::arguments::Field;
use crate::number::{error, limbs, natural};
use crate::{montgomery, small};

/// What `define_field!` is told.
pub(crate) struct Definition {
    field: Field,
    type_name: Ident,
}

impl Parse for Definition {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (mut modulus, mut generator, mut type_name) = (None, None, None);
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            match key.to_string().as_str() {
                "modulus" => modulus = Some(natural(&input.parse::<LitStr>()?.value())?),
                "generator" => generator = Some(natural(&input.parse::<LitStr>()?.value())?),
                "name" if input.peek(LitStr) => type_name = Some(input.parse::<LitStr>()?.parse()?),
                "name" => type_name = Some(input.parse()?),
                _ => return Err(syn::Error::new(key.span(), "not modulus, generator or name")),
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let missing = |name: &str| error(format!("the argument `{name}` is missing"));
        let type_name: Ident = type_name.ok_or_else(|| missing("name"))?;
        let modulus = modulus.ok_or_else(|| missing("modulus"))?;
        let generator = generator.ok_or_else(|| missing("generator"))?;
        let field = Field::new(format_ident!("{type_name}Config"), modulus, &generator)?;
        Ok(Self { field, type_name })
    }
}

impl Definition {
    /// The types and the configuration.
    pub(crate) fn expand(mut self) -> syn::Result<TokenStream> {
        let (type_name, config) = (&self.type_name, self.field.name.clone());
        if self.field.modulus.bits() <= 64 {
            let implementation = small::config(&self.field)?;
            return Ok(quote! {
                pub struct #config;
                pub type #type_name = ark_ff::SmallFp<#config>;
                #implementation
            });
        }
        let n = limbs(&self.field.modulus).len();
        self.field.subgroup = self.field.small_subgroup();
        let implementation = montgomery::config(&self.field)?;
        Ok(quote! {
            pub struct #config;
            pub type #type_name = ark_ff::Fp<ark_ff::MontBackend<#config, #n>, #n>;
            #implementation
        })
    }
}
