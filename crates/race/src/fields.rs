//! The fields that are raced, and their operands: edge values and random ones.

use fieldc::{bls12_381, bn254, curve25519, goldilocks, p256, p521, pallas, secp256k1, vesta};

use crate::array_operations;
use crate::operand::{Form, Operand};

/// What can be raced in a field. An inverse is that of x + y, and a square root that of (x + y)^2: chains of
/// them do not come back to where they were, and the sum costs little beside them.
pub const OPERATIONS: [&str; 6] = ["mul", "square", "add", "sub", "inverse", "sqrt"];

/// A prime field by its name in fieldc's catalogue, or as fieldc reads its prime.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The modulus, least significant limb first.
    pub modulus: &'static [u64],
    /// The operand with these limbs as its Montgomery form, if they are below the modulus.
    operand: fn(&[u64]) -> Option<Operand>,
    /// Whether an operation of two operands has the result with these limbs; of an operation on
    /// arrays those for all lengths that are checked.
    pub holds: fn(op: &str, x: &Operand, y: &Operand, z: &[u64], form: Form) -> bool,
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

macro_rules! fields {
    ($($(#[$doc:meta])* $FIELD:ident = $name:literal, $Fp:ty;)+) => {
        $(
            $(#[$doc])*
            pub static $FIELD: Field = Field {
                name: $name,
                modulus: &<$Fp>::MODULUS,
                operand: |limbs| {
                    let montgomery = limbs.try_into().ok()?;
                    let plain = <$Fp>::from_montgomery_limbs(montgomery)?.to_limbs();
                    Some(Operand { plain: plain.to_vec(), montgomery: montgomery.to_vec() })
                },
                holds: |op, x, y, z, form| {
                    let element = |limbs: &[u64], form| {
                        let limbs = limbs.try_into().ok()?;
                        match form {
                            Form::Plain => <$Fp>::from_limbs(limbs),
                            Form::Montgomery => <$Fp>::from_montgomery_limbs(limbs),
                        }
                    };
                    let operand = |x: &Operand| element(&x.montgomery, Form::Montgomery);
                    let (Some(x), Some(y)) = (operand(x), operand(y)) else { return false };
                    if array_operations::OPERATIONS.contains(&op) {
                        let mut results = z.chunks(<$Fp>::LIMBS).zip(1..);
                        let right = results.all(|(z, length)| {
                            let z = element(z, form);
                            z.is_some() && z == array_operations::expected(op, x, y, length)
                        });
                        return right && z.len() == array_operations::SHORT * <$Fp>::LIMBS;
                    }
                    let Some(z) = element(z, form) else { return false };
                    match op {
                        "add" => z == x + y,
                        "sub" => z == x - y,
                        "mul" => z == x * y,
                        "square" => z == x.square(),
                        "inverse" => {
                            let product = z * (x + y);
                            product == <$Fp>::ONE || z.is_zero() && (x + y).is_zero()
                        }
                        "sqrt" => z.square() == (x + y).square(),
                        _ => false,
                    }
                },
            };
        )+

        /// All of them, in the order of the reports.
        pub static FIELDS: &[&Field] = &[$(&$FIELD),+];
    };
}

fields! {
    /// Base field of BLS12-381.
    BLS12_381_P = "bls12-381-p", bls12_381::Fp;
    /// Scalar field of BLS12-381.
    BLS12_381_R = "bls12-381-r", bls12_381::Fr;
    /// Base field of alt_bn128.
    BN254_P = "bn254-p", bn254::Fp;
    /// Base field of secp256k1.
    SECP256K1_P = "secp256k1-p", secp256k1::Fp;
    /// Base field of NIST P-256.
    P256_P = "p256", p256::Fp;
    /// Base field of NIST P-521.
    P521_P = "p521", p521::Fp;
    /// Base field of Curve25519.
    CURVE25519_P = "curve25519", curve25519::Fp;
    /// Base field of Pallas.
    PALLAS_P = "pallas", pallas::Fp;
    /// Base field of Vesta.
    VESTA_P = "vesta", vesta::Fp;
    /// Integers modulo 2^64 - 2^32 + 1.
    GOLDILOCKS = "goldilocks", goldilocks::Fp;
    /// Integers modulo 2^31 - 2^27 + 1.
    BABYBEAR = "babybear", BabyBear;
    /// Integers modulo 2^31 - 2^24 + 1.
    KOALABEAR = "koalabear", KoalaBear;
    /// Integers modulo 2^31 - 1.
    MERSENNE31 = "mersenne31", Mersenne31;
    /// Scalars of Ed25519.
    ED25519_L = "2^252+27742317777372353535851937790883648493", Ed25519Scalar;
}

fieldc::field! {
    /// Integers modulo 2^31 - 2^27 + 1, the field of RISC Zero.
    pub struct BabyBear(modulus = "2013265921", prime);
}

fieldc::field! {
    /// Integers modulo 2^31 - 2^24 + 1.
    pub struct KoalaBear(modulus = "2130706433", prime);
}

fieldc::field! {
    /// Integers modulo 2^31 - 1.
    pub struct Mersenne31(modulus = "2147483647", prime);
}

fieldc::field! {
    /// Integers modulo the prime order of Ed25519's group.
    pub struct Ed25519Scalar(
        modulus = "0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed",
        prime
    );
}

impl Field {
    /// Limbs of 64 bits.
    pub fn limbs(&self) -> usize {
        self.modulus.len()
    }

    /// The operand with these limbs as its Montgomery form, if they are below the modulus.
    pub fn read(&self, montgomery: &[u64]) -> Option<Operand> {
        (self.operand)(montgomery)
    }

    /// A random operand.
    pub fn random(&self, source: &mut Random) -> Operand {
        let unused = self.modulus[self.limbs() - 1].leading_zeros();
        loop {
            let mut limbs: Vec<u64> = self.modulus.iter().map(|_| source.next()).collect();
            limbs[self.limbs() - 1] >>= unused;
            if let Some(operand) = (self.operand)(&limbs) {
                return operand;
            }
        }
    }

    /// Operands whose Montgomery form is at an edge: about 0 and p, limbs of ones, single bits.
    pub fn edges(&self) -> Vec<Operand> {
        let n = self.limbs();
        let mut found = vec![vec![0; n]];
        for i in 0..n {
            for limb in [1, 2, 1 << 32, 1 << 63, u64::MAX] {
                found.push((0..n).map(|j| if i == j { limb } else { 0 }).collect());
            }
            found.push((0..n).map(|j| if j <= i { u64::MAX } else { 0 }).collect());
            found.push((0..n).map(|j| if j >= i { self.modulus[j] } else { 0 }).collect());
            found.push((0..n).map(|j| if j <= i { self.modulus[j] } else { 0 }).collect());
        }
        // p is odd, and its lowest limb is no small one.
        for less in [1, 2, 3] {
            let mut limbs = self.modulus.to_vec();
            limbs[0] -= less.min(limbs[0]);
            found.push(limbs);
        }
        found.iter().filter_map(|limbs| (self.operand)(limbs)).collect()
    }
}

/// SplitMix64.
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    #[allow(clippy::should_implement_trait, reason = "numbers without end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a bound that is small.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}
