"""Timed loops around kernels that are called out of inline assembly and leave words in registers.

The loops do what a compiler makes of Rust around such a call: state in memory, because the kernel
has nearly all registers; each word stored from its register. What stands around a call changes a
kernel's time by more than a search gains, so a kernel is timed in three surroundings, one after the
other: called; with the processor asked first, as the crate does; with its last operand added to the
result.

Throughput walks the ring of `loops`: every call has another cell for its operands and its result.
Latency keeps the first operand on the stack, and takes the others from a random cell in each turn,
found one turn ahead (by Knuth's MMIX generator): with one cell, the processor would predict carries
and forward loads.

Which register a word is in is the kernel's choice, so the loops are made for it. A kernel that
returns none has a result too long for registers: it gets its address, and stores it itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from fieldc.machine.caller import Caller
from fieldc.machine.instruments import TimingError
from fieldc.machine.results import Mode
from fieldc.machine.ring import RING, Layout
from fieldc.targets.x86_64.conventions import CALLED_INLINE, GENERAL, STORED_INLINE, SYSV
from fieldc.targets.x86_64.timing.caller import caller_of

CALLS = 4
"""Calls of a turn of the throughput loops, each with a cell of its own."""
ONCE = "fieldc_once"

_MEMORY, _TURNS, _WANTED, _START, _STACK, _ASKED, _NEXT, _LAST, _RANDOM, _X = range(0, 80, 8)
"""Offsets in a loop's frame. The first operand, x, is last: its length depends on the kernel."""
_PUSH = "\n".join(f"    push {register}" for register in SYSV.preserved)
_POP = "\n".join(f"    pop {register}" for register in reversed(SYSV.preserved))
_READ = "lfence\n    rdtsc\n    lfence\n    shl rdx, 32\n    or rax, rdx"


def held_by(returned: Sequence[str]) -> dict[str, int]:
    """Return what each register that a kernel may change holds after it: a word's number, or -1."""
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
    """Return a register that holds no word after the kernel."""
    return next(register for register, word in held_by(returned).items() if word < 0)


def _stores(base: str, offset: int, returned: tuple[str, ...]) -> str:
    words = enumerate(returned)
    return "\n".join(f"    mov [{base} + {offset + 8 * i}], {r}" for i, r in words)


def _pointed(operands: Sequence[str], returned: tuple[str, ...]) -> str:
    """The pointers of a call; the first is that of the result where no register returns it."""
    convention = CALLED_INLINE if returned else STORED_INLINE
    pairs = zip(convention.arguments, operands, strict=False)
    return "\n".join(f"    lea {register}, [{operand}]" for register, operand in pairs)


def _called(operands: Sequence[str], store: str, returned: tuple[str, ...]) -> str:
    return f"""
{_pointed(operands, returned)}
    call kernel
{store}
"""


def _asked(operands: Sequence[str], store: str, returned: tuple[str, ...]) -> str:
    return f"""
    movzx eax, byte ptr [rsp + {_ASKED}]
    cmp al, 2
    jne 9f
{_pointed(operands, returned)}
    call kernel
    jmp 8f
9:  ud2
8:
{store}
"""


def _added(operands: Sequence[str], store: str, returned: tuple[str, ...]) -> str:
    last = operands[-1]
    sums = "\n".join(
        f"    {'adc' if i else 'add'} {r}, [{last} + {8 * i}]" for i, r in enumerate(returned)
    )
    return _called(operands, f"{sums}\n{store}", returned)


Surroundings = Callable[[Sequence[str], str, tuple[str, ...]], str]
"""Calls the kernel with the addresses of its operands, and stores its words."""
SURROUNDINGS: tuple[Surroundings, ...] = (_called, _asked, _added)


def _random(layout: Layout) -> str:
    """The cell of this turn in rbp; that of the next is found meanwhile."""
    return f"""
    mov rbp, [rsp + {_NEXT}]
    movabs rax, 0x5851f42d4c957f2d
    imul rax, [rsp + {_RANDOM}]
    movabs rcx, 0x14057b7ef767814f
    add rax, rcx
    mov [rsp + {_RANDOM}], rax
    shr rax, {64 - RING.bit_length() + 1}
    imul rax, rax, {layout.cell}
    add rax, [rsp + {_MEMORY}]
    mov [rsp + {_NEXT}], rax
"""


def _walk(layout: Layout) -> str:
    """The cells of this turn from rbp on, CALLS further down the ring than those before."""
    return f"""
    sub rbx, {CALLS * layout.cell}
    cmovc rbx, [rsp + {_LAST}]
    mov rbp, [rsp + {_MEMORY}]
    add rbp, rbx
"""


def _copy(source: int, to: int, words: int) -> str:
    """Copy words of the frame."""
    moves = ((source + 8 * i, to + 8 * i) for i in range(words))
    return "\n".join(f"    mov rax, [rsp + {a}]\n    mov [rsp + {b}], rax" for a, b in moves)


def _latency(call: Surroundings, layout: Layout, returned: tuple[str, ...]) -> str:
    _, _, *others = layout.places
    operands = [f"rsp + {_X}", *(f"rbp + {place}" for place in others)]
    if returned:
        return _random(layout) + call(operands, _stores("rsp", _X, returned), returned)
    z = _X + 8 * layout.operands[0]
    store = _copy(z, _X, min(layout.result, layout.operands[0]))
    return _random(layout) + call([f"rsp + {z}", *operands], store, returned)


def _throughput(call: Surroundings, layout: Layout, returned: tuple[str, ...]) -> str:
    z, *places = layout.places
    turn = _walk(layout)
    for cell in range(0, CALLS * layout.cell, layout.cell):
        operands = [f"rbp + {cell + place}" for place in (places if returned else layout.places)]
        turn += call(operands, _stores("rbp", cell + z, returned), returned)
    return turn


TURNS: dict[Mode, Callable[[Surroundings, Layout, tuple[str, ...]], str]] = {
    "latency": _latency,
    "throughput": _throughput,
}


def _loop(name: str, turn: str, layout: Layout) -> str:
    """The text of `name(memory, turns) -> ticks`.

    Two turns run before the clock starts; until then the start is 0.
    """
    frame = _X + 8 * (layout.result + layout.operands[0])
    return f"""
    .globl {name}
    .p2align 6
{name}:
{_PUSH}
    mov rax, rsp
    sub rsp, 4096
    and rsp, -4096
    add rsp, 0xfc0 - {-(-frame // 64) * 64}
    mov [rsp + {_STACK}], rax
    mov [rsp + {_MEMORY}], rdi
    mov [rsp + {_NEXT}], rdi
    mov [rsp + {_WANTED}], rsi
    mov qword ptr [rsp + {_ASKED}], 2
    mov qword ptr [rsp + {_RANDOM}], 1
    mov qword ptr [rsp + {_LAST}], {(RING - CALLS) * layout.cell}
    mov rsi, rdi
    lea rdi, [rsp + {_X}]
    mov ecx, {8 * layout.operands[0]}
    rep movsb
    xor ebx, ebx
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
def surroundings(returned: tuple[str, ...], layout: Layout) -> Caller:
    """Return the loops for kernels of a layout that leave their words in these registers.

    Raises TimingError for more operands than the convention has registers.
    """
    most = len(CALLED_INLINE.arguments)
    if len(layout.operands) > most:
        raise TimingError(f"kernels of 1 to {most} operands can be called out of inline assembly")
    once = "\n".join(caller(held_by(returned), "kernel"))
    text = f".intel_syntax noprefix\n.globl {ONCE}\n{ONCE}:\n{once}\n"
    modes: dict[str, tuple[Mode, ...]] = {}
    for number, call in enumerate(SURROUNDINGS):
        for mode, turn in TURNS.items():
            name = f"fieldc_{mode}_{number}"
            text += _loop(name, turn(call, layout, returned), layout)
            modes[name] = (mode,)
    return caller_of(text, modes, CALLS, ONCE)
