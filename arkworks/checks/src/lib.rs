//! Tests of arkworks on the kernels of fieldc, and what in them depends on its release.

/// Defines a prime field from a name, the modulus and a generator.
#[macro_export]
macro_rules! field {
    ($name:ident, $modulus:literal, $generator:literal) => {
        ark_ff::define_field!(modulus = $modulus, generator = $generator, name = $name);
    };
}

/// The type of the elements of such a field.
#[macro_export]
macro_rules! element {
    ($name:ident, $modulus:literal) => {
        $name
    };
}
