//! arkworks 0.6 and 0.5: ark-ff with its assembly, which needs a target with ADX and BMI2.

use crate::entry::Entry;

/// The rows of a release: its crates and the beginning of its version.
macro_rules! release {
    ($release:ident, $ark_ff:ident, $ark_poly:ident, $bls12_381:ident, $bn254:ident, $secp256k1:ident, $version:literal) => {
        mod $release {
            use std::marker::PhantomData;

            use $ark_ff::{AdditiveGroup, BigInt, Field, Fp, MontBackend, MontConfig};
            use $ark_poly::{EvaluationDomain, Radix2EvaluationDomain};

            use crate::chain::Element;
            use crate::entry::Range::Canonical;
            use crate::entry::{Entry, Peer, Rows};
            use crate::fields::{self, BLS12_381_P, BLS12_381_R, BN254_P, SECP256K1_P};
            use crate::operand::Form;

            type Value<M, const N: usize> = Fp<MontBackend<M, N>, N>;

            impl<M: MontConfig<N>, const N: usize> Element for Value<M, N> {
                const FORM: Form = Form::Montgomery;

                fn load(limbs: &[u64]) -> Self {
                    let limbs = limbs.try_into().expect("limbs of the field");
                    Self::new_unchecked(BigInt::new(limbs))
                }

                fn store(&self) -> Vec<u64> {
                    self.0.0.to_vec()
                }
            }

            fn rows<M: MontConfig<N>, const N: usize>(
                entries: &mut Vec<Entry>,
                field: &'static fields::Field,
                // The config's own: what it says about itself.
                _: PhantomData<M>,
            ) {
                let has = cfg!(all(target_feature = "adx", target_feature = "bmi2"));
                // Its assembly leaves out the word of overflow, so it is for primes with a spare bit.
                let assembly = has && (2..=6).contains(&N) && M::CAN_USE_NO_CARRY_MUL_OPT;
                let algorithm = if assembly { "assembly, adx" } else { "rust" };
                let version = crate::peers::version("ark-ff", $version);
                let peer = Peer { name: "arkworks", version, algorithm };
                Rows::new(entries, field, peer)
                    .inlined("mul", Canonical, |x: &mut Value<M, N>, y| *x *= y)
                    .inlined("square", Canonical, |x: &mut Value<M, N>, _| {
                        x.square_in_place();
                    })
                    .loops(
                        Canonical,
                        |x: &Value<M, N>, y| *x * y,
                        |x: &Value<M, N>, y, z| *x * y + z,
                    )
                    .called("sqrt", Canonical, |x: &mut Value<M, N>, y| {
                        *x = (*x + y).square().sqrt().unwrap_or(Fp::ZERO);
                    })
                    .code("rust")
                    .array("inner_product", Canonical, inner_product::<M, N>)
                    .inlined("add", Canonical, |x: &mut Value<M, N>, y| *x += y)
                    .inlined("sub", Canonical, |x: &mut Value<M, N>, y| *x -= y)
                    .called("inverse", Canonical, |x: &mut Value<M, N>, y| {
                        *x = (*x + y).inverse().unwrap_or(Fp::ZERO);
                    });
            }

            /// By its sums of products, whose number is known when they are compiled.
            fn inner_product<M: MontConfig<N>, const N: usize>(
                x: &mut [Value<M, N>],
                y: &[Value<M, N>],
            ) -> Value<M, N> {
                let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<16>(), y.as_chunks::<16>());
                let sums = x.iter().zip(y).map(|(x, y)| Fp::sum_of_products(x, y));
                let rest = x_rest.iter().zip(y_rest).map(|(x, y)| *x * y);
                sums.chain(rest).sum()
            }

            /// A domain computes the powers of its root in each transform, and takes vectors alone.
            fn transforms(entries: &mut Vec<Entry>) {
                let version = crate::peers::version("ark-poly", $version);
                let peer = Peer { name: "arkworks", version, algorithm: "rust" };
                Rows::new(entries, &BLS12_381_R, peer).transform(
                    Canonical,
                    |count| {
                        let domain = Radix2EvaluationDomain::<$bls12_381::Fr>::new(count);
                        (domain.expect("a power of two"), Vec::with_capacity(count))
                    },
                    |(domain, values), x: &mut [$bls12_381::Fr]| {
                        values.clear();
                        values.extend_from_slice(x);
                        domain.fft_in_place(values);
                        x.copy_from_slice(values);
                    },
                );
            }

            pub(super) fn enter(entries: &mut Vec<Entry>) {
                rows(entries, &BLS12_381_P, PhantomData::<$bls12_381::FqConfig>);
                rows(entries, &BLS12_381_R, PhantomData::<$bls12_381::FrConfig>);
                rows(entries, &BN254_P, PhantomData::<$bn254::FqConfig>);
                rows(entries, &SECP256K1_P, PhantomData::<$secp256k1::FqConfig>);
                transforms(entries);
            }
        }
    };
}

release! { release_0_6, ark_ff, ark_poly, ark_bls12_381, ark_bn254, ark_secp256k1, "0.6" }
release! { release_0_5, ark_ff_0_5, ark_poly_0_5, ark_bls12_381_0_5, ark_bn254_0_5, ark_secp256k1_0_5, "0.5" }

pub(super) fn enter(entries: &mut Vec<Entry>) {
    release_0_6::enter(entries);
    release_0_5::enter(entries);
}
