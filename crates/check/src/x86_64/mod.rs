//! x86-64 code, read by iced-x86.

mod calls;
mod divsteps;
mod instructions;
mod machine;
mod narrow;

pub(crate) use divsteps::run_words;
pub(crate) use instructions::{has_known_prefixes, run};
