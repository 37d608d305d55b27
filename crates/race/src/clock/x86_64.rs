//! The clock of x86-64 processors.

use core::arch::asm;

use super::{CALIBRATION_TURNS, CANARY_TURNS};

/// 16 dependent imul of 3 cycles each.
const CYCLES_PER_TURN: u64 = 48;

/// The time-stamp counter, when all that came before is done.
#[inline(always)]
pub fn ticks() -> u64 {
    let (low, high): (u64, u64);
    // SAFETY: reads the counter, and writes the two registers only.
    unsafe {
        asm!(
            "lfence", "rdtscp", "lfence",
            out("rax") low, out("rdx") high, out("rcx") _,
            options(nostack, preserves_flags),
        );
    }
    high << 32 | low
}

/// Ticks per core cycle now.
pub fn calibrate() -> f64 {
    let reading = (0..5).map(|_| ticks().wrapping_sub(ticks()).wrapping_neg()).min().unwrap_or(0);
    let start = ticks();
    // SAFETY: arithmetic on the registers that are named.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 16",
            "imul {chain}, {chain}",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            chain = inout(reg) 3_u64 => _,
            turns = inout(reg) CALIBRATION_TURNS => _,
            options(nomem, nostack),
        );
    }
    (ticks() - start).saturating_sub(reading) as f64 / (CALIBRATION_TURNS * CYCLES_PER_TURN) as f64
}

/// Ticks per turn of a loop of 96 independent additions.
pub fn canary() -> f64 {
    let start = ticks();
    // SAFETY: arithmetic on the registers that are named.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 16",
            "add {a}, 1", "add {b}, 1", "add {c}, 1", "add {d}, 1", "add {e}, 1", "add {f}, 1",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            a = out(reg) _, b = out(reg) _, c = out(reg) _,
            d = out(reg) _, e = out(reg) _, f = out(reg) _,
            turns = inout(reg) CANARY_TURNS => _,
            options(nomem, nostack),
        );
    }
    (ticks() - start) as f64 / CANARY_TURNS as f64
}

/// The same reference, in a way that the compiler cannot see through: what it points to is read
/// again in every turn of a loop. Unlike `black_box` it lets other values stay in registers.
#[allow(clippy::pointers_in_nomem_asm_block, reason = "nothing is read or written there")]
#[inline(always)]
pub fn opaque<T>(reference: &T) -> &T {
    let mut pointer: *const T = reference;
    // SAFETY: no instruction runs.
    unsafe { asm!("/* {0} */", inout(reg) pointer, options(nomem, nostack, preserves_flags)) };
    // SAFETY: the pointer is the reference's own, and lives as long.
    unsafe { &*pointer }
}

/// Whether the processor has ADX, which peers' assembly asks for.
pub fn has_adx() -> bool {
    std::arch::is_x86_feature_detected!("adx")
}

const PAGE: usize = 4096;
const PAGES: usize = 256;
/// Frames begin below this offset of a page; operands are at other offsets.
const OFFSET: usize = 0xfc0;

#[derive(Clone)]
#[repr(C, align(4096))]
struct Page([u8; PAGE]);

/// A stack whose page offset does not depend on the environment of the process.
///
/// A load waits for an earlier store with the same low 12 bits of its address (4K aliasing), so
/// where frames lie changes a figure by up to 8 %.
pub struct Stack {
    pages: Vec<Page>,
}

impl Default for Stack {
    fn default() -> Self {
        Self { pages: vec![Page([0; PAGE]); PAGES] }
    }
}

impl Stack {
    /// Runs the work on this stack: 1 MiB, without a guard page.
    #[inline(never)]
    pub fn run(&mut self, work: &mut dyn FnMut()) {
        let mut work = work;
        let bottom = self.pages.as_mut_ptr().cast::<u8>();
        let top = bottom.wrapping_add((PAGES - 1) * PAGE + OFFSET);
        // SAFETY: the top is a multiple of 16 with 1 MiB below it that nothing else uses; the
        // stack pointer is put back from a register that every callee keeps; a panic aborts in
        // `enter`, so no unwinding meets the borrowed stack.
        unsafe {
            asm!(
                "mov r12, rsp",
                "mov rsp, {top}",
                "call {enter}",
                "mov rsp, r12",
                top = in(reg) top,
                enter = sym enter,
                in("rdi") &raw mut work,
                out("r12") _,
                clobber_abi("sysv64"),
            );
        }
    }
}

extern "sysv64" fn enter(work: &mut &mut dyn FnMut()) {
    work();
}
