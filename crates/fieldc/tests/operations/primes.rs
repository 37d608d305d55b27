//! Primes for every number of limbs that no named field has, all bits full and 8 a factor of p - 1,
//! and that of P-224, where 2^96 is one.

fieldc::field! {
    /// Integers modulo 2^128 - 159.
    pub(crate) struct P128(modulus = "0xffffffffffffffffffffffffffffff61", prime);
}
fieldc::field! {
    /// Integers modulo 2^192 - 399.
    pub(crate) struct P192(modulus = "0xfffffffffffffffffffffffffffffffffffffffffffffe71");
}
fieldc::field! {
    /// Integers modulo 2^320 - 743.
    pub(crate) struct P320(modulus = "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffd19", prime);
}
fieldc::field! {
    /// Integers modulo 2^448 - 207.
    pub(crate) struct P448(modulus = "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff31", prime);
}
fieldc::field! {
    /// Integers modulo 2^576 - 1575.
    pub(crate) struct P576(modulus = "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff9d9", prime);
}
fieldc::field! {
    /// Integers modulo 2^640 - 503.
    pub(crate) struct P640(modulus = "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe09", prime);
}
fieldc::field! {
    /// Integers modulo 2^704 - 1319.
    pub(crate) struct P704(modulus = "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffad9", prime);
}
fieldc::field! {
    /// Integers modulo 2^768 - 1815.
    pub(crate) struct P768(modulus = "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8e9", prime);
}
fieldc::field! {
    /// Base field of NIST P-224.
    pub(crate) struct P224(modulus = "0xffffffffffffffffffffffffffffffff000000000000000000000001", prime);
}

/// One test module for each of these fields.
#[macro_export]
macro_rules! for_every_width {
    ($tests:ident) => {
        $tests!(p128, $crate::primes::P128);
        $tests!(p192, $crate::primes::P192);
        $tests!(p320, $crate::primes::P320);
        $tests!(p448, $crate::primes::P448);
        $tests!(p576, $crate::primes::P576);
        $tests!(p640, $crate::primes::P640);
        $tests!(p704, $crate::primes::P704);
        $tests!(p768, $crate::primes::P768);
        $tests!(p224, $crate::primes::P224);
    };
}
