//! Kernels out of fieldc's own texts.

use fieldc::sources;
use num_bigint::BigUint;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{File, Item, ItemFn};

use crate::number::{error, limbs};

/// An operation's kernel with one carry chain, and where there is any the one with two.
pub(crate) struct Kernel {
    pub(crate) mulx: Ident,
    pub(crate) adx: Option<Ident>,
}

/// The kernels for a modulus.
pub(crate) struct Kernels {
    pub(crate) mul: Kernel,
    pub(crate) square: Option<Kernel>,
    pub(crate) sum_of_products: Option<Kernel>,
    /// The function that adds, where there is one beside `sub`.
    pub(crate) add: Option<Ident>,
    /// The functions, and the constants that they name.
    pub(crate) items: TokenStream,
}

impl Kernels {
    /// Those of the modulus' limbs and class; `None` for more limbs than there are kernels for.
    pub(crate) fn of(p: &[u64]) -> syn::Result<Option<Self>> {
        let Some(text) = p.len().checked_sub(1).and_then(|i| sources::KERNELS.get(i)) else {
            return Ok(None);
        };
        let file = syn::parse_file(text)?;
        let mut items = constants(p);
        let mut take = |operation: &str| {
            let mut classes = classes(sources::class(p)).iter();
            classes.find_map(|class| Kernel::take(&file, operation, class, &mut items))
        };
        let mul = take("mul").ok_or_else(|| error("fieldc has no kernel for this modulus"))?;
        let (square, sum_of_products) = (take("square"), take("sum_of_products"));
        let add = match sources::class(p) {
            "near" | "full" => "add_full",
            _ => "add_spare",
        };
        let sums = [add, "sub"].map(|name| function(&file, name));
        items.extend(sums.into_iter().flatten().map(for_one_modulus));
        let add = sums[0].map(|add| add.sig.ident.clone());
        Ok(Some(Self { mul, square, sum_of_products, add, items }))
    }
}

/// A class, and those whose kernels are for its primes too: not all have all operations.
fn classes(class: &str) -> &'static [&'static str] {
    match class {
        "fold" => &["fold", "spare", "full"],
        "complement" => &["complement", "spare", "full"],
        "spare" => &["spare", "full"],
        "near" => &["near", "full"],
        _ => &["full"],
    }
}

impl Kernel {
    fn take(file: &File, operation: &str, class: &str, items: &mut TokenStream) -> Option<Self> {
        let mut take = |variant: &str| {
            let name = format!("{operation}_{class}_{variant}");
            let found = function(file, &name)?;
            items.extend(for_one_modulus(found));
            Some(found.sig.ident.clone())
        };
        Some(Self { mulx: take("mulx")?, adx: take("adx") })
    }
}

fn function<'a>(file: &'a File, name: &str) -> Option<&'a ItemFn> {
    file.items.iter().find_map(|item| match item {
        Item::Fn(function) if function.sig.ident == name => Some(function),
        _ => None,
    })
}

/// A kernel for the one modulus `M` that is in scope.
fn for_one_modulus(kernel: &ItemFn) -> TokenStream {
    let mut kernel = kernel.clone();
    kernel.sig.generics = syn::Generics::default();
    kernel.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    let tokens = kernel.into_token_stream();
    #[cfg(feature = "sabotage")]
    let tokens = crate::sabotage::flip(tokens);
    tokens
}

/// What kernels say of a modulus `M`.
fn constants(p: &[u64]) -> TokenStream {
    let (n, n0) = (p.len(), sources::n0(p));
    let number = p.iter().rev().fold(BigUint::ZERO, |sum, &limb| (sum << 64) + limb);
    let mu: BigUint = (&number * n0 + 1u32) >> 64;
    let rest = (&number + 1u32 - mu.modpow(&BigUint::from(n - 1), &number)) % &number;
    let complement = (BigUint::from(1u32) << (64 * n)) - &number;
    let [mu, minus_mu, rest, complement] =
        [mu.clone(), &number - &mu, rest, complement].map(|value| {
            let mut words = limbs(&value);
            words.resize(n, 0);
            words
        });
    quote! {
        struct M;

        impl M {
            const P: [u64; #n] = [#(#p),*];
            const MU: [u64; #n] = [#(#mu),*];
            const MINUS_MU: [u64; #n] = [#(#minus_mu),*];
            const FOLD_REST: [u64; #n] = [#(#rest),*];
            const COMPLEMENT: [u64; #n] = [#(#complement),*];
            const N0: u64 = #n0;
        }
    }
}

/// The macro by which inline assembly calls a kernel's code, for each format of objects.
pub(crate) fn called() -> syn::Result<TokenStream> {
    let items = syn::parse_file(sources::CALLED)?.items;
    Ok(items
        .iter()
        .filter(|item| matches!(item, Item::Macro(_)))
        .map(ToTokens::to_token_stream)
        .collect())
}

/// Functions of fieldc's additions, by their names.
const ADDITION: [&str; 9] =
    ["adc", "sbb", "plus", "minus", "choose", "subtract_once", "add", "sub", "neg"];

/// The module of additions without branches.
pub(crate) fn addition() -> syn::Result<TokenStream> {
    let functions = functions(&sources::ADDITION, &ADDITION)?;
    Ok(quote! {
        mod __addition {
            #(#functions)*
        }
    })
}

/// Functions of some of fieldc's texts, by their names.
pub(crate) fn functions(texts: &[&str], names: &[&str]) -> syn::Result<Vec<ItemFn>> {
    let mut found = Vec::new();
    for text in texts {
        found.extend(syn::parse_file(text)?.items.into_iter().filter_map(|item| match item {
            Item::Fn(f) if names.iter().any(|name| f.sig.ident == name) => Some(f),
            _ => None,
        }));
    }
    for function in &mut found {
        function.attrs.retain(|attribute| attribute.path().is_ident("inline"));
    }
    Ok(found)
}

/// The module that asks the processor what it offers.
pub(crate) fn processor() -> syn::Result<TokenStream> {
    let items = syn::parse_file(sources::PROCESSOR)?.items;
    Ok(quote! {
        mod processor {
            #(#items)*
        }
    })
}
