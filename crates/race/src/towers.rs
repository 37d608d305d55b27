//! What pairings are made of, in this process, and multiples on Curve25519: see
//! [`peers`](crate::peers).

/// What is raced: in Fp12 a product, a square, a square of the cyclotomic subgroup and a product
/// with a line; a Miller loop, a final exponentiation, a pairing and the product of four; in G1 and
/// G2 the sum with an affine point, and a double. A product with a line is that of the curve's
/// twist. `x25519` is the function of RFC 7748, for libraries that do not show their field.
pub const OPERATIONS: [&str; 13] = [
    "fp12_mul",
    "fp12_square",
    "cyclotomic_square",
    "fp12_mul_line",
    "miller_loop",
    "final_exponentiation",
    "pairing",
    "pairing_4",
    "g1_add",
    "g1_double",
    "g2_add",
    "g2_double",
    "x25519",
];
