//! The loop that every operation in this process runs in.
//!
//! An operation is a step `x = op(x, y)`; the loop goes through an array of x in turns. **Latency**:
//! one x, each step waits for the one before. **Throughput** has two modes. With [`Operands::Moving`]
//! there are 16 x in memory, so operands and results move from call to call, and no step waits for
//! one that is still running. With [`Operands::Fixed`] there are 4, which a compiler may keep in
//! registers: that flatters.
//!
//! y is read from a table of 8192 different values, one after the other. With a single y, or a small
//! table, branch prediction learns the carries of a chain of sums, and an addition that branches on
//! its operands looks as fast as it never is (arkworks, 381 bits: 8 cycles instead of 21).
//!
//! x is a local array, so an operation that the compiler inlines may keep it in registers where it
//! is short, and one that is called has it on the stack. The loop itself costs one or two cycles a
//! turn and is part of every figure.

use std::hint::black_box;

use crate::clock::{Stack, opaque, ticks};
use crate::fields::{Field, Random};
use crate::operand::{Form, Operand};

/// Values of x in the throughput loop with moving operands.
pub const RING: usize = 16;

/// Values of x in the throughput loop with fixed operands.
pub const FIXED: usize = 4;

/// Values of y.
pub const OPERANDS: usize = 8192;

/// Values of y of a step that takes long.
const FEW: usize = 32;

/// Turns before the clock starts.
const WARM: u64 = 2;

/// What throughput means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operands {
    /// Operands and results move from call to call.
    #[default]
    Moving,
    /// Each call has one of few places.
    Fixed,
}

impl Operands {
    /// Both, in the order of the help.
    pub const ALL: [Self; 2] = [Self::Moving, Self::Fixed];

    /// Its name in reports and requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Moving => "moving",
            Self::Fixed => "fixed",
        }
    }

    /// The mode of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// What a run starts from.
#[derive(Clone, Debug)]
pub struct Start {
    /// What throughput means.
    pub operands: Operands,
    /// Values of x, [`RING`] of them.
    pub x: Vec<Operand>,
    /// Values of y.
    pub y: Vec<Operand>,
}

impl Start {
    /// Random values of a field.
    pub fn random(field: &Field, seed: u64, operands: Operands) -> Self {
        let mut source = Random::new(seed);
        let mut values = |count| (0..count).map(|_| field.random(&mut source)).collect();
        Self { operands, x: values(RING), y: values(OPERANDS) }
    }
}

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
    fn start_from(&mut self, start: &Start);
    /// Steps come in multiples of this.
    fn turn(&self) -> u64 {
        RING as u64
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
    x: [T; RING],
}

/// What a run works on.
struct Values<T> {
    pinned: Box<Pinned<T>>,
    y: Vec<T>,
    /// Where the next y is.
    next: usize,
    operands: Operands,
}

/// A step on a peer's elements.
pub struct Chain<T, F> {
    values: Option<Values<T>>,
    stack: Stack,
    step: F,
    long: bool,
}

impl<T: Element, F: Fn(&mut T, &T)> Chain<T, F> {
    /// A runner of the step.
    pub fn new(step: F) -> Self {
        Self { values: None, stack: Stack::default(), step, long: false }
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

    fn start_from(&mut self, start: &Start) {
        let load = |operand: &Operand| T::load(operand.limbs(T::FORM));
        let x = std::array::from_fn(|i| load(&start.x[i]));
        let few = if self.long { FEW } else { OPERANDS };
        self.values = Some(Values {
            pinned: Box::new(Pinned { offset: [0; 8], x }),
            y: start.y.iter().take(few).map(load).collect(),
            next: 0,
            operands: start.operands,
        });
    }

    fn turn(&self) -> u64 {
        if self.long { 1 } else { RING as u64 }
    }

    fn run(&mut self, mode: Mode, steps: u64) -> u64 {
        let values = self.values.as_mut().expect("a start");
        let (step, long) = (&self.step, self.long);
        black_box(&values.pinned.offset);
        let mut taken = 0;
        self.stack.run(&mut || {
            taken = match (mode, values.operands) {
                _ if long => turns::<_, _, 1>(step, values, steps),
                (Mode::Latency, _) => warmed::<_, _, 1>(step, values, steps),
                (Mode::Throughput, Operands::Moving) => warmed::<_, _, RING>(step, values, steps),
                (Mode::Throughput, Operands::Fixed) => warmed::<_, _, FIXED>(step, values, steps),
            };
        });
        taken
    }
}

fn warmed<T: Element, F: Fn(&mut T, &T), const N: usize>(
    step: &F,
    values: &mut Values<T>,
    steps: u64,
) -> u64 {
    turns::<_, _, N>(step, values, WARM * N as u64);
    turns::<_, _, N>(step, values, steps)
}

/// Ticks of this many steps on N values of x in turns.
#[inline(never)]
fn turns<T: Element, F: Fn(&mut T, &T), const N: usize>(
    step: &F,
    values: &mut Values<T>,
    steps: u64,
) -> u64 {
    let mut x: [T; N] = std::array::from_fn(|i| values.pinned.x[i].clone());
    let (y, mut next) = (&values.y[..], values.next);
    let start = ticks();
    for _ in 0..steps / N as u64 {
        if next + N > y.len() {
            next = 0;
        }
        for (x, y) in x.iter_mut().zip(&y[next..next + N]) {
            step(x, opaque(y));
        }
        next += N;
    }
    let end = ticks();
    values.next = next;
    black_box(&x);
    end - start
}

/// The step as a call of a function that is not inlined: operands and result are in memory.
pub fn called<T: Element, F: Fn(&mut T, &T) + Copy + 'static>(
    step: F,
) -> impl Fn(&mut T, &T) + Copy {
    #[inline(never)]
    fn call<T, F: Fn(&mut T, &T)>(step: &F, x: &mut T, y: &T) {
        step(x, y);
    }
    move |x, y| call(&step, x, y)
}
