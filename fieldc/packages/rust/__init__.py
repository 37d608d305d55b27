"""The Rust crate's checked-in kernels."""
