//! Arithmetic modulo @label@: @bits@ bits in @size@.
//!
//! p = @prime@
//!
//! ```
@documented@//! ```
//!
//! Made by `@command@`. The types are those of the crate
//! `fieldc`, whose documentation has an example for each method. The kernels are for this prime.
//!
//! The crate is `no_std`, allocates nothing and has no build script. On x86-64 it finds out once
//! what the processor has and runs assembly if it has BMI2; on AArch64 it runs assembly. Everywhere
//! else, and with the feature `portable`, it runs portable Rust (see [`Kernels`]). No branch and no
//! address depends on the value of an element. They may depend on what is public: an exponent, a
//! length, a text.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "the library serves other primes too"
)]
