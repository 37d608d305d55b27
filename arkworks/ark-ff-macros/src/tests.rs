//! What the macros take out of fieldc compiles where they put it. The rest of what a derive expands
//! to needs ark-ff, and is compiled by `checks`.

use std::env;
use std::fs;
use std::process::{self, Command};

use num_bigint::BigUint;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{File, Item};

use crate::number::limbs;
use crate::products::products;

/// Moduli of each class of kernels, of one limb to twelve, and of more than have kernels.
fn moduli() -> Vec<BigUint> {
    let two = |power: u32| BigUint::from(1u32) << power;
    let number = |digits: &str| BigUint::parse_bytes(digits.as_bytes(), 16).unwrap();
    vec![
        two(61) - 1u32,
        two(64) - two(32) + 1u32,
        two(127) - 1u32,
        two(224) - two(96) + 1u32,
        two(255) - 19u32,
        two(256) - two(32) - 977u32,
        two(256) - two(224) + two(192) + two(96) - 1u32,
        number("30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001"),
        number(concat!(
            "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f624",
            "1eabfffeb153ffffb9feffffffffaaab"
        )),
        two(384) - two(128) - two(96) + two(32) - 1u32,
        two(521) - 1u32,
        two(768) - 825u32,
        two(1024) - 105u32,
    ]
}

/// The modules that need nothing of ark-ff: inversion, and the kernels of one limb count.
fn modules(number: usize, p: &BigUint) -> TokenStream {
    let (_, items) = products(&limbs(p), &TokenStream::new()).expect("a modulus with kernels");
    let File { items, .. } = syn::parse2(items).expect("items");
    let found: Vec<_> = items.into_iter().filter(|item| matches!(item, Item::Mod(_))).collect();
    assert_eq!(found.is_empty(), p.bits() > 768, "{p}");
    let name = format_ident!("modulus_{number}");
    quote! { pub mod #name { #(#found)* } }
}

#[test]
fn texts_of_fieldc_compile_alone() {
    let all =
        moduli().iter().enumerate().map(|(number, p)| modules(number, p)).collect::<TokenStream>();
    let folder = env::temp_dir().join(format!("fieldc-arkworks-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("texts.rs");
    fs::write(&path, format!("#![no_std]\n#![allow(dead_code)]\n{all}")).unwrap();
    let rustc = env::var_os("RUSTC").unwrap_or("rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition=2021", "--crate-type=lib", "--emit=metadata", "-Awarnings", "-o"]);
    let done = command.arg(folder.join("texts.rmeta")).arg(&path).output().expect("rustc");
    fs::remove_dir_all(&folder).unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
