"""The toy as a target: one object answers everything that the compiler asks."""

from __future__ import annotations

from fieldc.targets.choice import Choice, Variant
from fieldc.targets.header import header, symbol_of
from fieldc.targets.object_format import ObjectFormat
from fieldc.targets.target import Artifact, Target
from fieldc.words.lower import lower
from toy.machine import Interpreter
from toy.select import selected


def _make(target: Target, choice: Choice) -> Artifact:
    symbol = symbol_of(choice.expression, choice.variant.name)
    code = selected(lower(choice.expression))
    lines = [*(f"; {line}" for line in header(target.name, choice, "toy")), f"{symbol}:"]
    text = "\n".join([*lines, *(line.print() for line in code)]) + "\n"
    made = b"".join(line.encode() for line in code)
    return Artifact(symbol, target, choice, "toy", ".toy", text, made)


TOY = (
    Target(
        name="toy-tests",
        backend="toy",
        about="a toy instruction set",
        words=(64,),
        variants=(Variant("plain"),),
        make=_make,
        architecture="toy",
        system="tests",
        object_format=ObjectFormat.ELF,
        runner=Interpreter(),
        not_scanned="a toy has no clock",
    ),
)
