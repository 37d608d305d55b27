"""A formula as AArch64 code: a caller, followed in the same section by the routines it calls.

The caller computes nothing. It keeps pointers to the result and the operands, and its own return
address, in registers or in its frame; values lie in slots of the frame. Routines follow its own
convention. The systems' conventions agree in all that this code uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fieldc.formulas.places import Area, ElementPlace, places_of, slot_words
from fieldc.language import Expression, Kernel
from fieldc.targets.aarch64.allocate import SLOT, framed
from fieldc.targets.aarch64.encode import NOP, assembled, encode
from fieldc.targets.aarch64.instructions import TextError
from fieldc.targets.aarch64.kernel import LANDING_PAD, ArmKernel, ArmOrder, compile_words
from fieldc.targets.calls import Call, CallerMaker, PlannedRoutine, first_called, made_by
from fieldc.targets.judge import NotCompiled
from fieldc.words.lower import lower

ALIGNMENT = 64
"""Where a routine begins."""
HOME, LINK = 19, 30
"""The first register that keeps a pointer, and that of the return address."""
FIRST_LABEL = 10
TEMPORARY = "x9"


@dataclass(frozen=True)
class ArmRoutine:
    """What is called: an algorithm, the order of its instructions, and its statement."""

    kernel: Kernel
    order: ArmOrder | None
    statement: str

    def code(self, expression: Expression) -> ArmKernel:
        """Its instructions, over the caller's field."""
        own = self.kernel.expression(expression.field)
        return compile_words(lambda rows: lower(own, rows), order=self.order)


@dataclass(frozen=True)
class ArmCalls:
    """The plan of a formula: routines, calls in order, operands by their counts, and results.

    Values are numbered: all elements of the operands first.
    """

    routines: tuple[ArmRoutine, ...]
    calls: tuple[Call, ...]
    operands: tuple[int, ...]
    results: tuple[int, ...]

    @property
    def called(self) -> tuple[str, ...]:
        """The routines' statements in the order in which they are first called."""
        return first_called(self.calls, [one.statement for one in self.routines])

    def compile(self, expression: Expression) -> ArmCaller:
        """The caller with the code of its routines."""
        made = tuple((one.kernel, one.code(expression)) for one in self.routines)
        return ArmCaller(tuple(_Caller(self, expression).lines()), made)


@dataclass(frozen=True)
class ArmCaller:
    """A caller's lines, and its routines: what is computed, and code."""

    lines: tuple[str, ...]
    routines: tuple[tuple[Kernel, ArmKernel], ...]

    def text(self, comment: str = "//") -> list[str]:
        """Its lines, then those of each routine after its label."""
        found = [*self.lines]
        for number, (kernel, code) in enumerate(self.routines):
            found += [f"{comment} z = {kernel.computes.says}", ".p2align 6", f"{_label(number)}:"]
            found += code.text(comment)
        return found

    def with_landing_pad(self) -> ArmCaller:
        """The caller after a landing pad; its routines are called by their address."""
        return replace(self, lines=(LANDING_PAD, *self.lines))

    @property
    def code(self) -> bytes:
        """Its bytes, for a place at a multiple of ALIGNMENT. Raises NotCompiled."""
        length, parts = 4 * len(self.lines), list[bytes]()
        places = dict[str, int]()
        for number, (_, code) in enumerate(self.routines):
            length += _filling(length)
            places[f"{_label(number)}f"] = length
            parts.append(code.code)
            length += len(code.code)
        try:
            found = assembled("\n".join(self.lines), places)
        except TextError as error:
            raise NotCompiled(str(error)) from None
        for part in parts:
            found += encode(NOP).to_bytes(4, "little") * (_filling(len(found)) // 4) + part
        return found


def _label(number: int) -> int:
    """The label of a routine: a number, which every system's assembler keeps to the text."""
    return FIRST_LABEL + number


def _filling(length: int) -> int:
    return -length % ALIGNMENT


class _Caller:
    """The caller's lines."""

    def __init__(self, plan: ArmCalls, expression: Expression) -> None:
        self.plan, self.size = plan, SLOT * expression.field.n
        results = (one.kernel.result for one in plan.routines)
        self.slot = SLOT * slot_words(expression.field, results)
        self.layout = places_of(plan.operands, made_by(plan.calls), plan.results)
        count = 1 + len(plan.operands)
        self.saved = [*range(HOME, HOME + count), LINK]
        self.below = SLOT * (len(self.saved) + len(self.saved) % 2)
        room = self.layout.slots * self.slot
        self.frame = self.below + room + room % 16

    def lines(self) -> Iterator[str]:
        before, after = framed(self.saved, self.frame)
        yield from before
        for number in range(len(self.plan.operands) + 1):
            yield f"mov x{HOME + number}, x{number}"
        yield from self._copies(self.layout.before)
        for call in self.plan.calls:
            for number, value in enumerate((call.value, *call.sources)):
                base, offset = self._place(self.layout.of[value])
                yield f"add x{number}, {base}, #{offset}"
            says = self.plan.routines[call.routine].kernel.computes.says
            yield f"bl {_label(call.routine)}f // {says}"
        yield from self._copies(self.layout.after)
        yield from after
        yield "ret"

    def _place(self, place: ElementPlace) -> tuple[str, int]:
        """A register and an offset from it."""
        if place.area is Area.SLOTS:
            return "sp", self.below + place.index * self.slot
        number = place.operand + 1 if place.area is Area.OPERAND else 0
        return f"x{HOME + number}", place.index * self.size

    def _copies(self, copies: tuple[tuple[ElementPlace, ElementPlace], ...]) -> Iterator[str]:
        """Elements, word by word."""
        for to, source in copies:
            (target, at), (taken, from_) = self._place(to), self._place(source)
            for limb in range(0, self.size, SLOT):
                yield f"ldr {TEMPORARY}, [{taken}, #{from_ + limb}]"
                yield f"str {TEMPORARY}, [{target}, #{at + limb}]"


def _routine(expression: Expression, order: ArmOrder | None) -> tuple[bytes, int]:
    return compile_words(lambda rows: lower(expression, rows), order=order).code, 0


def _planned(
    routines: Sequence[PlannedRoutine],
    calls: Sequence[Call],
    operands: Sequence[int],
    results: Sequence[int],
) -> ArmCalls:
    made = (ArmRoutine(one.kernel, one.plan, one.statement) for one in routines)
    return ArmCalls(tuple(made), tuple(calls), tuple(operands), tuple(results))


def _length(calls: ArmCalls, expression: Expression) -> int:
    return len(calls.compile(expression).code)


CALLER = CallerMaker("aarch64", "aapcs64", _routine, _planned, _length)
"""Callers of AArch64. Where X18 is not the kernel's, routines leave it alone too."""
