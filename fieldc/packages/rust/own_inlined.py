"""The kernels of a package of one prime of one limb: the compiler's choice, inlined.

Sums are among them, also those of values below 2p: each text has the numbers of its own modulus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fieldc.algorithms.lazy import has_two_spare_bits
from fieldc.algorithms.representations import Representation
from fieldc.field import Field
from fieldc.packages.rust.inlined import IMPORTS, VARIANT, inlined_dispatch, inlined_text
from fieldc.packages.rust.written_inline import inline_kernels_in
from fieldc.targets.choice import Choice
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact, Target
from fieldc.targets.x86_64.in_registers import compile_in_registers
from fieldc.targets.x86_64.kernel import lower_for
from fieldc.targets.x86_64.targets import plan_of

SUMS = {"add": "add", "sub": "sub"}
LAZY_SUMS = {"add": "add_lazy", "sub": "sub_lazy", "reduce": "reduce_lazy"}
"""What the types call beside products, of canonical values and of those below 2p."""
PRODUCTS = ("mul", "sum_of_products", "square")
LAZY_PRODUCTS = ("mul", "square")


def parts(r: Representation) -> dict[str, str]:
    """The operation of each part that the types call."""
    return {**{part: r.parts[part] for part in PRODUCTS}, **SUMS}


def lazy_parts(f: Field, r: Representation) -> dict[str, str]:
    """The same for values below 2p; none without room."""
    if not has_two_spare_bits(f):
        return {}
    return {**{part: r.lazy[part] for part in LAZY_PRODUCTS}, **LAZY_SUMS}


def inlined_module(
    f: Field,
    numbers: tuple[int, int],
    kernels: Sequence[Artifact],
    named: tuple[Mapping[str, str], Mapping[str, str]],
    without: str,
) -> str:
    """The module of a prime's kernels after its header: which run, and their texts.

    `numbers` are those of its classes, `named` the operations of their parts. `without` is the text
    that stands for values below 2p where there is no room for them.
    """
    symbols = {a.expression.kernel.operation: a.symbol for a in kernels}
    dispatched = [
        inlined_dispatch(f.n, number, {x: symbols[op] for x, op in of.items()}, bool(is_lazy))
        if of
        else without
        for is_lazy, (number, of) in enumerate(zip(numbers, named, strict=True))
    ]
    return "".join((IMPORTS, "\n", *dispatched, *(kernel.text for kernel in kernels)))


def _make(target: Target, choice: Choice) -> Artifact:
    expression = choice.expression
    choices = plan_of(choice).choices
    code = compile_in_registers(lower_for(expression, choices), choices)
    name = f"{expression.kernel.operation}_prime_{VARIANT}"
    text = inlined_text(code, expression, name, numbers=True)
    (found,) = inline_kernels_in(text).values()
    made = found.assembled(expression.field)
    return Artifact(found.symbol, target, choice, target.proved_as, ".rs", text, made)


_LINUX = TARGETS["x86_64-linux"]
INLINED = _LINUX.named(
    _LINUX.name,
    make=_make,
    variants=tuple(variant for variant in _LINUX.variants if variant.name == VARIANT),
)
"""x86-64 on every system; the proved object is ELF."""
