"""One kernel as a target made it: its source text, its object, and how far it is trusted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from fieldc.algorithms.representations import representation_of
from fieldc.field import Field
from fieldc.language import Expression, Kernel
from fieldc.targets.target import Choice, Target

OWNERSHIP = "This text is yours, under any terms you choose; fieldc itself is MIT OR Apache-2.0."
"""Stands at the head of what users generate."""
PROVED, TESTED, ASSUMED, SKIPPED = "PROVED", "TESTED", "ASSUMED", "SKIPPED"


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
        return {"formula": computes.formula, "called": [*self.called]} if computes.formula else {}

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


def contract(expression: Expression) -> str:
    """What a kernel needs and what it gives, on one line."""
    kernel = expression.kernel
    needs = ", ".join(f"{name} {bound.says}" for name, bound in kernel.operands)
    return f"{needs}; z = {kernel.computes.says}, z {kernel.result.says}"


def sharing(kernel: Kernel) -> str:
    """Return which buffers of a call may be the same, as one line."""
    *others, last = ("z", *(name for name, _ in kernel.operands))
    names = f"{', '.join(others)} and {last}"
    which = names if len(others) == 1 else f"any of {names}"
    return f"{which} may be the same buffer; they must not overlap in part"


def before_subtractions(expression: Expression) -> str:
    """How large a value is before it is reduced, and in how many subtractions that is done."""
    high, count = expression.field.in_p(expression.unreduced), expression.subtractions
    if count > 1:
        return f"before {count} subtractions, the last one of p, at most {high}"
    return f"before the last subtraction at most {high}"


def field_symbol(field: Field) -> str:
    """A part of a C name for a field: its name, or its size and a digest of its modulus."""
    if field.name:
        return field.name.replace("-", "_")
    digest = hashlib.sha256(hex(field.p).encode()).hexdigest()[:8]
    return f"p{field.bits}_{digest}"


def symbol_of(expression: Expression, variant: str) -> str:
    """The C name of a kernel."""
    return f"fieldc_{field_symbol(expression.field)}_{expression.kernel.operation}_{variant}"


def header(target: Target, choice: Choice, convention: str) -> tuple[str, ...]:
    """The lines that open a generated text: how to make it again, and what it promises."""
    expression, variant = choice.expression, choice.variant
    f, kernel = expression.field, expression.kernel
    words = ["fieldc build", f.name or hex(f.p)]
    words += [] if f.word == 64 else [f"--word {f.word}"]
    if not kernel.computes.formula:
        words += [f"--op {kernel.operation} --algorithm {kernel.algorithm}"]
    words += [f"--target {target.name}"]
    extensions = " and ".join(variant.needs) or "no extension"
    return (
        " ".join((*words, *choice.options, "-o DIR")),
        f"p = {f.p:#x}",
        f"R = 2^{f.word * f.n}; {f.n} limbs of {f.word} bits, least significant first",
        f"{kernel.operation} ({kernel.algorithm}): {contract(expression)}",
        before_subtractions(expression),
        f"variant {variant.name}; convention {convention}; needs {extensions}",
        *([f"chosen by {choice.chosen_by}"] if choice.chosen_by else []),
        sharing(kernel),
        OWNERSHIP,
    )
