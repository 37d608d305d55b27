//! Our other readings of the same algorithms, printed by fieldc: Rust in three flavours, LLVM's code.
#![allow(unreachable_pub, reason = "each file stands alone")]

pub mod flat;
#[cfg(target_arch = "x86_64")]
pub mod intrinsics;
// LLVM's code uses the red zone, which Windows does not have.
#[cfg(all(target_arch = "x86_64", not(windows)))]
pub mod llvm_bmi2;
#[cfg(all(target_arch = "x86_64", not(windows)))]
pub mod llvm_wide;
pub mod looped;
#[cfg(target_arch = "x86_64")]
pub mod words;
