//! The configuration of a field in Montgomery form.

use num_bigint::BigUint;
use proc_macro2::TokenStream;
use quote::quote;

use crate::arguments::Field;
use crate::kernels::Architecture;
use crate::number::{divide_out, error, limbs};
use crate::products::products;

/// `MontConfig` for a field: its constants, and products where there are better ones than ark-ff's.
pub(crate) fn config(field: &Field) -> syn::Result<TokenStream> {
    let name = &field.name;
    let p = limbs(&field.modulus);
    let n = p.len();
    let constants = constants(field, &p);
    let small_subgroup = small_subgroup(field)?;
    let (methods, items) = products(&p, &constants)?;
    let has_kernels = !items.is_empty();
    let conditions = Architecture::ALL.map(Architecture::condition);
    Ok(quote! {
        impl #name {
            /// Whether this field computes on the kernels of fieldc, where the processor can.
            #[doc(hidden)]
            pub const ON_FIELDC: bool = #has_kernels && cfg!(any(#(#conditions),*));
        }

        const _: () = {
            use ark_ff::fields::{Fp, MontBackend, MontConfig};
            type __Element = Fp<MontBackend<#name, #n>, #n>;

            #[automatically_derived]
            impl MontConfig<#n> for #name {
                #constants
                #small_subgroup
                #methods
            }

            #items
        };
    })
}

/// The modulus, the generator and the root of unity that follows from it.
fn constants(field: &Field, p: &[u64]) -> TokenStream {
    let n = p.len();
    let generator = field.generator.to_string();
    let root = field.generator.modpow(&field.odd_part(), &field.modulus).to_string();
    quote! {
        const MODULUS: ark_ff::BigInt<#n> = ark_ff::BigInt([#(#p),*]);
        const GENERATOR: Fp<MontBackend<Self, #n>, #n> = ark_ff::MontFp!(#generator);
        const TWO_ADIC_ROOT_OF_UNITY: Fp<MontBackend<Self, #n>, #n> = ark_ff::MontFp!(#root);
    }
}

/// The constants of a subgroup for transforms of mixed radix.
fn small_subgroup(field: &Field) -> syn::Result<TokenStream> {
    let Some((base, power)) = field.subgroup else {
        return Ok(TokenStream::new());
    };
    if divide_out(&(&field.modulus - 1u32), base).0 < power {
        let order = BigUint::from(base).pow(power);
        return Err(error(format!("there is no subgroup of order {base}^{power} = {order}")));
    }
    let root = field.large_subgroup_root(base, power).to_string();
    Ok(quote! {
        const SMALL_SUBGROUP_BASE: Option<u32> = Some(#base);
        const SMALL_SUBGROUP_BASE_ADICITY: Option<u32> = Some(#power);
        const LARGE_SUBGROUP_ROOT_OF_UNITY: Option<__Element> = Some(ark_ff::MontFp!(#root));
    })
}
