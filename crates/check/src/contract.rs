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

/// z's values: factor * value = claim mod p, and value <= most.
#[derive(Debug)]
pub(crate) struct Contract {
    pub(crate) p: BigInt,
    pub(crate) limbs: usize,
    pub(crate) convention: Convention,
    /// Names and values: polynomials in limbs, which are the first variables.
    pub(crate) operands: Vec<(String, Polynomial)>,
    /// Operands that lie side by side, behind one pointer.
    pub(crate) beside: usize,
    /// Limbs of an operand, and its largest value.
    pub(crate) width: usize,
    pub(crate) high: BigInt,
    pub(crate) factor: BigInt,
    /// Of each of z's values, which lie side by side.
    pub(crate) claims: Vec<Polynomial>,
    /// The largest of z's values that is allowed.
    pub(crate) most: BigInt,
}

/// What an operation does with values: how many each operand has, how many operands, and z's.
struct Meaning {
    beside: usize,
    operands: usize,
    claims: Vec<Polynomial>,
}

impl Contract {
    /// The contract of a named operation on n limbs, R = 2^(64n).
    pub(crate) fn new(Stated { operation, p, limbs, convention }: &Stated) -> Outcome<Self> {
        let (p, limbs) = (p.0.clone(), *limbs);
        if !(1..=64).contains(&limbs) || p < 3.into() || !p.bit(0) || p.bits() > 64 * limbs as u64 {
            return fail(format!("contract: no odd p of {limbs} limbs"));
        }
        let r = BigInt::from(1) << (64 * limbs);
        let name = operation.strip_suffix("_lazy").unwrap_or(operation);
        let lazy = name != operation;
        let lazily = ["add", "sub", "mul", "square", "sum_of_products", "reduce"];
        if lazy && (!lazily.contains(&name) || &p * 2 > r) {
            return fail(format!("contract: no operation {operation} modulo p"));
        }
        let wide = operation == "redc" || operation == "reduce";
        let width = if wide { 2 * limbs } else { limbs };
        let bound = if wide { &p * &r } else { &p * if lazy { 2 } else { 1 } };
        let most = if lazy && name != "reduce" { &bound - 1 } else { &p - 1 };
        let value = |k| Polynomial::number((0..width).map(|i| Polynomial::variable(k * width + i)));
        let Meaning { beside, operands, claims } =
            meaning(name, value).ok_or_else(|| format!("contract: no operation {operation}"))?;
        let factor = match name {
            "to_montgomery" => r.modinv(&p).expect("p is odd"),
            "mul" | "square" | "redc" | "from_montgomery" => r,
            _ if beside > 1 => r,
            _ => 1.into(),
        };
        let named = |k: usize| match (["x", "y"][k / beside], beside) {
            (name, 1) => name.to_string(),
            (name, _) => format!("{name}.{}", k % beside),
        };
        let operands = (0..operands * beside).map(|k| (named(k), value(k))).collect();
        let convention = match convention.as_str() {
            "sysv" => SYSV,
            "win64" => WIN64,
            _ => return fail(format!("contract: no convention {convention}")),
        };
        let high = bound - 1;
        Ok(Self { p, limbs, convention, operands, beside, width, high, factor, claims, most })
    }

    /// Limbs of all of z's values.
    pub(crate) fn result_limbs(&self) -> usize {
        self.limbs * self.claims.len()
    }
}

/// The meaning of an operation, whose operands' values are in call order.
fn meaning(name: &str, value: impl Fn(usize) -> Polynomial) -> Option<Meaning> {
    let (x, y) = (value(0), value(1));
    let product = |a, b| value(a).times(&value(b));
    let one = |operands, claim| Some(Meaning { beside: 1, operands, claims: vec![claim] });
    match name {
        "add" => return one(2, x.plus(&y, 1)),
        "sub" => return one(2, x.plus(&y, -1)),
        "neg" => return one(1, Polynomial::default().plus(&x, -1)),
        "double" => return one(1, x.clone().plus(&x, 1)),
        "mul" | "mul_plain" => return one(2, x.times(&y)),
        "square" => return one(1, x.times(&x)),
        "redc" | "reduce" | "from_montgomery" | "to_montgomery" => return one(1, x),
        _ => {}
    }
    let (family, number) = numbered(name)?;
    let beta = number.unwrap_or(-1);
    let (beside, operands, claims) = match family {
        "mul_by" => return one(1, Polynomial::default().plus(&x, number?)),
        "difference_of_products" => (2, 2, vec![product(0, 2).plus(&product(1, 3), -1)]),
        "sum_of_products" => {
            let count = usize::try_from(number.unwrap_or(2)).ok().filter(|n| (2..7).contains(n))?;
            let sum =
                (0..count).fold(Polynomial::default(), |t, i| t.plus(&product(i, count + i), 1));
            (count, 2, vec![sum])
        }
        "fp2_mul" => {
            let cross = product(0, 3).plus(&product(1, 2), 1);
            (2, 2, vec![product(0, 2).plus(&product(1, 3), beta), cross])
        }
        "fp2_square" => {
            let cross = product(0, 1).plus(&product(0, 1), 1);
            (2, 1, vec![product(0, 0).plus(&product(1, 1), beta), cross])
        }
        _ => return None,
    };
    Some(Meaning { beside, operands, claims })
}

/// `fp2_mul_minus_5` as fp2_mul and -5; of a name without a number that alone.
fn numbered(name: &str) -> Option<(&str, Option<i64>)> {
    match name.rsplit_once('_') {
        Some((family, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => {
            let number = i64::from(digits.parse::<u32>().ok()?);
            Some(match family.strip_suffix("_minus") {
                Some(family) => (family, Some(-number)),
                None => (family, Some(number)),
            })
        }
        _ => Some((name, None)),
    }
}
