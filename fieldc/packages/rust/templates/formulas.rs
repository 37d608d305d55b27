//! Every kernel of a formula that this processor can run computes what Python's integers say.

#![allow(non_snake_case, reason = "names are those of the formulas' file")]
#![cfg_attr(rustfmt, rustfmt_skip)]

use @crate@::{@type@ as F, Kernels, formulas};

fn values(texts: &[&str]) -> Vec<F> {
    let read = |text: &&str| F::from_hex(text).expect("a number below p");
    texts.iter().map(read).collect()
}

@on_every_kernel@@formula_tests@
