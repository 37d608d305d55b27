//! Inverses by fieldc's own text.

use fieldc::sources;
use num_bigint::BigUint;
use proc_macro2::TokenStream;
use quote::quote;
use syn::Item;

use crate::number::limbs;

/// The module that inverts modulo p.
pub(crate) fn inversion(p: &[u64]) -> syn::Result<TokenStream> {
    let n = p.len();
    // The feature is that of fieldc, not of the crate where this is compiled.
    let mut items = Vec::new();
    for text in sources::INVERSION {
        items.extend(syn::parse_file(&text.replace("not(feature = \"portable\"), ", ""))?.items);
    }
    // What it uses of its crate is defined here.
    items.retain(|item| !matches!(item, Item::Use(_)));
    let is_zero = syn::parse_file(sources::ADDITION[0])?
        .items
        .into_iter()
        .find(|item| matches!(item, Item::Fn(function) if function.sig.ident == "is_zero"));
    let modulus = modulus(p);
    Ok(quote! {
        mod __inversion {
            use ::core::hint::black_box;

            const MOST_LIMBS: usize = #n;

            pub(super) trait Modulus<const N: usize>: Sized {
                const P: [u64; N];
                const N0: u64;
                const R2: [u64; N];
                const BITS: u32;
            }

            /// Batches are blocks here: the kernel is the crate's.
            const HAS_DIVSTEP_BATCH: bool = false;

            mod machine {
                pub(super) fn divstep_batch(_: i64, _: i64, _: i64) -> Option<[i64; 5]> {
                    None
                }
            }

            mod limb_inversion {
                pub(super) fn invert<const N: usize, M>(_: &[u64; N]) -> Option<[u64; N]> {
                    None
                }
            }

            #modulus
            #is_zero
            #(#items)*
        }
    })
}

/// What inversion asks of a modulus.
fn modulus(p: &[u64]) -> TokenStream {
    let (n, n0) = (p.len(), sources::n0(p));
    let number = p.iter().rev().fold(BigUint::ZERO, |sum, &limb| (sum << 64) + limb);
    let bits = number.bits() as u32;
    let mut r2 = limbs(&((BigUint::from(1u32) << (128 * n)) % &number));
    r2.resize(n, 0);
    quote! {
        pub(super) struct M;

        impl Modulus<#n> for M {
            const P: [u64; #n] = [#(#p),*];
            const N0: u64 = #n0;
            const R2: [u64; #n] = [#(#r2),*];
            const BITS: u32 = #bits;
        }
    }
}
