//! A manifest's rows of kernels that do divsteps.

use crate::digest::{digest_of, digest_of_parts};
use crate::divsteps::certificate::{DIVSTEP_MATRIX, DivstepCertificate, STEPS};
use crate::divsteps::verify::verify_divsteps;
use crate::needs::are_named;
use crate::{Outcome, convention, fail};
use object::{File, Object};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What the manifest says of one kernel, as far as it is checked.
#[derive(Debug, Deserialize)]
pub(crate) struct DivstepRow {
    pub(crate) symbol: String,
    pub(crate) object: String,
    pub(crate) certificate: Option<String>,
    certificate_digest: Option<String>,
    op: String,
    steps: usize,
    target: String,
    convention: String,
    #[serde(default)]
    needs: Vec<String>,
    contract: String,
    status: String,
    stack: i64,
    digest: String,
}

impl DivstepRow {
    /// Verifies that it is proved by its certificate. The files are given by their paths.
    pub(crate) fn check(&self, files: &BTreeMap<String, Vec<u8>>) -> Outcome<()> {
        self.checked(files).map_err(|why| format!("{} {}: {why}", self.target, self.symbol))
    }

    fn checked(&self, files: &BTreeMap<String, Vec<u8>>) -> Outcome<()> {
        let file = |path: &String| files.get(path).ok_or(format!("there is no {path}"));
        let code = file(&self.object)?;
        if self.status != "PROVED" {
            return fail(format!("a kernel that does divsteps is {}", self.status));
        }
        let path = self.certificate.as_ref().ok_or("it has no certificate")?;
        let text = file(path)?;
        if self.certificate_digest != Some(digest_of(text)) {
            return fail("the certificate is not the one that certificate_digest is of");
        }
        if digest_of_parts(&[code, self.contract.as_bytes(), text]) != self.digest {
            return fail("its files are not those that the digest is of");
        }
        let certificate: DivstepCertificate =
            serde_json::from_slice(text).map_err(|why| format!("{path}: {why}"))?;
        self.is_claimed(&certificate, code)?;
        are_named(&self.needs, DIVSTEP_MATRIX, code, &self.symbol)?;
        verify_divsteps(&certificate, code).map_err(|why| format!("{path}: {why}"))
    }

    /// The certificate claims what the row does, of an object for the row's target.
    fn is_claimed(&self, certificate: &DivstepCertificate, code: &[u8]) -> Outcome<()> {
        let DivstepCertificate { symbol, steps, convention, stack, .. } = certificate;
        let file = File::parse(code).map_err(|why| format!("{}: {why}", self.object))?;
        let known = convention::of_target(&self.target);
        let is_for_target = known.is_some_and(|(known, format)| {
            (known.architecture, format) == (file.architecture(), file.format())
                && known.name == self.convention
        });
        let faults = [
            (*symbol != self.symbol, "the certificate is of another symbol"),
            (self.op != DIVSTEP_MATRIX, "the certificate is of another operation"),
            (!self.symbol.ends_with(DIVSTEP_MATRIX), "its symbol does not say divstep_matrix"),
            (self.steps != STEPS || *steps != STEPS, "the certificate is of other steps"),
            (*convention != self.convention, "the certificate has another convention"),
            (*stack != self.stack, "the certificate's stack is another one"),
            (!is_for_target, "the object is not for its target"),
        ];
        match faults.into_iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, why)) => fail(why),
            None => Ok(()),
        }
    }
}
