//! Checks of the crate `fieldc` against num-bigint, each a function of any bytes.
//!
//! The first byte of an input chooses the field, the second the kernels, and the rest are the bytes
//! that are decoded, or the operands. A check panics where the crate is wrong: cargo-fuzz runs it
//! (`make fuzz`), and so does a test on inputs that are made here (`tests/short.rs`).

mod arithmetic;
mod decoding;
mod element;
mod fields;
mod input;
mod seeds;
mod text;

pub use arithmetic::{inverses, powers, ring, sums};
pub use decoding::{bytes, wide};
pub use seeds::seeds;
pub use text::{formats, text};

/// A check and its name.
pub type Target = (&'static str, fn(&[u8]));

/// Every check. Decoding first: bytes, text, numbers of any length, serde.
pub const TARGETS: [Target; 8] = [
    ("bytes", bytes),
    ("text", text),
    ("wide", wide),
    ("formats", formats),
    ("ring", ring),
    ("powers", powers),
    ("inverses", inverses),
    ("sums", sums),
];
