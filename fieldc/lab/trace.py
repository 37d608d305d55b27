"""What one call really executes, and what it reads from memory and writes there."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fieldc.binary.image import PAGE, Routine
from fieldc.binary.read import find_routine, read_image
from fieldc.binary.relocate import Linked, link
from fieldc.counting.count import Count, by_width
from fieldc.counting.places import RootedAccess
from fieldc.errors import UserError, counted, quote
from fieldc.field import Field
from fieldc.lab.emulate import (
    OPERAND_ROOM,
    OPERANDS,
    STACK,
    STACK_SIZE,
    CallState,
    ExecutedInstruction,
    Moved,
    call,
    model_of,
)

RANDOM_WORDS = 64
"""How many words of an operand are random where nothing says how long it is."""
MOST_LIMBS = OPERAND_ROOM // 8
RESULT = "z"
MOST_ARGUMENTS = 12


class ArgumentError(UserError):
    """What a call should take cannot be made; the message is one line."""


@dataclass(frozen=True)
class Request:
    """A call: its arguments, in the words of `fieldc prove`'s contracts, and their values.

    A name is the address of words (`p`: the field's modulus), `n` the number of limbs and `n0`
    -1/p mod 2^64 by value; a number is itself.
    """

    arguments: tuple[str, ...] = (RESULT, "x", "y")
    values: tuple[tuple[str, int], ...] = ()
    field: Field | None = None
    limbs: int = 0
    seed: int = 1
    limit: int = 1_000_000
    convention: str = ""


@dataclass(frozen=True)
class Trace:
    """A call that returned."""

    linked: Linked
    routine: Routine
    steps: tuple[ExecutedInstruction, ...]
    places: dict[str, int]
    """The addresses of its operands."""
    returned: int

    @cached_property
    def count(self) -> Count:
        """The counts of what was executed; widths as the processor sees them."""
        code = tuple(step.instruction for step in self.steps)
        touches = [_touches(step) for step in self.steps]
        return Count(self.linked.image.architecture, code, touches, is_run=True)

    @property
    def result(self) -> tuple[int, ...]:
        """The words that were written from the result's address on."""
        start, written = self.places.get(RESULT, 0), {}
        for step in self.steps:
            for moved in step.writes:
                for i, byte in enumerate(moved.value.to_bytes(moved.size, "little")):
                    written[moved.address + i - start] = byte
        size = next(i for i in range(OPERAND_ROOM + 1) if i not in written)
        data = bytes(written[i] for i in range(size))
        return tuple(int.from_bytes(data[i : i + 8], "little") for i in range(0, size, 8))

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions it went through, in the order they were first met."""
        names = (self.linked.name_of(step.instruction.address) for step in self.steps)
        return tuple(dict.fromkeys(name.rpartition("+0x")[0] or name for name in names))

    def place_of(self, address: int) -> str:
        """An address in words: an operand's, the stack's, or a number."""
        for name, start in self.places.items():
            if 0 <= address - start < OPERAND_ROOM:
                return f"{name}[{address - start:#x}]"
        if STACK <= address < STACK + STACK_SIZE:
            return f"stack[{address - (STACK + STACK_SIZE - PAGE):#x}]"
        return f"[{address:#x}]"

    def words_read(self, name: str) -> int:
        """How many words of an operand were read, up to the last one."""
        start = self.places.get(name, -1)
        reads = [moved for step in self.steps for moved in step.reads]
        ends = [m.address + m.size - start for m in reads if 0 <= m.address - start < OPERAND_ROOM]
        return -(-max(ends, default=0) // 8) if start >= 0 else 0

    def row(self) -> dict[str, object]:
        """The call for programs, its steps left out."""
        return {
            "architecture": self.linked.image.architecture,
            **self.count.row(),
            "reads": by_width(self.moved(False)),
            "writes": by_width(self.moved(True)),
            "functions": list(self.functions),
            "result": [hex(word) for word in self.result],
            "returned": hex(self.returned),
        }

    def moved(self, store: bool) -> dict[int, int]:
        """How often memory was read, or written, by width in bits."""
        found: dict[int, int] = {}
        for step in self.steps:
            for moved in step.writes if store else step.reads:
                found[8 * moved.size] = found.get(8 * moved.size, 0) + 1
        return dict(sorted(found.items()))


def _touches(step: ExecutedInstruction) -> list[RootedAccess]:
    """The places of a step; the operands are where its caller put them."""
    pairs = [(False, moved) for moved in step.reads] + [(True, moved) for moved in step.writes]
    return [RootedAccess(s, "", m.address, m.size, m.address >= OPERANDS) for s, m in pairs]


def trace(linked: Linked, routine: Routine, request: Request) -> Trace:
    """Call a function once. Raises TraceError, ArgumentError."""
    model = model_of(linked.image.architecture)
    convention = request.convention or default_convention(linked)
    if convention not in model.conventions:
        known = " or ".join(model.conventions)
        raise ArgumentError(f"{linked.image.architecture} has no {convention}; use {known}")
    places, memory = _operands(request)
    words = [places[a] if a in places else _word(a, request) for a in request.arguments]
    entry = CallState(routine.address, convention, words, memory)
    steps, machine = call(linked, entry, request.limit)
    cut = tuple(_as_processor(step) for step in steps)
    register = "x0" if model.link else "rax"
    returned = int(machine.reg_read(model.numbers[register]))
    return Trace(linked, routine, cut, places, returned)


def check_size(found: Trace, request: Request) -> None:
    """Raise ArgumentError where a function is for operands of another size than was said.

    An operand is never shorter than a result's value. Two elements of a field need --limbs: a
    result of 2n words may also be one element of another field.
    """
    for name, value in request.values:
        read, bits = found.words_read(name), value.bit_length()
        if not request.limbs and 0 < 64 * read < bits:
            reads = f"{quote(found.routine.name)} reads {counted(read, 'word')} of {name}"
            n, fits = -(-bits // 64), f"give at most {64 * read}"
            if len(found.result) in (0, n, 2 * n):
                fits = f"--limbs {n} takes it"
            raise ArgumentError(f"{reads}, which has {bits} bits; {fits}")
    if not request.limbs and request.field is None:
        return
    n = request.limbs or (request.field.n if request.field else 0)
    said = f"the field has {counted(n, 'limb')}"
    if request.limbs:
        said = f"--limbs {n} does not fit; {_fitting(found, request)}"
    written = len(found.result)
    if not request.limbs and written == 2 * n:
        said += f"; for two of its elements add --limbs {written}"
    if written not in ((0, n, 2 * n) if request.limbs else (0, n)):
        raise ArgumentError(
            f"{quote(found.routine.name)} writes {counted(written, 'word')} to z; {said}"
        )
    for name in ("x", "y"):
        read = found.words_read(name)
        if request.limbs and read > n:
            raise ArgumentError(
                f"{quote(found.routine.name)} reads {counted(read, 'word')} of {name}; {said}"
            )


def _fitting(found: Trace, request: Request) -> str:
    """The numbers of limbs that fit what a call read and wrote, and its values, as advice."""
    written = len(found.result)
    least = max(found.words_read("x"), found.words_read("y"))
    least = max(least, *(-(-value.bit_length() // 64) for _, value in request.values), 1)
    numbers = [n for n in (written // 2, written) if written in (n, 2 * n) and n >= least]
    if not written:
        numbers = [least]
    if not numbers:
        return "no number of limbs fits it with these operands"
    return f"use --limbs {' or '.join(map(str, numbers))}"


def count_of_call(data: bytes, symbol: str, request: Request) -> Count:
    """What one call of a function of an object in memory executes.

    Raises ObjectError, TraceError, ArgumentError.
    """
    image = read_image(data)
    _, routine = find_routine({"": image}, symbol)
    return trace(link(image), routine, request).count


def default_convention(linked: Linked) -> str:
    """The calling convention of the system that a file is for."""
    return model_of(linked.image.architecture).convention(linked.image.container)


def _word(argument: str, request: Request) -> int:
    """An argument that is passed by value. Raises ArgumentError."""
    f = request.field
    if argument == "n" and (request.limbs or f):
        return request.limbs or (f.n if f else 0)
    if argument in ("n", "n0"):
        if f is None:
            raise ArgumentError(f"the argument {argument} needs --field")
        return f.n0
    value = int(argument, 0)
    if value.bit_length() > 64:
        raise ArgumentError(
            f"the argument {quote(argument)} has {value.bit_length()} bits, more than a register"
        )
    return value


def is_name(argument: str) -> bool:
    """Whether an argument is the address of words."""
    return argument.isidentifier() and argument not in ("n", "n0")


def _operands(request: Request) -> tuple[dict[str, int], dict[int, bytes]]:
    """An address for each name, and what lies there. Raises ArgumentError."""
    if len(request.arguments) > MOST_ARGUMENTS:
        raise ArgumentError(f"at most {MOST_ARGUMENTS} arguments")
    names = list(dict.fromkeys(a for a in request.arguments if is_name(a)))
    places = {name: OPERANDS + 2 * OPERAND_ROOM * i for i, name in enumerate(names)}
    chance, given = random.Random(request.seed), dict(request.values)
    for name in given:
        if name not in places:
            raise ArgumentError(f"no argument is {name}; they are {','.join(request.arguments)}")
    if names and request.limbs > MOST_LIMBS:
        raise ArgumentError(
            f"--limbs {request.limbs} is too many: an operand has at most {MOST_LIMBS}"
        )
    memory = {}
    for name, place in places.items():
        memory[place] = _filled(name, given.get(name), request, chance)
    return places, memory


def _filled(name: str, value: int | None, request: Request, chance: random.Random) -> bytes:
    f, words = request.field, request.limbs or RANDOM_WORDS
    if value is None and name == "p":
        if f is None:
            raise ArgumentError("the argument p needs --field")
        value = f.p
    if value is None and name == RESULT:
        value = 0
    if value is None:
        value = chance.randrange(f.p) if f else chance.getrandbits(64 * words)
    if name != "p" and request.limbs and value.bit_length() > 64 * request.limbs:
        raise ArgumentError(
            f"{quote(name)} has {value.bit_length()} bits, more than fit --limbs {request.limbs};"
            f" it needs --limbs {-(-value.bit_length() // 64)}"
        )
    if value < 0 or value.bit_length() > 8 * OPERAND_ROOM:
        raise ArgumentError(f"{quote(name)} must be from 0 to 2^{8 * OPERAND_ROOM} - 1")
    return value.to_bytes(OPERAND_ROOM, "little")


def _as_processor(step: ExecutedInstruction) -> ExecutedInstruction:
    """A step with its reads and writes as wide as the instruction's.

    The emulator takes one access of 16 bytes for two of 8.
    """
    widths = {
        store: [a.width // 8 for a in step.instruction.accesses if a.store is store]
        for store in (False, True)
    }
    reads, writes = _recut(step.reads, widths[False]), _recut(step.writes, widths[True])
    return ExecutedInstruction(step.instruction, reads, writes)


def _recut(pieces: Sequence[Moved], widths: Sequence[int]) -> list[Moved]:
    sizes = [piece.size for piece in pieces]
    if sizes == list(widths) or sum(sizes) != sum(widths):
        return list(pieces)
    return list(_joined(sorted(pieces, key=lambda piece: piece.address), widths))


def _joined(pieces: Sequence[Moved], widths: Sequence[int]) -> Iterator[Moved]:
    address = pieces[0].address
    data = b"".join(piece.value.to_bytes(piece.size, "little") for piece in pieces)
    for width in widths:
        yield Moved(address, width, int.from_bytes(data[:width], "little"))
        address, data = address + width, data[width:]
