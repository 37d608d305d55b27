//! What a program asks of valgrind's memcheck: from here on this memory is undefined, or defined.
//!
//! Where memcheck then sees a branch or an address that depends on undefined memory, it reports an
//! error. Source: the Valgrind manual, "The Client Request mechanism" and "Memcheck: Client
//! Requests"; the numbers and the magic sequence are those of valgrind.h and memcheck.h.

#[cfg(not(all(target_arch = "x86_64", unix)))]
compile_error!("the client requests here are those of valgrind for x86-64");

const RUNNING_ON_VALGRIND: u64 = 0x1001;
/// VG_USERREQ_TOOL_BASE('M', 'C').
const MEMCHECK: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16;
const MAKE_MEM_UNDEFINED: u64 = MEMCHECK + 1;
const MAKE_MEM_DEFINED: u64 = MEMCHECK + 2;

fn request(code: u64, address: u64, length: u64) -> u64 {
    let arguments = [code, address, length, 0, 0, 0];
    let mut answer = 0_u64;
    // SAFETY: outside valgrind the rotations add up to 128 bits and the exchange does nothing, so
    // only the flags change. In valgrind the request reads the arguments, answers in rdx, and
    // changes only what valgrind notes about the memory.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") answer,
        );
    }
    answer
}

/// Whether valgrind runs this program.
pub(crate) fn is_valgrind() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0) != 0
}

/// The value, of which memcheck knows nothing from here on.
pub(crate) fn secret<T: Copy>(value: T) -> T {
    let value = core::hint::black_box(value);
    request(MAKE_MEM_UNDEFINED, place(&value), size_of::<T>() as u64);
    core::hint::black_box(value)
}

/// The value, which memcheck takes as known from here on.
pub(crate) fn public<T: Copy>(value: T) -> T {
    let value = core::hint::black_box(value);
    request(MAKE_MEM_DEFINED, place(&value), size_of::<T>() as u64);
    core::hint::black_box(value)
}

fn place<T>(value: &T) -> u64 {
    core::ptr::from_ref(value) as u64
}
