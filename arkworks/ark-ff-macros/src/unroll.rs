//! Loops over ranges, unrolled where their bounds are known when the program is compiled.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{Block, Expr, ExprForLoop, ExprRange, ItemFn, Pat, RangeLimits, parse_quote};

/// The function with its loops over ranges unrolled.
pub(crate) fn unroll(mut function: ItemFn, iterations: usize) -> TokenStream {
    Unroller { iterations }.visit_block_mut(&mut function.block);
    function.into_token_stream()
}

struct Unroller {
    iterations: usize,
}

impl VisitMut for Unroller {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_expr_mut(self, expression);
        let unrolled = match expression {
            Expr::ForLoop(one) => self.unrolled(one),
            _ => None,
        };
        if let Some(unrolled) = unrolled {
            *expression = unrolled;
        }
    }

    /// A closure stays as it is.
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Unroller {
    /// Steps of so many iterations, each only if the range has it: where the range is known and no
    /// longer than a step, the compiler is left with straight-line code.
    fn unrolled(&self, one: &ExprForLoop) -> Option<Expr> {
        let name = index(&one.pat)?;
        let Expr::Range(ExprRange { start: Some(start), limits, end: Some(end), .. }) = &*one.expr
        else {
            return None;
        };
        if one.label.is_some() || self.iterations == 0 || leaves(&one.body) {
            return None;
        }
        let end = match limits {
            RangeLimits::HalfOpen(_) => quote! { #end },
            RangeLimits::Closed(_) => quote! { #end + 1 },
        };
        let body = &one.body;
        let iterations = (0..self.iterations).map(|_| {
            quote! {
                if __next < __end {
                    let #name = __next;
                    #body
                    __next += 1;
                }
            }
        });
        let attributes = &one.attrs;
        Some(parse_quote! {
            #(#attributes)*
            {
                let (mut __next, __end) = (#start, #end);
                while __next < __end {
                    #(#iterations)*
                }
            }
        })
    }
}

/// The name of a plain index.
fn index(pattern: &Pat) -> Option<Ident> {
    match pattern {
        Pat::Ident(name) if name.by_ref.is_none() && name.mutability.is_none() => {
            name.subpat.is_none().then(|| name.ident.clone())
        }
        Pat::Wild(_) => Some(Ident::new("_index", proc_macro2::Span::mixed_site())),
        _ => None,
    }
}

/// Whether something in the block may leave the iteration.
fn leaves(block: &Block) -> bool {
    struct Search(bool);
    impl Visit<'_> for Search {
        fn visit_expr_break(&mut self, _: &syn::ExprBreak) {
            self.0 = true;
        }
        fn visit_expr_continue(&mut self, _: &syn::ExprContinue) {
            self.0 = true;
        }
    }
    let mut search = Search(false);
    search.visit_block(block);
    search.0
}
