//! Values between operands and results: each is shown, and is then taken as an operand's are.

use super::{Claims, Contract};
use crate::polynomial::Polynomial;
use crate::{Outcome, fail};
use num_bigint::BigInt;

impl Contract {
    /// The contract of the code up to a value between, which may be at most `most`. Of a formula it
    /// is the value of a step.
    pub(crate) fn until(&self, step: Option<usize>, most: &BigInt) -> Outcome<Self> {
        let claims = match (&self.claims, step) {
            (Claims::Known(claims), None) => Claims::Known(claims.clone()),
            (Claims::Of(formula, values, _), Some(step)) if step < formula.steps() => {
                Claims::Of(formula.clone(), values.clone(), vec![values.len() + step])
            }
            _ => return fail("contract: no such step, which formulas have alone"),
        };
        Ok(Self { claims, most: most.clone(), ..self.clone() })
    }

    /// The contract of what follows a value between, which was shown to be at most `most`.
    pub(crate) fn after(
        self,
        step: Option<usize>,
        value: Polynomial,
        most: BigInt,
    ) -> Outcome<Self> {
        let operands = self.values().count();
        let number = operands + step.unwrap_or(self.shown.len());
        let (claims, between) = match self.claims {
            Claims::Known(_) => {
                let left = self.between.checked_sub(1).ok_or("contract: no value is between")?;
                (Claims::Known(vec![value.times(&value)]), left)
            }
            of_formula => (of_formula, self.between),
        };
        let mut shown = self.shown;
        match shown.insert(number, (value, most)) {
            None => Ok(Self { claims, between, shown, ..self }),
            Some(_) => fail(format!("contract: the value {number} is shown twice")),
        }
    }

    /// The value that was shown with this number, named `v` and the number.
    pub(super) fn shown_as(&self, name: &str) -> Option<(Polynomial, &BigInt)> {
        let number: usize = name.strip_prefix('v')?.parse().ok()?;
        let (value, most) = self.shown.get(&number)?;
        Some((value.clone(), most))
    }
}
