//! Kernels on arrays: their certificates are replayed from the bytes, one lane for all.

mod beside;
mod block;
mod certificate;
mod claims;
mod columns;
mod double;
mod doubles;
mod entry;
mod four_lanes;
mod halves;
mod lane;
mod layout;
mod meanings;
#[cfg(all(test, target_arch = "x86_64"))]
mod processor;
#[cfg(all(test, target_arch = "x86_64"))]
mod processor_forms;
#[cfg(all(test, target_arch = "x86_64"))]
mod processor_short;
mod reader;
mod row;
mod shape;
mod task;
#[cfg(test)]
mod tests;
mod transforms;
mod value;
mod verify;
mod word;

pub(crate) use beside::Objects;
pub(crate) use certificate::certificate_of;
pub(crate) use row::ArrayRow;
pub(crate) use verify::verify_arrays;
