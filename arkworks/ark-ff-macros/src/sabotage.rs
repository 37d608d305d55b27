//! Kernels that are wrong: for the test that shows that kernels run.

use proc_macro2::{Group, Literal, TokenStream, TokenTree};

/// The kernel with one bit of its text flipped: where it first reads a second limb, 8 becomes 9. On
/// AArch64 its first high half of a product becomes the low one.
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
            let text = text.value().replacen(" + 8]", " + 9]", 1).replacen("umulh", "mul", 1);
            Literal::string(&text)
        }
        Err(_) => literal,
    }
}
