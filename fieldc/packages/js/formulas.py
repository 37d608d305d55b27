"""Formulas in a module: functions that call the field's kernels, one for each step.

Constants of formulas, then slots for their values, lie after the field's own data. One set of slots
serves all formulas: a memory belongs to one thread.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fieldc.algorithms.representations import Representation
from fieldc.field import Field
from fieldc.formulas.field_calls import FieldCall, FieldCalls, field_calls
from fieldc.formulas.formula import Formula
from fieldc.formulas.places import Area, ElementCopy, ElementPlace
from fieldc.operands import Range
from fieldc.packages.js.loops import get, step, times
from fieldc.targets.wasm.encode import I32, Instructions, WasmFunction

ENDINGS = ("_vec",)
CASES = 6
ALIGN = 64


@dataclass(frozen=True)
class FormulaData:
    """What formulas keep in the memory, from an address on."""

    field: Field
    r: Representation
    start: int
    formulas: tuple[Formula, ...]

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return self.field.word // 8 * self.field.n

    @cached_property
    def calls(self) -> tuple[FieldCalls, ...]:
        """The calls of each formula."""
        return tuple(map(field_calls, self.formulas))

    @cached_property
    def numbers(self) -> dict[int, int]:
        """Where each constant stands among all."""
        every = (number for made in self.calls for number in made.constants)
        return {number: place for place, number in enumerate(dict.fromkeys(every))}

    @property
    def constants(self) -> bytes:
        """The constants as residues."""
        residues = (self.r.stored(self.field, number) for number in self.numbers)
        return b"".join(residue.to_bytes(self.size, "little") for residue in residues)

    @property
    def slots(self) -> int:
        """The address of the slots."""
        return self.start + self.size * len(self.numbers)

    @property
    def end(self) -> int:
        """The address after the slots."""
        most = max(made.places.slots for made in self.calls)
        return -(-(self.slots + self.size * most) // ALIGN) * ALIGN

    def function(self, made: FieldCalls, kernels: Sequence[str]) -> WasmFunction:
        """The formula on addresses; z may be any operand."""
        places = made.places
        body: list[Instructions] = [self._copied(made, copy) for copy in places.before]
        for call in made.calls:
            index = kernels.index("add" if call.operation == "double" else call.operation)
            taken = (places.of[i] for i in (call.value, *_sources(call)))
            addresses = (one for place in taken for one in self._address(made, place))
            body.append((*addresses, ("call", index)))
        body += [self._copied(made, copy) for copy in places.after]
        count = 1 + len(made.formula.operands)
        whole = tuple(one for part in body for one in part)
        return WasmFunction(f"formula_{made.formula.name}", (I32,) * count, (), whole)

    def _place(self, made: FieldCalls, place: ElementPlace) -> tuple[Instructions, int]:
        """A base, and an offset from it."""
        offset = place.index * self.size
        if place.area is Area.RESULT:
            return (get(0),), offset
        if place.area is Area.SLOTS:
            return (("i32.const", self.slots),), offset
        if place.operand == len(made.formula.operands):
            number = self.numbers[made.constants[place.index]]
            return (("i32.const", self.start),), number * self.size
        return (get(1 + place.operand),), offset

    def _address(self, made: FieldCalls, place: ElementPlace) -> Instructions:
        base, offset = self._place(made, place)
        return (*base, ("i32.const", offset), ("i32.add",)) if offset else base

    def _copied(self, made: FieldCalls, copy: ElementCopy) -> Instructions:
        """An element, word by word."""
        (to, at), (source, start) = (self._place(made, place) for place in copy)
        words = (
            (*to, *source, ("i64.load", start + i), ("i64.store", at + i))
            for i in range(0, self.size, 8)
        )
        return tuple(one for word in words for one in word)


def _sources(call: FieldCall) -> tuple[int, ...]:
    return call.sources * 2 if call.operation == "double" else call.sources


def formula_functions(
    data: FormulaData, kernels: Sequence[str], first: int
) -> Iterator[WasmFunction]:
    """For each formula its function and that on vectors; `first` is the number of the first one.

    `kernels` are the names of the functions with the lowest numbers.
    """
    for number, made in enumerate(data.calls):
        one = data.function(made, kernels)
        counts = (len(made.formula.results), *(count for _, count in made.formula.operands))
        steps = (s for i, count in enumerate(counts) for s in step(i, count * data.size))
        call: Instructions = (*map(get, range(len(counts))), ("call", first + 2 * number), *steps)
        yield one
        parameters = (*one.parameters, I32)
        yield WasmFunction(f"{one.name}_vec", parameters, (), times(len(counts), call))


def counts_text(formulas: Sequence[Formula]) -> str:
    """The numbers of elements of results and operands, as a property of a module.

    An integer or a mask has the name of its type instead. A sum is an element.
    """
    rows = (
        f'["{one.name}"]: [{", ".join((str(len(one.results)), *map(_kind, one.ranges)))}]'
        for one in formulas
    )
    return f"formulas: {{ {', '.join(rows)} }}"


def _kind(operand: tuple[str, Range]) -> str:
    _, bound = operand
    if bound.powers:
        return str(bound.count)
    if bound.bits == 1:
        return '"mask"'
    return f'"{"i" if bound.is_signed else "u"}{bound.bits}"'


def types_text(formulas: Sequence[Formula]) -> str:
    """The members of a type of TypeScript: each formula with its operands and its result."""
    lines = []
    for one in formulas:
        given = ", ".join(f"{operand[0]}: {_type(operand)}" for operand in one.ranges)
        count = len(one.results)
        result = "bigint" if count == 1 else f"[{', '.join(['bigint'] * count)}]"
        lines.append(f"  readonly {one.name}: FormulaOf<[{given}], {result}>;\n")
    return "".join(lines)


def _type(operand: tuple[str, Range]) -> str:
    kind = _kind(operand)
    if kind == '"mask"':
        return "bigint | boolean"
    return "readonly bigint[]" if kind.isdigit() and kind != "1" else "bigint"


def vectors(f: Field, formula: Formula) -> list[tuple[list[int], list[int]]]:
    """Numbers for the operands, and the results by Python's integers."""
    draw = random.Random(formula.name)
    bounds = [bound for _, bound in formula.ranges for _ in range(bound.count)]
    tops = [f.p if bound.powers else 1 << bound.bits for bound in bounds]
    middles = [top if bound.powers else top >> 1 for bound, top in zip(bounds, tops, strict=True)]
    given = [[0 for _ in tops], [1 for _ in tops], [top - 1 for top in tops]]
    given += [[middle - 1 for middle in middles]]
    given += [[draw.randrange(top) for top in tops] for _ in range(CASES)]
    made = field_calls(formula)
    return [
        (
            [bound.signed(value) for bound, value in zip(bounds, values, strict=True)],
            list(made.evaluate(f, values)),
        )
        for values in given
    ]


def vectors_text(f: Field, formulas: Sequence[Formula]) -> str:
    """The vectors of all formulas as properties of an object of JavaScript."""

    def listed(numbers: Sequence[int]) -> str:
        return f"[{', '.join(f'{number}n' for number in numbers)}]"

    texts = []
    for one in formulas:
        rows = (f"    [{listed(x)}, {listed(z)}],\n" for x, z in vectors(f, one))
        texts.append(f'  ["{one.name}"]: [\n{"".join(rows)}  ],\n')
    return "".join(texts)
