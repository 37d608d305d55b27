//! An element as limbs, in the forms that peers take.

/// What limbs mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The number itself.
    Plain,
    /// a*R mod p with R = 2^(64*limbs).
    Montgomery,
}

/// A field element in both forms, below the modulus, least significant limb first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The number.
    pub plain: Vec<u64>,
    /// Its Montgomery form.
    pub montgomery: Vec<u64>,
}

impl Operand {
    /// The limbs in a form.
    pub fn limbs(&self, form: Form) -> &[u64] {
        match form {
            Form::Plain => &self.plain,
            Form::Montgomery => &self.montgomery,
        }
    }
}
