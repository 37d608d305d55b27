"""A module with everything that JavaScript asks of a field: kernels, and loops over vectors.

Memory: below DATA is room for values that wait, then come the field's own, then the heap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from fieldc.algorithms import representations
from fieldc.algorithms.representations import PLAIN, Representation
from fieldc.algorithms.unsaturated import NotInDigits
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.formulas.elements import in_elements
from fieldc.formulas.formula import Formula
from fieldc.language import Expression
from fieldc.packages.js.formulas import FormulaData, formula_functions
from fieldc.packages.js.inversion import InversionPlan, inversion
from fieldc.packages.js.loops import CANONICAL, loops
from fieldc.targets.choice import Choice
from fieldc.targets.header import contract
from fieldc.targets.target import Target
from fieldc.targets.wasm import targets
from fieldc.targets.wasm.encode import PAGE, Module, WasmFunction
from fieldc.targets.wasm.kernel import print_wasm
from fieldc.targets.wasm.wide import ROWS, print_wide
from fieldc.words.build import Builder
from fieldc.words.digits import cheapest_in_digits, cost
from fieldc.words.lower import constant_names, lower, without_dead_steps
from fieldc.words.program import Program

SAME, PARTS = ("add", "sub", "neg"), ("mul", "square")
"""What a module computes: the same in every representation, and parts of one."""
SYMBOLS = (*SAME, *PARTS)
"""Their names in a module."""
DATA = 1024


@dataclass(frozen=True)
class ModuleForm:
    """What the kernels of a module are made of; `key` is the module's name in JavaScript."""

    key: str
    target: Target
    read: Callable[[Expression], tuple[Expression, Program]]
    print: Callable[[Program, str], WasmFunction]


def _in_limbs(expression: Expression) -> tuple[Expression, Program]:
    return expression, lower(expression, ROWS)


DIGITS = ModuleForm("wasm", targets.DIGITS, cheapest_in_digits, print_wasm)
WIDE = ModuleForm("wide", targets.WIDE, _in_limbs, print_wide)
FORMS = (DIGITS, WIDE)
"""For every engine, and for those with wide arithmetic."""


@lru_cache(maxsize=2 * len(FORMS))
def kernels_of(f: Field, form: ModuleForm, r: Representation) -> tuple[tuple[Choice, Program], ...]:
    """The kernels of a module, in the order of SAME and PARTS."""
    made = []
    for operation in (*SAME, *(r.parts[part] for part in PARTS)):
        choice = preferred(f, operation, form.target).preferred
        expression, program = form.read(choice.expression)
        made.append((replace(choice, expression=expression), program))
    return tuple(made)


def fastest(f: Field) -> Representation:
    """The representation of which a product and a square take the fewest steps in both forms."""
    offers = [o.representation for o in representations(f) if o.applies]
    return min(offers, key=lambda r: _steps(f, r))


def _steps(f: Field, r: Representation) -> float:
    """The steps of a product and a square in both forms; infinite where one does not fit."""
    try:
        made = [kernels_of(f, form, r) for form in FORMS]
    except NotInDigits:
        return math.inf
    return sum(cost(program) for kernels in made for _, program in kernels[len(SAME) :])


def field_module(
    f: Field,
    command: str,
    form: ModuleForm,
    r: Representation,
    formulas: Sequence[Formula] = (),
) -> Module:
    """The module of a field. `command` makes it again, and stands in it."""
    made = kernels_of(f, form, r)
    programs = [program for _, program in made]
    kernels = [form.print(each, name) for each, name in zip(programs, SYMBOLS, strict=True)]
    kernels.append(form.print(canonical(f), CANONICAL))
    data, places = constants(f, r)
    functions = [*kernels, *loops(kernels, f.word // 8 * f.n), inversion(plan_of(f, r))]
    if formulas:
        more = FormulaData(f, r, places["heap"], tuple(map(in_elements, formulas)))
        functions += formula_functions(more, SYMBOLS, len(functions))
        data = data.ljust(places["heap"] - DATA, b"\0") + more.constants
        places["heap"] = more.end
    about = (
        command,
        f"p = {f.p:#x}",
        "plain residues" if r is PLAIN else f"R = 2^{f.word * f.n}",
        *(f"needs {name}" for name in form.target.variants[0].needs),
        *(says(choice.expression) for choice, _ in made),
    )
    return Module(
        tuple(functions),
        imported=False,
        pages=-(-places["heap"] // PAGE),
        data=data,
        at=DATA,
        globals=tuple(places.items()),
        about="\n".join(about),
    )


def says(expression: Expression) -> str:
    """A kernel and its contract, on one line."""
    return f"{expression.kernel.operation} ({expression.kernel.algorithm}): {contract(expression)}"


def constants(f: Field, r: Representation) -> tuple[bytes, dict[str, int]]:
    """The field's own values from DATA on, and where each lies; the others are numbers.

    A product with r2 enters the representation, one with `unit` leaves it. `plain` says that
    neither is needed.
    """
    size = f.word // 8 * f.n
    is_plain = r is PLAIN
    values = {"one": r.stored(f, 1), "r2": 1 if is_plain else f.R2, "unit": 1, "exponent": f.p - 2}
    data = b"".join(value.to_bytes(size, "little") for value in values.values())
    places = {name: DATA + size * i for i, name in enumerate(values)}
    plan = plan_of(f, r)
    numbers = {"limbs": f.n, "plain": 1} if is_plain else {"limbs": f.n}
    return data + plan.data, {**numbers, **places, "heap": -(-(plan.at + plan.size) // 64) * 64}


def plan_of(f: Field, r: Representation) -> InversionPlan:
    """Where the digits of an inversion lie: after the field's own values."""
    return InversionPlan(f, DATA + 4 * f.word // 8 * f.n, 1 if r is PLAIN else f.R2)


def canonical(f: Field) -> Program:
    """y where x < p, else 0: the and of such words tells of a whole vector."""
    build = Builder(f.word, constant_names(f))
    borrow = build.no_carry
    for i, limb in enumerate(f.limbs(f.p)):
        word = build.load("x", i, build.top)
        _, borrow = build.sub(word, build.constant(limb), borrow)
    kept = build.bit_and(build.mask(borrow), build.load("y", 0, build.top))
    operands = (("x", f.n), ("y", 1))
    return without_dead_steps(Program(CANONICAL, f.word, operands, tuple(build.steps), (kept,)))
