//! The target `ring` for cargo-fuzz.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fieldc_fuzz::ring(input));
