//! Operations on arrays. A step is an element, and a turn goes through arrays of 8192 of them, so
//! that no branch prediction learns the operands. A pass over an array stands for latency and
//! throughput alike.

use std::hint::black_box;
use std::ops::{Add, Mul};

use crate::chain::{Element, Mode, OPERANDS, Runner, Start};
use crate::clock::{Stack, ticks};
use crate::entry::{Call, Form, Operand, Range, Rows};

/// What is raced on arrays x and y: all products `x[i] *= y[i]`, the sum of them, and the value at
/// y[0] of the polynomial whose coefficients are x, the leading one first, by Horner's rule.
pub const OPERATIONS: [&str; 3] = ["array_mul", "inner_product", "horner"];

/// Checks are of arrays of all lengths up to this one.
pub const SHORT: usize = 7;

/// Whether an operand of a check is the second one, at each place of x and of y.
fn is_second(i: usize) -> [bool; 2] {
    [i % 2 == 1, i.is_multiple_of(3)]
}

/// What a pass over arrays of this length returns, for the operands x and y of a check.
pub fn expected<T>(op: &str, x: T, y: T, length: usize) -> Option<T>
where
    T: Copy + Add<Output = T> + Mul<Output = T>,
{
    let at = |i| is_second(i).map(|second| if second { y } else { x });
    let product = |i| at(i)[0] * at(i)[1];
    match op {
        "array_mul" => Some(product(length - 1)),
        "inner_product" => (0..length).map(product).reduce(|sum, next| sum + next),
        "horner" => (0..length).map(|i| at(i)[0]).reduce(|sum, next| sum * at(0)[1] + next),
        _ => None,
    }
}

/// A pass over two arrays of the same length, at least 1, that returns an element of its result.
struct Arrays<T, F> {
    x: Vec<T>,
    y: Vec<T>,
    stack: Stack,
    pass: F,
}

impl<T: Element, F: Fn(&mut [T], &[T]) -> T> Runner for Arrays<T, F> {
    /// The results for arrays of the lengths from 1 to [`SHORT`], one after the other.
    fn apply(&mut self, x: &Operand, y: &Operand) -> Vec<u64> {
        let element = |second| T::load(if second { y } else { x }.limbs(T::FORM));
        let of_length = |length| {
            let place = |which: usize| (0..length).map(move |i| element(is_second(i)[which]));
            let (mut x, y): (Vec<T>, Vec<T>) = (place(0).collect(), place(1).collect());
            (self.pass)(&mut x, &y).store()
        };
        (1..=SHORT).flat_map(of_length).collect()
    }

    fn form(&self) -> Form {
        T::FORM
    }

    fn start_from(&mut self, start: &Start) {
        let load = |operand: &Operand| T::load(operand.limbs(T::FORM));
        self.x = start.y.iter().rev().map(load).collect();
        self.y = start.y.iter().map(load).collect();
    }

    fn turn(&self) -> u64 {
        OPERANDS as u64
    }

    fn run(&mut self, _: Mode, steps: u64) -> u64 {
        let (x, y, pass) = (&mut self.x[..], &self.y[..], &self.pass);
        let mut taken = 0;
        self.stack.run(&mut || {
            let start = ticks();
            for _ in 0..steps / OPERANDS as u64 {
                black_box(pass(black_box(&mut *x), black_box(y)));
            }
            taken = ticks() - start;
        });
        taken
    }
}

impl Rows<'_> {
    /// Adds an operation on arrays.
    pub fn array<T, F>(&mut self, op: &'static str, range: Range, pass: F) -> &mut Self
    where
        T: Element,
        F: Fn(&mut [T], &[T]) -> T + 'static,
    {
        let runner = Arrays { x: vec![], y: vec![], stack: Stack::default(), pass };
        self.add(op, Call::Inlined, range, Box::new(runner))
    }

    /// Adds the operations on arrays as plain loops, for those who have no better ones:
    /// `mul(x, y)` is a product, `mul_add(x, y, z)` is x*y + z.
    pub fn loops<T, M, A>(&mut self, range: Range, mul: M, mul_add: A) -> &mut Self
    where
        T: Element,
        M: Fn(&T, &T) -> T + Copy + 'static,
        A: Fn(&T, &T, &T) -> T + Copy + 'static,
    {
        self.products(range, mul, mul_add).horner(range, mul_add)
    }

    /// Adds `array_mul` and `inner_product` as plain loops.
    pub fn products<T, M, A>(&mut self, range: Range, mul: M, mul_add: A) -> &mut Self
    where
        T: Element,
        M: Fn(&T, &T) -> T + Copy + 'static,
        A: Fn(&T, &T, &T) -> T + Copy + 'static,
    {
        self.array("array_mul", range, move |x: &mut [T], y| {
            x.iter_mut().zip(y).for_each(|(x, y)| *x = mul(x, y));
            x[x.len() - 1].clone()
        })
        .array("inner_product", range, move |x: &mut [T], y| {
            let first = mul(&x[0], &y[0]);
            x[1..].iter().zip(&y[1..]).fold(first, |sum, (x, y)| mul_add(x, y, &sum))
        })
    }

    /// Adds `horner` as a plain loop.
    pub fn horner<T, A>(&mut self, range: Range, mul_add: A) -> &mut Self
    where
        T: Element,
        A: Fn(&T, &T, &T) -> T + Copy + 'static,
    {
        self.array("horner", range, move |x: &mut [T], y| {
            x[1..].iter().fold(x[0].clone(), |sum, x| mul_add(&sum, &y[0], x))
        })
    }
}
