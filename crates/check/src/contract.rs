//! What a kernel must do.

use crate::polynomial::Polynomial;
use crate::{Failure, Outcome};
use num_bigint::BigInt;

/// Where arguments are and what a function leaves as it was: registers by their hardware numbers.
#[derive(Debug)]
pub(crate) struct Convention {
    pub(crate) arguments: &'static [usize],
    pub(crate) saved: &'static [usize],
    /// Bytes below the stack pointer that a leaf may use.
    pub(crate) red_zone: i64,
}

/// rdi, rsi, rdx; rbx, rbp, r12 to r15.
const SYSV: Convention =
    Convention { arguments: &[7, 6, 2], saved: &[3, 5, 12, 13, 14, 15], red_zone: 128 };

/// rcx, rdx, r8; rbx, rbp, rdi, rsi, r12 to r15.
const WIN64: Convention =
    Convention { arguments: &[1, 2, 8], saved: &[3, 5, 7, 6, 12, 13, 14, 15], red_zone: 0 };

/// z with factor * z = claim(operands) mod p and z < p.
#[derive(Debug)]
pub(crate) struct Contract {
    operation: String,
    pub(crate) p: BigInt,
    pub(crate) limbs: usize,
    pub(crate) convention: &'static Convention,
    pub(crate) operands: &'static [&'static str],
    /// Limbs of an operand, and its largest value.
    pub(crate) width: usize,
    pub(crate) high: BigInt,
    pub(crate) factor: BigInt,
}

impl Contract {
    /// The contract of a named operation on n limbs, R = 2^(64n).
    pub(crate) fn new(name: &str, p: BigInt, limbs: usize, convention: &str) -> Outcome<Self> {
        let bad = |what: String| Err(Failure::Input(what));
        if !(1..=64).contains(&limbs) || p < 3.into() || !p.bit(0) || p.bits() > 64 * limbs as u64 {
            return bad(format!("no odd p of {limbs} limbs"));
        }
        let convention = match convention {
            "sysv" => &SYSV,
            "win64" => &WIN64,
            _ => return bad(format!("no convention {convention}")),
        };
        let r = BigInt::from(1) << (64 * limbs);
        let (operands, factor): (&[_], BigInt) = match name {
            "add" | "sub" => (&["x", "y"], 1.into()),
            "neg" | "double" => (&["x"], 1.into()),
            "mul" => (&["x", "y"], r.clone()),
            "square" | "redc" | "from_montgomery" => (&["x"], r.clone()),
            "to_montgomery" => (&["x"], r.modinv(&p).unwrap_or_default()),
            _ => return bad(format!("no operation {name}")),
        };
        let (width, high) = if name == "redc" { (2 * limbs, &p * r) } else { (limbs, p.clone()) };
        let (operation, high) = (name.to_string(), high - 1);
        Ok(Self { operation, p, limbs, convention, operands, width, high, factor })
    }

    /// An operand's value as a polynomial in its limbs, which are the first variables.
    pub(crate) fn value(&self, operand: usize) -> Polynomial {
        let first = self.width * operand;
        Polynomial::sum((0..self.width).map(|i| (BigInt::from(1) << (64 * i), vec![first + i])))
    }

    /// What factor * z is modulo p.
    pub(crate) fn claim(&self) -> Polynomial {
        let x = self.value(0);
        match self.operation.as_str() {
            "add" => x.plus(&self.value(1), 1),
            "sub" => x.plus(&self.value(1), -1),
            "neg" => Polynomial::default().plus(&x, -1),
            "double" => x.clone().plus(&x, 1),
            "mul" => x.times(&self.value(1)),
            "square" => x.times(&x),
            _ => x, // redc, to_montgomery, from_montgomery
        }
    }
}
