"""WebAssembly of our own: signed digits for every engine, limbs for those with wide arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fieldc.algorithms.unsaturated import NotInDigits, readings
from fieldc.language import Expression
from fieldc.machine.wasm import WasmKernel, why_not_node
from fieldc.machine.wasm_wide import WideKernel, why_not_wasmtime
from fieldc.targets.choice import Choice, Variant
from fieldc.targets.header import header, symbol_of
from fieldc.targets.object_format import ObjectFormat
from fieldc.targets.running import Engine
from fieldc.targets.target import Artifact, Target
from fieldc.targets.wasm.encode import Module, WasmFunction
from fieldc.targets.wasm.kernel import print_wasm
from fieldc.targets.wasm.wide import ALGORITHMS, ROWS, WIDE_ARITHMETIC, print_wide
from fieldc.words.digits import cheapest_in_digits
from fieldc.words.lower import lower

ABOUT = "WebAssembly of our own: modules that import env.memory"
WasmPrinter = Callable[[Expression, str], tuple[Expression, WasmFunction]]
"""The function of an expression by a symbol, and the expression as it was read."""


def _in_digits(expression: Expression, symbol: str) -> tuple[Expression, WasmFunction]:
    read, program = cheapest_in_digits(expression)
    return read, print_wasm(program, symbol)


def _wide(expression: Expression, symbol: str) -> tuple[Expression, WasmFunction]:
    return expression, print_wide(lower(expression, ROWS), symbol)


def _in_some_digits(expression: Expression) -> bool:
    try:
        readings(expression)
    except NotInDigits:
        return False
    return True


def _target(
    name: str, about: str, variant: Variant, printer: WasmPrinter, engine: Engine
) -> Target:
    def make(target: Target, choice: Choice) -> Artifact:
        symbol = symbol_of(choice.expression, choice.variant.name)
        read, function = printer(choice.expression, symbol)
        choice, module = replace(choice, expression=read), Module((function,))
        text = "".join(f";; {line}\n" for line in header(target.name, choice, "c")) + module.text()
        code = module.encode()
        return Artifact(symbol, target, choice, "c", ".wat", text, code, object_suffix=".wasm")

    return Target(
        name=name,
        backend="wasm",
        about=about,
        words=(64,),
        variants=(variant,),
        make=make,
        architecture="wasm32",
        object_format=ObjectFormat.WASM,
        runner=engine,
        not_scanned="an engine compiles it further",
    )


DIGITS = _target(
    "wasm32",
    ABOUT,
    Variant("wasm"),
    _in_digits,
    Engine("node", why_not_node, WasmKernel),
).named("wasm32", can=_in_some_digits)
WIDE = _target(
    "wasm32-wide",
    f"{ABOUT}, with wide arithmetic",
    Variant("wide", (WIDE_ARITHMETIC,)),
    _wide,
    Engine("wasmtime", why_not_wasmtime, WideKernel),
).named("wasm32-wide", algorithms=ALGORITHMS)
WASM = (DIGITS, WIDE)
