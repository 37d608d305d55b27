//! What the processor has and which kernels it gets. tests/test_crate_processors.py runs this on
//! emulated processors; the ignored tests die of a wrong instruction where one is missing.
#![cfg(all(target_arch = "x86_64", not(miri)))]

use core::arch::asm;

use fieldc::Kernels;
use fieldc::bls12_381::Fp;

#[test]
fn the_choice_is_printed() {
    let x = Fp::from_u64(3);
    assert_eq!(x * x, Fp::from_u64(9));
    println!("kernels: {:?}", Kernels::current());
}

#[test]
#[ignore = "needs BMI2"]
fn mulx_runs() {
    let (high, low): (u64, u64);
    // SAFETY: it writes two registers, which are its outputs.
    unsafe {
        asm!("mulx {}, {}, {}", out(reg) high, out(reg) low, in(reg) 1_u64 << 63, in("rdx") 6_u64);
    }
    assert_eq!((high, low), (3, 0));
}

#[test]
#[ignore = "needs ADX"]
fn adcx_runs() {
    let mut sum = u64::MAX;
    // SAFETY: it writes one register, which is its output, and flags.
    unsafe {
        asm!("test {1}, {1}", "adcx {0}, {1}", inout(reg) sum, in(reg) 2_u64);
    }
    assert_eq!(sum, 1);
}
