//! Composite numbers that pass some tests of primality, and primes.

use fieldc::__private::{is_probable_prime, limbs_of, parse};
use fieldc::Modulus;

/// Types of moduli, without their test, and what the test says of them.
macro_rules! said {
    ($($modulus:literal)+) => {
        [$({
            struct Number;

            impl Modulus<{ limbs_of($modulus) }> for Number {
                const P: [u64; limbs_of($modulus)] = parse($modulus);
            }

            ($modulus, is_probable_prime::<{ limbs_of($modulus) }, Number>(true))
        }),+]
    };
}

#[test]
fn composites_are_found() {
    let said = said! {
        // Strong pseudoprimes to base 2, to 2 and 3, and to more.
        "80581" "25326001" "3215031751" "1373653" "341550071728321"
        "318665857834031151167461" "3317044064679887385961981"
        // Extra strong Lucas pseudoprimes.
        "72389" "73919" "75077" "100127" "113573" "125249"
        // Carmichael numbers, the squares of the Wieferich primes, small numbers.
        "294409" "56052361" "1194649" "12327121" "9" "15" "65535"
        // (2^127 - 1)*(2^89 - 1), and (2^61 - 1)^2.
        "0xffffffffffffffffffffff7ffffffffe0000000000000000000001"
        "0x3ffffffffffffffc000000000000001"
    };
    for (modulus, is_prime) in said {
        assert!(!is_prime, "{modulus}");
    }
}

#[test]
fn primes_are_found() {
    let said = said! {
        "3" "5" "7" "11" "251" "65521" "65537" "65539" "4294967291" "18446744073709551557"
        "0x1fffffffffffffff" "0xffffffff00000001" "0xffffffffffffffffffffffffffffff61"
        "0x7fffffffffffffffffffffffffffffff" "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
        "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"
        "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff"
        "0x122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008b"
    };
    for (modulus, is_prime) in said {
        assert!(is_prime, "{modulus}");
    }
}
