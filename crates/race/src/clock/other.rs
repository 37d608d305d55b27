//! Processors whose cycles nobody has calibrated yet: the checks run, a race does not.

/// The caller's own stack.
#[derive(Default)]
pub struct Stack;

impl Stack {
    /// Runs the work.
    pub fn run(&mut self, work: &mut dyn FnMut()) {
        work();
    }
}

/// Nanoseconds stand in for ticks.
pub fn ticks() -> u64 {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_nanos() as u64
}

/// Unknown here.
pub fn calibrate() -> f64 {
    1.0
}

/// Unknown here.
pub fn canary() -> f64 {
    1.0
}

/// The same reference, in a way that the compiler cannot see through.
#[inline(always)]
pub fn opaque<T>(reference: &T) -> &T {
    std::hint::black_box(reference)
}

/// Not here.
pub fn has_adx() -> bool {
    false
}
