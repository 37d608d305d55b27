"""Timed loops around kernels that are called out of inline assembly and leave words in registers.

The loops do what a compiler makes of Rust around such a call: state in memory, for the kernel has
nearly all registers; x on the stack; each word stored where the next turn reads it. What stands
around a call changes a kernel's time by more than a search gains, so a kernel is timed in three
surroundings, one after the other: with another y in every turn, from a table (by Knuth's MMIX
generator, one turn ahead); with the processor asked first, as the crate does; with one y, which is
added to the product.

Which register a word is in is the kernel's choice, so the loops stand before it, made for it.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from fieldc.machine.assemble import assemble
from fieldc.machine.load import load
from fieldc.machine.loops import Loops, TimingError
from fieldc.targets.x86_64.conventions import CALLED_INLINE, GENERAL, SYSV

CHAINS, OPERANDS = 4, 16
"""Values of x and of y."""
STRIDE = 128
"""Bytes from one value to the next: two operands of 8 limbs."""
MOST_LIMBS = STRIDE // 8
LATENCY, THROUGHPUT = (0x0, 0x180, 0x300), (0x480, 0x800, 0xB80)
"""Where the loops begin, one for each surroundings."""
ONCE, KERNEL = 0xF00, 0x1000
"""Where a System V function (z, x, y) and the kernel itself begin."""

_Y_OFFSET = 0x2C0
"""Of a page; frames have other offsets, so no load waits for a store with its low 12 bits."""
_FRAME = 0x280
_Y, _TURNS, _WANTED, _START, _STACK, _BESIDE, _ASKED, _X = 0, 8, 16, 24, 32, 40, 48, 64
"""What is where in a loop's frame; y of this turn is kept beside."""
_PUSH = "\n".join(f"    push {register}" for register in SYSV.preserved)
_POP = "\n".join(f"    pop {register}" for register in reversed(SYSV.preserved))
_READ = "lfence\n    rdtsc\n    lfence\n    shl rdx, 32\n    or rax, rdx"
_NEXT = f"""
    movabs rax, 0x5851f42d4c957f2d
    imul rbx, rax
    movabs rax, 0x14057b7ef767814f
    add rbx, rax
    mov rdx, rbp
    mov rbp, rbx
    shr rbp, 60
    shl rbp, 7
    add rbp, [rsp + {_Y}]
    mov [rsp + {_BESIDE}], rdx
"""
"""y of this turn beside, that of the next in rbp."""
_SAME = f"""
    mov rdx, [rsp + {_Y}]
    mov [rsp + {_BESIDE}], rdx
"""


def held_by(returned: Sequence[str]) -> dict[str, int]:
    """What each register that a kernel may change holds behind it: a word's number, or -1."""
    words = {register: number for number, register in enumerate(returned)}
    return {r: words.get(r, -1) for r in GENERAL if r not in CALLED_INLINE.preserved}


def caller(held: Mapping[str, int], target: str) -> list[str]:
    """A System V function (z, x, y) that calls a kernel: saves registers, stores the words."""
    saved = [register for register in held if register in SYSV.preserved]
    z = next(register for register, word in held.items() if word < 0)
    return [
        *(f"push {register}" for register in (*saved, SYSV.arguments[0])),
        f"call {target}",
        f"pop {z}",
        *(f"mov qword ptr [{z} + {8 * i}], {r}" for r, i in held.items() if i >= 0),
        *(f"pop {register}" for register in reversed(saved)),
        "ret",
    ]


def _free(returned: tuple[str, ...]) -> str:
    """A register that holds nothing behind the kernel."""
    return next(register for register, word in held_by(returned).items() if word < 0)


def _stores(base: str, offset: int, returned: tuple[str, ...]) -> str:
    words = enumerate(returned)
    return "\n".join(f"    mov [{base} + {offset + 8 * i}], {r}" for i, r in words)


def _called(chain: int, returned: tuple[str, ...]) -> str:
    x = _X + STRIDE * chain
    return f"""
    lea rsi, [rsp + {x}]
    mov rdx, [rsp + {_BESIDE}]
    call kernel
{_stores("rsp", x, returned)}
"""


def _asked(chain: int, returned: tuple[str, ...]) -> str:
    x, free = _X + STRIDE * chain, _free(returned)
    return f"""
    movzx eax, byte ptr [rsp + {_ASKED}]
    cmp al, 2
    jne 9f
    lea rsi, [rsp + {x}]
    mov rdx, [rsp + {_BESIDE}]
    call kernel
    mov {free}, [rsp + {_BESIDE}]
    jmp 8f
9:  ud2
8:
{_stores("rsp", x, returned)}
"""


def _added(chain: int, returned: tuple[str, ...]) -> str:
    x, free = _X + STRIDE * chain, _free(returned)
    sums = "\n".join(
        f"    {'adc' if i else 'add'} {r}, [{free} + {8 * i}]" for i, r in enumerate(returned)
    )
    return f"""
    lea rsi, [rsp + {x}]
    mov rdx, [rsp + {_BESIDE}]
    call kernel
    mov {free}, [rsp + {_BESIDE}]
{sums}
{_stores("rsp", x, returned)}
"""


SURROUNDINGS: tuple[tuple[str, Callable[[int, tuple[str, ...]], str]], ...] = (
    (_NEXT, _called),
    (_NEXT, _asked),
    (_SAME, _added),
)
"""What finds y, and what calls the kernel on a chain."""


def _loop(turn: str) -> str:
    """(x, y, turns) -> ticks. Two turns before the clock starts; no start is 0."""
    return f"""
{_PUSH}
    mov rax, rsp
    sub rsp, 4096
    and rsp, -4096
    add rsp, 0xfc0 - {_FRAME}
    mov [rsp + {_STACK}], rax
    mov [rsp + {_Y}], rsi
    mov [rsp + {_WANTED}], rdx
    mov qword ptr [rsp + {_ASKED}], 2
    mov rbp, rsi
    mov rsi, rdi
    lea rdi, [rsp + {_X}]
    mov ecx, {CHAINS * STRIDE}
    rep movsb
    mov ebx, 1
    mov qword ptr [rsp + {_TURNS}], 2
    mov qword ptr [rsp + {_START}], 0
    .p2align 5
1:{turn}
    dec qword ptr [rsp + {_TURNS}]
    jnz 1b
    cmp qword ptr [rsp + {_START}], 0
    jne 2f
    mov rax, [rsp + {_WANTED}]
    mov [rsp + {_TURNS}], rax
    {_READ}
    mov [rsp + {_START}], rax
    jmp 1b
2:  {_READ}
    sub rax, [rsp + {_START}]
    mov rsp, [rsp + {_STACK}]
{_POP}
    ret
"""


@cache
def surroundings(returned: tuple[str, ...]) -> bytes:
    """What stands before a kernel that leaves its words in these registers."""
    parts = [
        (place, _loop(find + "".join(call(chain, returned) for chain in range(chains))))
        for places, chains in ((LATENCY, 1), (THROUGHPUT, CHAINS))
        for place, (find, call) in zip(places, SURROUNDINGS, strict=True)
    ]
    once = "\n".join(caller(held_by(returned), "kernel")) + "\n"
    text = "".join(f".org {place:#x}\n{code}" for place, code in (*parts, (ONCE, once)))
    head = ".intel_syntax noprefix\n.text\n.globl before\n.p2align 6\nbefore:\n"
    library = load(assemble(f"{head}{text}.org {KERNEL:#x}\nkernel:\n"))
    return ctypes.string_at(library.address("before"), KERNEL)


class CalledLoops(Loops):
    """Loops for what `surroundings` and a kernel make: a kernel's address is where those begin."""

    def __init__(self) -> None:
        super().__init__()
        u64 = ctypes.c_uint64
        self._loop = ctypes.CFUNCTYPE(u64, u64, u64, u64)
        self._x = ctypes.create_string_buffer(CHAINS * STRIDE)
        self._table = mmap.mmap(-1, 2 * mmap.PAGESIZE)
        page = ctypes.addressof(ctypes.c_char.from_buffer(self._table))
        self.y = page + _Y_OFFSET

    def throughput(self, kernel: int, count: int) -> float:
        """Ticks per call of `count` calls in each surroundings, in turns on independent chains."""
        turns = count // CHAINS
        return self._mean_ticks(kernel, THROUGHPUT, turns) / (turns * CHAINS)

    def latency(self, kernel: int, count: int) -> float:
        """Ticks per call of `count` dependent calls in each surroundings."""
        return self._mean_ticks(kernel, LATENCY, count) / count

    def _mean_ticks(self, kernel: int, places: tuple[int, ...], turns: int) -> float:
        """Of this many turns, in the mean of all surroundings."""
        x = ctypes.addressof(self._x)
        return sum(int(self._loop(kernel + at)(x, self.y, turns)) for at in places) / len(places)

    def store(self, inputs: tuple[int, ...], limbs: tuple[int, ...]) -> None:
        """Write x for every chain, and y in every place of the table.

        Raises TimingError for operands longer than a place.
        """
        if max(limbs) > MOST_LIMBS:
            raise TimingError(f"operands of up to {MOST_LIMBS} limbs can be timed")
        x, y, *_ = (value.to_bytes(STRIDE, "little") for value in (*inputs, 0))
        self._x.raw = x * CHAINS
        ctypes.memmove(self.y, y * OPERANDS, STRIDE * OPERANDS)
