//! Operations on arrays. A step is an element, and a turn goes through arrays of 8192 of them, so
//! that no branch prediction learns the operands, or of 1024. A pass over an array stands for latency
//! and throughput alike.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hint::black_box;

use crate::array_operations::{CACHED, OPERATIONS as NAMES, SHORT, is_second};
use crate::chain::{Element, Mode, OPERANDS, Runner, Start};
use crate::clock::{Stack, ticks};
use crate::entry::{Call, Range, Rows};
use crate::operand::{Form, Operand};

/// A pass over two arrays of the same length, at least 1, that returns an element of its result.
struct Arrays<T, F> {
    x: Vec<T>,
    y: Vec<T>,
    /// How many elements are timed.
    length: usize,
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
        let operands = || start.y.iter().take(self.length);
        (self.x, self.y) = (operands().rev().map(load).collect(), operands().map(load).collect());
    }

    fn turn(&self) -> u64 {
        self.length as u64
    }

    fn run(&mut self, _: Mode, steps: u64) -> u64 {
        let (x, y, pass, length) = (&mut self.x[..], &self.y[..], &self.pass, self.length as u64);
        let mut taken = 0;
        self.stack.run(&mut || {
            let start = ticks();
            for _ in 0..steps / length {
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
        let length = if op.ends_with(CACHED.1) { CACHED.0 } else { OPERANDS };
        let runner = Arrays { x: vec![], y: vec![], length, stack: Stack::default(), pass };
        self.add(op, Call::Inlined, range, Box::new(runner))
    }

    /// Adds an operation on arrays, and the same on those that fit the first cache.
    pub fn in_both_lengths<T, F>(&mut self, op: &'static str, range: Range, pass: F) -> &mut Self
    where
        T: Element,
        F: Fn(&mut [T], &[T]) -> T + Copy + 'static,
    {
        let cached = NAMES.into_iter().find(|name| name.strip_suffix(CACHED.1) == Some(op));
        self.array(op, range, pass).array(cached.expect("one that has two lengths"), range, pass)
    }

    /// Adds `transform`: `prepare(count)` makes what `run` needs for transforms of `count` elements.
    pub fn transform<T, D, P, R>(&mut self, range: Range, prepare: P, run: R) -> &mut Self
    where
        T: Element,
        D: 'static,
        P: Fn(usize) -> D + 'static,
        R: Fn(&mut D, &mut [T]) + 'static,
    {
        let prepared = RefCell::new(BTreeMap::new());
        self.array("transform", range, move |x: &mut [T], _| {
            let count = 1 << x.len().ilog2();
            let mut prepared = prepared.borrow_mut();
            run(prepared.entry(count).or_insert_with(|| prepare(count)), &mut x[..count]);
            x[count / 2].clone()
        })
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
