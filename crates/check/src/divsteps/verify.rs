//! A certificate of divsteps against an object: the frame, and then the steps.

use crate::contract::Contract;
use crate::divsteps::certificate::{DivstepCertificate, STEPS};
use crate::divsteps::steps;
use crate::divsteps::words::{OPERANDS, Ran};
use crate::{Outcome, aarch64, fail, object_code, x86_64};
use object::Architecture;

/// How many words z has.
const RESULTS: usize = 5;

/// Verifies for the function that a certificate names: for every odd f, every g and |zeta| < 2^62,
/// z is zeta and the matrix after 59 divsteps, times 2^59.
pub(crate) fn verify_divsteps(certificate: &DivstepCertificate, object: &[u8]) -> Outcome<()> {
    let DivstepCertificate { symbol, steps, convention, stack, blocks, .. } = certificate;
    let code = object_code::function(object, symbol)?;
    if code.convention.name != convention {
        return fail(format!("the object's convention is {}", code.convention.name));
    }
    if *steps != STEPS {
        return fail(format!("a kernel does {STEPS} divsteps, not {steps}"));
    }
    let contract = Contract::of_words(&OPERANDS, RESULTS, code.convention)?;
    let ran: Ran = match code.convention.architecture {
        Architecture::Aarch64 => aarch64::run_words(code.bytes, &contract)?,
        _ => x86_64::run_words(code.bytes, &contract)?,
    };
    if ran.stack != *stack {
        return fail(format!("the code uses {} bytes of stack", ran.stack));
    }
    steps::verify(&ran, blocks)
}
