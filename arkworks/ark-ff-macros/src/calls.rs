//! Calls of kernels from what the derive expands to.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::kernels::{Architecture, Kernel, Kernels, called, processor};

/// The kernels, and functions that call those which suit the processor.
pub(crate) fn module(n: usize, kernels: &Kernels) -> syn::Result<TokenStream> {
    let (kernel_items, called) = (&kernels.items, called()?);
    let calls = Calls { n, architecture: kernels.architecture };
    let mul = calls.function("mul", &kernels.mul, &[("x", 1), ("y", 1)]);
    let square = match &kernels.square {
        Some(square) => calls.function("square", square, &[("x", 1)]),
        None => calls.square_by(&kernels.mul),
    };
    let operands = [("x", 2), ("y", 2)];
    let sum = kernels.sum_of_products.as_ref();
    let sum = sum.map(|kernel| calls.function("sum_of_products", kernel, &operands));
    let sums = kernels.add.as_ref().map(|add| calls.sums(add));
    let around = calls.around()?;
    Ok(quote! {
        // Inlined kernels are safe, and call nothing.
        #[allow(named_asm_labels, unused_imports, unused_macros, unused_unsafe)]
        mod __kernels {
            use ::core::arch::asm;

            #mul
            #square
            #sum
            #sums
            #around
            #called
            #kernel_items
        }
    })
}

/// Calls of kernels for so many limbs.
struct Calls {
    n: usize,
    architecture: Architecture,
}

impl Calls {
    /// What is there beside the kernels.
    fn around(&self) -> syn::Result<TokenStream> {
        if self.architecture == Architecture::Aarch64 {
            return Ok(quote! { use ::core::mem::MaybeUninit; });
        }
        let (choice, result, processor) = (choice_of_kernels(), result(self.n), processor()?);
        Ok(quote! { #choice #result #processor })
    }

    /// An operation on limbs, each operand by its name and how many values it has.
    fn function(&self, name: &str, kernel: &Kernel, operands: &[(&str, usize)]) -> TokenStream {
        let (n, name) = (self.n, format_ident!("{name}"));
        let names: Vec<Ident> = operands.iter().map(|(x, _)| format_ident!("{x}")).collect();
        let types = operands.iter().map(|&(_, count)| match count {
            1 => quote! { &[u64; #n] },
            _ => quote! { &[[u64; #n]; #count] },
        });
        let stored = match operands[0].1 {
            1 => quote! {},
            _ => quote! { paired },
        };
        let call = self.call(kernel, &quote! { #(#names),* }, &stored);
        let otherwise = self.otherwise();
        quote! {
            /// By other code unless the processor is known to run a kernel.
            #[inline(always)]
            pub(super) fn #name(#(#names: #types,)* #otherwise) -> [u64; #n] {
                #call
            }
        }
    }

    /// A square as a product.
    fn square_by(&self, mul: &Kernel) -> TokenStream {
        let (n, otherwise) = (self.n, self.otherwise());
        let call = self.call(mul, &quote! { x, x }, &quote! {});
        quote! {
            /// x*x/R mod p, likewise.
            #[inline(always)]
            pub(super) fn square(x: &[u64; #n], #otherwise) -> [u64; #n] {
                #call
            }
        }
    }

    /// The parameter that has the other code, where there is any.
    fn otherwise(&self) -> TokenStream {
        let n = self.n;
        match self.architecture {
            Architecture::X86_64 => quote! { otherwise: impl FnOnce() -> [u64; #n] },
            Architecture::Aarch64 => TokenStream::new(),
        }
    }

    /// Runs a kernel, or other code where the processor has none.
    fn call(&self, kernel: &Kernel, operands: &TokenStream, stored: &TokenStream) -> TokenStream {
        if self.architecture == Architecture::Aarch64 {
            let kernel = &kernel.first;
            return quote! {
                // SAFETY: every processor has what the kernel needs. The class is p's.
                unsafe { #kernel(#operands) }
            };
        }
        let run = |kernel: &Ident| {
            quote! {{
                // SAFETY: the processor was found to have what the kernel needs. The class is p's.
                return #stored(unsafe { #kernel(#operands) });
            }}
        };
        choice(kernel, run, &quote! { #stored(by_limbs(&otherwise())) })
    }

    /// Sums and differences.
    fn sums(&self, add: &Ident) -> TokenStream {
        let n = self.n;
        let stored = match self.architecture {
            Architecture::X86_64 => quote! { paired },
            Architecture::Aarch64 => TokenStream::new(),
        };
        quote! {
            /// x + y mod p.
            #[inline(always)]
            pub(super) fn sum(x: &[u64; #n], y: &[u64; #n]) -> [u64; #n] {
                #stored(#add(x, y))
            }

            /// x - y mod p.
            #[inline(always)]
            pub(super) fn difference(x: &[u64; #n], y: &[u64; #n]) -> [u64; #n] {
                #stored(sub(x, y))
            }
        }
    }
}

/// What finds out once which kernels the processor runs.
fn choice_of_kernels() -> TokenStream {
    quote! {
        use ::core::sync::atomic::{AtomicU8, Ordering::Relaxed};

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

/// One load and one or two comparisons beside a call.
fn choice(
    kernel: &Kernel,
    run: impl Fn(&Ident) -> TokenStream,
    otherwise: &TokenStream,
) -> TokenStream {
    let mulx = run(&kernel.first);
    let choice = match kernel.two_chains.as_ref().map(run) {
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
