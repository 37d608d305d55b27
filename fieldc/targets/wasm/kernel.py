"""Prints word programs as functions of WebAssembly. A flag is a word that is 0 or 1.

Nothing branches: a selection is made with a mask, since engines compile `select` to a branch.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from heapq import heappop, heappush

from fieldc.targets.source import WordSizeError
from fieldc.targets.wasm.encode import I32, I64, Instruction, WasmFunction
from fieldc.words.program import Program, Step, Value

GET, SET, TEE = "local.get", "local.set", "local.tee"
LOCAL = (GET, SET, TEE)
EXTEND: Instruction = ("i64.extend_i32_u",)
MASKS, PARTS = 1 << 24, 1 << 28
"""Locals of masks, and of parts of flags, are numbered from here until they get their places."""


def print_wasm(program: Program, name: str) -> WasmFunction:
    """Print the function name(z, x, ...) on addresses.

    z may be any operand, and operands may be the same. Raises WordSizeError.
    """
    return print_by(Printer, program, name)


def print_by(printer: type[Printer], program: Program, name: str) -> WasmFunction:
    """The function as a printer prints it. Raises WordSizeError."""
    if program.word != 64:
        raise WordSizeError(f"wasm32 has no {program.word}-bit words; use 64")
    parameters = 1 + len(program.operands)
    body, used = with_few_locals(printer(program).code(), parameters)
    return WasmFunction(name, (I32,) * parameters, (I64,) * used, tuple(body))


@dataclass
class Printer:
    """A value that is read once is computed where it is read. Every other value gets a local."""

    program: Program
    reads: Counter[int] = field(default_factory=Counter)
    waiting: dict[int, list[Instruction]] = field(default_factory=dict)
    masked: set[int] = field(default_factory=set)
    out: list[Instruction] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.reads.update(v.number for step in self.program.steps for v in step.inputs)
        self.reads.update(v.number for v in self.program.results)

    def code(self) -> list[Instruction]:
        """All instructions. The local of a value is its number above the parameters."""
        places = {name: i for i, (name, _) in enumerate(self.program.operands, 1)}
        for step in self.program.steps:
            if step.operation.name == "load":
                load: list[Instruction] = [
                    (GET, places[step.operand]),
                    ("i64.load", 8 * step.attribute),
                ]
                self._put(step.outputs[0], load)
            else:
                getattr(self, f"_{step.operation.name}")(step)
        # What is loaded is loaded before the first store: operands may lie where the result goes.
        results = [self._named(value) for value in self.program.results]
        for i, code in enumerate(results):
            self.out += [(GET, 0), *code, ("i64.store", 8 * i)]
        return self.out

    def _local(self, number: int) -> int:
        return 1 + len(self.program.operands) + number

    def _get(self, value: Value) -> list[Instruction]:
        if value.constant is not None:
            return [("i64.const", value.constant)]
        return self.waiting.pop(value.number, [(GET, self._local(value.number))])

    def _named(self, value: Value) -> list[Instruction]:
        """A value that can be read any number of times."""
        if value.number in self.waiting:
            self.out += [*self._get(value), (SET, self._local(value.number))]
        return self._get(value)

    def _put(self, value: Value, code: list[Instruction], named: bool = False) -> None:
        if self.reads[value.number] == 1 and not named:
            self.waiting[value.number] = code
        elif self.reads[value.number] or named:
            self.out += [*code, (SET, self._local(value.number))]

    def _add(self, step: Step) -> None:
        (a, b, carry), (total, carry_out) = step.inputs, step.outputs
        if not self.reads[carry_out.number]:
            code = [*self._get(a), *self._get(b), ("i64.add",)]
            code += [] if carry.constant == 0 else [*self._get(carry), ("i64.add",)]
            self._put(total, code)
            return
        terms = [self._named(v) for v in (b, carry) if v.constant != 0]
        local, so_far, carries = self._local(total.number), self._get(a), list[list[Instruction]]()
        for kept, term in zip(self._flags(carry_out, len(terms)), terms, strict=True):
            self.out += [*so_far, *term, ("i64.add",), (SET, local)]
            so_far = [(GET, local)]
            self.out += [*so_far, *term, ("i64.lt_u",), EXTEND, (SET, kept)]
            carries.append([(GET, kept)])
        self.out += [*_any(carries), (SET, self._local(carry_out.number))]

    def _sub(self, step: Step) -> None:
        (a, b, borrow), (difference, borrow_out) = step.inputs, step.outputs
        taken = [v for v in (b, borrow) if v.constant != 0]
        if not self.reads[borrow_out.number]:
            code = self._get(a)
            for value in taken:
                code = [*code, *self._get(value), ("i64.sub",)]
            self._put(difference, code)
            return
        local, so_far, borrows = (
            self._local(difference.number),
            self._named(a),
            list[list[Instruction]](),
        )
        terms = [self._named(v) for v in taken]
        for kept, term in zip(self._flags(borrow_out, len(terms)), terms, strict=True):
            self.out += [*so_far, *term, ("i64.lt_u",), EXTEND, (SET, kept)]
            borrows.append([(GET, kept)])
            self.out += [*so_far, *term, ("i64.sub",), (SET, local)]
            so_far = [(GET, local)]
        self.out += [*_any(borrows), (SET, self._local(borrow_out.number))]

    def _flags(self, flag: Value, count: int) -> list[int]:
        """Locals of the flags that make one."""
        return [PARTS + 2 * flag.number + i for i in range(count)]

    def _mul_low(self, step: Step) -> None:
        a, b = step.inputs
        self._put(step.outputs[0], [*self._get(a), *self._get(b), ("i64.mul",)])

    def _and(self, step: Step) -> None:
        a, b = step.inputs
        self._put(step.outputs[0], [*self._get(a), *self._get(b), ("i64.and",)])

    def _funnel(self, step: Step) -> None:
        (high, low), k = step.inputs, step.attribute
        parts: list[list[Instruction]] = []
        if high.constant != 0:
            parts.append([*self._get(high), ("i64.const", 64 - k), ("i64.shl",)])
        if low.constant != 0:
            parts.append([*self._get(low), ("i64.const", k), ("i64.shr_u",)])
        self._put(step.outputs[0], _any(parts))

    def _mask(self, step: Step) -> None:
        self._put(step.outputs[0], self._mask_of(step.inputs[0]))

    def _mask_of(self, flag: Value) -> list[Instruction]:
        local = MASKS + flag.number
        if flag.number not in self.masked:
            self.out += [("i64.const", 0), *self._named(flag), ("i64.sub",), (SET, local)]
            self.masked.add(flag.number)
        return [(GET, local)]

    def _select(self, step: Step) -> None:
        flag, a, b = step.inputs
        mask, other = self._mask_of(flag), self._named(b)
        chosen = [*self._get(a), *other, ("i64.xor",), *mask, ("i64.and",), *other, ("i64.xor",)]
        self._put(step.outputs[0], chosen)


def _any(parts: list[list[Instruction]]) -> list[Instruction]:
    """The parts joined by `or`."""
    code = parts[0]
    for part in parts[1:]:
        code = [*code, *part, ("i64.or",)]
    return code


def with_few_locals(code: list[Instruction], parameters: int) -> tuple[list[Instruction], int]:
    """The same code with a local used again after its last reading, and how many there are."""
    last = {i[1]: place for place, i in enumerate(code) if i[0] in LOCAL}
    free: list[int] = []
    numbers: dict[str | int, int] = {i: i for i in range(parameters)}
    count, out = 0, []
    for place, instruction in enumerate(code):
        if instruction[0] not in LOCAL:
            out.append(instruction)
            continue
        name, local = instruction
        if local not in numbers:
            if not free:
                heappush(free, parameters + count)
                count += 1
            numbers[local] = heappop(free)
        number = numbers[local]
        if last[local] == place and number >= parameters:
            heappush(free, number)
            del numbers[local]
        if name == GET and out and out[-1] == (SET, number):
            out[-1] = (TEE, number)
        else:
            out.append((name, number))
    return out, count
