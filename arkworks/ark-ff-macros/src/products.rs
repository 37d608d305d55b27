//! Products of a field: on kernels where the processor has what they need, else ark-ff's own.

use fieldc::sources;
use proc_macro2::TokenStream;
use quote::quote;

use crate::calls::module;
use crate::inversion::inversion;
use crate::kernels::{Architecture, Kernels, addition, functions};

/// Methods of `MontConfig`, and the items that they use.
pub(crate) fn products(
    p: &[u64],
    constants: &TokenStream,
) -> syn::Result<(TokenStream, TokenStream)> {
    let full = full_product(p)?;
    let (mut methods, mut items) = (TokenStream::new(), TokenStream::new());
    let mut conditions = Vec::new();
    for architecture in Architecture::ALL {
        let Some(kernels) = Kernels::of(p, architecture)? else {
            return Ok((full, TokenStream::new()));
        };
        let condition = architecture.condition();
        let (some_methods, some_items) = on_kernels(p.len(), &kernels, constants, &full)?;
        methods.extend(quote! { #(#[cfg(#condition)] #some_methods)* });
        items.extend(quote! { #(#[cfg(#condition)] #some_items)* });
        conditions.push(condition);
    }
    if !full.is_empty() {
        methods.extend(quote! { #[cfg(not(any(#(#conditions),*)))] #full });
    }
    let (inverse, inversion) = (inverse(p.len()), inversion(p)?);
    Ok((quote! { #methods #inverse }, quote! { #inversion #items }))
}

/// Methods that run the kernels of one architecture, and the items that they use.
fn on_kernels(
    n: usize,
    kernels: &Kernels,
    constants: &TokenStream,
    full: &TokenStream,
) -> syn::Result<(Vec<TokenStream>, Vec<TokenStream>)> {
    let (has_sum, has_add) = (kernels.sum_of_products.is_some(), kernels.add.is_some());
    let has_stock = kernels.architecture == Architecture::X86_64;
    let mut methods = methods(has_sum, has_stock);
    methods.extend(sums(has_add, n));
    let mut items = vec![module(n, kernels)?];
    if has_stock {
        items.extend(stock(n, constants, full));
    }
    if !has_add {
        items.push(addition(kernels.architecture)?);
    }
    if has_sum {
        items.push(limbs_of_two(n));
        items.extend(has_stock.then(|| stock_sum(n)));
    }
    Ok((methods, items))
}

/// The methods that run kernels, with ark-ff's own algorithms for processors that do not.
fn methods(has_sum: bool, has_stock: bool) -> Vec<TokenStream> {
    let stock = |call: TokenStream| has_stock.then(|| quote! { || #call });
    let stock_mul = stock(quote! { __stock_mul(*a, *b) });
    let stock_square = stock(quote! { __stock_square(*a) });
    let sum_of_two = match has_sum {
        true => sum_by_kernel(&stock(quote! { __stock_sum(x, y) })),
        false => quote! { x[0] * y[0] + x[1] * y[1] },
    };
    vec![
        quote! {
            #[inline(always)]
            fn mul_assign(a: &mut __Element, b: &__Element) {
                (a.0).0 = __kernels::mul(&(a.0).0, &(b.0).0, #stock_mul);
            }
        },
        quote! {
            #[inline(always)]
            fn square_in_place(a: &mut __Element) {
                (a.0).0 = __kernels::square(&(a.0).0, #stock_square);
            }
        },
        quote! {
            /// A loop over pairs; what becomes of a few terms is straight-line code.
            #[inline(always)]
            fn sum_of_products<const K: usize>(
                a: &[__Element; K],
                b: &[__Element; K],
            ) -> __Element {
                #[inline(always)]
                fn of_two(x: &[__Element; 2], y: &[__Element; 2]) -> __Element {
                    #sum_of_two
                }
                /// Two of them, where they are: with copies a pairing takes 3 to 4 % longer.
                #[inline(always)]
                fn pair(pair: &[__Element]) -> &[__Element; 2] {
                    pair.try_into().expect("chunks of two")
                }
                let (a, b) = (a.chunks_exact(2), b.chunks_exact(2));
                let last = match (a.remainder(), b.remainder()) {
                    ([x], [y]) => Some(*x * *y),
                    _ => None,
                };
                let mut sums = a.zip(b).map(|(x, y)| of_two(pair(x), pair(y)));
                let Some(mut total) = sums.next() else {
                    return last.unwrap_or(<__Element as ark_ff::AdditiveGroup>::ZERO);
                };
                for sum in sums {
                    total += sum;
                }
                match last {
                    Some(last) => total + last,
                    None => total,
                }
            }
        },
    ]
}

/// A sum of two products by its kernel.
fn sum_by_kernel(stock: &Option<TokenStream>) -> TokenStream {
    quote! {
        let sum = __kernels::sum_of_products(__limbs(x), __limbs(y), #stock);
        __Element::new_unchecked(ark_ff::BigInt(sum))
    }
}

/// The method that inverts, on every architecture.
fn inverse(n: usize) -> TokenStream {
    quote! {
        fn inverse(a: &__Element) -> Option<__Element> {
            let (inverse, exists) = __inversion::invert::<#n, __inversion::M>(&(a.0).0);
            exists.then(|| __Element::new_unchecked(ark_ff::BigInt(inverse)))
        }
    }
}

/// The methods that add: ark-ff's own branch on what they compare.
fn sums(has_kernels: bool, n: usize) -> [TokenStream; 4] {
    let (p, x, y) = (quote! { &Self::MODULUS.0 }, quote! { &(a.0).0 }, quote! { &(b.0).0 });
    let (sum, difference, zero) = match has_kernels {
        true => (quote! { __kernels::sum }, quote! { __kernels::difference }, quote! { &[0; #n] }),
        false => (quote! { __addition::add }, quote! { __addition::sub }, quote! { &[0; #n] }),
    };
    let modulus = if has_kernels {
        quote! {}
    } else {
        quote! { , #p }
    };
    let method = |name: TokenStream, operand: TokenStream, value: TokenStream| {
        quote! {
            #[inline(always)]
            fn #name(a: &mut __Element #operand) {
                (a.0).0 = #value;
            }
        }
    };
    let other = quote! { , b: &__Element };
    [
        method(quote! { add_assign }, other.clone(), quote! { #sum(#x, #y #modulus) }),
        method(quote! { sub_assign }, other, quote! { #difference(#x, #y #modulus) }),
        method(quote! { double_in_place }, quote! {}, quote! { #sum(#x, #x #modulus) }),
        method(quote! { neg_in_place }, quote! {}, quote! { #difference(#zero, #x #modulus) }),
    ]
}

/// ark-ff's own algorithms: those of a configuration that replaces none of them.
fn stock(n: usize, constants: &TokenStream, full: &TokenStream) -> Vec<TokenStream> {
    vec![
        quote! { struct __Stock; },
        quote! { type __StockElement = Fp<MontBackend<__Stock, #n>, #n>; },
        quote! { impl MontConfig<#n> for __Stock { #constants #full } },
        quote! {
            #[cold]
            fn __stock_mul(a: __Element, b: __Element) -> [u64; #n] {
                let mut product = __StockElement::new_unchecked(a.0);
                product *= __StockElement::new_unchecked(b.0);
                (product.0).0
            }
        },
        quote! {
            #[cold]
            fn __stock_square(a: __Element) -> [u64; #n] {
                let mut square = __StockElement::new_unchecked(a.0);
                <__Stock as MontConfig<#n>>::square_in_place(&mut square);
                (square.0).0
            }
        },
    ]
}

/// The same for a sum of two products.
fn stock_sum(n: usize) -> TokenStream {
    quote! {
        #[cold]
        fn __stock_sum(a: &[__Element; 2], b: &[__Element; 2]) -> [u64; #n] {
            let stock = |element: &__Element| __StockElement::new_unchecked(element.0);
            let (a, b) = (a.each_ref().map(stock), b.each_ref().map(stock));
            let sum = <__Stock as MontConfig<#n>>::sum_of_products(&a, &b);
            (sum.0).0
        }
    }
}

/// What the kernels of sums of two products take.
fn limbs_of_two(n: usize) -> TokenStream {
    quote! {
        /// The limbs of two elements, which are nothing but limbs.
        #[inline(always)]
        fn __limbs(elements: &[__Element; 2]) -> &[[u64; #n]; 2] {
            const {
                ::core::assert!(::core::mem::size_of::<__Element>() == 8 * #n);
                ::core::assert!(::core::mem::align_of::<__Element>() == 8);
            }
            // SAFETY: an element holds an array of the same size and alignment, so they are at
            // the same address.
            unsafe { &*::core::ptr::from_ref(elements).cast() }
        }
    }
}

/// For a modulus without a spare bit `mul_assign` by fieldc's portable product: the default of
/// ark-ff 0.6.0 drops a carry there. Nothing for other moduli.
fn full_product(p: &[u64]) -> syn::Result<TokenStream> {
    let n = p.len();
    if p[n - 1] >> 63 == 0 {
        return Ok(TokenStream::new());
    }
    let functions = functions(&sources::PRODUCT, &["adc", "mac", "drop_limb", "product"])?;
    let n0 = sources::n0(p);
    Ok(quote! {
        fn mul_assign(
            a: &mut Fp<MontBackend<Self, #n>, #n>,
            b: &Fp<MontBackend<Self, #n>, #n>,
        ) {
            use ark_ff::BigInteger;
            #(#functions)*
            trait Modulus<const N: usize> {
                const P: [u64; N];
                const N0: u64;
            }
            struct M;
            impl Modulus<#n> for M {
                const P: [u64; #n] = [#(#p),*];
                const N0: u64 = #n0;
            }
            let (t, over) = product::<#n, M>(&(a.0).0, &(b.0).0);
            (a.0).0 = t;
            if over || a.is_geq_modulus() {
                a.0.sub_with_borrow(&Self::MODULUS);
            }
        }
    })
}
