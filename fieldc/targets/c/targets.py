"""C for every other processor: its user compiles the text."""

from __future__ import annotations

from fieldc.targets.artifact import Artifact, header, symbol_of
from fieldc.targets.c.print import ROWS, print_c
from fieldc.targets.target import Choice, Target, Variant
from fieldc.words.lower import lower


def _make(target: Target, choice: Choice) -> Artifact:
    expression = choice.expression
    symbol = symbol_of(expression, "c")
    head = "\n * ".join(header(target, choice, "c"))
    text = f"/* {head} */\n" + print_c(lower(expression, ROWS), symbol, expression)
    return Artifact(symbol, target, choice, "c", ".c", text, None)


C = (Target("c", "c", "C with a double word", (64, 32), (Variant("portable"),), _make),)
