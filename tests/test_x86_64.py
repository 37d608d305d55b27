"""x86-64: the finished kernels, run in this process, and their text, for every choice there is."""

from __future__ import annotations

import ctypes
import os
import random
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from primes import (
    CARRY_STYLES,
    NAMES,
    STYLES,
    cases,
    distinct,
    expected,
    named_field,
    shaped,
    style_id,
    traces,
)

from fieldc.algorithms import choose
from fieldc.backends.x86_64.choices import FEATURES, VARIANTS, Choices
from fieldc.backends.x86_64.conventions import CONVENTIONS, GENERAL, SYSV, WIN64, Convention
from fieldc.backends.x86_64.flags import FlagError
from fieldc.backends.x86_64.instructions import (
    CONSTANTS,
    INSTRUCTIONS,
    Immediate,
    Memory,
    Physical,
    Register,
)
from fieldc.backends.x86_64.kernel import X86Error, X86Kernel, compile_program, compile_trace
from fieldc.backends.x86_64.print import GNU, INTEL, MASM
from fieldc.field import Field
from fieldc.language import Number, Residue, Trace, kernel
from fieldc.machine.assemble import assemble, host_triple
from fieldc.machine.load import Alias, FrameError, Kernel, Library, load
from fieldc.machine.processor import is_x86_64, missing
from fieldc.words.lower import lower
from fieldc.words.rows import RowChoice, RowStyle

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="no x86-64 assembler here")

LIMBS = range(1, 17)


def runs_here(variant: str) -> None:
    """Skip, saying why, where this processor cannot run a variant's kernels."""
    if not is_x86_64():
        pytest.skip("this host does not run System V x86-64 code")
    if lacking := missing(FEATURES[variant]):
        pytest.skip(f"this processor lacks {' and '.join(lacking)}, which {variant} kernels need")


# Every choice


def _clears(variant: str) -> Iterable[tuple[str, str]]:
    """Where flags are cleared, where the 0 is: only two chains read these choices."""
    if variant != "adx":
        return [("all", "register")]
    return product(("needed", "product", "all"), ("memory", "register"))


def choices_with(variant: str, rows: RowChoice) -> list[Choices]:
    """Every combination of the other choices."""
    return [
        Choices(variant, rows, clear, zero, constants, quotient)
        for clear, zero in _clears(variant)
        for constants in ("rip", "register")
        for quotient in ("mulx", "imul")
    ]


def needs_a_second_flag(choices: Choices) -> bool:
    """Whether a row style may need two flags at once, in a variant with one."""
    one_at_a_time = (
        (RowStyle.CARRY_WORD,)
        if choices.variant == "base"
        else (
            RowStyle.CARRY_WORD,
            RowStyle.ONE_CHAIN,
        )
    )
    return choices.variant != "adx" and choices.rows.style not in one_at_a_time


# Building and running many kernels at once


@dataclass(frozen=True)
class Built:
    """A compiled kernel of a trace, loaded."""

    trace: Trace
    code: X86Kernel
    run: Kernel


def loaded(
    texts: Iterable[str], codes: Sequence[tuple[Trace, X86Kernel]], suffix: str = ""
) -> list[Built]:
    """All kernels in one object, loaded."""
    library = load(assemble("\n".join(texts)))
    return [Built(t, code, callable_of(library, t, code.symbol + suffix)) for t, code in codes]


def callable_of(library: Library, trace: Trace, symbol: str) -> Kernel:
    """The loaded kernel as a function of integers."""
    f = trace.field
    operands = tuple(bound.limbs(f) for _, bound in trace.kernel.operands)
    return Kernel(library, symbol, operands, f.n)


def build(wanted: Iterable[tuple[Trace, Choices]]) -> list[Built]:
    """Compile and load; a combination that has too few flags is left out."""
    codes: list[tuple[Trace, X86Kernel]] = []
    for trace, choices in wanted:
        code = compiled(trace, f"kernel{len(codes)}", choices)
        if code is not None:
            codes.append((trace, code))
    return loaded([code.text(GNU) for _, code in codes], codes)


def compiled(trace: Trace, symbol: str, choices: Choices) -> X86Kernel | None:
    """The kernel, or None where a typed error of one line says that flags do not suffice."""
    try:
        code = compile_trace(trace, symbol, choices)
    except FlagError as error:
        assert needs_a_second_flag(choices), (choices, error)
        assert "\n" not in str(error) and str(error)
        return None
    check_code(code, choices.variant)
    return code


def check_run(built: Built, count: int, aliases: Iterable[Alias] = (Alias.NONE,)) -> None:
    """Results on edge and random operands, in the aliasings that the operands allow."""
    f, k = built.trace.field, built.trace.kernel
    for values in cases(k, f, count):
        want = expected(k.operation, f, *values)
        assert k.run(f, *values) == want
        for alias in aliases:
            if len(values) == 1 and alias is Alias.Z_IS_Y:
                continue
            given = values
            if len(values) == 2 and alias in (Alias.X_IS_Y, Alias.ALL):
                given = (values[0], values[0])
                want = expected(k.operation, f, *given)
            result = built.run.aliased(alias, *given)
            assert result == want, (f.label, k.operation, k.algorithm, alias, given)


# What holds for the instructions of every kernel, by roles written a second time

READ_WRITE = {"imul", "add", "adc", "adcx", "adox", "sub", "sbb", "and", "cmovc", "shld", "shr"}
WRITES = {"mov": 1, "lea": 1, "lea_double": 1, "mulx": 2, "pop": 1, "xor": 1, "sbb_mask": 1}
NEEDS_CF = {"adc", "adcx", "sbb", "sbb_mask", "cmovc"}
NEEDS_OF = {"adox"}
DEFINES_BOTH = {"add", "adc", "sub", "sbb", "and", "xor", "imul", "mul", "test"}
UNDEFINES_OF = {"shld", "shr"}
FEATURE_OF = {"mulx": "bmi2", "adcx": "adx", "adox": "adx"}
STORES = ("store",)


def registers_in(operand: Register | Memory | Immediate) -> list[str]:
    """The registers that an operand reads, whether its value or its address."""
    if isinstance(operand, Register):
        return [operand.name]
    if isinstance(operand, Memory) and operand.base != CONSTANTS:
        return [str(operand.base)]
    return []


def reads_and_writes(code: Physical) -> tuple[set[str], set[str]]:
    """Registers that an instruction reads and writes, implicit ones included."""
    m, operands = code.mnemonic, code.operands
    writes = WRITES.get(m, 1 if m in READ_WRITE else 0)
    written = {o.name for o in operands[:writes] if isinstance(o, Register)}
    first = 0 if m in READ_WRITE else writes
    read = {r for o in operands[first:] for r in registers_in(o)}
    read |= {r for o in operands[:writes] if isinstance(o, Memory) for r in registers_in(o)}
    if m == "mulx":
        read.add("rdx")
    if m == "mul":
        read.add("rax")
        written |= {"rax", "rdx"}
    return read - {"rsp"}, written - {"rsp"}


def live_on_entry(code: Sequence[Physical]) -> set[str]:
    """Registers whose value on entry is read, except to be saved."""
    written: set[str] = set()
    live: set[str] = set()
    for instruction in code:
        read, writes = reads_and_writes(instruction)
        if instruction.mnemonic != "push":
            live |= read - written
        written |= writes
    return live


def check_code(code: X86Kernel, variant: str) -> None:
    """What holds for every kernel, whatever it computes."""
    check_known(code, variant)
    check_entry(code)
    check_frame(code)
    check_stores_last(code)


def check_known(code: X86Kernel, variant: str) -> None:
    """Only instructions of the table and of the variant's features."""
    for instruction in code.code:
        m = instruction.mnemonic
        assert m in INSTRUCTIONS or m == "test", m  # `test` has no row: reported
        assert m not in FEATURE_OF or FEATURE_OF[m] in FEATURES[variant], (variant, m)
        assert m not in INSTRUCTIONS or INSTRUCTIONS[m].feature == FEATURE_OF.get(m, "")
    assert code.features == FEATURES[variant]


def check_entry(code: X86Kernel) -> None:
    """No register or flag is read before it is written, but the pointers."""
    pointers = set(code.convention.arguments[:3])
    assert live_on_entry(code.code) <= pointers
    defined: set[str] = set()
    for instruction in code.code:
        m = instruction.mnemonic
        assert m not in NEEDS_CF or "cf" in defined, instruction
        assert m not in NEEDS_OF or "of" in defined, instruction
        if m in DEFINES_BOTH:
            defined |= {"cf", "of"}
        if m in UNDEFINES_OF:
            defined -= {"of"}


def check_frame(code: X86Kernel) -> None:
    """What is pushed is popped in reverse, what is kept is pushed, the stack pointer comes back."""
    pushed = [i.operands[0] for i in code.code if i.mnemonic == "push"]
    popped = [i.operands[0] for i in code.code if i.mnemonic == "pop"]
    assert popped == pushed[::-1] and len(set(pushed)) == len(pushed)
    body = [i for i in code.code if i.mnemonic not in ("push", "pop")]
    written = set().union(*(reads_and_writes(i)[1] for i in body))
    assert {Register(r) for r in written & set(code.convention.preserved)} == set(pushed)
    stack = [i for i in code.code if Register("rsp") in i.operands and i.mnemonic != "test"]
    moves = [(i.mnemonic, i.operands[1]) for i in stack]
    frame = Immediate(code.frame)
    assert moves == ([("sub", frame), ("add", frame)] if code.frame else [])
    slots = {o.offset for i in body for o in i.operands if isinstance(o, Memory) and on_stack(o)}
    assert all(0 <= offset <= code.frame - 8 and offset % 8 == 0 for offset in slots)
    assert code.code[-1].mnemonic == "ret"


def on_stack(operand: Memory) -> bool:
    """Whether a memory operand is a spill slot."""
    return operand.base == "rsp"


OPERAND_WORD = re.compile(r"[xy]\[\d+\]")


def check_stores_last(code: X86Kernel) -> None:
    """After the first store to z no limb of x or y is read from memory; each limb comes once."""
    stored: list[str] = []
    for instruction in code.code:
        memory = [o for o in instruction.operands if isinstance(o, Memory)]
        if instruction.mnemonic in STORES:
            stored += [o.name for o in memory]
            continue
        for operand in memory:
            assert not stored or on_stack(operand) or not OPERAND_WORD.fullmatch(operand.name)
    assert sorted(stored) == sorted(f"z[{i}]" for i in range(len(stored))) and stored


# Results

FEW = ("mul", "square", "redc", "sub")


@pytest.mark.parametrize("limbs", [*LIMBS, 17])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_kernel_at_every_number_of_limbs(variant: str, limbs: int) -> None:
    runs_here(variant)
    shapes_here = ["full", "three-spare"] if limbs < 9 else ["full" if limbs % 2 else "one-spare"]
    shapes_here += ["smallest", "top-ones", "low-one", "zero-middle"] if limbs in (3, 4) else []
    wanted = [(trace, VARIANTS[variant]) for s in shapes_here for trace in traces(shaped(s, limbs))]
    for built in build(wanted):
        check_run(built, 6 if limbs < 9 else 3, Alias)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_named_fields(name: str, variant: str) -> None:
    runs_here(variant)
    for built in build((trace, VARIANTS[variant]) for trace in traces(named_field(name))):
        check_run(built, 12, Alias)


def small_work(limbs: int) -> list[Trace]:
    """Multiplication and squaring of one, two and three limbs, spare bits and none."""
    spare, full = shaped("three-spare", limbs), shaped("full", limbs)
    if limbs == 2:
        return [choose(full, "mul", "cios"), choose(full, "to_montgomery")]
    return [choose(spare, "mul", "log-jump"), choose(spare, "square"), choose(full, "neg")]


@pytest.mark.parametrize("rows", STYLES, ids=style_id)
@pytest.mark.parametrize("variant", ["adx", "mulx"])
def test_every_choice(variant: str, rows: RowChoice) -> None:
    runs_here(variant)
    for limbs in (1, 2, 3):
        work = small_work(limbs)
        for built in build(product(work, choices_with(variant, rows))):
            check_run(built, 2)


@pytest.mark.parametrize("rows", STYLES, ids=style_id)
def test_every_choice_of_base(rows: RowChoice) -> None:
    runs_here("base")
    imul = [choices for choices in choices_with("base", rows) if choices.quotient == "imul"]
    for limbs in (1, 2, 3):
        for built in build(product(small_work(limbs), imul)):
            check_run(built, 2)


def test_base_has_no_mulx_whatever_is_chosen() -> None:
    code = compile_trace(
        choose(named_field("bn254-p"), "mul"),
        "mul",
        Choices("base", RowChoice(RowStyle.CARRY_WORD), quotient="mulx"),
    )
    check_known(code, "base")


def sampled_choices(seed: int) -> list[Choices]:
    """A few combinations that no default has."""
    rng = random.Random(seed)
    every = [c for rows in CARRY_STYLES for c in choices_with("adx", rows)]
    others = [c for rows in CARRY_STYLES for v in ("mulx",) for c in choices_with(v, rows)]
    return rng.sample(every, 8) + rng.sample(others, 2)


@pytest.mark.parametrize("limbs", [4, 5, 6, 7, 8, 11])
def test_other_choices_at_more_limbs(limbs: int) -> None:
    runs_here("adx")
    f = shaped("full" if limbs % 2 else "three-spare", limbs)
    work = [choose(f, "mul", "cios"), choose(f, "square"), choose(f, "redc"), choose(f, "neg")]
    for built in build(product(work, sampled_choices(limbs))):
        check_run(built, 2, (Alias.NONE, Alias.ALL))


@pytest.mark.full
@pytest.mark.parametrize("limbs", LIMBS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_all_choices_at_few_limbs_and_many_at_all(variant: str, limbs: int) -> None:
    runs_here(variant)
    quotients = ("imul",) if variant == "base" else ("imul", "mulx")
    every = [c for rows in STYLES for c in choices_with(variant, rows) if c.quotient in quotients]
    work = [t for t in traces(shaped("one-spare", limbs)) if t.kernel.operation in FEW]
    for trace in work:
        for built in build((trace, c) for c in sampled(every, 600 if limbs < 4 else 30, limbs)):
            check_run(built, 2)


def sampled(every: list[Choices], count: int, seed: int) -> list[Choices]:
    """At most `count` of them, the same in every run."""
    return every if len(every) <= count else random.Random(seed).sample(every, count)


def test_which_combinations_lack_a_flag() -> None:
    trace = choose(named_field("bn254-p"), "mul", "cios")
    lacking = {
        (variant, rows.style)
        for variant in VARIANTS
        for rows in STYLES
        for clear in ("needed", "all")
        if raises_flag_error(trace, Choices(variant, rows, clear, quotient="imul"))
    }
    assert lacking == {
        ("mulx", RowStyle.TWO_CHAINS),
        ("mulx", RowStyle.TWO_SUMS),
        ("base", RowStyle.TWO_CHAINS),
        ("base", RowStyle.TWO_SUMS),
        ("base", RowStyle.ONE_CHAIN),
    }


def raises_flag_error(trace: Trace, choices: Choices) -> bool:
    """Whether flags do not suffice; the error is one line that names the way out."""
    try:
        compile_trace(trace, "mul", choices)
    except FlagError as error:
        assert "\n" not in str(error)
        return True
    return False


def test_too_many_chains_name_the_row_style_that_works() -> None:
    trace = choose(named_field("bls12-381-p"), "mul")
    for variant in ("mulx", "base"):
        with pytest.raises(FlagError, match=r"2 carry chains .* only cf; use .* carry-word"):
            compile_trace(trace, "mul", Choices(variant, RowChoice(RowStyle.TWO_CHAINS)))


def test_only_64_bit_words() -> None:
    with pytest.raises(X86Error, match="32-bit words"):
        compile_trace(choose(named_field("bn254-p", 32), "mul"), "mul")
    program = lower(choose(Field(13, 4), "add"))
    with pytest.raises(X86Error, match="4-bit words"):
        compile_program(program, "add", VARIANTS["base"])


# Kernels that a user might write


def mask_first(f: Field, x: Residue, y: Residue) -> Residue:
    """A masked sum before rows of products: its carry out is 1 where x < y."""
    d = x - y
    return choose(f, "mul", "cios").kernel.text(f, (d < 0) * f.p + d, y)


def mask_last(f: Field, x: Residue, y: Residue) -> Residue:
    """The same with the terms exchanged."""
    d = x - y
    return choose(f, "mul", "cios").kernel.text(f, d + (d < 0) * f.p, y)


def early(f: Field, x: Residue, y: Residue) -> Residue:
    """The lowest limb of the result is known before the last limb of x is read."""
    return x % f.base + y % f.base + ((x >> f.word) % f.base << f.word)


def crossed(f: Field, x: Residue) -> Residue:
    """The two lowest limbs change places, untouched."""
    return (x % f.base << f.word) + (x >> f.word) % f.base


def reused(f: Field, x: Residue, y: Residue) -> Residue:
    """A quotient between two products with one multiplier."""
    y_0 = y % f.base
    q = (x % f.base) * y_0 * f.n0 % f.base
    return q + (y >> f.word * (f.n - 1)) * y_0


def user_kernels(text: Callable[..., Number]) -> list[Built]:
    """A user's kernel in several choices, loaded."""
    trace = kernel(text.__name__)(text).trace(named_field("bls12-381-p"))
    rows = RowChoice(RowStyle.TWO_CHAINS)
    choices = [*VARIANTS.values(), *(Choices(rows=rows, clear=c) for c in ("needed", "product"))]
    return build((trace, c) for c in choices)


@pytest.mark.parametrize(
    "text",
    [
        mask_first,
        mask_last,
        early,
        reused,
        crossed,
    ],
)
def test_kernels_of_a_user(text: Callable[..., Number]) -> None:
    runs_here("adx")
    for built in user_kernels(text):
        k = built.trace.kernel
        for values in cases(k, built.trace.field, 10):
            want = k.run(built.trace.field, *values)
            assert built.run(*values) == want
            assert built.run.aliased(Alias.Z_IS_X, *values) == want


# What a call may rely on

KEPT = {
    "sysv": ("rbx", "rbp", "r12", "r13", "r14", "r15"),
    "win64": ("rbx", "rbp", "rdi", "rsi", "r12", "r13", "r14", "r15"),
}
"""What each ABI says a callee preserves, written a second time."""
SHUFFLE = {"sysv": "", "win64": "mov rcx, rdi\n    mov r8, rdx\n    mov rdx, rsi"}
CALLER_SAVED = {"sysv": ("rax", "r8", "r9", "r10", "r11"), "win64": ("rax", "r9", "r10", "r11")}
FLAG_STATES = {"clear": 0x2, "both": 0x803, "carry": 0x3, "overflow": 0x802}
"""Flags on entry: bit 0 is CF, bit 11 is OF."""


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


def probed(codes: list[tuple[Trace, X86Kernel]], flags: int) -> list[Built]:
    """Kernels that are called through a probe."""
    texts = [code.text(GNU) + probe(code.symbol, code.convention, flags) for _, code in codes]
    return loaded(texts, codes, "_probe")


@pytest.mark.parametrize("limbs", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=lambda c: c.name)
def test_registers_are_kept_and_flags_on_entry_do_not_matter(
    convention: Convention, variant: str, limbs: int
) -> None:
    runs_here(variant)
    kept = KEPT[convention.name]
    codes = [
        (trace, compile_trace(trace, f"kernel{i}", VARIANTS[variant], convention))
        for i, trace in enumerate(traces(shaped("one-spare", limbs)))
    ]
    for _, code in codes:
        check_code(code, variant)
    for flags in FLAG_STATES.values():
        for built in probed(codes, flags):
            check_run(built, 2, Alias)
            before, after, *values = seen(built.run.library, built.code.symbol, 2 + len(kept))
            assert before == after
            assert values == [pattern(r) for r in kept]


def test_the_probe_notices_a_register_that_is_not_kept() -> None:
    runs_here("base")
    spoil = ".globl spoil\nspoil:\n mov $5, %rbx\n movq $7, (%rdi)\n ret\n"
    library = load(assemble(spoil + probe("spoil", SYSV, FLAG_STATES["both"])))
    assert Kernel(library, "spoil_probe", (1,), 1)(0) == 7
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
        results[name] = Kernel(library, "reads_probe", (2,), 2)(0)
    assert results == {"clear": 0, "both": 1 << 64 | 1, "carry": 1, "overflow": 1 << 64}


def test_guards_notice_a_kernel_that_is_one_limb_too_long() -> None:
    runs_here("base")
    f = shaped("one-spare", 3)
    trace = choose(f, "add")
    code = compile_trace(trace, "add", VARIANTS["base"])
    library = load(assemble(code.text(GNU)))
    with pytest.raises(FrameError, match="outside z's buffer"):
        Kernel(library, "add", (3, 3), 2)(1, 2)


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


@cache
def win64_kernels() -> tuple[tuple[str, X86Kernel], ...]:
    """Every kernel for Windows, at several numbers of limbs."""
    return tuple(
        (variant, compile_trace(trace, "kernel", VARIANTS[variant], WIN64))
        for variant, limbs in product(VARIANTS, (1, 2, 4, 6, 9))
        for trace in traces(shaped("full" if limbs == 6 else "three-spare", limbs))
    )


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


MASM_LINE = re.compile(
    r"""(kernel\ (PROC|ENDP)|_TEXT\ (SEGMENT\ ALIGN\(64\)\ 'CODE'|ENDS)|ALIGN\ 64
        |kernel_constants:|DQ\ 0[0-9a-f]{16}h
        |[a-z]+(\ (?:[a-z0-9]+|\d+|qword\ ptr\ \[[^\]%$]+\]|\[[^\]%$]+\])
           (,\ (?:[a-z0-9]+|qword\ ptr\ \[[^\]%$]+\]|\[[^\]%$]+\]))*)?)""",
    re.VERBOSE,
)


def test_masm_text_of_every_kernel() -> None:
    for _, code in win64_kernels():
        lines = code.text(MASM).splitlines()
        plain = [line.split(";")[0].strip() for line in lines]
        assert [line for line in plain if line and not MASM_LINE.fullmatch(line)] == []
        assert plain[:3] == ["_TEXT SEGMENT ALIGN(64) 'CODE'", "ALIGN 64", "kernel PROC"]
        assert plain[-2:] == ["kernel ENDP", "_TEXT ENDS"]
        assert sum(line.startswith("DQ") for line in plain) == len(code.constants)
        assert not any(word in line for line in plain for word in ("rip", "%", "$", ".L", "#"))
        assert sum(line in ("ret",) for line in plain) == 1


def test_masm_says_the_same_as_intel() -> None:
    for _, code in win64_kernels():
        masm = [line.split(";")[0].split() for line in code.text(MASM).splitlines()]
        intel = [line.split("#")[0].split() for line in code.text(INTEL).splitlines()]
        operations = [
            [line[0] for line in lines if line and line[0] in MNEMONICS] for lines in (masm, intel)
        ]
        assert operations[0] == operations[1] and len(operations[0]) == len(code.code)


MNEMONICS = {
    *{m for m in INSTRUCTIONS if m not in ("clear", "store", "sbb_mask", "lea_double")},
    "test",
}


# Text


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=lambda c: c.name)
def test_gnu_and_intel_text_assemble_to_the_same_bytes(
    convention: Convention, variant: str
) -> None:
    for limbs in (1, 3, 6, 8):
        codes = [
            compile_trace(trace, f"kernel{i}", VARIANTS[variant], convention)
            for i, trace in enumerate(traces(shaped("one-spare", limbs)))
        ]
        gnu, intel = (
            assemble("\n".join(code.text(syntax) for code in codes)) for syntax in (GNU, INTEL)
        )
        assert gnu == intel


def test_other_choices_print_the_same_in_both_syntaxes() -> None:
    trace = choose(named_field("secp256k1-p"), "mul")
    for i, choices in enumerate(sampled_choices(1)):
        code = compiled(trace, f"kernel{i}", choices)
        if code is not None:
            assert assemble(code.text(GNU)) == assemble(code.text(INTEL))


def test_text_begins_with_its_header_and_names_what_it_touches() -> None:
    code = compile_trace(choose(named_field("bls12-381-p"), "mul"), "mul_p")
    for syntax in (GNU, INTEL, MASM):
        text = code.text(syntax, ("first", "second"))
        mark = syntax.comment
        assert text.startswith(f"{mark} first\n{mark} second\n") and text.endswith("\n")
        for name in ("x[0]", "y[5]", "z[5]", "p[5]", "mu[0]", "n0"):
            assert name in text
        assert all(len(line) <= 100 for line in text.splitlines())


def test_two_compilations_are_equal() -> None:
    for variant, name in product(VARIANTS, ("bls12-381-p", "secp256k1-p")):
        f = named_field(name)
        for trace in traces(f):
            codes = [
                compile_trace(trace.kernel.trace(Field(f.p)), "kernel", VARIANTS[variant])
                for _ in range(2)
            ]
            assert codes[0] == codes[1]
            assert codes[0].text() == codes[1].text()


PRINT_ALL = """
import sys
sys.path.insert(0, sys.argv[1])
from primes import named_field, traces
from fieldc.backends.x86_64.choices import VARIANTS
from fieldc.backends.x86_64.kernel import compile_trace
for variant in VARIANTS.values():
    for trace in traces(named_field("m-511")):
        print(compile_trace(trace, "kernel", variant).text())
"""


def test_the_text_does_not_depend_on_hash_seeds() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", PRINT_ALL, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            cwd=Path(__file__).parents[1],
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(texts) == 1 and len(texts.pop()) > 10000


# The table of instructions


def test_every_emitted_mnemonic_has_a_row() -> None:
    emitted = {
        instruction.mnemonic
        for limbs, variant in product((4, 9), VARIANTS)
        for trace in traces(shaped("full", limbs))
        for instruction in compile_trace(trace, "kernel", VARIANTS[variant]).code
    }
    emitted |= {
        instruction.mnemonic
        for rows in CARRY_STYLES
        for instruction in compile_trace(
            choose(shaped("full", 9), "mul"), "kernel", Choices(rows=rows)
        ).code
    }
    assert emitted <= set(INSTRUCTIONS)


def test_the_tables_flags_are_the_processors() -> None:
    for mnemonic, row in INSTRUCTIONS.items():
        assert ("cf" in row.reads_flags) == (mnemonic in NEEDS_CF), mnemonic
        assert ("of" in row.reads_flags) == (mnemonic in NEEDS_OF), mnemonic
        keeps = {"mov", "lea", "lea_double", "mulx", "cmovc", "store", "push", "pop", "ret"}
        if mnemonic in keeps:
            assert not row.writes_flags, mnemonic
        elif mnemonic in ("adcx", "adox"):
            assert row.writes_flags == {"cf" if mnemonic == "adcx" else "of"}
        else:
            assert row.writes_flags == {"cf", "of"}, mnemonic
        assert row.feature == FEATURE_OF.get(mnemonic, "")


@pytest.mark.parametrize(
    ("variant", "forbidden"), [("mulx", {"adcx", "adox"}), ("base", {"mulx", "adcx", "adox"})]
)
def test_a_variant_uses_only_its_instructions(variant: str, forbidden: set[str]) -> None:
    for name in NAMES:
        for trace in traces(named_field(name)):
            code = compile_trace(trace, "kernel", VARIANTS[variant])
            assert not forbidden & {i.mnemonic for i in code.code}


def test_adx_uses_both_chains() -> None:
    for rows in (RowChoice(RowStyle.TWO_CHAINS), RowChoice(RowStyle.TWO_SUMS)):
        code = compile_trace(choose(named_field("bls12-381-p"), "mul"), "mul", Choices(rows=rows))
        mnemonics = [i.mnemonic for i in code.code]
        assert mnemonics.count("adcx") > 30 and mnemonics.count("adox") > 30
        assert "adc" not in mnemonics and mnemonics.count("mulx") == 2 * 36 + 1


@pytest.mark.parametrize("name", [n for n in NAMES if named_field(n).n in (4, 6)])
def test_base_has_no_spills_at_4_and_6_limbs(name: str) -> None:
    for trace in traces(named_field(name)):
        # The square of R has equal limbs there: its products are made once and wait in the frame.
        if (name, trace.kernel.operation) != ("p384", "to_montgomery"):
            assert compile_trace(trace, "kernel", VARIANTS["base"]).frame == 0


def test_flag_clearing_is_a_choice() -> None:
    trace = choose(named_field("bls12-381-p"), "mul")
    counts = [
        sum(
            i.mnemonic == "test" or (i.mnemonic == "xor" and "clear" in i.remark)
            for i in compile_trace(trace, "mul", Choices(clear=clear)).code
        )
        for clear in ("needed", "product", "all")
    ]
    assert counts == sorted(counts) and counts[0] <= 1 and counts[2] > counts[1] > counts[0]


def test_styles_share_no_parameter_by_accident() -> None:
    assert [distinct(rows) for rows in STYLES] == list(STYLES) and len(STYLES) == 21
