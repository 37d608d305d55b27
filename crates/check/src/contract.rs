//! What a kernel must do.

use crate::certificate::Stated;
use crate::polynomial::Polynomial;
use crate::{Outcome, fail};
use iced_x86::Register::{self, R8, R12, R13, R14, R15, RBP, RBX, RCX, RDI, RDX, RSI, RSP};
use num_bigint::BigInt;

#[derive(Debug)]
pub(crate) struct Convention {
    /// Where the pointers to z, x and y are on entry.
    pub(crate) arguments: [Register; 3],
    /// What a function leaves as it was.
    pub(crate) saved: &'static [Register],
    /// Bytes below the stack pointer that a leaf may use.
    pub(crate) red_zone: i64,
    /// Bytes of stack that a function may take without a probe.
    pub(crate) frame: i64,
}

const SYSV: Convention = Convention {
    arguments: [RDI, RSI, RDX],
    saved: &[RSP, RBX, RBP, R12, R13, R14, R15],
    red_zone: 128,
    frame: i64::MAX,
};
const WIN64: Convention = Convention {
    arguments: [RCX, RDX, R8],
    saved: &[RSP, RBX, RBP, RDI, RSI, R12, R13, R14, R15],
    red_zone: 0,
    frame: 4096,
};

/// z with factor * z = claim mod p and z < p.
#[derive(Debug)]
pub(crate) struct Contract {
    pub(crate) p: BigInt,
    pub(crate) limbs: usize,
    pub(crate) convention: Convention,
    /// Names and values: polynomials in limbs, which are the first variables.
    pub(crate) operands: Vec<(&'static str, Polynomial)>,
    /// Operands that lie side by side, behind one pointer.
    pub(crate) beside: usize,
    /// Limbs of an operand, and its largest value.
    pub(crate) width: usize,
    pub(crate) high: BigInt,
    pub(crate) factor: BigInt,
    pub(crate) claim: Polynomial,
}

impl Contract {
    /// The contract of a named operation on n limbs, R = 2^(64n).
    pub(crate) fn new(Stated { operation, p, limbs, convention }: &Stated) -> Outcome<Self> {
        let (p, limbs) = (p.0.clone(), *limbs);
        if !(1..=64).contains(&limbs) || p < 3.into() || !p.bit(0) || p.bits() > 64 * limbs as u64 {
            return fail(format!("contract: no odd p of {limbs} limbs"));
        }
        let r = BigInt::from(1) << (64 * limbs);
        let wide = operation == "redc" || operation == "reduce";
        let (width, high) = if wide { (2 * limbs, &p * &r - 1) } else { (limbs, &p - 1) };
        let value = |k| Polynomial::number((0..width).map(|i| Polynomial::variable(k * width + i)));
        let (x, y, one) = (value(0), value(1), BigInt::from(1));
        let (factor, claim) = match operation.as_str() {
            "add" => (one, x.clone().plus(&y, 1)),
            "sub" => (one, x.clone().plus(&y, -1)),
            "neg" => (one, Polynomial::default().plus(&x, -1)),
            "double" => (one, x.clone().plus(&x, 1)),
            "mul" => (r, x.times(&y)),
            "square" => (r, x.times(&x)),
            "sum_of_products" => (r, x.times(&value(2)).plus(&y.times(&value(3)), 1)),
            "mul_plain" => (one, x.times(&y)),
            "reduce" => (one, x.clone()),
            "redc" | "from_montgomery" => (r, x.clone()),
            "to_montgomery" => (r.modinv(&p).expect("p is odd"), x.clone()),
            _ => return fail(format!("contract: no operation {operation}")),
        };
        let (names, beside): (&[_], _) = match operation.as_str() {
            "sum_of_products" => (&["x.0", "x.1", "y.0", "y.1"], 2),
            "add" | "sub" | "mul" | "mul_plain" => (&["x", "y"], 1),
            _ => (&["x"], 1),
        };
        let operands = names.iter().enumerate().map(|(k, name)| (*name, value(k))).collect();
        let convention = match convention.as_str() {
            "sysv" => SYSV,
            "win64" => WIN64,
            _ => return fail(format!("contract: no convention {convention}")),
        };
        Ok(Self { p, limbs, convention, operands, beside, width, high, factor, claim })
    }
}
