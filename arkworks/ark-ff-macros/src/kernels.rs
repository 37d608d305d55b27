//! Kernels out of fieldc's own texts.

use fieldc::sources;
use num_bigint::BigUint;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{File, Item, ItemFn};

use crate::number::{error, limbs};

/// What kernels are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Architecture {
    /// Processors may lack what kernels need, and then run ark-ff's own algorithms.
    X86_64,
    /// Every processor runs the kernels.
    Aarch64,
}

impl Architecture {
    pub(crate) const ALL: [Self; 2] = [Self::X86_64, Self::Aarch64];

    /// What the compiler asks before it takes kernels.
    pub(crate) fn condition(self) -> TokenStream {
        match self {
            Self::X86_64 => quote! { all(target_arch = "x86_64", not(miri)) },
            Self::Aarch64 => {
                quote! { all(target_arch = "aarch64", target_endian = "little", not(miri)) }
            }
        }
    }

    /// The files of kernels, one for each number of limbs.
    fn texts(self) -> &'static [&'static str] {
        match self {
            Self::X86_64 => &sources::KERNELS,
            Self::Aarch64 => &sources::AARCH64_KERNELS,
        }
    }

    /// The kernel of an operation, by the name that it has without its variant.
    fn take(self, file: &File, name: &str, items: &mut TokenStream) -> Option<Kernel> {
        let mut take = |name: &str| {
            let found = function(file, name)?;
            items.extend(for_one_modulus(found));
            Some(found.sig.ident.clone())
        };
        match self {
            Self::X86_64 => Some(Kernel {
                // Of one limb they have no variants: they are inlined.
                first: take(&format!("{name}_mulx")).or_else(|| take(name))?,
                two_chains: take(&format!("{name}_adx")),
            }),
            Self::Aarch64 => Some(Kernel { first: take(name)?, two_chains: None }),
        }
    }
}

/// An operation's kernel with one carry chain, and where there is any the one with two.
pub(crate) struct Kernel {
    pub(crate) first: Ident,
    pub(crate) two_chains: Option<Ident>,
}

/// The kernels for a modulus on one architecture.
pub(crate) struct Kernels {
    pub(crate) architecture: Architecture,
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
    pub(crate) fn of(p: &[u64], architecture: Architecture) -> syn::Result<Option<Self>> {
        let Some(text) = p.len().checked_sub(1).and_then(|i| architecture.texts().get(i)) else {
            return Ok(None);
        };
        let file = syn::parse_file(text)?;
        let mut items = constants(p);
        let mut take = |operation: &str| {
            let mut classes = classes(sources::class(p)).iter();
            let name = |class| format!("{operation}_{class}");
            classes.find_map(|class| architecture.take(&file, &name(class), &mut items))
        };
        let mul = take("mul").ok_or_else(|| error("fieldc has no kernel for this modulus"))?;
        let (square, sum_of_products) = (take("square"), take("sum_of_products"));
        let add = match sources::class(p) {
            "near" | "shifted" | "full" => "add_full",
            _ => "add_spare",
        };
        let add = match [add, "sub"].map(|name| function(&file, name)) {
            [Some(add), Some(sub)] => {
                items.extend([add, sub].map(for_one_modulus));
                Some(add.sig.ident.clone())
            }
            _ => None,
        };
        Ok(Some(Self { architecture, mul, square, sum_of_products, add, items }))
    }
}

/// A class, and those whose kernels are for its primes too: not all have all operations.
fn classes(class: &str) -> &'static [&'static str] {
    match class {
        "fold" => &["fold", "spare", "full"],
        "complement" => &["complement", "spare", "full"],
        "spare" => &["spare", "full"],
        "near" => &["near", "full"],
        "shifted" => &["shifted", "full"],
        _ => &["full"],
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
    let (inverse, shift) = (n0.wrapping_neg(), p[0].wrapping_neg().trailing_ones());
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
            const P_INVERSE: u64 = #inverse;
            const QUOTIENT_SHIFT: u32 = #shift;
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

/// The functions by which portable Rust chooses, and those that it takes.
const CHOICE: [&str; 3] = ["select", "choose", "runtime_mask"];

/// The module of additions without branches.
pub(crate) fn addition(architecture: Architecture) -> syn::Result<TokenStream> {
    let mut found = functions(&sources::ADDITION, &ADDITION)?;
    if architecture == Architecture::Aarch64 {
        found.retain(|function| function.sig.ident != "choose");
        found.extend(functions(&sources::CHOICE, &CHOICE)?);
        found.extend(functions(&sources::CHOICE, &["opaque"])?.into_iter().next());
    }
    Ok(quote! {
        mod __addition {
            #(#found)*
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
