"""A formula as x86-64 code: a caller, followed in the same section by the routines it calls.

The caller computes nothing. It keeps pointers to the result and the operands in registers that a
callee restores, and values in slots of its frame; each call gets addresses of operands, slots or
the result. Routines are by System V whatever the caller's convention is: nobody else calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fieldc.binary.linkable import function_of
from fieldc.formulas.places import Area, ElementCopy, ElementPlace, places_of, slot_words
from fieldc.language import Expression, Kernel
from fieldc.machine.assemble import assemble
from fieldc.targets.calls import Call, CallerMaker, PlannedRoutine, first_called, made_by
from fieldc.targets.extras import PLAIN, Extras
from fieldc.targets.x86_64.conventions import SYSV, Convention
from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.kernel import X86Error
from fieldc.targets.x86_64.operands import STACK, Immediate, Memory, Register
from fieldc.targets.x86_64.plan import Plan
from fieldc.targets.x86_64.print import (
    GNU,
    INTEL,
    MASM,
    Syntax,
    print_begin,
    print_body,
    print_code,
    print_instruction,
)
from fieldc.targets.x86_64.windows_unwind import FRAME

WORD_BYTES = 8


@dataclass(frozen=True)
class CalledRoutine:
    """What is called: an algorithm, how it becomes code, and its statement for the prover."""

    kernel: Kernel
    plan: Plan
    statement: str
    label: str
    """A part of its name in the text."""


@dataclass(frozen=True)
class Calls:
    """The plan of a formula: routines, calls in order, operands by their counts, and results.

    Values are numbered: all elements of the operands first.
    """

    routines: tuple[CalledRoutine, ...]
    calls: tuple[Call, ...]
    operands: tuple[int, ...]
    results: tuple[int, ...]

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the processor features that the code needs."""
        return tuple(dict.fromkeys(need for one in self.routines for need in one.plan.needs))

    @property
    def called(self) -> tuple[str, ...]:
        """The routines' statements in the order in which they are first called."""
        return first_called(self.calls, [one.statement for one in self.routines])

    def compile(
        self, expression: Expression, symbol: str, convention: Convention = SYSV
    ) -> CallingKernel:
        """The code. Raises X86Error for more operands than the convention passes in registers."""
        return _Caller(self, expression, symbol, convention).kernel()


@dataclass(frozen=True)
class CallingKernel:
    """The caller's code with the places of its calls, and the routines' code."""

    symbol: str
    code: tuple[Physical | int, ...]
    """An instruction, or the number of the routine that is called."""
    routines: tuple[tuple[str, str, tuple[Physical, ...], tuple[tuple[str, int], ...]], ...]
    """Label, what it computes, code, constants."""
    frame: int

    def text(
        self,
        syntax: Syntax = INTEL,
        header: tuple[str, ...] = (),
        local: str = ".L",
        extras: Extras = PLAIN,
    ) -> str:
        """The whole as assembly; `local` begins labels that stay inside the object."""
        prefix = "" if syntax is MASM else local
        lines = [f"{syntax.comment} {line}".rstrip() for line in header]
        lines += print_begin(self.symbol, syntax, extras)
        lines += self.lines(syntax, lambda label: f"{prefix}{self.symbol}_{label}", extras)
        return "\n".join([*lines, *syntax.end(self.symbol)]) + "\n"

    def lines(
        self, syntax: Syntax, name: Callable[[str], str], extras: Extras = PLAIN
    ) -> list[str]:
        """The caller's lines and those of its routines; `name` makes a label of its own."""
        caller: list[tuple[str, Physical | None]] = []
        for one in self.code:
            if isinstance(one, int):
                label, says, *_ = self.routines[one]
                caller.append((f"    {f'call {name(label)}':<43} {syntax.comment} {says}", None))
            else:
                caller.append((print_instruction(one, syntax, ""), one))
        lines = print_code(caller, extras, syntax, self.symbol)
        inner = replace(extras, landing_pads=False)  # routines are called by their address
        lines += [f"{self.symbol} ENDP"] if syntax is MASM else []
        for label, says, code, constants in self.routines:
            own, table = name(label), name(f"{label}_constants")
            lines += _head(own, f"z = {says}", syntax)
            if syntax is MASM and extras.unwind:
                lines[-1] += FRAME
            lines += print_body(code, constants, syntax, table, inner, own)
            lines += [f"{name(label)} ENDP"] if syntax is MASM else []
        return lines


def _head(name: str, says: str, syntax: Syntax) -> list[str]:
    """What opens a routine."""
    if syntax is MASM:
        return [f"; {says}", "ALIGN 64", f"{name} PROC PRIVATE"]
    return [f"{syntax.comment} {says}", "    .p2align 6, 0x90", f"{name}:"]


class _Caller:
    """The caller's code."""

    def __init__(
        self, plan: Calls, expression: Expression, symbol: str, convention: Convention
    ) -> None:
        self.plan, self.expression, self.symbol = plan, expression, symbol
        self.convention, self.size = convention, WORD_BYTES * expression.field.n
        results = (one.kernel.result for one in plan.routines)
        self.slot = WORD_BYTES * slot_words(expression.field, results)
        names = ("z", *(name for name, _ in expression.kernel.operands))
        kept = [r for r in SYSV.preserved if r in convention.preserved]
        if len(names) > min(len(convention.arguments), len(kept)):
            most = len(convention.arguments) - 1
            raise X86Error(f"{convention.name} passes {most} operands in registers beside z")
        self.arrives = dict(zip(names, convention.arguments, strict=False))
        self.home = dict(zip(names, kept, strict=False))
        self.layout = places_of(plan.operands, made_by(plan.calls), plan.results)
        self.names = names[1:]
        said = {call.value: call.name for call in plan.calls}
        self.places = {v: self._memory(p, said.get(v, "")) for v, p in self.layout.of.items()}
        self.shown = {self.layout.of[v]: said.get(v, "") for v in plan.results}
        size = self.layout.slots * self.slot
        self.frame = size + size % 16

    def kernel(self) -> CallingKernel:
        return CallingKernel(self.symbol, tuple(self._code()), tuple(self._routines()), self.frame)

    def _memory(self, place: ElementPlace, name: str = "") -> Memory:
        """Where a value lies."""
        offset = place.index * (self.slot if place.area is Area.SLOTS else self.size)
        if place.area is Area.OPERAND:
            operand = self.names[place.operand]
            return Memory(self.home[operand], offset, operand)
        return Memory(self.home["z"] if place.area is Area.RESULT else STACK, offset, name)

    def _routines(self) -> list[tuple[str, str, tuple[Physical, ...], tuple[tuple[str, int], ...]]]:
        found = []
        for one in self.plan.routines:
            made = one.plan.compile(one.kernel.expression(self.expression.field), self.symbol)
            found.append((one.label, one.kernel.computes.says, made.code, made.constants))
        return found

    def _code(self) -> list[Physical | int]:
        saved = [r for r in ("rdi", "rsi") if r in self.convention.preserved]
        kept = [Register(r) for r in (*saved, *self.home.values())]
        stack, frame = Register(STACK), Immediate(self.frame)
        code: list[Physical | int] = [Physical("push", (r,)) for r in kept]
        code += [
            Physical("mov", (Register(self.home[name]), Register(self.arrives[name])), name)
            for name in self.home
        ]
        code += [Physical("sub", (stack, frame), "values")] if self.frame else []
        code += self._copies(self.layout.before)
        for call in self.plan.calls:
            code += self._call(call)
        code += self._copies(self.layout.after)
        code += [Physical("add", (stack, frame))] if self.frame else []
        return [*code, *(Physical("pop", (r,)) for r in reversed(kept)), Physical("ret", ())]

    def _call(self, call: Call) -> list[Physical | int]:
        where = (self.places[value] for value in (call.value, *call.sources))
        addresses = zip(SYSV.arguments, where, strict=False)
        return [*(_address(register, place) for register, place in addresses), call.routine]

    def _copies(self, copies: Sequence[ElementCopy]) -> list[Physical | int]:
        """Elements word by word."""
        code: list[Physical | int] = []
        temporary = Register("rax")
        for to, source in copies:
            target, taken = self._memory(to), self._memory(source, self.shown.get(source, ""))
            for limb in range(0, self.size, WORD_BYTES):
                word = Memory(taken.base, taken.offset + limb, taken.name)
                code.append(Physical("mov", (temporary, word)))
                store = Memory(target.base, target.offset + limb)
                code.append(Physical("store", (store, temporary)))
        return code


def _address(register: str, place: Memory) -> Physical:
    if place.offset or place.base == STACK:
        return Physical("lea", (Register(register), place))
    return Physical("mov", (Register(register), Register(str(place.base))), place.name)


ROUTINE = "fieldc_routine"


def _routine(expression: Expression, plan: Plan) -> tuple[bytes, int]:
    function = function_of(assemble(plan.compile(expression, ROUTINE).text(GNU)), ROUTINE)
    return function.code, function.start


def _planned(
    routines: Sequence[PlannedRoutine],
    calls: Sequence[Call],
    operands: Sequence[int],
    results: Sequence[int],
) -> Calls:
    made = (CalledRoutine(one.kernel, one.plan, one.statement, one.label) for one in routines)
    return Calls(tuple(made), tuple(calls), tuple(operands), tuple(results))


def _length(calls: Calls, expression: Expression) -> int:
    text = calls.compile(expression, ROUTINE).text(GNU)
    return len(function_of(assemble(text), ROUTINE).code)


CALLER = CallerMaker("x86_64", SYSV.name, _routine, _planned, _length)
"""Callers of x86-64."""
