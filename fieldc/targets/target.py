"""A target: one object that answers every question about a thing `fieldc build` can make.

An artifact is a kernel as a target made it.

A folder of `fieldc/targets` makes its targets and lists them; the registry has one line for each
folder. Nothing else in the compiler asks for a target's name to decide something.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from fieldc.algorithms.representations import representation_of
from fieldc.binary.linkable import function_of
from fieldc.language import Expression
from fieldc.machine.assemble import AssemblyError, assemble
from fieldc.machine.instruments import Instruments
from fieldc.machine.processor import host_architecture, missing
from fieldc.targets.calls import CallerMaker
from fieldc.targets.choice import Choice, Variant
from fieldc.targets.extras import PLAIN, Extras
from fieldc.targets.header import contract
from fieldc.targets.judge import Judge
from fieldc.targets.object_format import ObjectFormat

PROVED, TESTED, ASSUMED, SKIPPED = "PROVED", "TESTED", "ASSUMED", "SKIPPED"
"""How far a kernel is trusted: README.md says what each word means."""

ASSEMBLED, BY_OTHERS = ".s", ".asm"
"""The suffixes of assembly: what LLVM reads, and what only other assemblers do."""
NO_ASSEMBLER = "no assembler of its syntax is run"
ANOTHER_OBJECT = "it was not assembled to the object again"


class Runner(Protocol):
    """Runs a target's kernels in a program other than this process: an emulator, or an engine."""

    @property
    def name(self) -> str:
        """What runs them."""
        ...

    @property
    def on_this_processor(self) -> bool:
        """Whether this processor executes the kernels, so that it must have what they need."""
        ...

    def why_not(self) -> str:
        """Why this host cannot run them; empty where it can."""
        ...

    def run(self, kernels: Sequence[Artifact]) -> None:
        """Call kernels on their vectors.

        Raises CheckError or FrameError for a wrong one, a UserError where the runner gives up.
        """
        ...


@dataclass(frozen=True)
class Place:
    """Where kernels run: `runner` is empty for this process. With a `reason` they do not."""

    runner: str = ""
    reason: str = ""

    @property
    def is_here(self) -> bool:
        """Whether this process runs them."""
        return not self.runner and not self.reason


@dataclass(frozen=True)
class Target:
    """Something `fieldc build` can make, and everything the compiler asks about it."""

    name: str
    backend: str
    about: str
    words: tuple[int, ...]
    """Widths of limbs in bits, the preferred one first."""
    variants: tuple[Variant, ...]
    make: Callable[[Target, Choice], Artifact]
    """The artifact of a choice, neither proved nor checked yet."""
    architecture: str = ""
    system: str = ""
    triple: str = ""
    """LLVM's name of architecture and system, for its assembler."""
    object_format: ObjectFormat | None = None
    """None where there is only text, which the user compiles."""
    is_own: bool = False
    """Whether our own backend makes its machine code: then it is proved or not written."""
    proved_as: str = ""
    """The calling convention by which the prover knows it; empty where it does not."""
    runner: Runner | None = None
    not_scanned: str = ""
    """Why no scan of its objects shows constant time; empty where one does."""
    caller: CallerMaker | None = None
    """How it makes formulas of 64-bit words as callers of routines; None where it does not."""
    judge: Judge | None = None
    """How a model judges its kernels with words of the preferred width; None where none does."""
    algorithms: tuple[str, ...] = ()
    """What no model judges: algorithms that suit it better than the first whose bounds hold."""
    most_operands: int = 5
    """How many operands its kernels take; a formula may have five."""
    can: Callable[[Expression], bool] = lambda _: True
    """Whether it makes a kernel at all."""
    extras: Extras = PLAIN
    """What is added to its kernels."""
    can_add: Extras = PLAIN
    """What can be."""
    instruments: Instruments | None = None
    """What times kernels on a host that runs its objects."""

    def __str__(self) -> str:
        return self.name

    def is_proved(self, word: int) -> bool:
        """Whether the prover knows its instructions, with words of this width."""
        return bool(self.proved_as) and word == 64

    def judge_of(self, word: int) -> Judge | None:
        """How a model judges its kernels with words of this width."""
        return self.judge if word == self.words[0] else None

    @property
    def is_native(self) -> bool:
        """Whether this process can call its objects, if the processor has what they need."""
        return (
            self.object_format is not None
            and self.architecture != ""
            and (self.architecture, self.system) == (host_architecture(), host_system())
        )

    def place(self, needs: Sequence[str] = ()) -> Place:
        """Where this host runs kernels that need features of the processor."""
        if self.object_format is None:
            return Place(reason=f"{self.name} source is compiled by its user")
        here = self.is_native or (self.runner is not None and self.runner.on_this_processor)
        lacking = missing(needs) if here else []
        if lacking:
            return Place(reason=f"this processor lacks {' and '.join(lacking)}")
        if self.is_native:
            return Place()
        if self.runner is None:
            return Place(reason=f"this host runs no {self.architecture}-{self.system} objects")
        reason = self.runner.why_not()
        return Place(reason=reason) if reason else Place(self.runner.name)

    def produce(self, expression: Expression) -> Iterator[Artifact]:
        """The kernels of one expression, a variant after the other, by their defaults."""
        return (self.make(self, Choice(expression, variant)) for variant in self.variants)

    def lacking(self, extras: Extras) -> tuple[str, ...]:
        """The options that ask for what it cannot add."""
        return tuple(o for o in extras.options if o not in self.can_add.options)

    def named(self, name: str, **changes: Any) -> Target:
        """This target under another name, with changes."""
        return replace(self, name=name, **changes)


@dataclass(frozen=True)
class Artifact:
    """A kernel for one target; `code`, its object file, is None where its user compiles the text.

    `status` is one of the four words of trust; `reason` says why where it is SKIPPED. `certificate`
    is the proof written down, empty where there is none. `other_texts` say the same in another
    syntax, each after its suffix.
    """

    symbol: str
    target: Target
    choice: Choice
    convention: str
    suffix: str
    text: str
    code: bytes | None
    status: str = SKIPPED
    reason: str = ""
    certificate: str = ""
    stack: int | None = None
    """Bytes of stack that a proved kernel uses below the return address."""
    other_texts: tuple[tuple[str, str], ...] = ()
    object_suffix: str = ".o"
    preferred: bool = False
    """Whether it is the variant that the processor should run."""
    gives_way: bool = False
    """Whether another kernel is taken in its place if it is not proved."""

    @property
    def expression(self) -> Expression:
        """The kernel as an expression over its field."""
        return self.choice.expression

    @property
    def variant(self) -> str:
        """The variant's name."""
        return self.choice.variant.name

    @property
    def needs(self) -> tuple[str, ...]:
        """What it asks of the processor or the engine."""
        return self.choice.variant.needs

    @property
    def representation(self) -> str | None:
        """How its residues stand for numbers; None where that makes no difference."""
        found = representation_of(self.expression.kernel.computes)
        return None if found is None else found.name

    @property
    def called(self) -> tuple[str, ...]:
        """Of a formula by calls: the routines' statements in the order of their first calls."""
        return tuple(getattr(self.choice.plan, "called", ()))

    @property
    def operand_limbs(self) -> tuple[int, ...]:
        """The limbs of each operand."""
        f = self.expression.field
        return tuple(bound.width(f) for _, bound in self.expression.kernel.operands)

    @property
    def result_limbs(self) -> int:
        """The limbs of the result."""
        return self.expression.kernel.result.width(self.expression.field)

    @property
    def source_file(self) -> str:
        """Path of the text inside the built directory."""
        return f"{self.target}/{self.stem}{self.suffix}"

    @property
    def other_files(self) -> dict[str, str]:
        """The other texts by their paths inside the built directory."""
        return {f"{self.target}/{self.stem}{suffix}": text for suffix, text in self.other_texts}

    @property
    def object_file(self) -> str | None:
        """Path of the object inside the built directory."""
        return None if self.code is None else f"{self.target}/{self.stem}{self.object_suffix}"

    @cached_property
    def texts(self) -> dict[str, str]:
        """How far the assembly beside an object is trusted; `status` is the object's.

        It is TESTED where LLVM assembles it to the same object.
        """
        own = f"{self.target}/{self.stem}{self.suffix}"
        if self.code is None or self.source_file != own:
            return {}
        texts = {self.source_file: self.text, **self.other_files}
        return {
            path: self._trust_in(path, text)
            for path, text in texts.items()
            if path.endswith((ASSEMBLED, BY_OTHERS))
        }

    def _trust_in(self, path: str, text: str) -> str:
        if path.endswith(BY_OTHERS):
            return f"{SKIPPED}({NO_ASSEMBLER})"
        with suppress(AssemblyError):
            if assemble(text, self.target.triple) == self.code:
                return TESTED
        return f"{SKIPPED}({ANOTHER_OBJECT})"

    @property
    def certificate_file(self) -> str | None:
        """Path of the certificate inside the built directory, beside the object."""
        return f"{self.target}/{self.stem}.cert.json" if self.certificate else None

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return f"{self.expression.kernel.operation}_{self.variant}"

    @property
    def contract(self) -> str:
        """Pre- and postcondition on one line."""
        return contract(self.expression)

    @property
    def digest(self) -> str:
        """SHA-256 of the object (or text), the prime, the contract and the certificate."""
        code = self.text.encode() if self.code is None else self.code
        texts = (hex(self.expression.field.p), self.contract, self.certificate)
        parts = (code, *(text.encode() for text in texts))
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()

    def _formula(self) -> dict[str, object]:
        """Of a formula: what `fieldc prove` needs to prove it again."""
        computes = self.expression.kernel.computes
        if not computes.formula:
            return {}
        found: dict[str, object] = {"formula": computes.formula, "called": [*self.called]}
        if self.code is not None and self.target.is_own:
            found["code_bytes"] = len(function_of(self.code, self.symbol).code)
        return found

    def row(self) -> dict[str, object]:
        """The kernel's entry in manifest.json."""
        return {
            "symbol": self.symbol,
            "op": self.expression.kernel.operation,
            **self.expression.kernel.computes.row(),
            "algorithm": self.expression.kernel.algorithm,
            "target": self.target.name,
            "variant": self.variant,
            "preferred": self.preferred,
            "representation": self.representation,
            **self._formula(),
            "chosen_by": self.choice.chosen_by,
            "convention": self.convention,
            "needs": list(self.needs),
            "file": self.source_file,
            "other_files": [*self.other_files],
            "object": self.object_file,
            "texts": self.texts,
            "contract": self.contract,
            "status": f"{self.status}({self.reason})" if self.reason else self.status,
            "stack": self.stack,
            "certificate": self.certificate_file,
            "certificate_digest": sha256_of(self.certificate) if self.certificate else None,
            "digest": self.digest,
        }


def sha256_of(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def host_system() -> str:
    """This host's system, as targets name it."""
    return platform.system().lower().replace("darwin", "macos")
