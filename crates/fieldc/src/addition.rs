//! Sums and differences where the program runs; `portable` has those for constants.

use crate::limbs::{minus, plus};

/// x + y mod p.
#[inline]
pub(crate) fn add<const N: usize>(x: &[u64; N], y: &[u64; N], p: &[u64; N]) -> [u64; N] {
    let (sum, carry) = plus(x, y);
    // Of a prime with a spare bit the sum has no carry.
    subtract_once(&sum, carry && p[N - 1] >> 63 == 1, p)
}

/// t mod p for t + 2^(64N)*top < 2p.
#[inline]
pub(crate) fn subtract_once<const N: usize>(t: &[u64; N], top: bool, p: &[u64; N]) -> [u64; N] {
    let (less, borrow) = minus(t, p);
    choose(borrow & !top, t, &less)
}

/// x - y mod p.
#[inline]
pub(crate) fn sub<const N: usize>(x: &[u64; N], y: &[u64; N], p: &[u64; N]) -> [u64; N] {
    let (difference, borrow) = minus(x, y);
    choose(borrow, &plus(&difference, p).0, &difference)
}

/// x mod p for x < 2p, where 2p is below 2^(64N).
#[inline]
pub(crate) fn reduce<const N: usize>(x: &[u64; N], p: &[u64; N]) -> [u64; N] {
    subtract_once(x, false, p)
}

/// -x mod p; the negative of 0 is 0, never p.
#[inline]
pub(crate) fn neg<const N: usize>(x: &[u64; N], p: &[u64; N]) -> [u64; N] {
    sub(&[0; N], x, p)
}

#[cfg(not(all(target_arch = "x86_64", not(feature = "portable"), not(miri))))]
pub(crate) use crate::portable::choose;

/// a if the flag is set, else b.
///
/// By conditional moves: what LLVM makes of masks goes through vectors here, whose limbs the next
/// operation has to wait for.
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
#[inline(always)]
pub(crate) fn choose<const N: usize>(flag: bool, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let (mut result, flag) = (*b, u64::from(flag));
    let mut i = 0;
    while i + 3 <= N {
        // SAFETY: it changes the named registers and flags only.
        unsafe {
            core::arch::asm!(
                "test {flag}, {flag}",
                "cmovne {x}, {a}",
                "cmovne {y}, {b}",
                "cmovne {z}, {c}",
                flag = in(reg) flag, a = in(reg) a[i], b = in(reg) a[i + 1], c = in(reg) a[i + 2],
                x = inout(reg) result[i],
                y = inout(reg) result[i + 1],
                z = inout(reg) result[i + 2],
                options(pure, nomem, nostack),
            );
        }
        i += 3;
    }
    for i in (i..N).rev() {
        // SAFETY: it changes the named register and flags only.
        unsafe {
            core::arch::asm!(
                "test {flag}, {flag}",
                "cmovne {x}, {a}",
                flag = in(reg) flag, a = in(reg) a[i], x = inout(reg) result[i],
                options(pure, nomem, nostack),
            );
        }
    }
    result
}
