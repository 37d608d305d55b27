//! x86-64 code, read by iced-x86.

mod calls;
mod instructions;
mod machine;
mod narrow;
mod routines;

pub(crate) use instructions::{has_known_prefixes, run};
pub(crate) use routines::Routines;
