//! The text of a bound in a manifest.

use num_bigint::BigInt;

/// What values up to `high` are below: `p`, `2p`, `p*R`, `2^64`, `3p*2^64` or `8p*p`; and of an
/// operation modulo 2^128*R + 1 `R` or `2^128*R`.
pub(crate) fn bound_text(high: &BigInt, p: &BigInt, limbs: usize) -> String {
    let (mut multiple, mut factors) = (high + 1u8, Vec::new());
    while factors.len() < 2 && (&multiple % p) == BigInt::from(0) {
        multiple /= p;
        factors.push("p".to_string());
    }
    let (zeros, whole) = (multiple.trailing_zeros().unwrap_or_default(), 64 * limbs as u64);
    let is_of_quotients = *p == (BigInt::from(1) << (whole + 128)) + 1u8;
    if is_of_quotients && zeros >= whole && multiple == BigInt::from(1) << zeros {
        return if zeros == whole { "R".into() } else { format!("2^{}*R", zeros - whole) };
    }
    if factors.len() == 1 && multiple == BigInt::from(1) << (64 * limbs) {
        return "p*R".to_string();
    }
    let is_power = zeros >= 64;
    let odd = if is_power { multiple >> zeros } else { multiple };
    if odd != BigInt::from(1) {
        match factors.first_mut() {
            Some(first) => *first = format!("{odd}{first}"),
            None => factors.push(odd.to_string()),
        }
    }
    factors.extend(is_power.then(|| format!("2^{zeros}")));
    factors.join("*")
}
