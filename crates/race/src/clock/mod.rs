//! The time-stamp counter, the core cycle, a canary, and a stack at a pinned page offset.
//!
//! Core cycles are ticks of the counter by the ticks that a dependent chain of `imul` needs for a
//! cycle. The canary is a loop of independent additions that fills every issue slot: a busy
//! sibling hyper-thread or outside load slows it at once, where the chain sees nothing.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub use x86_64::{Stack, calibrate, canary, has_adx, opaque, ticks};

#[cfg(not(target_arch = "x86_64"))]
mod other;
#[cfg(not(target_arch = "x86_64"))]
pub use other::{Stack, calibrate, canary, has_adx, opaque, ticks};

/// Whether this processor can time a race.
pub const AVAILABLE: bool = cfg!(target_arch = "x86_64");

/// Turns of one calibration.
pub const CALIBRATION_TURNS: u64 = 320;
/// Turns of one canary.
pub const CANARY_TURNS: u64 = 400;

/// Moves this thread to the processor, where the system lets it.
pub fn pin(processor: usize) {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: a set of processors is plain bits, and zero is the empty set.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        if processor < libc::CPU_SETSIZE as usize {
            // SAFETY: the number is within the set, by the line above.
            unsafe { libc::CPU_SET(processor, &mut set) };
            // SAFETY: the set lives, and its size is the one given.
            unsafe { libc::sched_setaffinity(0, size_of_val(&set), &set) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = processor;
}

/// The processors that this thread may run on; empty where the system does not say.
pub fn allowed() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: a set of processors is plain bits, and zero is the empty set.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: the set lives, and its size is the one given.
        if unsafe { libc::sched_getaffinity(0, size_of_val(&set), &mut set) } == 0 {
            // SAFETY: the numbers are within the set.
            let has = |n: &usize| unsafe { libc::CPU_ISSET(*n, &set) };
            return (0..libc::CPU_SETSIZE as usize).filter(has).collect();
        }
    }
    Vec::new()
}
