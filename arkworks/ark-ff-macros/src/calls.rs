//! Calls of kernels from what the derive expands to.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::kernels::{Kernel, Kernels, called, processor};

/// The kernels, and functions that call those which suit the processor.
pub(crate) fn module(n: usize, kernels: &Kernels) -> syn::Result<TokenStream> {
    let (kernel_items, called) = (&kernels.items, called()?);
    let (processor, result) = (processor()?, result(n));
    let mul = call(&kernels.mul, &quote! { x, y }, &quote! {});
    let square = match &kernels.square {
        Some(square) => call(square, &quote! { x }, &quote! {}),
        None => call(&kernels.mul, &quote! { x, x }, &quote! {}),
    };
    let (choice_of_kernels, sum_of_products) = (choice_of_kernels(), sum_of_products(n, kernels));
    let sums = sums(n, kernels);
    Ok(quote! {
        #[allow(named_asm_labels)]
        mod __kernels {
            use ::core::arch::asm;
            use ::core::sync::atomic::{AtomicU8, Ordering::Relaxed};

            #choice_of_kernels

            /// x*y/R mod p, by other code unless the processor is known to run a kernel.
            #[inline(always)]
            pub(super) fn mul(
                x: &[u64; #n],
                y: &[u64; #n],
                otherwise: impl FnOnce() -> [u64; #n],
            ) -> [u64; #n] {
                #mul
            }

            /// x*x/R mod p, likewise.
            #[inline(always)]
            pub(super) fn square(
                x: &[u64; #n],
                otherwise: impl FnOnce() -> [u64; #n],
            ) -> [u64; #n] {
                #square
            }

            #called
            #sum_of_products
            #sums
            #result
            #kernel_items
            #processor
        }
    })
}

/// What finds out once which kernels the processor runs.
fn choice_of_kernels() -> TokenStream {
    quote! {
        const UNKNOWN: u8 = 0;
        const STOCK: u8 = 1;
        const MULX: u8 = 2;
        const ADX: u8 = 3;

        /// MULX only where the processor has BMI2, ADX only where it has ADX too.
        static CURRENT: AtomicU8 = AtomicU8::new(UNKNOWN);

        #[cold]
        fn find_out() {
            let processor = processor::processor();
            let found = match (processor.prefers_two_chains, processor.bmi2) {
                (true, _) => ADX,
                (_, true) => MULX,
                _ => STOCK,
            };
            CURRENT.store(found, Relaxed);
        }
    }
}

/// The sum of two products, where there is a kernel for it.
fn sum_of_products(n: usize, kernels: &Kernels) -> Option<TokenStream> {
    kernels.sum_of_products.as_ref().map(|kernel| {
        let call = call(kernel, &quote! { x, y }, &quote! { paired });
        quote! {
            /// (x[0]*y[0] + x[1]*y[1])/R mod p, likewise.
            #[inline(always)]
            pub(super) fn sum_of_products(
                x: &[[u64; #n]; 2],
                y: &[[u64; #n]; 2],
                otherwise: impl FnOnce() -> [u64; #n],
            ) -> [u64; #n] {
                #call
            }
        }
    })
}

/// Sums and differences, where there are kernels for them.
fn sums(n: usize, kernels: &Kernels) -> Option<TokenStream> {
    kernels.add.as_ref().map(|add| {
        quote! {
            /// x + y mod p.
            #[inline(always)]
            pub(super) fn sum(x: &[u64; #n], y: &[u64; #n]) -> [u64; #n] {
                paired(#add(x, y))
            }

            /// x - y mod p.
            #[inline(always)]
            pub(super) fn difference(x: &[u64; #n], y: &[u64; #n]) -> [u64; #n] {
                paired(sub(x, y))
            }
        }
    })
}

/// Runs a kernel, or other code where the processor has none.
fn call(kernel: &Kernel, operands: &TokenStream, stored: &TokenStream) -> TokenStream {
    let run = |kernel: &Ident| {
        quote! {{
            // SAFETY: the processor was found to have what the kernel needs. The class is p's.
            return #stored(unsafe { #kernel(#operands) });
        }}
    };
    choice(kernel, run, &quote! { #stored(by_limbs(&otherwise())) })
}

/// One load and one or two comparisons beside a call.
fn choice(
    kernel: &Kernel,
    run: impl Fn(&Ident) -> TokenStream,
    otherwise: &TokenStream,
) -> TokenStream {
    let mulx = run(&kernel.mulx);
    let choice = match kernel.adx.as_ref().map(run) {
        Some(adx) => quote! {
            if kernels == MULX #mulx
            if kernels == ADX #adx
        },
        None => quote! { if kernels >= MULX #mulx },
    };
    quote! {
        let kernels = CURRENT.load(Relaxed);
        #choice
        if kernels == UNKNOWN {
            find_out();
        }
        #otherwise
    }
}

/// Stores what a kernel left in registers, and takes what other code left in memory.
fn result(n: usize) -> TokenStream {
    quote! {
        /// A copy, limb by limb.
        ///
        /// A plain copy loads two limbs at once. Where one branch copies so, the compiler stores
        /// the limbs of a kernel one by one into the same memory, and the load waits for them.
        #[inline(always)]
        fn by_limbs(z: &[u64; #n]) -> [u64; #n] {
            // SAFETY: a reference is valid for reads.
            z.each_ref().map(|limb| unsafe { ::core::ptr::read_volatile(limb) })
        }

        /// The same limbs, written two at once.
        ///
        /// ark-ff copies elements by pairs of limbs, and a processor makes a load of a pair wait
        /// where its limbs were stored one by one.
        #[inline(always)]
        fn paired(z: [u64; #n]) -> [u64; #n] {
            use ::core::arch::x86_64::{_mm_set_epi64x, _mm_storeu_si128};
            let mut copy = z;
            for (i, to) in copy.chunks_exact_mut(2).enumerate() {
                // SAFETY: two limbs are 16 bytes; every x86-64 processor has the instructions.
                unsafe {
                    let limbs = _mm_set_epi64x(z[2 * i + 1] as i64, z[2 * i] as i64);
                    _mm_storeu_si128(to.as_mut_ptr().cast(), limbs);
                }
            }
            copy
        }
    }
}
