//! AArch64 code, read by yaxpeax-arm.

mod calls;
mod divsteps;
mod encodings;
mod instructions;
mod machine;
mod memory;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use divsteps::run_words;
pub(crate) use instructions::run;
