"""Theorems of classes: the crate's kernels, proved for every odd modulus of a class at once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fieldc.binary.linkable import function_of
from fieldc.machine.assemble import assemble
from fieldc.packages.rust.classes import CLASSES, LAZY_CLASSES, PrimeClass
from fieldc.packages.rust.inlined import LIMBS as INLINED
from fieldc.packages.rust.kernels import caller_of
from fieldc.packages.rust.sums import FITTING, InlineSum, inline_sums, with_words
from fieldc.packages.rust.written import CONSTANT, LITERAL, WrittenKernel, kernels_in
from fieldc.packages.rust.written_inline import InlineKernel, inline_kernels_in
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.classes.claims import CLASS_CLAIMS
from fieldc.proof.classes.code import ClassCode
from fieldc.proof.classes.modulus import Moduli
from fieldc.proof.classes.prove import prove_class
from fieldc.proof.classes.runs import RUNS

WITH_SPARE_BIT = 1 << 63
"""What the top limb of such a modulus is below."""
FULL = 1 << 64
OPERANDS = {"neg": "0x", "double": "xx"}
"""What takes the place of a kernel's x and y, as the crate calls it."""


@dataclass
class Draw:
    """Random words for constants, by their names."""

    seed: int
    words: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def word(self, name: str) -> int:
        """That of a constant. None is short: each takes the longest form of an instruction."""
        if name not in self.words:
            self.words[name] = self.random.getrandbits(64) | 1 << 63
        return self.words[name]

    def in_rust(self, text: str) -> int:
        """That of a constant from its text in Rust."""
        return self.word(text.removeprefix("M::").lower())


Make = Callable[[Draw], tuple[bytes, int]]
"""Code with constants, and where the function starts."""


def code_of(kernel: WrittenKernel) -> ClassCode:
    """A function that calls a kernel, and where its constants are. Raises ProofError."""

    def make(draw: Draw) -> tuple[bytes, int]:
        return _function(caller_of(kernel, filled(kernel, draw)), kernel.symbol)

    return class_code(kernel.symbol, make)


def code_of_sum(piece: InlineSum, limbs: int, operation: str) -> ClassCode:
    """The same of a sum in inline assembly, with one choice of registers. Raises ProofError."""
    name = "p" if piece.constant == "P" else "complement"

    def make(draw: Draw) -> tuple[bytes, int]:
        words = [draw.word(f"{name}[{i}]") for i in range(limbs)]
        text = with_words(piece, words, OPERANDS.get(operation, "xy"))
        return _function(assemble(text), "piece")

    return class_code(piece.name, make)


def code_of_inlined(kernel: InlineKernel, operation: str) -> ClassCode:
    """The same of a kernel that is inlined, with one choice of registers. Raises ProofError."""

    def make(draw: Draw) -> tuple[bytes, int]:
        text = kernel.with_numbers(draw.in_rust, OPERANDS.get(operation, "xy"))
        return _function(assemble(text), kernel.symbol)

    return class_code(kernel.symbol, make)


def filled(kernel: WrittenKernel, draw: Draw) -> str:
    """The text with constants."""
    text = kernel.lines
    for operand, name, index in CONSTANT.findall(kernel.operands):
        word = draw.word(f"{name.lower()}[{index}]" if index else name.lower())
        text = text.replace(f"{{{operand}}}", f"{word:#x}")
    for operand, value in LITERAL.findall(kernel.operands):
        text = text.replace(f"{{{operand}}}", value)
    return text


def _function(made: bytes, symbol: str) -> tuple[bytes, int]:
    function = function_of(made, symbol)
    return function.code, function.start


def class_code(symbol: str, make: Make, architecture: str = "x86_64") -> ClassCode:
    """Code whose constants are found by making it with two sets of them. Raises ProofError.

    No byte but those of constants may differ.
    """
    draws = Draw(1), Draw(2)
    (first, start), (second, _) = map(make, draws)
    symbols: dict[int, str] = {}
    for name, word in draws[0].words.items():
        places = _places(first, word)
        if places != _places(second, draws[1].word(name)):
            raise ProofError(f"{symbol}: {name} is not found in the code")
        symbols |= dict.fromkeys(places, name)
    changed = {place + k for place in symbols for k in range(8)}
    same = len(first) == len(second) and all(
        a == b or place in changed for place, (a, b) in enumerate(zip(first, second, strict=True))
    )
    if not same:
        raise ProofError(f"{symbol}: the code depends on its constants' values")
    return ClassCode(first, start, symbols, architecture)


def _places(code: bytes, word: int) -> set[int]:
    """Where a word is in code."""
    data = word.to_bytes(8, "little")
    return {p for p in range(len(code) - 7) if code[p : p + 8] == data}


@dataclass(frozen=True)
class Theorem:
    """A kernel of a class that is called, as it stands in a file."""

    kernel: WrittenKernel
    operation: str
    of: PrimeClass
    code: Callable[[WrittenKernel], ClassCode] = code_of

    @property
    def symbol(self) -> str:
        """Its name in the file."""
        return self.kernel.symbol

    def prove(self, runs: int = RUNS) -> int:
        """Prove it for every odd p of its class; number of cases. Raises ProofError."""
        moduli = moduli_of(self.of, self.kernel.limbs)
        return prove_class(self.code(self.kernel), self.operation, moduli, runs)


def moduli_of(of: PrimeClass, limbs: int) -> Moduli:
    """The moduli of a class."""
    return Moduli(limbs, of.top, of.n0, of.near, of.next_of_mu)


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
class InlineTheorem:
    """A kernel that is inline assembly, and what it computes."""

    kernel: InlineKernel
    operation: str
    of: PrimeClass
    code: Callable[[InlineKernel, str], ClassCode] = code_of_inlined

    @property
    def symbol(self) -> str:
        """The kernel's name in the file."""
        return self.kernel.symbol

    def prove(self, runs: int = RUNS) -> int:
        """Prove it for every odd p of its class; number of cases. Raises ProofError."""
        code = self.code(self.kernel, self.operation)
        return prove_class(code, self.operation, moduli_of(self.of, self.kernel.limbs), runs)


def inlined_of_classes(generated: Path, limbs: int) -> Iterator[InlineTheorem]:
    """The kernels of every class that are inlined. Raises OSError."""
    return inlined_in((generated / f"n{limbs:02}.rs").read_text(), limbs)


def inlined_in(text: str, limbs: int) -> Iterator[InlineTheorem]:
    """The same of a file's text."""
    written = inline_kernels_in(text)
    for of in (*CLASSES, *LAZY_CLASSES) if limbs in INLINED else ():
        if limbs not in of.limbs or of.shifted:  # of the latter there are three primes
            continue
        for operation, _ in of.kernels(limbs):
            kernel = written[f"{operation}_{of.suffix}"]
            more = {"add": ("double",), "sub": ("neg",)}.get(operation, ())
            for what in (operation, *more):
                yield InlineTheorem(kernel, what, of)


@dataclass(frozen=True)
class SumTheorem:
    """A sum in inline assembly, and what it computes."""

    piece: InlineSum
    operation: str
    limbs: int
    top: int
    """What the modulus' top limb is below."""

    def prove(self, runs: int = RUNS) -> int:
        """Prove it for every modulus, odd or not; number of cases. Raises ProofError."""
        code = code_of_sum(self.piece, self.limbs, self.operation)
        return prove_class(code, self.operation, Moduli(self.limbs, self.top), runs)


def sums_of_classes(limbs: int) -> Iterator[SumTheorem]:
    """The sums and differences. Those of values below 2p are the same modulo 2p."""
    for piece in inline_sums(limbs) if limbs in FITTING else ():
        for operation in OPERATIONS_OF_SUMS[piece.name]:
            yield SumTheorem(piece, operation, limbs, top_of_sum(piece.name))


OPERATIONS_OF_SUMS = {
    "add_spare": ("add", "double"),
    "add_full": ("add", "double"),
    "sub": ("sub", "neg"),
    "reduce": ("reduce_lazy",),
}
"""What the crate computes with each piece: x + x is a double, 0 - x the negative."""


def top_of_sum(piece: str) -> int:
    """What the top limb of a piece's moduli is below."""
    return WITH_SPARE_BIT if piece in ("add_spare", "reduce") else FULL
