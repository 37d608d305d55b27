"""The carry of a limb that a reduction cancels, without the product that cancels it.

A row of Montgomery's reduction adds the low half of q*p[0] to the limb t, where q = t*n0. Their sum
is 0 modulo 2^w, so its carry is 1 exactly where t is not 0. `cmp t, #1` gives it: a borrow is a
clear carry. LLVM does not know that and multiplies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from fieldc.targets.aarch64.encode import assembled
from fieldc.words.operations import ADD, MUL, MUL_LOW
from fieldc.words.program import Program, Step, Value

_COMPARISON = re.compile(r"cmn x(\d+), x(\d+)")
_REGISTER = re.compile(r"\b[xw](\d+)\b")
_READERS = ("ccm", "cmn", "cmp", "msr", "ret", "st", "tst")
"""How the names of instructions begin that write none of the registers they name."""
_PAIRS = ("ldp", "ldnp")
"""Instructions that write the first two; all others write the first."""


def cancelled(program: Program) -> list[Step]:
    """Sums that are 0, of which only the carry is used, with products that nothing else uses.

    None, if there are such sums that need not be 0.
    """
    makers = {value.number: step for step in program.steps for value in step.outputs}
    uses = Counter(v.number for step in program.steps for v in step.inputs)
    uses.update(v.number for v in program.results)

    def is_lone_product(value: Value) -> bool:
        step = makers.get(value.number)
        return step is not None and step.operation in (MUL, MUL_LOW) and uses[value.number] == 1

    sums = [s for s in program.steps if s.operation is ADD and not uses[s.outputs[0].number]]
    lone = [s for s in sums if any(map(is_lone_product, s.inputs[:2]))]
    return lone if all(_cancels(step, makers, program.word) for step in lone) else []


def _cancels(step: Step, makers: dict[int, Step], width: int) -> bool:
    """Whether a sum is t and the low half of (t*n)*m, where n*m is -1 modulo 2^w."""
    a, b, carry = step.inputs
    for limb, low in ((a, b), (b, a)):
        product = makers.get(low.number)
        if product is None or product.operation is not MUL or product.outputs[0] != low:
            continue
        for quotient, m in (product.inputs, product.inputs[::-1]):
            made = makers.get(quotient.number)
            if made is None or made.operation is not MUL_LOW or limb not in made.inputs:
                continue
            (n,) = [v for v in made.inputs if v != limb] or [limb]
            numbers = [number.constant for number in (n, m, carry)]
            if None not in numbers and carry.constant == 0:
                return (n.constant or 0) * (m.constant or 0) % (1 << width) == (1 << width) - 1
    return False


def without_products(lines: Sequence[str], code: bytes) -> tuple[list[str], bytes]:
    """Instructions and their bytes, with a comparison for each sum of which a product is one side.

    Only right for a program with sums that are `cancelled`.
    """
    words = [code[i : i + 4] for i in range(0, len(code), 4)]
    kept: list[tuple[str, bytes] | None] = [*zip(lines, words, strict=True)]
    for place, line in enumerate(lines):
        found = _COMPARISON.fullmatch(line)
        for product, limb in (found.groups()[::-1], found.groups()) if found else ():
            start = _lone_product(lines, place, product)
            if start is not None:
                comparison = f"cmp x{limb}, #1"
                kept[start], kept[place] = None, (comparison, assembled(comparison))
                break
    left = [one for one in kept if one is not None]
    return [line for line, _ in left], b"".join(word for _, word in left)


def _lone_product(lines: Sequence[str], place: int, register: str) -> int | None:
    """Where the product is made that a line reads, if nothing else reads it."""
    for start in range(place - 1, -1, -1):
        writes, reads = _registers(lines[start])
        if register in writes:
            alone = lines[start].startswith("mul ") and not _is_read(lines[place + 1 :], register)
            return start if alone else None
        if register in reads:
            return None
    return None


def _is_read(lines: Sequence[str], register: str) -> bool:
    for line in lines:
        writes, reads = _registers(line)
        if register in reads:
            return True
        if register in writes:
            return False
    return False


def _registers(line: str) -> tuple[list[str], list[str]]:
    """The registers that an instruction writes and reads."""
    mnemonic = line.partition(" ")[0]
    found = _REGISTER.findall(line.partition(" ")[2])
    count = 0 if mnemonic.startswith(_READERS) else 2 if mnemonic in _PAIRS else 1
    return found[:count], found if mnemonic == "movk" else found[count:]
