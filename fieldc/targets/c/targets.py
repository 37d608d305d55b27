"""C for every other processor: its user compiles the text."""

from __future__ import annotations

from fieldc.targets.c.print import ROWS, print_c
from fieldc.targets.choice import Choice, Variant
from fieldc.targets.header import header, symbol_of
from fieldc.targets.target import Artifact, Target
from fieldc.words.lower import lower


def _make(target: Target, choice: Choice) -> Artifact:
    expression = choice.expression
    symbol = symbol_of(expression, "c")
    head = "\n * ".join(header(target.name, choice, "c"))
    text = f"/* {head} */\n" + print_c(lower(expression, ROWS), symbol, expression)
    return Artifact(symbol, target, choice, "c", ".c", text, None)


C = (Target("c", "c", "C with a double word", (64, 32), (Variant("portable"),), _make),)
