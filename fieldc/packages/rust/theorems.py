"""Theorems of classes: the crate's kernels, proved for every odd modulus of a class at once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fieldc.binary.linkable import function_of
from fieldc.machine.assemble import assemble
from fieldc.packages.rust.classes import CLASSES, PrimeClass
from fieldc.packages.rust.kernels import caller_of
from fieldc.packages.rust.sums import FITTING, InlineSum, inline_sums, with_words
from fieldc.packages.rust.written import CONSTANT, LITERAL, WrittenKernel, kernels_in
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.class_code import ClassCode
from fieldc.proof.classes import CLASS_CLAIMS, prove_class

WITH_SPARE_BIT = 1 << 63
"""What the top limb of such a modulus is below."""
ALGORITHMS = ("cios",)
"""Of the kernels that are tried: others have constants that are no limb of p, such as mu."""


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
        return prove_class(code_of(self.kernel), self.operation, self.kernel.limbs, self.of.top)


def kernels_of_classes(generated: Path, limbs: int) -> Iterator[Theorem]:
    """The kernels whose constants are n0 and limbs of p. Raises OSError."""
    written = kernels_in((generated / f"n{limbs:02}.rs").read_text())
    for of in CLASSES:
        for operation, algorithm in of.algorithms:
            names = (f"{operation}_{of.suffix}_{variant}" for variant in ("mulx", "adx"))
            for name in names if operation in CLASS_CLAIMS and algorithm in ALGORITHMS else ():
                if name in written:
                    yield Theorem(written[name], operation, of)


def sums_of_classes(limbs: int) -> Iterator[tuple[InlineSum, str, int]]:
    """The sums and differences of values below p, with operation and what the top limb is below."""
    if limbs in FITTING:
        for piece in inline_sums(limbs):
            if piece.name != "reduce":
                top = WITH_SPARE_BIT if piece.name == "add_spare" else CLASSES[-1].top
                yield piece, piece.name.partition("_")[0], top


def code_of(kernel: WrittenKernel) -> ClassCode:
    """A function that calls a kernel, and where its constants are. Raises ProofError.

    The text is assembled with two sets of constants: no byte but those of constants may differ.
    """
    return _common(kernel.symbol, [_filled(kernel, seed) for seed in (1, 2)])


def code_of_sum(piece: InlineSum, limbs: int) -> ClassCode:
    """The same of a sum in inline assembly, with one choice of registers. Raises ProofError."""
    name = "p" if piece.constant == "P" else "c"
    found = []
    for seed in (1, 2):
        draw = random.Random(seed)
        words = [draw.getrandbits(64) | 1 << 63 for _ in range(limbs)]
        function = function_of(assemble(with_words(piece, words)), "piece")
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
    """The name of each constant by its name in the text. Raises ProofError."""
    found = {
        operand: f"{name.lower()}[{index}]" if index else name.lower()
        for operand, name, index in CONSTANT.findall(kernel.operands)
    }
    if other := [name for name in found.values() if name != "n0" and not name.startswith("p[")]:
        raise ProofError(f"{kernel.symbol}: {other[0]} is no limb of p")
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
