//! The configuration of a field whose elements are one machine integer, in Montgomery form.

use num_bigint::BigUint;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use crate::arguments::Field;
use crate::number::error;

/// A field, and the integer of w bits that holds an element; R = 2^w.
struct Small<'f> {
    field: &'f Field,
    width: u32,
}

/// `SmallFpConfig` for a field.
pub(crate) fn config(field: &Field) -> syn::Result<TokenStream> {
    let bits = u32::try_from(field.modulus.bits()).unwrap_or(u32::MAX);
    if bits > 64 {
        return Err(error("SmallFpConfig is for moduli below 2^64; derive MontConfig"));
    }
    let small = Small { field, width: bits.next_power_of_two().max(8) };
    let name = &field.name;
    let (constants, square_root) = (small.constants(), small.square_root());
    let (linear, products, conversions) = (small.linear(), small.products(), small.conversions());
    let inherent = small.inherent();
    Ok(quote! {
        const _: () = {
            use ark_ff::{SmallFp, SmallFpConfig};

            #[automatically_derived]
            impl SmallFpConfig for #name {
                #constants
                #square_root
                #linear
                #products
                #conversions
            }

            #inherent
        };
    })
}

impl Small<'_> {
    fn integer(&self, width: u32) -> Ident {
        Ident::new(&format!("u{width}"), Span::call_site())
    }

    /// A number below 2^64, of the type that the context needs.
    fn literal(number: &BigUint) -> Literal {
        Literal::u64_unsuffixed(number.iter_u64_digits().next().unwrap_or(0))
    }

    /// The Montgomery form.
    fn montgomery(&self, number: &BigUint) -> Literal {
        Self::literal(&((number << self.width) % &self.field.modulus))
    }

    fn constants(&self) -> TokenStream {
        let Field { modulus, generator, .. } = self.field;
        let integer = self.integer(self.width);
        let (p, g) = (Self::literal(modulus), self.montgomery(generator));
        let one = self.montgomery(&BigUint::from(1u32));
        let minus_one = self.montgomery(&(modulus - 1u32));
        let twos = self.two_adicity();
        let root = self.root_of_unity();
        let subgroup = self.field.small_subgroup().map(|(base, power)| {
            let root = self.montgomery(&self.field.large_subgroup_root(base, power));
            quote! {
                const SMALL_SUBGROUP_BASE: Option<u32> = Some(#base);
                const SMALL_SUBGROUP_BASE_ADICITY: Option<u32> = Some(#power);
                const LARGE_SUBGROUP_ROOT_OF_UNITY: Option<SmallFp<Self>> =
                    Some(SmallFp::from_raw(#root));
            }
        });
        quote! {
            type T = #integer;
            const MODULUS: #integer = #p;
            const MODULUS_U128: u128 = #p;
            const GENERATOR: SmallFp<Self> = SmallFp::from_raw(#g);
            const ZERO: SmallFp<Self> = SmallFp::from_raw(0);
            const ONE: SmallFp<Self> = SmallFp::from_raw(#one);
            const NEG_ONE: SmallFp<Self> = SmallFp::from_raw(#minus_one);
            const TWO_ADICITY: u32 = #twos;
            const TWO_ADIC_ROOT_OF_UNITY: SmallFp<Self> = SmallFp::from_raw(#root);
            #subgroup
        }
    }

    fn two_adicity(&self) -> u32 {
        let twos = (&self.field.modulus - 1u32).trailing_zeros();
        twos.map_or(0, |twos| twos as u32)
    }

    fn root_of_unity(&self) -> Literal {
        let Field { modulus, generator, .. } = self.field;
        self.montgomery(&generator.modpow(&self.field.odd_part(), modulus))
    }

    /// What square roots need. The generator is the non-residue.
    fn square_root(&self) -> TokenStream {
        let modulus = &self.field.modulus;
        let case = if modulus.bit(1) {
            let exponent = Self::literal(&((modulus + 1u32) >> 2));
            quote! { Case3Mod4 { modulus_plus_one_div_four: &[#exponent] } }
        } else {
            let (twos, root) = (self.two_adicity(), self.root_of_unity());
            let exponent = Self::literal(&(self.field.odd_part() >> 1));
            quote! {
                TonelliShanks {
                    two_adicity: #twos,
                    quadratic_nonresidue_to_trace: SmallFp::from_raw(#root),
                    trace_of_modulus_minus_one_div_two: &[#exponent],
                }
            }
        };
        quote! {
            const SQRT_PRECOMP: Option<ark_ff::SqrtPrecomputation<SmallFp<Self>>> =
                Some(ark_ff::SqrtPrecomputation::#case);
        }
    }

    /// Addition and what is like it.
    fn linear(&self) -> TokenStream {
        quote! {
            #[inline(always)]
            fn add_assign(a: &mut SmallFp<Self>, b: &SmallFp<Self>) {
                let (sum, carry) = a.value.overflowing_add(b.value);
                let is_large = carry || sum >= Self::MODULUS;
                a.value = if is_large { sum.wrapping_sub(Self::MODULUS) } else { sum };
            }

            #[inline(always)]
            fn sub_assign(a: &mut SmallFp<Self>, b: &SmallFp<Self>) {
                let (difference, borrow) = a.value.overflowing_sub(b.value);
                a.value = if borrow { difference.wrapping_add(Self::MODULUS) } else { difference };
            }

            #[inline(always)]
            fn double_in_place(a: &mut SmallFp<Self>) {
                let b = *a;
                Self::add_assign(a, &b);
            }

            #[inline(always)]
            fn neg_in_place(a: &mut SmallFp<Self>) {
                if a.value != 0 {
                    a.value = Self::MODULUS - a.value;
                }
            }
        }
    }

    /// Products, and inverses by Fermat's theorem.
    fn products(&self) -> TokenStream {
        let (integer, wide) = (self.integer(self.width), self.integer(2 * self.width));
        let width = self.width;
        // -1/p mod R: the inverse of p modulo 2^w is a power of p, as the group has order 2^(w-1).
        let r = BigUint::from(1u32) << width;
        let inverse = self.field.modulus.modpow(&((&r >> 1) - 1u32), &r);
        let n0 = Self::literal(&(&r - inverse));
        quote! {
            #[inline(always)]
            fn mul_assign(a: &mut SmallFp<Self>, b: &SmallFp<Self>) {
                const N0: #integer = #n0;
                let product = a.value as #wide * b.value as #wide;
                let q = (product as #integer).wrapping_mul(N0);
                // A multiple of R below 2pR.
                let (sum, carry) = product.overflowing_add(q as #wide * Self::MODULUS as #wide);
                let high = (sum >> #width) as #integer;
                let is_large = carry || high >= Self::MODULUS;
                a.value = if is_large { high.wrapping_sub(Self::MODULUS) } else { high };
            }

            #[inline(always)]
            fn square_in_place(a: &mut SmallFp<Self>) {
                let b = *a;
                Self::mul_assign(a, &b);
            }

            #[inline(always)]
            fn sum_of_products<const K: usize>(
                a: &[SmallFp<Self>; K],
                b: &[SmallFp<Self>; K],
            ) -> SmallFp<Self> {
                let mut sum = Self::ZERO;
                for (a, b) in a.iter().zip(b) {
                    let mut product = *a;
                    Self::mul_assign(&mut product, b);
                    Self::add_assign(&mut sum, &product);
                }
                sum
            }

            fn inverse(a: &SmallFp<Self>) -> Option<SmallFp<Self>> {
                let mut power = Self::ONE;
                for i in (0..#width).rev() {
                    Self::square_in_place(&mut power);
                    if (Self::MODULUS - 2) >> i & 1 == 1 {
                        Self::mul_assign(&mut power, a);
                    }
                }
                (a.value != 0).then_some(power)
            }
        }
    }

    fn conversions(&self) -> TokenStream {
        let r2 = self.montgomery(&(BigUint::from(1u32) << self.width));
        let integer = self.integer(self.width);
        quote! {
            #[inline]
            fn new(value: #integer) -> SmallFp<Self> {
                let mut element = SmallFp::from_raw(value % Self::MODULUS);
                Self::mul_assign(&mut element, &SmallFp::from_raw(#r2));
                element
            }

            fn from_bigint(number: ark_ff::BigInt<1>) -> Option<SmallFp<Self>> {
                let number = number.0[0];
                (number < Self::MODULUS as u64).then(|| Self::new(number as #integer))
            }

            fn into_bigint(mut element: SmallFp<Self>) -> ark_ff::BigInt<1> {
                Self::mul_assign(&mut element, &SmallFp::from_raw(1));
                ark_ff::BigInt([element.value as u64])
            }
        }
    }

    /// Methods of the type itself: out of Montgomery form, and constants.
    fn inherent(&self) -> TokenStream {
        let (name, integer, width) = (&self.field.name, self.integer(self.width), self.width);
        quote! {
            impl #name {
                /// Takes an element out of Montgomery form.
                pub fn exit(a: &mut SmallFp<Self>) {
                    <Self as SmallFpConfig>::mul_assign(a, &SmallFp::from_raw(1));
                }

                /// A number as an element, for constants.
                pub const fn from_u128(value: u128) -> SmallFp<Self> {
                    const P: u128 = <#name as SmallFpConfig>::MODULUS_U128;
                    SmallFp::from_raw((((value % P) << #width) % P) as #integer)
                }
            }
        }
    }
}
