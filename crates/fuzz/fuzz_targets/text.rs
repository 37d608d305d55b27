//! The target `text` for cargo-fuzz.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fieldc_fuzz::text(input));
