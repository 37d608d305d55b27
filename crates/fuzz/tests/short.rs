//! Every target on edge inputs and seeded random ones: seconds of what cargo-fuzz does for longer.

use std::panic::catch_unwind;

use fieldc_fuzz::{TARGETS, seeds};

fn run(name: &str, random: usize) {
    let (_, check) = TARGETS
        .iter()
        .find(|(target, _)| *target == name)
        .expect("a target");
    for (seed, input) in (0u64..).zip(seeds(1, random)) {
        let result = catch_unwind(|| check(&input));
        assert!(result.is_ok(), "{name}, input {seed}: {input:02x?}");
    }
}

macro_rules! short_runs {
    ($($target:ident: $random:literal,)+) => {
        $(#[test]
        fn $target() {
            run(stringify!($target), $random);
        })+

        #[test]
        fn every_target_has_a_short_run() {
            assert_eq!(TARGETS.map(|(name, _)| name), [$(stringify!($target)),+]);
        }
    };
}

short_runs! {
    bytes: 300,
    text: 300,
    wide: 300,
    formats: 300,
    ring: 1000,
    powers: 20,
    inverses: 20,
    sums: 300,
}
