//! Every kernel of a formula that this processor can run computes what Python's integers say.

#![allow(non_snake_case, reason = "names are those of the formulas' file")]
#![cfg_attr(rustfmt, rustfmt_skip)]

use @crate@::{@type@ as F, Kernels, formulas};

fn values(texts: &[&str]) -> Vec<F> {
    let read = |text: &&str| F::from_hex(text).expect("a number below p");
    texts.iter().map(read).collect()
}

fn on_every_kernel(check: impl Fn()) {
    use Kernels::{
        Aarch64, Adx, AdxAvx2, AdxAvx512Ifma, Avx2, Avx512Ifma, Avx512f, Mulx, Portable,
    };
    let all = [
        Portable,
        Mulx,
        Adx,
        Avx2,
        AdxAvx2,
        Avx512f,
        Avx512Ifma,
        AdxAvx512Ifma,
        Aarch64,
    ];
    let here = all.iter().filter(|kernels| kernels.select().is_ok());
    assert_ne!(here.map(|_| check()).count(), 0);
    Kernels::detect().select().expect("this processor has them");
}
@formula_tests@
