"""Formulas as AArch64 callers of routines, for the tests."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from aarch64_code import NOP, RET

from fieldc.binary.linkable import KernelCode, function_of
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.formulas.formula import Formula
from fieldc.formulas.kernels import CALLS, kernel_of, operation_of
from fieldc.formulas.load import load_formulas
from fieldc.formulas.plan import planned
from fieldc.formulas.ranges import ranged
from fieldc.proof.certificate import certificate_of_formula, text
from fieldc.proof.programs import prove_formula
from fieldc.targets.aarch64.calls import ArmCaller, ArmCalls, ArmRoutine
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.aarch64.systems import ArmSystem
from fieldc.targets.calls import Call

TEXT = """
from fieldc.formulas import Element, formula

Point = tuple[Element, Element]

@formula
def chain(a: Point, b: Point) -> Point:
    u = a[0] * b[0] - 2 * a[1]
    v = (a[1] + b[1]) ** 2 - u
    w = u * v + a[0] * b[1]
    return w * v, 3 * u - w * (u - v)
"""


def caller_of(field: Field, formula: Formula, is_fused: bool = True) -> tuple[ArmCaller, ArmCalls]:
    """The code of a formula, and its plan: a routine for each of its blocks."""
    plan = ranged(planned(formula.over(field), is_fused=is_fused), field)
    number = {block: index for index, block in enumerate(plan.blocks)}
    routines = tuple(
        ArmRoutine(next(iter(block.kernels("routine"))), None, block.text()) for block in number
    )
    calls = tuple(Call(number[c.block], c.sources, c.number, c.name) for c in plan.computed)
    counts = tuple(count for _, count in plan.formula.operands)
    made = ArmCalls(routines, calls, counts, plan.results)
    return made.compile(kernel_of(plan, algorithm=CALLS).expression(field)), made


@dataclass(frozen=True)
class ProvedCaller:
    """A formula's object and code with its proof, written down."""

    object: bytes
    function: KernelCode
    formula: str
    certificate: str
    stack: int
    calls: tuple[int, ...]
    """Where the caller calls."""


@cache
def proved_chain(system: ArmSystem) -> ProvedCaller:
    """A formula by calls modulo 2^127 - 1, for a system."""
    field = find_field("2^127-1")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chain.py"
        file.write_text(TEXT)
        (formula,) = load_formulas(file)
    caller, plan = caller_of(field, formula)
    stated = operation_of(formula.over(field)).formula
    made = object_of({"chain": caller.code}, system.triple)
    function = function_of(made, "chain")
    how = (system.convention, function.start, "aarch64", plan.called)
    found = prove_formula(function.code, stated, field.p, field.n, *how)
    named = ("chain", field.p, field.n, system.convention, "chain")
    certificate = text(certificate_of_formula(found, stated, *named))
    places = (4 * i for i, line in enumerate(caller.lines) if line.startswith("bl "))
    return ProvedCaller(made, function, stated, certificate, found.proof.stack, tuple(places))


# Other code: what changes its words, given the places of its calls.

Patch = Callable[[list[int], Sequence[int]], None]


def put(place: int, word: int) -> Patch:
    """Another instruction at a place from the first call on."""

    def patch(words: list[int], calls: Sequence[int]) -> None:
        words[calls[0] + place] = word

    return patch


def other_routine(words: list[int], calls: Sequence[int]) -> None:
    first, *others = calls
    target = (words[first] + first) & 0x3FFFFFF
    (other, *_) = (c for c in others if (words[c] + c) & 0x3FFFFFF != target)
    words[first] = 0x94000000 | words[other] + other - first & 0x3FFFFFF


def without_x30(words: list[int], calls: Sequence[int]) -> None:
    """The last load of the frame takes x30 back: it becomes a load of another register."""
    end = words.index(RET)
    (place,) = (i for i in range(calls[-1], end) if words[i] >> 10 & 31 == 30)
    words[place] = words[place] & ~(31 << 10) | 9 << 10


PATCHES: dict[str, Patch] = {
    "another routine": other_routine,
    "the middle of a routine": lambda words, calls: put(0, words[calls[0]] + 1)(words, calls),
    "no call": put(0, NOP),
    "no operand": put(-1, NOP),
    "another operand": put(-1, 0x910002A2),  # add x2, x21, #0
    "an operand that is half another": lambda words, calls: put(
        -1, words[calls[0] - 1] + (8 << 10)
    )(words, calls),
    "operands of no routine": put(-1, 0xD2800002),  # mov x2, #0
    "a pointer in a register that a routine may change": put(-1, 0xAA0003E2),  # mov x2, x0
    "a kept register": put(-1, 0xAA0003F3),  # mov x19, x0
    "the return address is not restored": without_x30,
    "the stack pointer": put(1, 0x910043FF),  # add sp, sp, #16
    "an address of the code as x30": put(1, 0x1000001E),  # adr x30, .
}
