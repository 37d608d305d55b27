//! Kernels on arrays: their certificates are replayed from the bytes, one lane for all.

mod block;
mod certificate;
mod lane;
mod meanings;
mod row;
mod shape;
mod task;
#[cfg(test)]
mod tests;
mod value;
mod verify;
mod word;

pub(crate) use certificate::certificate_of;
pub(crate) use row::ArrayRow;
pub(crate) use verify::verify_arrays;
