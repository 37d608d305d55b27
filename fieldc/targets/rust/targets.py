"""Rust: flat, in loops, and with intrinsics. Its user compiles the text."""

from __future__ import annotations

from collections.abc import Callable

from fieldc.language import Expression
from fieldc.targets.choice import Choice, Variant
from fieldc.targets.header import header, symbol_of
from fieldc.targets.rust.flat import ROWS, print_rust
from fieldc.targets.rust.intrinsics import INTRINSICS, features_of
from fieldc.targets.rust.looped import print_rust_looped
from fieldc.targets.target import Artifact, Target
from fieldc.words.loops import has_loops
from fieldc.words.lower import lower

RustPrinter = Callable[[Expression, str], str]


def _flat(expression: Expression, symbol: str) -> str:
    return print_rust(lower(expression, ROWS), symbol, expression)


def _intrinsics(expression: Expression, symbol: str) -> str:
    return print_rust(lower(expression, ROWS), symbol, expression, INTRINSICS)


def _nothing(expression: Expression) -> tuple[str, ...]:
    return ()


def _features(expression: Expression) -> tuple[str, ...]:
    return features_of(lower(expression, ROWS))


def _target(
    name: str,
    about: str,
    variant: str,
    printer: RustPrinter,
    needs: Callable[[Expression], tuple[str, ...]] = _nothing,
) -> Target:
    def make(target: Target, choice: Choice) -> Artifact:
        symbol = symbol_of(choice.expression, target.name.replace("-", "_"))
        asks = Variant(choice.variant.name, needs(choice.expression))
        choice = Choice(choice.expression, asks, choice.plan, choice.chosen_by, choice.options)
        head = "".join(f"// {line}\n" for line in header(target.name, choice, "rust"))
        text = head + printer(choice.expression, symbol)
        return Artifact(symbol, target, choice, "rust", ".rs", text, None)

    return Target(name, "rust", about, (64, 32), (Variant(variant),), make)


FLAT = _target("rust", "Rust without unsafe", "portable", _flat)
LOOPED = _target("rust-looped", "Rust in loops", "looped", print_rust_looped)
ABOUT = "Rust that calls mulx, adc and sbb by name"
WITH_INTRINSICS = _target("rust-intrinsics", ABOUT, "intrinsics", _intrinsics, _features)
RUST = (FLAT, LOOPED.named("rust-looped", can=has_loops), WITH_INTRINSICS)
