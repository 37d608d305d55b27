//! Kernels that do divsteps. Their certificates name the words that hold zeta, x and y after each
//! step; what these words are is proved here, in every case, from the object's bytes.
//!
//! Source: D. J. Bernstein and B.-Y. Yang, "Fast constant-time gcd computation and modular inversion"
//! (2019), section 8. `fieldc/proof/divsteps/certificate.py` describes the format.

mod certificate;
mod numbers;
mod reading;
mod row;
mod steps;
#[cfg(test)]
mod tests;
mod verify;
pub(crate) mod words;

pub(crate) use certificate::{DIVSTEP_MATRIX, DivstepCertificate, certificate_of};
pub(crate) use row::DivstepRow;
pub(crate) use verify::verify_divsteps;
