"""A formula as x86-64 code: a caller, followed in the same section by the routines it calls.

The caller computes nothing. It keeps pointers to the result and the operands in registers that a
callee restores, and values in slots of its frame; each call gets addresses of operands, slots or
the result. Routines are by System V whatever the caller's convention is: nobody else calls them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.language import Expression, Kernel
from fieldc.targets.x86_64.conventions import SYSV, Convention
from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.kernel import X86Error
from fieldc.targets.x86_64.operands import STACK, Immediate, Memory, Register
from fieldc.targets.x86_64.plan import Plan
from fieldc.targets.x86_64.print import INTEL, MASM, Syntax, print_body, print_instruction

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
class Call:
    """One call: the routine's number, the values it takes, and the value it gives."""

    routine: int
    sources: tuple[int, ...]
    value: int
    name: str


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
        order = dict.fromkeys(call.routine for call in self.calls)
        return tuple(self.routines[number].statement for number in order)

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

    def text(self, syntax: Syntax = INTEL, header: tuple[str, ...] = (), local: str = ".L") -> str:
        """The whole as assembly; `local` begins labels that stay inside the object."""
        prefix = "" if syntax is MASM else local
        lines = [f"{syntax.comment} {line}".rstrip() for line in header]
        lines += syntax.begin(self.symbol)
        for one in self.code:
            if isinstance(one, int):
                label, says, *_ = self.routines[one]
                call = f"call {prefix}{self.symbol}_{label}"
                lines.append(f"    {call:<43} {syntax.comment} {says}")
            else:
                lines.append(print_instruction(one, syntax, ""))
        lines += [f"{self.symbol} ENDP"] if syntax is MASM else []
        for label, says, code, constants in self.routines:
            name = f"{prefix}{self.symbol}_{label}"
            lines += _head(name, f"z = {says}", syntax)
            lines += print_body(code, constants, syntax, f"{name}_constants")
            lines += [f"{name} ENDP"] if syntax is MASM else []
        return "\n".join([*lines, *syntax.end(self.symbol)]) + "\n"


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
        names = ("z", *(name for name, _ in expression.kernel.operands))
        kept = [r for r in SYSV.preserved if r in convention.preserved]
        if len(names) > min(len(convention.arguments), len(kept)):
            most = len(convention.arguments) - 1
            raise X86Error(f"{convention.name} passes {most} operands in registers beside z")
        self.arrives = dict(zip(names, convention.arguments, strict=False))
        self.home = dict(zip(names, kept, strict=False))
        owners = [
            (name, i)
            for name, count in zip(names[1:], plan.operands, strict=True)
            for i in range(count)
        ]
        self.places: dict[int, Memory] = {
            number: Memory(self.home[name], i * self.size, name)
            for number, (name, i) in enumerate(owners)
        }
        self.inputs = len(owners)
        self.frame = 0

    def kernel(self) -> CallingKernel:
        self._place_values()
        return CallingKernel(self.symbol, tuple(self._code()), tuple(self._routines()), self.frame)

    def _routines(self) -> list[tuple[str, str, tuple[Physical, ...], tuple[tuple[str, int], ...]]]:
        found = []
        for one in self.plan.routines:
            made = one.plan.compile(one.kernel.expression(self.expression.field), self.symbol)
            found.append((one.label, one.kernel.computes.says, made.code, made.constants))
        return found

    def _place_values(self) -> None:
        """Give each computed value a slot, or its place in z if that place is free."""
        last = {value: n for n, call in enumerate(self.plan.calls) for value in call.sources}
        direct = self._direct(last)
        free: list[int] = []
        slots = 0
        for number, call in enumerate(self.plan.calls):
            if call.value in direct:
                offset = direct[call.value] * self.size
                self.places[call.value] = Memory(self.home["z"], offset, call.name)
            else:
                if not free:
                    free, slots = [slots], slots + 1
                offset = free.pop() * self.size
                self.places[call.value] = Memory(STACK, offset, call.name)
            for value in dict.fromkeys((*call.sources, call.value)):
                is_done = last.get(value, number) == number and value not in self.plan.results
                place = self.places[value]
                if is_done and value >= self.inputs and place.base == STACK:
                    free.append(place.offset // self.size)
        self.frame = slots * self.size + slots * self.size % 16

    def _direct(self, last: dict[int, int]) -> dict[int, int]:
        """Values that are written straight to z: results that no call reads, after all operands.

        z may be an operand, so nothing is written there before the last operand is read.
        """
        reads = [n for value, n in last.items() if value < self.inputs]
        after = max(reads, default=-1)
        return {
            value: place
            for place, value in enumerate(self.plan.results)
            for n, call in enumerate(self.plan.calls)
            if call.value == value
            and n >= after
            and value not in last
            and self.plan.results.count(value) == 1
        }

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
        for call in self.plan.calls:
            code += self._call(call)
        code += self._copies()
        code += [Physical("add", (stack, frame))] if self.frame else []
        return [*code, *(Physical("pop", (r,)) for r in reversed(kept)), Physical("ret", ())]

    def _call(self, call: Call) -> list[Physical | int]:
        where = (self.places[value] for value in (call.value, *call.sources))
        addresses = zip(SYSV.arguments, where, strict=False)
        return [*(_address(register, place) for register, place in addresses), call.routine]

    def _copies(self) -> list[Physical | int]:
        """The results that are not in z yet; from operands too, which are read before z is written.

        Raises X86Error where a result is an operand and others are written before.
        """
        places = list(enumerate(self.plan.results))
        code: list[Physical | int] = []
        moved = [
            (place, self.places[value])
            for place, value in places
            if self.places[value].base != self.home["z"]
        ]
        if any(place.base != STACK for _, place in moved):
            raise X86Error("a result that is an operand itself is not computed by calls")
        temporary = Register("rax")
        for target, source in moved:
            for limb in range(0, self.size, WORD_BYTES):
                word = Memory(source.base, source.offset + limb, source.name)
                to = Memory(self.home["z"], target * self.size + limb)
                code.append(Physical("mov", (temporary, word)))
                code.append(Physical("store", (to, temporary)))
        return code


def _address(register: str, place: Memory) -> Physical:
    if place.offset or place.base == STACK:
        return Physical("lea", (Register(register), place))
    return Physical("mov", (Register(register), Register(str(place.base))), place.name)


def labels(says: Sequence[str]) -> list[str]:
    """A label for each routine: its number, for its text has no name."""
    return [f"r{number}" for number in range(len(says))]
