//! Kernels that are wrong: for the test that shows that kernels run.

use proc_macro2::{Group, Literal, TokenStream, TokenTree};

/// The kernel with one place of its text changed: where it first reads a second limb, 8 becomes 9,
/// or on AArch64, where it first reads a third one, 16 becomes 8.
/// Kernels of one limb stay as they are.
pub(crate) fn flip(kernel: TokenStream) -> TokenStream {
    let tree = |tree| match tree {
        TokenTree::Group(group) => {
            TokenTree::Group(Group::new(group.delimiter(), flip(group.stream())))
        }
        TokenTree::Literal(literal) => TokenTree::Literal(flipped(literal)),
        other => other,
    };
    kernel.into_iter().map(tree).collect()
}

fn flipped(literal: Literal) -> Literal {
    match syn::parse_str::<syn::LitStr>(&literal.to_string()) {
        Ok(text) => {
            let text = text.value().replacen(" + 8]", " + 9]", 1).replacen(", #16]", ", #8]", 1);
            Literal::string(&text)
        }
        Err(_) => literal,
    }
}
