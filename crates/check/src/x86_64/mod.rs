//! x86-64 code, read by iced-x86.

mod calls;
mod instructions;
mod machine;
mod narrow;

pub(crate) use calls::Routines;
pub(crate) use instructions::run;
