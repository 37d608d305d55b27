//! Values of a long formula: linear combinations, modulo p, of inputs and of products.
//!
//! A product of two combinations is a variable, and the same product is the same variable. So two
//! ways to compute a value are equal where they multiply the same things, however long both are.
//! Where they do not, both are multiplied out.

use crate::Outcome;
use crate::formula::{Algebra, Modulo};
use crate::polynomial::Polynomial;
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// A polynomial of degree 1 in inputs and products.
pub(crate) type Form = Polynomial;

/// How deep products may nest where both sides are multiplied out: each step calls itself.
const DEEPEST: usize = 100;

pub(crate) struct Forms {
    algebra: Modulo,
    products: BTreeMap<(Form, Form), usize>,
    /// Of each product.
    factors: BTreeMap<usize, (Form, Form)>,
    variables: usize,
}

impl Forms {
    pub(crate) fn new(p: BigInt) -> Self {
        let (products, factors) = (BTreeMap::new(), BTreeMap::new());
        Self { algebra: Modulo(p), products, factors, variables: 0 }
    }

    /// A value of which nothing is known.
    pub(crate) fn input(&mut self) -> Form {
        self.variables += 1;
        Polynomial::variable(self.variables - 1)
    }

    /// Whether two values are equal modulo p for all inputs.
    pub(crate) fn are_equal(&mut self, a: &Form, b: &Form) -> Outcome<bool> {
        let rest = self.total(&[(a, 1.into()), (b, (-1).into())]);
        Ok(self.expanded(&rest, DEEPEST, &mut BTreeMap::new())?.terms() == 0)
    }

    /// Multiplied out, as a polynomial in the inputs; products nest at most `depth` deep.
    fn expanded(
        &mut self,
        form: &Form,
        depth: usize,
        known: &mut BTreeMap<usize, Polynomial>,
    ) -> Outcome<Polynomial> {
        let mut total = Polynomial::default();
        for (monomial, coefficient) in form.each() {
            let value = match monomial {
                [] => Polynomial::constant(1),
                [number, ..] => self.variable(*number, depth, known)?,
            };
            total = total.plus(&value, coefficient.clone());
        }
        Ok(total.modulo(&self.algebra.0))
    }

    fn variable(
        &mut self,
        number: usize,
        depth: usize,
        known: &mut BTreeMap<usize, Polynomial>,
    ) -> Outcome<Polynomial> {
        let Some((a, b)) = self.factors.get(&number).cloned() else {
            return Ok(Polynomial::variable(number));
        };
        if let Some(found) = known.get(&number) {
            return Ok(found.clone());
        }
        let depth = depth.checked_sub(1).ok_or("products nest deeper than a formula needs")?;
        let (a, b) = (self.expanded(&a, depth, known)?, self.expanded(&b, depth, known)?);
        let found = self.algebra.product(&a, &b, &1.into())?;
        known.insert(number, found.clone());
        Ok(found)
    }

    /// A form whose first coefficient is 1, and the factor that was taken out; not of 0.
    fn scaled(&mut self, form: &Form) -> Outcome<(Form, BigInt)> {
        let first = form.each().next().map_or_else(BigInt::default, |(_, c)| c.clone());
        let inverse = first.modinv(&self.algebra.0).ok_or("a factor has no inverse modulo p")?;
        Ok((self.total(&[(form, inverse)]), first))
    }
}

impl Algebra for Forms {
    fn constant(&mut self, number: BigInt) -> Form {
        self.algebra.constant(number)
    }

    fn total(&mut self, terms: &[(&Form, BigInt)]) -> Form {
        self.algebra.total(terms)
    }

    /// A new variable, unless this product has one or one factor is a number.
    fn product(&mut self, a: &Form, b: &Form, factor: &BigInt) -> Outcome<Form> {
        for (number, other) in [(a, b), (b, a)] {
            if number.variables().next().is_none() {
                return self.algebra.product(number, other, factor);
            }
        }
        let ((a, u), (b, v)) = (self.scaled(a)?, self.scaled(b)?);
        let key = if a <= b { (a, b) } else { (b, a) };
        let number = match self.products.get(&key) {
            Some(number) => *number,
            None => {
                self.factors.insert(self.variables, key.clone());
                self.products.insert(key, self.variables);
                self.variables += 1;
                self.variables - 1
            }
        };
        Ok(self.total(&[(&Polynomial::variable(number), u * v * factor)]))
    }
}

#[cfg(test)]
mod tests {
    use super::{Algebra, DEEPEST, Form, Forms};

    /// x to the power of 1 more than `depth`, by as many products of two factors.
    fn power(forms: &mut Forms, x: &Form, depth: usize) -> Form {
        (0..depth).fold(x.clone(), |v, _| forms.product(&v, x, &1.into()).unwrap())
    }

    #[test]
    fn products_that_nest_too_deep_are_refused() {
        let mut forms = Forms::new(13.into());
        let (x, y) = (forms.input(), forms.input());
        for (depth, is_refused) in [(DEEPEST, false), (DEEPEST + 1, true), (100_000, true)] {
            let value = power(&mut forms, &x, depth);
            assert_eq!(forms.are_equal(&value, &value), Ok(true));
            assert_eq!(forms.are_equal(&value, &y).is_err(), is_refused);
        }
    }
}
