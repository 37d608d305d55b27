//! Runs every operation of the crate on secrets, for valgrind's memcheck to see that no branch and
//! no address depends on one: `valgrind --error-exitcode=1 poison`. With the argument `branch` or
//! `address` it does what memcheck must report instead.

#[cfg(all(target_arch = "x86_64", unix, feature = "pairing"))]
mod curves;
#[cfg(all(target_arch = "x86_64", unix))]
mod memcheck;

#[cfg(all(target_arch = "x86_64", unix))]
mod checks {
    use crate::memcheck::{public, secret};
    use fieldc::{Kernels, Lazy, bls12_381, bn254, curve25519, goldilocks, p521, secp256k1};

    macro_rules! batch_inverted {
        ($Fp:ty, $elements:expr) => {{
            let mut elements = $elements;
            let mut scratch = elements;
            assert_eq!(<$Fp>::batch_invert(&mut elements, &mut scratch), Ok(()));
            elements
        }};
    }

    /// Every operation on two secrets, and on public copies of them: the answers agree.
    macro_rules! check {
        ($Fp:ty) => {{
            let known = [3, 5].map(|k| -<$Fp>::from_u64(k).square());
            let [x, y] = known.map(secret);
            let [u, v] = known;
            check!(@ x + y, u + v);
            check!(@ x - y, u - v);
            check!(@ x * y, u * v);
            check!(@ -x, -u);
            check!(@ x.double(), u.double());
            check!(@ x.square(), u.square());
            check!(@ x.to_limbs(), u.to_limbs());
            check!(@ x.to_bytes_le(), u.to_bytes_le());
            check!(@ x.to_bytes_be(), u.to_bytes_be());
            check!(@ x == y, u == v);
            check!(@ x.is_zero(), u.is_zero());
            check!(@ [x, y].into_iter().sum::<$Fp>(), u + v);
            check!(@ [x, y].into_iter().product::<$Fp>(), u * v);
            check!(@ <$Fp>::from_u64(secret(7)), <$Fp>::from_u64(7));
            check!(@ <$Fp>::from(secret(-7_i64)), <$Fp>::from(-7));
            check!(@ <$Fp>::from(secret(7_u128)), <$Fp>::from(7));
            check!(@ x.mul_add(&y, &x), u * v + u);
            check!(@ x.mul_small(secret(77)), u.mul_small(77));
            check!(@ x.mul_u64(secret(77)), u.mul_u64(77));
            check!(@ x.mul_i64(secret(-77)), u.mul_i64(-77));
            check!(@ <$Fp>::select(secret(true), &x, &y), u);
            check!(@ fieldc::inner_product(&[x, y, x], &[y, y, x]), u * v + v.square() + u.square());
            check!(@ x.invert_ct(), u.invert_ct());
            check!(@ secret(<$Fp>::ZERO).invert_ct(), (<$Fp>::ZERO, false));
            check!(@ batch_inverted!($Fp, [x, secret(<$Fp>::ZERO), y]), batch_inverted!($Fp, [u, <$Fp>::ZERO, v]));
            check!(@ x.pow_u64(0xffff_0000_ffff), u.pow_u64(0xffff_0000_ffff));
            check!(@ x.is_square(), u.is_square());
            check!(@ x.sqrt_ct(), u.sqrt_ct());
            check!(@ x.square().sqrt_ct(), u.square().sqrt_ct());
            check!(@ <$Fp>::sum_of_products(&[x, y], &[y, y]), u * v + v.square());
            check!(@ <$Fp>::from_bytes_wide_le(&secret([7; 99])), <$Fp>::from_bytes_wide_le(&[7; 99]));
            check!(@ <$Fp>::from_bytes_wide_be(&secret([7; 99])), <$Fp>::from_bytes_wide_be(&[7; 99]));
        }};
        (@ $secret:expr, $known:expr) => {
            assert_eq!(public($secret), $known)
        };
    }

    /// The same of values below 2p.
    macro_rules! check_lazy {
        ($Fp:ty) => {{
            let known = [3, 5].map(|k| Lazy::from(-<$Fp>::from_u64(k)).square());
            let [x, y] = known.map(secret);
            let [u, v] = known;
            check!(@ x + y, u + v);
            check!(@ x - y, u - v);
            check!(@ x * y, u * v);
            check!(@ -x, -u);
            check!(@ x.double(), u.double());
            check!(@ x.square(), u.square());
            check!(@ x.reduce(), u.reduce());
            check!(@ Lazy::from(secret(<$Fp>::ONE)), Lazy::ONE);
            check!(@ x == y, u == v);
            check!(@ x.is_zero(), u.is_zero());
        }};
    }

    /// On every path that the processor has; valgrind's has no ADX.
    pub(crate) fn run() {
        for kernels in [Kernels::Portable, Kernels::Mulx, Kernels::Adx] {
            if let Err(error) = kernels.select() {
                println!("skipped: {error}");
                continue;
            }
            check!(bls12_381::Fp);
            check!(bls12_381::Fr);
            check!(bn254::Fp);
            check!(secp256k1::Fp);
            check!(curve25519::Fp);
            check!(goldilocks::Fp);
            check_lazy!(bls12_381::Fp);
            check_lazy!(bn254::Fp);
            check_lazy!(p521::Fp);
            #[cfg(feature = "pairing")]
            crate::curves::run();
            println!("{kernels:?} kernels: every operation ran on secrets");
        }
    }

    /// A branch that memcheck must see.
    pub(crate) fn branch() {
        if secret(3_u64) > 2 {
            println!("a branch on a secret");
        }
    }

    /// An address that memcheck must see.
    pub(crate) fn address() {
        let table = std::hint::black_box([2_u64, 3, 5, 7]);
        let found = table[secret(2_usize) & 3];
        println!("{}", public(found));
    }
}

#[cfg(all(target_arch = "x86_64", unix))]
fn main() {
    println!("valgrind: {}", memcheck::is_valgrind());
    match std::env::args().nth(1).as_deref() {
        None => checks::run(),
        Some("branch") => checks::branch(),
        Some("address") => checks::address(),
        Some(other) => panic!("no check {other:?}; there are branch and address"),
    }
}

#[cfg(not(all(target_arch = "x86_64", unix)))]
fn main() {
    println!("skipped: the client requests of valgrind are written for x86-64 only");
}
