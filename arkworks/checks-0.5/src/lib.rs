//! Tests of arkworks on the kernels of fieldc, and what in them depends on its release.

/// Defines the configuration of a prime field from a name, the modulus and a generator.
#[macro_export]
macro_rules! field {
    ($name:ident, $modulus:literal, $generator:literal) => {
        #[derive(ark_ff::MontConfig)]
        #[modulus = $modulus]
        #[generator = $generator]
        struct $name;
    };
}

/// The type of the elements of such a field.
#[macro_export]
macro_rules! element {
    ($name:ident, $modulus:literal) => {
        ark_ff::Fp<
            ark_ff::MontBackend<$name, { $crate::limbs($modulus) }>,
            { $crate::limbs($modulus) },
        >
    };
}

/// How many limbs hold a decimal number.
pub const fn limbs(decimal: &str) -> usize {
    let (mut limbs, mut used, mut i) = ([0u64; 16], 1, 0);
    while i < decimal.len() {
        let (mut carry, mut j) = ((decimal.as_bytes()[i] - b'0') as u128, 0);
        while j < used || carry != 0 {
            let sum = 10 * limbs[j] as u128 + carry;
            (limbs[j], carry) = (sum as u64, sum >> 64);
            j += 1;
        }
        (used, i) = (j, i + 1);
    }
    used
}
