//! Towers, points and pairings of every library that has them. Values are made by ours, alike for
//! all, and come back to ours to be compared.

use fieldc::curves::{Affine, Jacobian};
use fieldc::pairing::Pairing;
use fieldc::{Fp2, Fp6, Fp12, PrimeField};

use super::points::{element, limbs, multiple};
use crate::chain::{Chain, Element, Runner};
use crate::entry::Range::Canonical;
use crate::entry::{Call, Entry, Peer, Rows};
use crate::fields::Field;
use crate::operand::Form;

mod arkworks;
mod blst;
mod halo2curves;
mod ours;

pub(super) fn enter(entries: &mut Vec<Entry>) {
    ours::enter(entries);
    blst::enter(entries);
    arkworks::enter(entries);
    halo2curves::enter(entries);
}

type Base<L> = <<L as Library>::Curve as Pairing>::Base;
type G1<L> = <<L as Library>::Curve as Pairing>::G1;
type G2<L> = <<L as Library>::Curve as Pairing>::G2;

/// What a library has of a curve, with its own types.
trait Library: Sized + 'static {
    /// Whether its pairing is a row here, not one of a program of its own.
    const HAS_PAIRING: bool = true;

    /// The curve, by our name.
    type Curve: Pairing;
    /// An element of Fp12.
    type Tower: Clone + 'static;
    /// A line.
    type Line: Clone + 'static;
    /// Points.
    type P: Clone + 'static;
    type PAffine: Clone + 'static;
    type Q: Clone + 'static;
    type QAffine: Clone + 'static;

    fn tower(x: &Fp12<Base<Self>>) -> Self::Tower;
    fn tower_back(x: &Self::Tower) -> Fp12<Base<Self>>;
    /// A pairing as ours has it, where the library's is another power.
    fn pairing_back(x: &Self::Tower) -> Fp12<Base<Self>> {
        Self::tower_back(x)
    }
    fn line(parts: &Fp6<Base<Self>>) -> Self::Line;
    fn p(x: &Affine<G1<Self>>) -> (Self::P, Self::PAffine);
    fn p_back(x: &Self::P) -> Affine<G1<Self>>;
    fn q(x: &Affine<G2<Self>>) -> (Self::Q, Self::QAffine);
    fn q_back(x: &Self::Q) -> Affine<G2<Self>>;

    fn mul(x: &mut Self::Tower, y: &Self::Tower);
    fn square(x: &mut Self::Tower);
    fn cyclotomic_square(x: &mut Self::Tower);
    fn mul_line(x: &mut Self::Tower, line: &Self::Line);
    fn add_p(x: &mut Self::P, y: &Self::PAffine);
    fn double_p(x: &mut Self::P);
    fn add_q(x: &mut Self::Q, y: &Self::QAffine);
    fn double_q(x: &mut Self::Q);
    fn miller_loop(pairs: &[(Self::PAffine, Self::QAffine)]) -> Self::Tower;
    fn final_exponentiation(x: &Self::Tower) -> Self::Tower;
}

/// The powers of an element side by side.
fn powers<F: fieldc::HasTower>(limbs: &[u64]) -> Fp12<F> {
    let (x, mut power) = (element::<F>(limbs), F::ONE);
    let mut next = || {
        power *= x;
        power
    };
    let mut pair = || Fp2::new(next(), next());
    let mut three = || Fp6::new(pair(), pair(), pair());
    Fp12::new(three(), three())
}

/// The limbs of an element's twelve parts.
fn tower_limbs<F: fieldc::HasTower>(x: &Fp12<F>) -> Vec<u64> {
    let parts = [x.c0.c0, x.c0.c1, x.c0.c2, x.c1.c0, x.c1.c1, x.c1.c2];
    limbs(parts.map(|part| [part.c0, part.c1]).as_flattened())
}

/// Declares an element of the race around a library's own type.
macro_rules! element {
    ($(#[$doc:meta])* $Name:ident { $($part:ident: $Part:ty),+ }) => {
        $(#[$doc])*
        struct $Name<L: Library> { $($part: $Part),+ }

        impl<L: Library> Clone for $Name<L> {
            fn clone(&self) -> Self {
                Self { $($part: self.$part.clone()),+ }
            }
        }
    };
}

element! {
    /// An element of Fp12, and a line.
    Tower { value: L::Tower, line: L::Line }
}
element! {
    /// An element of the cyclotomic subgroup.
    Cyclotomic { value: L::Tower }
}
element! {
    /// A point of G1.
    InG1 { point: L::P, affine: L::PAffine }
}
element! {
    /// A point of G2.
    InG2 { point: L::Q, affine: L::QAffine }
}
element! {
    /// Four pairs for each sign of the first point, their Miller values, and the last result, which
    /// decides the next sign: so each result waits for the one before.
    Pairs {
        pairs: [[(L::PAffine, L::QAffine); 4]; 2],
        values: [L::Tower; 2],
        result: L::Tower
    }
}

impl<L: Library> Element for Tower<L> {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let x = powers(limbs);
        Self { value: L::tower(&x), line: L::line(&x.c1) }
    }

    fn store(&self) -> Vec<u64> {
        tower_limbs(&L::tower_back(&self.value))
    }
}

impl<L: Library> Element for Cyclotomic<L> {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let x = powers(limbs) + Fp12::ONE;
        let x = x.conjugate() * x.invert_ct().0;
        Self { value: L::tower(&(x.frobenius(2) * x)) }
    }

    fn store(&self) -> Vec<u64> {
        tower_limbs(&L::tower_back(&self.value))
    }
}

impl<L: Library> Element for InG1<L> {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let (point, affine) = L::p(&multiple(limbs));
        Self { point, affine }
    }

    fn store(&self) -> Vec<u64> {
        let point = L::p_back(&self.point);
        limbs(&[point.x(), point.y()])
    }
}

impl<L: Library> Element for InG2<L> {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let (point, affine) = L::q(&multiple(limbs));
        Self { point, affine }
    }

    fn store(&self) -> Vec<u64> {
        let (x, y) = (L::q_back(&self.point).x(), L::q_back(&self.point).y());
        limbs(&[x.c0, x.c1, y.c0, y.c1])
    }
}

impl<L: Library> Element for Pairs<L> {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let (p, q) = (multiple::<G1<L>>(limbs), multiple::<G2<L>>(limbs));
        let pairs = [p, -p].map(|p| {
            let mut next = Jacobian::from(p);
            [(); 4].map(|()| {
                let pair = (L::p(&next.to_affine()).1, L::q(&q).1);
                next = next.double();
                pair
            })
        });
        let values = [0, 1].map(|sign: usize| L::miller_loop(&pairs[sign][..1]));
        Self { pairs, values, result: L::tower(&Fp12::ONE) }
    }

    fn store(&self) -> Vec<u64> {
        tower_limbs(&L::pairing_back(&self.result))
    }
}

impl<L: Library> Pairs<L> {
    /// A bit that changes with the last result.
    fn sign(&self) -> usize {
        let first = L::tower_back(&self.result).c0.c0.c0;
        (first.to_limbs().as_ref()[0] & 1) as usize
    }

    fn pairing(x: &mut Self, count: usize) {
        let value = L::miller_loop(&x.pairs[x.sign()][..count]);
        x.result = L::final_exponentiation(&value);
    }
}

/// A Miller loop, whose values differ between libraries until their final exponentiation.
#[derive(Clone)]
struct Loop<T>(T);

impl<L: Library> Element for Loop<Pairs<L>> {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        Self(Pairs::load(limbs))
    }

    fn store(&self) -> Vec<u64> {
        tower_limbs(&L::pairing_back(&L::final_exponentiation(&self.0.result)))
    }
}

/// The rows of a library.
fn rows<L: Library>(entries: &mut Vec<Entry>, field: &'static Field, peer: Peer) {
    let mut rows = Rows::new(entries, field, peer);
    rows.called("fp12_mul", Canonical, |x: &mut Tower<L>, y| L::mul(&mut x.value, &y.value))
        .called("fp12_square", Canonical, |x: &mut Tower<L>, _| L::square(&mut x.value))
        .called("fp12_mul_line", Canonical, |x: &mut Tower<L>, y| {
            L::mul_line(&mut x.value, &y.line);
        })
        .called("cyclotomic_square", Canonical, |x: &mut Cyclotomic<L>, _| {
            L::cyclotomic_square(&mut x.value);
        })
        .called("g1_add", Canonical, |x: &mut InG1<L>, y| L::add_p(&mut x.point, &y.affine))
        .called("g1_double", Canonical, |x: &mut InG1<L>, _| L::double_p(&mut x.point))
        .called("g2_add", Canonical, |x: &mut InG2<L>, y| L::add_q(&mut x.point, &y.affine))
        .called("g2_double", Canonical, |x: &mut InG2<L>, _| L::double_q(&mut x.point));
    let long: [(&'static str, Box<dyn Runner>); 4] = [
        (
            "miller_loop",
            Box::new(Chain::long(|x: &mut Loop<Pairs<L>>, _: &_| {
                x.0.result = L::miller_loop(&x.0.pairs[x.0.sign()][..1]);
            })),
        ),
        (
            "final_exponentiation",
            Box::new(Chain::long(|x: &mut Pairs<L>, _: &_| {
                x.result = L::final_exponentiation(&x.values[x.sign()]);
            })),
        ),
        ("pairing", Box::new(Chain::long(|x: &mut Pairs<L>, _: &_| Pairs::pairing(x, 1)))),
        ("pairing_4", Box::new(Chain::long(|x: &mut Pairs<L>, _: &_| Pairs::pairing(x, 4)))),
    ];
    for (op, runner) in long.into_iter().filter(|(op, _)| L::HAS_PAIRING || *op != "pairing") {
        rows.add(op, Call::Called, Canonical, runner);
    }
}
