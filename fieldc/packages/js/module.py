"""A module with everything that JavaScript asks of a field: kernels, and loops over vectors.

Memory: below DATA is room for values that wait, then come the field's own, then the heap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from fieldc.algorithms import representations
from fieldc.algorithms.representations import PLAIN, Offer, Representation
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.packages.js.inversion import InversionPlan, inversion
from fieldc.targets.artifact import contract
from fieldc.targets.target import Target
from fieldc.targets.wasm import targets
from fieldc.targets.wasm.encode import I32, PAGE, Instruction, Module, WasmFunction
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
CANONICAL = "canonical"
DATA = 1024
Body = tuple[Instruction, ...]


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
def kernels_of(
    f: Field, form: ModuleForm, r: Representation
) -> tuple[tuple[Expression, Program], ...]:
    """The kernels of a module, in the order of SAME and PARTS."""
    operations = (*SAME, *(r.parts[part] for part in PARTS))
    decided = (preferred(f, operation, form.target) for operation in operations)
    return tuple(form.read(decision.expression) for decision in decided)


def fastest(f: Field) -> Representation:
    """The representation of which a product and a square take the fewest steps in both forms."""

    def steps(offer: Offer) -> int:
        made = (kernels_of(f, form, offer.representation) for form in FORMS)
        return sum(cost(program) for kernels in made for _, program in kernels[len(SAME) :])

    return min((o for o in representations(f) if o.applies), key=steps).representation


def field_module(f: Field, command: str, form: ModuleForm, r: Representation) -> Module:
    """The module of a field. `command` makes it again, and stands in it."""
    made = kernels_of(f, form, r)
    programs = [program for _, program in made]
    kernels = [form.print(each, name) for each, name in zip(programs, SYMBOLS, strict=True)]
    kernels.append(form.print(canonical(f), CANONICAL))
    data, places = constants(f, r)
    invert = inversion(plan_of(f, r))
    about = (
        command,
        f"p = {f.p:#x}",
        "plain residues" if r is PLAIN else f"R = 2^{f.word * f.n}",
        *(f"needs {name}" for name in form.target.variants[0].needs),
        *(says(expression) for expression, _ in made),
    )
    return Module(
        (*kernels, *loops(kernels, f.word // 8 * f.n), invert),
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


def loops(kernels: list[WasmFunction], size: int) -> list[WasmFunction]:
    """Functions on vectors of values of `size` bytes, that call kernels by their places."""
    index = {kernel.name: i for i, kernel in enumerate(kernels)}
    return [
        *(_vector(f"{name}_vec", index[name], size, "zxy") for name in ("add", "sub", "mul")),
        *(_vector(f"{name}_vec", index[name], size, "zx") for name in ("neg", "square")),
        _vector("scale_vec", index["mul"], size, "zxY"),
        _vector("canonical_vec", index[CANONICAL], size, "Zx", (0, 1, 0)),
        _unwind(index["mul"], size),
        _power(index["mul"], index["square"]),
    ]


def _get(local: int) -> Instruction:
    return "local.get", local


def _step(local: int, by: int) -> Body:
    return _get(local), ("i32.const", by), ("i32.add",), ("local.set", local)


def _times(count: int, body: Body) -> Body:
    """The body so many times as a local says, which counts down to 0."""
    down: Body = (_get(count), ("i32.const", -1), ("i32.add",), ("local.tee", count))
    empty: Body = (_get(count), ("i32.eqz",), ("br_if", 0))
    return ("block",), *empty, ("loop",), *body, *down, ("br_if", 0), ("end",), ("end",)


def _vector(
    name: str, kernel: int, size: int, operands: str, arguments: tuple[int, ...] = ()
) -> WasmFunction:
    """name(operands.., count): the kernel on each value; an operand in capitals stays the same."""
    given = arguments or tuple(range(len(operands)))
    moves = [i for i, operand in enumerate(operands) if operand.islower()]
    steps = (instruction for i in moves for instruction in _step(i, size))
    body = (*map(_get, given), ("call", kernel), *steps)
    count = len(operands)
    return WasmFunction(name, (I32,) * (count + 1), (), _times(count, body))


def _unwind(mul: int, size: int) -> WasmFunction:
    """unwind(s, x, t, count): from the last value back, s_i = t * s_(i-1), then t = t * x_i.

    `s` and `x` are the addresses of the last values. With products s_i = x_0 * ... * x_i and t the
    inverse of the last, s_i becomes the inverse of x_i, and t at last that of x_0.
    """
    s, x, t, count = range(4)
    before: Body = (_get(s), ("i32.const", -size), ("i32.add",))
    body = (_get(s), _get(t), *before, ("call", mul), _get(t), _get(t), _get(x), ("call", mul))
    steps = (*_step(s, -size), *_step(x, -size))
    return WasmFunction("unwind", (I32,) * 4, (), _times(count, (*body, *steps)))


def _power(mul: int, square: int) -> WasmFunction:
    """power(z, x, e, bits): z = z^(2^bits) * x^e, the exponent's bits from bytes; z is not x.

    It branches on the exponent's bits, not on values.
    """
    z, x, e, bits = range(4)
    place: Body = (_get(bits), ("i32.const", -1), ("i32.add",))
    byte: Body = (_get(e), *place, ("i32.const", 3), ("i32.shr_u",), ("i32.add",))
    shift: Body = (*place, ("i32.const", 7), ("i32.and",))
    bit: Body = (*byte, ("i32.load8_u", 0), *shift, ("i32.shr_u",), ("i32.const", 1), ("i32.and",))
    multiply: Body = (("if",), _get(z), _get(z), _get(x), ("call", mul), ("end",))
    body = (_get(z), _get(z), ("call", square), *bit, *multiply)
    return WasmFunction("power", (I32,) * 4, (), _times(bits, body))
