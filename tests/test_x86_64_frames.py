"""x86-64: what a call may rely on: registers kept, flags on entry, conventions, guards."""

from __future__ import annotations

import ctypes
import struct

import pytest
from primes import expressions, shaped
from sampling import sampled
from x86_64_checks import check_code, live_on_entry, reads_and_writes, registers_in
from x86_64_kernels import HERE, Built, check_run, loaded, runs_here, win64_kernels

from fieldc.algorithms import choose
from fieldc.catalogue import find_field
from fieldc.language import Expression, Kernel
from fieldc.machine.assemble import assemble
from fieldc.machine.frames import FrameError
from fieldc.machine.load import Library, LoadedKernel, load
from fieldc.operands import WIDE, residues
from fieldc.operations import Operation
from fieldc.targets.x86_64.allocate import Allocation
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.conventions import (
    CALLED_INLINE,
    CONVENTIONS,
    GENERAL,
    SYSV,
    WIN64,
    Convention,
)
from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.kernel import X86Error, X86Kernel, compile_expression, returning
from fieldc.targets.x86_64.operands import Immediate, Register
from fieldc.targets.x86_64.print import GNU

pytestmark = HERE

KEPT = {
    "sysv": ("rbx", "rbp", "r12", "r13", "r14", "r15"),
    "win64": ("rbx", "rbp", "rdi", "rsi", "r12", "r13", "r14", "r15"),
}
"""What each ABI says a callee preserves, written a second time."""
SHUFFLE = {"sysv": "", "win64": "mov rcx, rdi\n    mov r8, rdx\n    mov rdx, rsi"}
CALLER_SAVED = {"sysv": ("rax", "r8", "r9", "r10", "r11"), "win64": ("rax", "r9", "r10", "r11")}
FLAG_STATES = {"clear": 0x2, "both": 0x803, "carry": 0x3, "overflow": 0x802}
"""Flags on entry: bit 0 is CF, bit 11 is OF."""


@pytest.mark.parametrize(
    "words",
    [
        ("rbx", "rax"),
        ("rbx", "rbp", *GENERAL[:3], *(f"r{i}" for i in range(9, 16))),
        ("rbp", "rsi", "rbx", *(f"r{i}" for i in range(8, 16))),
        tuple(register for register in GENERAL if register not in ("rax", "rdi")),
    ],
    ids="-".join,
)
def test_words_leave_the_registers_that_are_restored(words: tuple[str, ...]) -> None:
    """Whatever registers an allocation chose, a caller finds each word in one of its own."""
    number = {word: 100 + place for place, word in enumerate(words)}
    code = [Physical("mov", (Register(w), Immediate(number[w]))) for w in words]
    last = Physical("ret", tuple(map(Register, words)))
    made, names = returning(Allocation([*code, last], 0, set(words)), CALLED_INLINE)
    state: dict[str, int] = {}
    for line in made.code:
        to, value = line.operands
        assert isinstance(to, Register)
        state[to.name] = state[value.name] if isinstance(value, Register) else value.value
        assert to.name in made.written
    assert [state[name] for name in names] == [*number.values()]
    assert len(set(names)) == len(words) and not {*names} & {*CALLED_INLINE.preserved}


def test_more_words_than_registers_are_refused() -> None:
    last = Physical("ret", tuple(map(Register, GENERAL)))
    with pytest.raises(X86Error, match="15 words do not fit"):
        returning(Allocation([last], 0, set(GENERAL)), CALLED_INLINE)


def pattern(register: str) -> int:
    """A recognisable value for a register."""
    return 0x1111_0000_ABCD_0000 + GENERAL.index(register)


def probe(symbol: str, convention: Convention, flags: int) -> str:
    """A System V function that calls a kernel with known registers and flags and records them."""
    kept = KEPT[convention.name]
    fill = (*kept, *CALLER_SAVED[convention.name])
    lines = [
        ".intel_syntax noprefix",
        ".data",
        f".globl {symbol}_seen",
        ".p2align 3",
        f"{symbol}_seen: .zero {8 * (len(kept) + 2)}",
        ".text",
        f".globl {symbol}_probe",
        f"{symbol}_probe:",
        *(f"push {r}" for r in KEPT["sysv"]),
        "sub rsp, 40",
        SHUFFLE[convention.name],
        f"mov qword ptr [rip + {symbol}_seen], rsp",
        *(f"movabs {r}, {pattern(r)}" for r in fill),
        f"push {flags}",
        "popfq",
        f"call {symbol}",
        f"mov qword ptr [rip + {symbol}_seen + 8], rsp",
        *(f"mov qword ptr [rip + {symbol}_seen + {16 + 8 * i}], {r}" for i, r in enumerate(kept)),
        f"mov rsp, qword ptr [rip + {symbol}_seen]",
        "add rsp, 40",
        *(f"pop {r}" for r in reversed(KEPT["sysv"])),
        "ret",
        ".att_syntax prefix",
    ]
    return "\n".join(lines) + "\n"


def seen(library: Library, symbol: str, count: int) -> tuple[int, ...]:
    """What a probe recorded: rsp before and after, then the kept registers."""
    return struct.unpack(
        f"<{count}Q", ctypes.string_at(library.address(f"{symbol}_seen"), 8 * count)
    )


def probed(codes: list[tuple[Expression, X86Kernel]], flags: int) -> list[Built]:
    """Kernels that are called through a probe."""
    texts = [code.text(GNU) + probe(code.symbol, code.convention, flags) for _, code in codes]
    return loaded(texts, codes, "_probe")


@pytest.mark.parametrize("limbs", sampled([1, 4, 9], [2, 6]))
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=lambda c: c.name)
@pytest.mark.sweep(9)
def test_registers_are_kept_and_flags_on_entry_do_not_matter(
    convention: Convention, variant: str, limbs: int
) -> None:
    runs_here(variant)
    kept = KEPT[convention.name]
    codes = [
        (expression, compile_expression(expression, f"kernel{i}", VARIANTS[variant], convention))
        for i, expression in enumerate(expressions(shaped("one-spare", limbs)))
    ]
    for _, code in codes:
        check_code(code, variant)
    for flags in FLAG_STATES.values():
        for built in probed(codes, flags):
            check_run(built, 2, aliased=True)
            before, after, *values = seen(built.run.library, built.code.symbol, 2 + len(kept))
            assert before == after
            assert values == [pattern(r) for r in kept]


def test_the_probe_notices_a_register_that_is_not_kept() -> None:
    runs_here("base")
    spoil = ".globl spoil\nspoil:\n mov $5, %rbx\n movq $7, (%rdi)\n ret\n"
    library = load(assemble(spoil + probe("spoil", SYSV, FLAG_STATES["both"])))
    assert LoadedKernel(library, "spoil_probe", (1,), 1)(0) == 7
    before, after, *values = seen(library, "spoil", 8)
    assert (
        before == after and values[0] == 5 and values[1:] == [pattern(r) for r in KEPT["sysv"][1:]]
    )


def test_the_probe_sets_the_flags() -> None:
    runs_here("base")
    reads = ".globl reads\nreads:\n setc %al\n seto %cl\n movzx %al, %eax\n movzx %cl, %ecx\n"
    reads += " mov %rax, (%rdi)\n mov %rcx, 8(%rdi)\n ret\n"
    results = {}
    for name, flags in FLAG_STATES.items():
        library = load(assemble(reads + probe("reads", SYSV, flags)))
        results[name] = LoadedKernel(library, "reads_probe", (2,), 2)(0)
    assert results == {"clear": 0, "both": 1 << 64 | 1, "carry": 1, "overflow": 1 << 64}


def test_guards_notice_a_kernel_that_is_one_limb_too_long() -> None:
    runs_here("base")
    f = shaped("one-spare", 3)
    expression = choose(f, "add")
    code = compile_expression(expression, "add", VARIANTS["base"])
    library = load(assemble(code.text(GNU)))
    with pytest.raises(FrameError, match="outside z's buffer"):
        LoadedKernel(library, "add", (3, 3), 2)(1, 2)


# Conventions as data


def test_conventions_are_those_of_the_abis() -> None:
    assert SYSV.arguments[:3] == ("rdi", "rsi", "rdx") and set(SYSV.preserved) == set(KEPT["sysv"])
    assert WIN64.arguments[:3] == ("rcx", "rdx", "r8")
    assert set(WIN64.preserved) == set(KEPT["win64"])
    for convention in CONVENTIONS.values():
        assert sorted(convention.order) == sorted(GENERAL)
        free = [r for r in convention.order if r not in convention.preserved]
        assert list(convention.order[: len(free)]) == free
    assert "rsp" not in GENERAL and len(set(GENERAL)) == 15


def test_win64_code_reads_only_its_argument_registers() -> None:
    one_operand = two_operands = saved = 0
    for variant, code in win64_kernels():
        check_code(code, variant)
        live = live_on_entry(code.code)
        assert live in ({"rcx", "rdx"}, {"rcx", "rdx", "r8"})
        two_operands += "r8" in live
        one_operand += "r8" not in live
        pushed = {r for i in code.code if i.mnemonic == "push" for r in registers_in(i.operands[0])}
        used = {r for i in code.code for r in set().union(*reads_and_writes(i))}
        assert pushed & {"rdi", "rsi"} == used & {"rdi", "rsi"}
        saved += bool(pushed & {"rdi", "rsi"})
    assert one_operand and two_operands and saved


def test_more_operands_than_registers_are_refused() -> None:
    operands = tuple((name, residues(1)) for name in "abcdef")
    wide = Operation("wide", operands, WIDE)
    algorithm = Kernel(wide, "sum", lambda f, *values: sum(values))
    with pytest.raises(X86Error, match="sysv passes 6 pointers in registers, not 7"):
        compile_expression(algorithm.expression(find_field("2^61-1")), "k")
