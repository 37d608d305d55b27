"""Theorems of classes: the crate's kernels, proved for every odd modulus of a class at once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fieldc.binary.linkable import function_of
from fieldc.machine.assemble import assemble
from fieldc.packages.rust.classes import CLASSES, LAZY_CLASSES, PrimeClass
from fieldc.packages.rust.kernels import caller_of
from fieldc.packages.rust.sums import FITTING, InlineSum, inline_sums, with_words
from fieldc.packages.rust.written import CONSTANT, LITERAL, WrittenKernel, kernels_in
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.classes.claims import CLASS_CLAIMS
from fieldc.proof.classes.code import ClassCode
from fieldc.proof.classes.modulus import Moduli
from fieldc.proof.classes.prove import prove_class

WITH_SPARE_BIT = 1 << 63
"""What the top limb of such a modulus is below."""
FULL = 1 << 64


@dataclass(frozen=True)
class Theorem:
    """A kernel of a class, as it stands in a file."""

    kernel: WrittenKernel
    operation: str
    of: PrimeClass

    @property
    def symbol(self) -> str:
        """Its name in the file."""
        return self.kernel.symbol

    def prove(self) -> int:
        """Prove it for every odd p of its class; number of cases. Raises ProofError."""
        return prove_class(
            code_of(self.kernel), self.operation, moduli_of(self.of, self.kernel.limbs)
        )


def moduli_of(of: PrimeClass, limbs: int) -> Moduli:
    """The moduli of a class."""
    return Moduli(limbs, of.top, of.n0, of.near)


def kernels_of_classes(generated: Path, limbs: int) -> Iterator[Theorem]:
    """The kernels that are called, of every class. Raises OSError."""
    written = kernels_in((generated / f"n{limbs:02}.rs").read_text())
    for of in (*CLASSES, *LAZY_CLASSES):
        for operation, _ in of.kernels(limbs):
            names = (f"{operation}_{of.suffix}_{variant}" for variant in ("mulx", "adx"))
            for name in names if operation in CLASS_CLAIMS else ():
                if name in written:
                    yield Theorem(written[name], operation, of)


@dataclass(frozen=True)
class SumTheorem:
    """A sum in inline assembly, and what it computes."""

    piece: InlineSum
    operation: str
    limbs: int
    top: int
    """What the modulus' top limb is below."""

    def prove(self) -> int:
        """Prove it for every modulus, odd or not; number of cases. Raises ProofError."""
        code = code_of_sum(self.piece, self.limbs, self.operation)
        return prove_class(code, self.operation, Moduli(self.limbs, self.top))


OPERATIONS_OF_SUMS = {
    "add_spare": ("add", "double"),
    "add_full": ("add", "double"),
    "sub": ("sub", "neg"),
    "reduce": ("reduce_lazy",),
}
"""What the crate computes with each piece: x + x is a double, 0 - x the negative."""


def sums_of_classes(limbs: int) -> Iterator[SumTheorem]:
    """The sums and differences. Those of values below 2p are the same modulo 2p."""
    for piece in inline_sums(limbs) if limbs in FITTING else ():
        is_spare = piece.name in ("add_spare", "reduce")
        for operation in OPERATIONS_OF_SUMS[piece.name]:
            yield SumTheorem(piece, operation, limbs, WITH_SPARE_BIT if is_spare else FULL)


def code_of(kernel: WrittenKernel) -> ClassCode:
    """A function that calls a kernel, and where its constants are. Raises ProofError.

    The text is assembled with two sets of constants: no byte but those of constants may differ.
    """
    return _common(kernel.symbol, [_filled(kernel, seed) for seed in (1, 2)])


def code_of_sum(piece: InlineSum, limbs: int, operation: str) -> ClassCode:
    """The same of a sum in inline assembly, with one choice of registers. Raises ProofError."""
    name = "p" if piece.constant == "P" else "complement"
    found = []
    for seed in (1, 2):
        draw = random.Random(seed)
        words = [draw.getrandbits(64) | 1 << 63 for _ in range(limbs)]
        operands = {"neg": "0x", "double": "xx"}.get(operation, "xy")
        function = function_of(assemble(with_words(piece, words, operands)), "piece")
        values = {f"{name}[{i}]": word.to_bytes(8, "little") for i, word in enumerate(words)}
        found.append((function.code, values, function.start))
    return _common(piece.name, found)


Filled = tuple[bytes, dict[str, bytes], int]
"""Code with constants, these constants, and where the function starts."""


def _common(symbol: str, found: list[Filled]) -> ClassCode:
    """What two sets of constants leave the same. Raises ProofError for anything else."""
    (first, values, start), (second, others, _) = found
    symbols: dict[int, str] = {}
    for name, value in values.items():
        places = {p for p in range(len(first) - 7) if first[p : p + 8] == value}
        if places != {p for p in range(len(second) - 7) if second[p : p + 8] == others[name]}:
            raise ProofError(f"{symbol}: {name} is not found in the code")
        symbols |= dict.fromkeys(places, name)
    changed = {place + k for place in symbols for k in range(8)}
    same = len(first) == len(second) and all(
        a == b or place in changed for place, (a, b) in enumerate(zip(first, second, strict=True))
    )
    if not same:
        raise ProofError(f"{symbol}: the code depends on its constants' values")
    return ClassCode(first, start, symbols)


@cache
def _constants(kernel: WrittenKernel) -> dict[str, str]:
    """The name of each constant by its name in the text."""
    found = {
        operand: f"{name.lower()}[{index}]" if index else name.lower()
        for operand, name, index in CONSTANT.findall(kernel.operands)
    }
    return found


def _filled(kernel: WrittenKernel, seed: int) -> Filled:
    """The code with random constants."""
    draw = random.Random(seed)
    text, values = kernel.lines, {}
    for operand, name in _constants(kernel).items():
        value = draw.getrandbits(64) | 1 << 63
        text = text.replace(f"{{{operand}}}", f"{value:#x}")
        values[name] = value.to_bytes(8, "little")
    for operand, value in LITERAL.findall(kernel.operands):
        text = text.replace(f"{{{operand}}}", value)
    function = function_of(caller_of(kernel, text), kernel.symbol)
    return function.code, values, function.start
