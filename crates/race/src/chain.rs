//! The two loops that every operation in this process runs in.
//!
//! An operation is a step `x = op(x, y)`. **Latency**: one chain, each step waits for the one
//! before. **Throughput**: four independent chains in turns. In both, y is read again in every
//! turn, from a random place of a small table: with a single y, or a table that is gone round,
//! branch prediction learns the carries of a chain of sums, and an addition that branches on its
//! operands looks as fast as it never is (arkworks, 381 bits: 8 cycles instead of 21). The
//! place of the next y is found one turn ahead: found in its own turn it adds 2 to 4 cycles to the
//! throughput of products.
//!
//! x is a local variable, so an operation that the compiler inlines may keep it in registers, and
//! one that is called has it on the stack. The loop itself costs one or two cycles a turn and is
//! part of every figure.

use std::hint::black_box;

use crate::clock::{Stack, opaque, ticks};
use crate::entry::{Form, Operand};

/// Chains of the throughput loop.
pub const CHAINS: usize = 4;

/// Values of y.
pub const OPERANDS: usize = 32;

/// Steps before the clock starts.
const WARM: usize = 2;

/// Which loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Steps that wait for each other.
    Latency,
    /// Independent steps.
    Throughput,
}

impl Mode {
    /// Its name in reports and requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Throughput => "throughput",
        }
    }

    /// The mode of that name.
    pub fn named(name: &str) -> Option<Self> {
        MODES.into_iter().find(|mode| mode.name() == name)
    }
}

/// Both, in the order of the reports.
pub const MODES: [Mode; 2] = [Mode::Latency, Mode::Throughput];

/// A value as an implementation keeps it.
pub trait Element: Clone + 'static {
    /// What its limbs mean.
    const FORM: Form;
    /// The element with these limbs, which are below the modulus.
    fn load(limbs: &[u64]) -> Self;
    /// Its limbs as they are: a peer that leaves a value unreduced is found out.
    fn store(&self) -> Vec<u64>;
}

/// Something that can be checked and timed.
pub trait Runner {
    /// One step from x with y: the limbs of the result in the runner's form.
    fn apply(&mut self, x: &Operand, y: &Operand) -> Vec<u64>;
    /// What the limbs of `apply` mean.
    fn form(&self) -> Form;
    /// Makes these the values that a run starts from.
    fn start_from(&mut self, x: &[Operand; CHAINS], y: &[Operand; OPERANDS]);
    /// Steps come in multiples of this.
    fn turn(&self) -> u64 {
        CHAINS as u64
    }
    /// Ticks of this many steps, a multiple of [`turn`](Self::turn).
    fn run(&mut self, mode: Mode, steps: u64) -> u64;
    /// The runner works on this processor from now on.
    fn move_to(&mut self, processor: usize) {
        let _ = processor;
    }
}

/// Operands at an offset of a page that no stack frame of the loops has.
#[repr(C, align(4096))]
struct Pinned<T> {
    offset: [u64; 8],
    y: [T; OPERANDS],
    x: [T; CHAINS],
}

/// Where in the table of y the next step looks, by Knuth's MMIX generator.
#[derive(Clone, Copy)]
struct Place(u64);

impl Place {
    #[inline(always)]
    fn next<'a, T>(&mut self, y: &'a [T; OPERANDS]) -> &'a T {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        opaque(&y[(self.0 >> 59) as usize])
    }
}

/// A step on a peer's elements.
pub struct Chain<T, F> {
    operands: Option<Box<Pinned<T>>>,
    stack: Stack,
    place: Place,
    step: F,
    long: bool,
}

impl<T: Element, F: Fn(&mut T, &T)> Chain<T, F> {
    /// A runner of the step.
    pub fn new(step: F) -> Self {
        Self { operands: None, stack: Stack::default(), place: Place(1), step, long: false }
    }

    /// A runner of a step that takes so many thousand cycles that a processor overlaps nothing of
    /// it with the next: one chain stands for both loops, and nothing warms up.
    pub fn long(step: F) -> Self {
        Self { long: true, ..Self::new(step) }
    }
}

impl<T: Element, F: Fn(&mut T, &T)> Runner for Chain<T, F> {
    fn apply(&mut self, x: &Operand, y: &Operand) -> Vec<u64> {
        let mut result = T::load(x.limbs(T::FORM));
        (self.step)(&mut result, &T::load(y.limbs(T::FORM)));
        result.store()
    }

    fn form(&self) -> Form {
        T::FORM
    }

    fn start_from(&mut self, x: &[Operand; CHAINS], y: &[Operand; OPERANDS]) {
        let load = |operand: &Operand| T::load(operand.limbs(T::FORM));
        let (x, y) = (x.each_ref().map(load), y.each_ref().map(load));
        self.operands = Some(Box::new(Pinned { offset: [0; 8], y, x }));
    }

    fn turn(&self) -> u64 {
        if self.long { 1 } else { CHAINS as u64 }
    }

    fn run(&mut self, mode: Mode, steps: u64) -> u64 {
        let operands = self.operands.as_ref().expect("a start");
        let (step, place) = (&self.step, &mut self.place);
        black_box(&operands.offset);
        let mut taken = 0;
        self.stack.run(&mut || {
            taken = match mode {
                _ if self.long => latency(step, operands, place, steps as usize),
                Mode::Latency => {
                    latency(step, operands, place, WARM);
                    latency(step, operands, place, steps as usize)
                }
                Mode::Throughput => {
                    throughput(step, operands, place, WARM);
                    throughput(step, operands, place, steps as usize / CHAINS)
                }
            };
        });
        taken
    }
}

#[inline(never)]
fn latency<T: Element, F: Fn(&mut T, &T)>(
    step: &F,
    operands: &Pinned<T>,
    place: &mut Place,
    turns: usize,
) -> u64 {
    let mut x = operands.x[0].clone();
    let (start, mut at) = (ticks(), *place);
    let mut next = at.next(&operands.y);
    for _ in 0..turns {
        let y = next;
        next = at.next(&operands.y);
        step(&mut x, y);
    }
    let end = ticks();
    *place = at;
    black_box(&x);
    end - start
}

#[inline(never)]
fn throughput<T: Element, F: Fn(&mut T, &T)>(
    step: &F,
    operands: &Pinned<T>,
    place: &mut Place,
    turns: usize,
) -> u64 {
    let mut x = operands.x.clone();
    let (start, mut at) = (ticks(), *place);
    let mut next = at.next(&operands.y);
    for _ in 0..turns {
        let y = next;
        next = at.next(&operands.y);
        for chain in &mut x {
            step(chain, y);
        }
    }
    let end = ticks();
    *place = at;
    black_box(&x);
    end - start
}

/// The step behind a function that is not inlined: operands and result are in memory.
pub fn called<T: Element, F: Fn(&mut T, &T) + Copy + 'static>(
    step: F,
) -> impl Fn(&mut T, &T) + Copy {
    #[inline(never)]
    fn call<T, F: Fn(&mut T, &T)>(step: &F, x: &mut T, y: &T) {
        step(x, y);
    }
    move |x, y| call(&step, x, y)
}
